// SPDX-License-Identifier: Apache-2.0
// Journal and audit in sealed segments: what a new life reads, and how a missing or moved one is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/audit.h"
#include "agent/apply/chain.h"
#include "agent/apply/journal.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SegmentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    shop.segment_bytes = 20'000;  // of some changes
    shop.permission->changes_most_per_hour = 1000;
    shop.wanted = {{On(SettingKind::kMtu), "9000"}, {On(SettingKind::kPfc), "on 3 delay 0"}};
    shop.order.proof = false;
    ASSERT_TRUE(shop.Start().ok());
  }

  void Churn(int times) {
    for (int i = 0; i < times; ++i) {
      const auto change = shop.Apply();
      ASSERT_TRUE(change.ok()) << change.status();
      ASSERT_TRUE(shop.applier->RollBack(change->id, "bob").ok());
    }
  }

  std::string Path(const std::string& name) const { return shop.dir + "/" + name; }
  absl::StatusOr<apply::ChainEnd> Verify(const std::string& name) const {
    return apply::VerifySegments(Path(name), {});
  }
  std::uint64_t Segment(const std::string& name) const { return apply::ReadChain(Path(name), {})->segment; }

  void ExpectDamage(const std::string& name, const std::string& words) {
    const absl::StatusOr<apply::ChainEnd> end = Verify(name);
    EXPECT_TRUE(absl::IsDataLoss(end.status())) << end.status();
    EXPECT_THAT(std::string(end.status().message()), HasSubstr(words));
  }

  Workshop shop;
};

TEST_F(SegmentsTest, FullSegmentsAreSealedAndTheWholeChainIsVerified) {
  Churn(30);
  EXPECT_GT(Segment("journal"), 4U);
  EXPECT_GT(Segment("audit"), 1U);
  for (const std::string name : {"journal", "audit"}) {
    const absl::StatusOr<apply::ChainEnd> end = Verify(name);
    ASSERT_TRUE(end.ok()) << end.status();
    EXPECT_EQ(end->segment, Segment(name));
    EXPECT_LT(std::filesystem::file_size(Path(name)), 40'000U);
  }
  EXPECT_TRUE(apply::VerifyWholeAudit(Path("audit")).ok());
}

TEST_F(SegmentsTest, ANewLifeReadsTheLastSegmentAndKnowsThePast) {
  Churn(30);
  const ApplierStatus before = *shop.applier->Status();
  const std::size_t own = shop.applier->OwnWrites()->size();
  // Damage in a sealed segment is not seen.
  std::string first = shop.FileText("journal.000001");
  first[first.size() / 2] ^= 1;
  shop.Rewrite("journal.000001", first);
  shop.permission->changes_most_per_hour = 30;
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.Notices(), "");
  const ApplierStatus now = *shop.applier->Status();
  ASSERT_EQ(now.changes.size(), 1U);
  EXPECT_EQ(now.changes.front().id, before.changes.front().id);
  EXPECT_EQ(now.changes.front().steps, before.changes.front().steps);
  EXPECT_EQ(shop.applier->OwnWrites()->size(), own);
  EXPECT_THAT(std::string(shop.Apply().status().message()), HasSubstr("30 changes were begun within an hour"));
  ExpectDamage("journal", "journal.000001 is damaged at line");
}

TEST_F(SegmentsTest, NothingIsSealedWhileAChangeIsOpenOrWasNotRolledBack) {
  shop.segment_bytes = 1;
  ASSERT_TRUE(shop.Start().ok());
  const std::uint64_t number = Segment("journal");
  const auto change = shop.Apply();
  EXPECT_EQ(Segment("journal"), number);
  shop.host.refuses = {On(SettingKind::kPfc)};
  ASSERT_EQ(shop.applier->RollBack(change->id, "bob")->state, ChangeState::kRollbackFailed);
  EXPECT_EQ(Segment("journal"), number);
  ASSERT_TRUE(shop.Start().ok());
  ASSERT_EQ(shop.applier->Status()->changes.front().state, ChangeState::kRollbackFailed);
  shop.host.refuses.clear();
  ASSERT_EQ(shop.applier->RollBack(change->id, "bob")->state, ChangeState::kRolledBack);
  EXPECT_EQ(Segment("journal"), number + 1);
}

TEST_F(SegmentsTest, AMissingSegmentIsNamed) {
  Churn(30);
  std::filesystem::remove(Path("journal.000002"));
  ExpectDamage("journal", "journal.000002 is missing");
  const std::uint64_t last = Segment("journal") - 1;
  std::filesystem::remove(apply::SegmentPath(Path("journal"), last));
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_THAT(shop.Notices(), HasSubstr(apply::SegmentPath("journal", last) + ": not there"));
  EXPECT_TRUE(shop.Apply().ok()) << "sealed segments may be archived";
}

