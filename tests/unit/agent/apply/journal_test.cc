// SPDX-License-Identifier: Apache-2.0
// What is left of the applier's files after a crash, a bad medium or a person.
#include "agent/apply/journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "absl/strings/str_split.h"
#include "agent/apply/chain.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ChainTest : public ::testing::Test {
 protected:
  std::string Path() const { return shop.dir + "/chain"; }

  absl::StatusOr<apply::ChainedFile> Open(std::vector<std::string>* records = nullptr) {
    return apply::ChainedFile::Open(shop.disk, Path(), {},
                                    [records](std::string_view record, const apply::ChainEnd&) {
                                      if (records != nullptr) records->emplace_back(record);
                                      return absl::OkStatus();
                                    });
  }

  std::string Three() {
    absl::StatusOr<apply::ChainedFile> file = Open();
    for (const char* record : {R"({"a":1})", R"({"b":"2"})", R"({"c":[3]})"})
      EXPECT_TRUE(file->Append(record).ok());
    return shop.FileText("chain");
  }

  Workshop shop;
};

TEST_F(ChainTest, WhatWasAppendedIsReadInOrder) {
  Three();
  std::vector<std::string> records;
  EXPECT_EQ(Open(&records)->end().lines, 3U);
  EXPECT_THAT(records, ElementsAre(R"({"a":1})", R"({"b":"2"})", R"({"c":[3]})"));
}

TEST_F(ChainTest, CutAtEveryByteItHoldsTheWholeLinesAndGoesOn) {
  const std::string text = Three();
  for (std::size_t size = 0; size <= text.size(); ++size) {
    shop.Rewrite("chain", text.substr(0, size));
    const auto whole = static_cast<std::size_t>(std::ranges::count(text.substr(0, size), '\n'));
    absl::StatusOr<apply::ChainedFile> file = Open();
    ASSERT_TRUE(file.ok()) << size << " " << file.status();
    ASSERT_EQ(file->end().lines, whole) << size;
    ASSERT_TRUE(file->Append(R"({"d":4})").ok());
    ASSERT_EQ(Open()->end().lines, whole + 1) << size;
  }
}

TEST_F(ChainTest, AnyChangedByteIsFoundAndTheFileIsLeftAlone) {
  const std::string text = Three();
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    shop.Rewrite("chain", changed);
    const absl::StatusOr<apply::ChainedFile> file = Open();
    ASSERT_TRUE(absl::IsDataLoss(file.status())) << at << " " << file.status();
    ASSERT_EQ(shop.FileText("chain"), changed);
  }
}

TEST_F(ChainTest, ALineThatWasTakenOutDoubledOrMovedIsFound) {
  const std::string text = Three();
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const std::string& changed :
       {lines[1] + "\n" + lines[2] + "\n", lines[0] + "\n" + lines[2] + "\n",
        lines[0] + "\n" + lines[0] + "\n" + lines[1] + "\n", lines[1] + "\n" + lines[0] + "\n", "\n" + text,
        text + "\n", text + "hello\n"}) {
    shop.Rewrite("chain", changed);
    EXPECT_TRUE(absl::IsDataLoss(Open().status())) << changed;
  }
}

TEST_F(ChainTest, BlocksThatNeverReachedTheMediumAreATornEnd) {
  const std::string text = Three();
  for (const std::string& zeros : {std::string(100, '\0'), std::string(100, '\0') + "\"}\n"}) {
    shop.Rewrite("chain", text + zeros);
    EXPECT_EQ(Open()->end().lines, 3U);
    EXPECT_EQ(shop.FileText("chain"), text);
  }
  shop.Rewrite("chain", std::string(10, '\0') + "\n" + text);
  EXPECT_TRUE(absl::IsDataLoss(Open().status()));
}

TEST_F(ChainTest, AFullDiskLeavesTheFileAsItWas) {
  const std::string text = Three();
  absl::StatusOr<apply::ChainedFile> file = Open();
  shop.disk.full = true;
  EXPECT_TRUE(absl::IsResourceExhausted(file->Append(R"({"d":4})")));
  EXPECT_EQ(shop.FileText("chain"), text);
  shop.disk.full = false;
  EXPECT_TRUE(file->Append(R"({"d":4})").ok());
  EXPECT_EQ(Open()->end().lines, 4U);
}

TEST_F(ChainTest, AfterAFailedFsyncTheRecordIsTakenAwayAndNothingIsAppendedAnyMore) {
  const std::string text = Three();
  absl::StatusOr<apply::ChainedFile> file = Open();
  shop.disk.bad_sync = true;
  EXPECT_FALSE(file->Append(R"({"d":4})").ok());
  shop.disk.bad_sync = false;
  EXPECT_EQ(shop.FileText("chain"), text) << "what was not done is not said";
  EXPECT_TRUE(absl::IsDataLoss(file->Append(R"({"e":5})")));
  EXPECT_EQ(Open()->end().lines, 3U);
}

