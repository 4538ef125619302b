// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/mesh_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "api/base/status.h"
#include "checks/words/fix.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

class MeshRecordTest : public ::testing::Test {
 protected:
  MeshRecordTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~MeshRecordTest() override { std::filesystem::remove_all(folder_); }

  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Put(const std::string& text) const { std::ofstream(path_, std::ios::trunc) << text; }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("mesh record " + std::to_string(::getpid()));
  const std::string path_ = folder_ / "a mesh.jsonl";
};

constexpr std::int64_t kNow = 1'000'000'000;

DoneWay Done(const std::string& from, Outcome outcome = Outcome::kPass) {
  return {.way = {.from = from, .to = "b", .subject = "rxe0/1 -> rxe0/1", .level = "peer", .connect = "cm"},
          .ended_unix_ns = 7,
          .findings = {{.id = "peer.send-1k", .outcome = outcome}},
          .failures = {{FailureKind::kUnreachable, "no answer"}}};
}

TEST_F(MeshRecordTest, HasWhatAnEarlierRunKept) {
  {
    const auto record = MeshRecord::Open(path_);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ((*record)->Find(Done("a").way, kNow), nullptr);
    EXPECT_TRUE((*record)->Add(Done("a")).ok());
    EXPECT_TRUE((*record)->Add(Done("c")).ok());
    EXPECT_TRUE((*record)->Add(Done("a", Outcome::kFail)).ok());
  }
  const auto record = MeshRecord::Open(path_);
  ASSERT_TRUE(record.ok()) << record.status();
  ASSERT_NE((*record)->Find(Done("a").way, kNow), nullptr);
  EXPECT_EQ(*(*record)->Find(Done("a").way, kNow), Done("a", Outcome::kFail)) << "the latest";
  EXPECT_EQ(*(*record)->Find(Done("c").way, kNow), Done("c"));
  MeshWay other = Done("a").way;
  other.profile = "another";
  EXPECT_EQ((*record)->Find(other, kNow), nullptr);
}