TEST_F(SegmentsTest, SegmentsThatChangedPlacesAreNamed) {
  Churn(30);
  std::filesystem::rename(Path("journal.000002"), Path("aside"));
  std::filesystem::rename(Path("journal.000003"), Path("journal.000002"));
  std::filesystem::rename(Path("aside"), Path("journal.000003"));
  ExpectDamage("journal", "journal.000002 is not in its place: it holds segment 3 and not 2");
}

TEST_F(SegmentsTest, AnotherSegmentInPlaceOfTheLastSealedOneRefusesToApply) {
  Churn(30);
  const std::uint64_t last = Segment("journal") - 1;
  std::filesystem::copy_file(Path("journal.000001"), apply::SegmentPath(Path("journal"), last),
                             std::filesystem::copy_options::overwrite_existing);
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  EXPECT_THAT(shop.Notices(), AllOf(HasSubstr("does not end with the line that the segment after it names"),
                                    HasSubstr("By hand:")));
}

TEST_F(SegmentsTest, AnEarlierStateOfTheJournalIsFoundByTheAudit) {
  Churn(3);
  const std::string early = shop.FileText("journal");
  Churn(10);
  shop.applier.reset();
  shop.Rewrite("journal", early);
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  EXPECT_THAT(shop.Notices(), HasSubstr("which is known to have been written, is not there"));
}

TEST_F(SegmentsTest, AJournalOfOneFileAsEarlierVersionsWroteItIsReadAndSealed) {
  shop.segment_bytes = 1U << 20U;
  ASSERT_TRUE(shop.Start().ok());
  Churn(30);
  EXPECT_EQ(Segment("journal"), 1U);
  shop.segment_bytes = 20'000;
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(Segment("journal"), 2U);
  EXPECT_TRUE(Verify("journal").ok());
  EXPECT_TRUE(shop.Apply().ok());
}

TEST_F(SegmentsTest, ASegmentThatCannotBeSealedGoesOn) {
  shop.Rewrite("journal.000001", "somebody's");
  Churn(10);
  EXPECT_EQ(Segment("journal"), 1U);
  EXPECT_THAT(shop.Notices(), HasSubstr("a full segment could not be sealed: link"));
  std::filesystem::remove(Path("journal.000001"));
  Churn(1);
  EXPECT_EQ(Segment("journal"), 2U);
  EXPECT_EQ(shop.Notices(), "");
}

TEST_F(SegmentsTest, KilledAtAnyPointOfSealingTheNextLifeGoesOn) {
  int all = 0;
  for (int at = 0;; ++at) {
    Workshop one;
    one.segment_bytes = 1;
    one.wanted = shop.wanted;
    one.order.proof = false;
    ASSERT_TRUE(one.Start().ok());
    int count = 0;
    one.host.point = one.disk.point = [&] {
      if (count++ == at) throw Killed{};
    };
    bool killed = false;
    try {
      const auto change = one.Apply();
      ASSERT_TRUE(change.ok()) << change.status();
      ASSERT_TRUE(one.applier->Confirm(change->id, "bob").ok());
    } catch (const Killed&) {
      killed = true;
    }
    one.host.point = one.disk.point = nullptr;
    if (!killed) break;
    ASSERT_TRUE(one.Start().ok()) << at;
    ASSERT_EQ(one.Notices(), "") << at;
    const bool is_new = one.host.values == With(PlainHost(), one.wanted);
    ASSERT_TRUE(is_new || one.host.values == PlainHost()) << at;
    ASSERT_EQ(one.applier->Status()->kept.size(), is_new ? 2U : 0U) << at;
    ASSERT_TRUE(apply::VerifySegments(one.dir + "/journal", {}).ok()) << at;
    ASSERT_TRUE(apply::VerifyWholeAudit(one.dir + "/audit").ok()) << at;
    ++all;
  }
  EXPECT_GT(all, 50);
}

TEST_F(SegmentsTest, ABeginningOfASegmentThatMakesNoSenseIsDamage) {
  for (const char* record :
       {R"({"segment":2})", R"({"segment":2,"summary":[]})",
        R"({"segment":2,"summary":{"audit":{"lines":1,"head":"h"},"begun":[],"own":[1],"ended":[]}})",
        R"({"segment":2,"summary":{"audit":{"lines":1,"head":"h"},"begun":["x"],"own":[],"ended":[]}})",
        R"({"segment":2,"summary":{"audit":{"lines":1,"head":"h"},"begun":[],"own":[],"ended":[{}]}})"}) {
    apply::JournalPast past;
    EXPECT_TRUE(absl::IsDataLoss(apply::FoldRecord(record, "boot", past))) << record;
  }
  apply::JournalPast past;
  EXPECT_TRUE(apply::FoldRecord(
                  R"({"segment":2,"summary":{"audit":{"lines":1,"head":"h"},"begun":[7],"own":[],"ended":[]}})",
                  "boot", past)
                  .ok());
  EXPECT_EQ(past.audit.lines, 1U);
}

}  // namespace
}  // namespace rdmaready