TEST_F(ChainTest, ASymbolicLinkOrAFileOfEverybodyIsRefused) {
  Three();
  std::filesystem::permissions(Path(), std::filesystem::perms(0622));
  EXPECT_TRUE(absl::IsFailedPrecondition(Open().status()));
  std::filesystem::permissions(Path(), std::filesystem::perms(0600));
  std::filesystem::rename(Path(), Path() + ".elsewhere");
  std::filesystem::create_symlink(Path() + ".elsewhere", Path());
  EXPECT_FALSE(Open().ok());
}

class DamageTest : public ::testing::Test {
 protected:
  // An open change whose applier was killed.
  void SetUp() override {
    ASSERT_TRUE(shop.Start().ok());
    shop.order.proof = false;
    ASSERT_TRUE(shop.Apply().ok());
    shop.applier.reset();
    after = shop.host.values;
    shop.host.asked.clear();
  }

  void ExpectRefused(const std::string& where) {
    ASSERT_TRUE(shop.Start().ok()) << where;
    const absl::Status refused = shop.Apply().status();
    ASSERT_TRUE(absl::IsFailedPrecondition(refused)) << where << refused;
    ASSERT_THAT(std::string(refused.message()), HasSubstr("By hand:")) << where;
    ASSERT_THAT(shop.Notices(), HasSubstr("By hand:")) << where;
    ASSERT_EQ(shop.host.values, after) << where;
    ASSERT_TRUE(shop.host.asked.empty()) << where;
    ASSERT_FALSE(shop.log.empty());
  }

  Workshop shop;
  SimHost::Values after;
};

TEST_F(DamageTest, AJournalThatIsDamagedAtAnyLineRefusesLoudlyAndIsLeftAlone) {
  const std::string text = shop.FileText("journal");
  std::size_t begin = 0;
  int lines = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    std::string changed = text;
    changed[begin + (end - begin) / 2] ^= 1;
    shop.Rewrite("journal", changed);
    ASSERT_NO_FATAL_FAILURE(ExpectRefused("line " + std::to_string(++lines)));
    ASSERT_EQ(shop.FileText("journal"), changed);
    begin = end + 1;
  }
  EXPECT_GT(lines, 30);
}

TEST_F(DamageTest, ItSaysHowTheSettingsWereBeforeTheOpenChange) {
  std::string text = shop.FileText("journal");
  text[text.size() - 10] ^= 1;
  shop.Rewrite("journal", text);
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("last line"));
  EXPECT_THAT(shop.Notices(), AllOf(HasSubstr("pfc of dcb0 = off delay 0"), HasSubstr("/damaged/"),
                                    HasSubstr("is damaged at line")));
}

TEST_F(DamageTest, AJournalThatWasCutAtALineIsFoundByTheAudit) {
  const std::string text = shop.FileText("journal");
  for (std::size_t end = 0; end != std::string::npos && end + 1 < text.size() / 2;
       end = text.find('\n', end + 1)) {
    shop.Rewrite("journal", text.substr(0, end == 0 ? 0 : end + 1));
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(std::to_string(end)));
  }
}

TEST_F(DamageTest, AJournalThatIsGoneIsNotReplacedByAFreshOne) {
  std::filesystem::remove(shop.dir + "/journal");
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("gone"));
  EXPECT_FALSE(std::filesystem::exists(shop.dir + "/journal"));
}

TEST_F(DamageTest, AnAuditThatWasShortenedOrChangedOrIsGoneRefusesToo) {
  const std::string text = shop.FileText("audit");
  shop.Rewrite("audit", text.substr(0, text.find('\n') + 1).substr(0, 0));
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("empty"));
  std::string changed = text;
  changed[changed.find("alice")] = 'b';
  shop.Rewrite("audit", changed);
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("changed"));
  std::filesystem::remove(shop.dir + "/audit");
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("gone"));
}

TEST_F(DamageTest, WhoMovesJournalAndAuditAwayByHandBeginsAnew) {
  std::filesystem::remove(shop.dir + "/journal");
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("gone"));
  std::filesystem::remove(shop.dir + "/audit");
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.Apply().ok());
}