TEST_F(MeshRecordTest, IsReadableByItsOwnerAlone) {
  ASSERT_TRUE(MeshRecord::Open(path_).ok());
  struct ::stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(MeshRecordTest, LosesOnlyTheLineThatACrashCutOff) {
  {
    const auto record = MeshRecord::Open(path_);
    ASSERT_TRUE((*record)->Add(Done("a")).ok());
    ASSERT_TRUE((*record)->Add(Done("c")).ok());
  }
  const std::string whole = Text();
  for (const std::size_t size : {whole.size() - 1, whole.size() - 30, whole.find('\n') / 2}) {
    Put(whole.substr(0, size));
    const auto record = MeshRecord::Open(path_);
    ASSERT_TRUE(record.ok()) << size << record.status();
    EXPECT_EQ((*record)->Find(Done("a").way, kNow) != nullptr, size > whole.size() / 2) << size;
    EXPECT_EQ((*record)->Find(Done("c").way, kNow), nullptr) << size;
    ASSERT_TRUE((*record)->Add(Done("d")).ok());
  }
  const auto record = MeshRecord::Open(path_);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_NE((*record)->Find(Done("d").way, kNow), nullptr);
}

TEST_F(MeshRecordTest, RefusesAndLeavesAForeignFile) {
  for (const char* text : {"notes of mine", "notes of mine\n", "{\"rdmaready_mesh\":2}\n{}\n"}) {
    Put(text);
    const auto record = MeshRecord::Open(path_);
    EXPECT_EQ(record.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(Message(record.status()), HasSubstr("not a file of check --resume"));
    EXPECT_EQ(Text(), text);
  }
  EXPECT_FALSE(MeshRecord::Open(folder_).ok()) << "a folder";
}

TEST_F(MeshRecordTest, NamesTheLineThatIsBroken) {
  ASSERT_TRUE(MeshRecord::Open(path_).ok());
  const std::string first = Text();
  for (const char* line : {"x\n", "[]\n", "{\"way\":7}\n", "{}\n"}) {
    Put(first + line);
    EXPECT_THAT(Message(MeshRecord::Open(path_).status()), HasSubstr("line 2 is broken")) << line;
  }
}

TEST_F(MeshRecordTest, IsOneRunsAtATime) {
  const auto record = MeshRecord::Open(path_);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(MeshRecord::Open(path_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(MeshRecordTest, ForgetsWhatIsOlderThanADay) {
  ASSERT_TRUE((*MeshRecord::Open(path_))->Add(Done("a")).ok());
  const auto record = MeshRecord::Open(path_);
  const std::int64_t day = std::chrono::nanoseconds(kOldestKept).count();
  EXPECT_NE((*record)->Find(Done("a").way, 7 + day), nullptr);
  EXPECT_EQ((*record)->Find(Done("a").way, 8 + day), nullptr);
  EXPECT_EQ((*record)->Find(Done("a").way, 6), nullptr) << "from the future: the clock was set back";
}

Finding Live(const std::string& id, Outcome outcome, const std::string& hidden_by = {}) {
  return {.id = id, .outcome = outcome, .observed = "seen", .hidden_by = hidden_by};
}

TEST(HasResult, IsSoForCasesThatPassedFailedOrWaitBehindAnotherOne) {
  const std::vector<Failure> two(2);
  const Finding no_class = Live("tx.effective-class", Outcome::kUnknown);
  EXPECT_TRUE(
      HasResult(std::vector{Live("peer.a", Outcome::kPass), Live("peer.b", Outcome::kFail), no_class}, two));
  EXPECT_TRUE(HasResult(
      std::vector{Live("peer.a", Outcome::kFail), Live("peer.b", Outcome::kNotApplicable, "peer.a"), no_class},
      two));
  EXPECT_FALSE(
      HasResult(std::vector{Live("peer.a", Outcome::kPass), Live("peer.b", Outcome::kUnknown), no_class}, two))
      << "interrupted";
  EXPECT_FALSE(HasResult(std::vector{Live("peer.a", Outcome::kNotApplicable, "link.state"),
                                     Live("peer.b", Outcome::kPass), no_class},
                         two))
      << "somebody may repair the host";
}

TEST(HasResult, IsNotSoWhereAnAgentWentAwayOrTheCallerGaveUp) {
  const std::vector findings{Live("peer.a", Outcome::kFail), Live("tx.effective-class", Outcome::kPass)};
  EXPECT_TRUE(HasResult(findings, std::vector<Failure>{{FailureKind::kUnreachable, ""}}));
  EXPECT_FALSE(HasResult(findings, std::vector<Failure>{{FailureKind::kPeerGone, ""}}));
  EXPECT_FALSE(HasResult(findings, std::vector<Failure>{{FailureKind::kCancelled, ""}}));
  EXPECT_FALSE(HasResult(findings, std::vector<Failure>(2))) << "of another number of cases";
}

TEST(DoneFinding, ComesBackWithItsAgeAndItsRemedy) {
  Finding failed = Live("peer.a", Outcome::kFail);
  failed.why = "because";
  SetFix(failed, "ethtool eth0");
  Finding restored = Live("peer.a", Outcome::kUnknown);
  restored.title = "the test's own";
  Restore(Kept(failed), std::chrono::hours(2), restored);
  EXPECT_EQ(restored.outcome, Outcome::kFail);
  EXPECT_EQ(restored.title, "the test's own");
  EXPECT_THAT(restored.observed, HasSubstr("seen; tested "));
  EXPECT_THAT(restored.observed, HasSubstr("ago (--resume)"));
  EXPECT_EQ(restored.why, "because");
  EXPECT_EQ(restored.fix, failed.fix);
}

}  // namespace
}  // namespace rdmaready