TEST_F(DamageTest, KeptSettingsThatAreDamagedAreNotOverwrittenAndTheOpenChangeIsTakenBack) {
  const std::string damaged = "{\"version\":1,\"kept\":[{}],\"owed\":[]}";
  shop.Rewrite("kept", damaged);
  std::filesystem::permissions(shop.dir + "/kept", std::filesystem::perms(0600));
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.host.values == PlainHost());
  ASSERT_FALSE(shop.applier->Status()->changes.empty());
  EXPECT_EQ(shop.applier->Status()->changes.back().state, ChangeState::kRolledBack);
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.applier->Restore(RestoreCause::kStart).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.applier->Forget({}, "bob").status()));
  EXPECT_THAT(shop.Notices(), HasSubstr("kept is damaged"));
  EXPECT_EQ(shop.FileText("kept"), damaged);
}

TEST_F(DamageTest, WhatWasConfirmedIsKeptOnceTheDamagedFileIsAway) {
  shop.disk.full = false;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  int appends = 0;
  shop.disk.point = [&] { shop.disk.full = ++appends > 2; };  // the confirmation alone is written
  ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
  shop.disk.point = nullptr;
  shop.disk.full = false;
  shop.Rewrite("kept", "damaged");
  std::filesystem::permissions(shop.dir + "/kept", std::filesystem::perms(0600));
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.FileText("kept"), "damaged");
  std::filesystem::remove(shop.dir + "/kept");
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.applier->Status()->kept.size(), shop.wanted.size());
}

TEST_F(DamageTest, ADamagedJournalStillTellsWhatWasOpen) {
  std::string text = shop.FileText("journal");
  text[text.size() - 10] ^= 1;
  shop.Rewrite("journal", text);
  ASSERT_NO_FATAL_FAILURE(ExpectRefused("last line"));
  ASSERT_FALSE(shop.applier->Status()->changes.empty());
  EXPECT_EQ(shop.applier->Status()->changes.front().requester, "alice (tls CN=alice)");
  EXPECT_TRUE(shop.applier->Busy());
}

TEST_F(DamageTest, AStateDirectoryThatOthersMayWriteIsRefused) {
  std::filesystem::permissions(shop.dir, std::filesystem::perms(0770));
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Start()));
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  std::filesystem::permissions(shop.dir, std::filesystem::perms(0700));
}

TEST_F(DamageTest, WhatCannotBeReadJustNowIsNoDamage) {
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  shop.applier.reset();
  const UniqueFd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  // Room for the lock's descriptor and none more.
  const ::rlimit few{static_cast<::rlim_t>(next.get()) + 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const absl::Status started = shop.Start();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(started.ok());
  EXPECT_FALSE(absl::IsFailedPrecondition(started)) << started;
  EXPECT_TRUE(shop.host.values == after);
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.host.values == PlainHost());
}

TEST_F(DamageTest, AFolderOrALinkInPlaceOfAFileIsDamage) {
  for (const bool link : {false, true}) {
    std::filesystem::rename(shop.dir + "/journal", shop.dir + "/away");
    if (link)
      std::filesystem::create_symlink("away", shop.dir + "/journal");
    else
      std::filesystem::create_directory(shop.dir + "/journal");
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(link ? "link" : "folder"));
    std::filesystem::remove(shop.dir + "/journal");
    std::filesystem::rename(shop.dir + "/away", shop.dir + "/journal");
  }
}

TEST_F(DamageTest, ASecondApplierOfTheSameStateIsRefused) {
  ASSERT_TRUE(shop.Start().ok());
  const std::unique_ptr<Applier> first = std::move(shop.applier);
  const absl::Status second = shop.Start();
  EXPECT_TRUE(absl::IsUnavailable(second)) << "the other one may be at its end";
  EXPECT_THAT(std::string(second.message()), HasSubstr("another applier"));
}

TEST_F(DamageTest, AFullDiskStopsAnApplyBeforeItsFirstWrite) {
  ASSERT_TRUE(shop.Start().ok());  // takes the open change back
  shop.host.asked.clear();
  shop.disk.full = true;
  EXPECT_TRUE(absl::IsResourceExhausted(shop.Apply().status()));
  EXPECT_EQ(shop.host.values, PlainHost());
  EXPECT_TRUE(shop.host.asked.empty());
  EXPECT_FALSE(shop.applier->Busy());
}

TEST(FoldTest, RecordsThatMakeNoSenseAreDamage) {
  apply::JournalPast past;
  for (const char* record :
       {"", "[]", "{}", R"({"type":"begin"})", R"({"type":"step","id":"x","index":0,"state":3})",
        R"({"type":"state","change":{"id":"x"},"audit":{"lines":1,"head":"h"}})", R"({"type":"send"})",
        R"({"type":"write"})", R"({"type":"of a later version"})",
        R"({"type":"send","port_id":-1,"sequence":2})"})
    EXPECT_TRUE(absl::IsDataLoss(apply::FoldRecord(record, "boot", past))) << record;
  EXPECT_FALSE(past.open.has_value());
}

}  // namespace
}  // namespace rdmaready
