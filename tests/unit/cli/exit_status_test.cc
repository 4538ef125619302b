// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_status.h"

#include <gtest/gtest.h>

#include <vector>

#include "cli/fleet/check_summary.h"
#include "cli/fleet/test_runner.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

constexpr ExitStatus kOk = ExitStatus::kOk;
constexpr ExitStatus kNotReady = ExitStatus::kNotReady;
constexpr ExitStatus kUsage = ExitStatus::kUsage;
constexpr ExitStatus kOwn = ExitStatus::kOwnFailure;
constexpr ExitStatus kGone = ExitStatus::kUnreachable;

TEST(ExitStatus, OfACheckFollowsTheTruthTable) {
  struct Row {
    Readiness verdict;
    std::vector<ExitStatus> failures;
    bool stored;
    ExitStatus expected;
  };
  const std::vector<Row> table{
      {Readiness::kReady, {}, true, kOk},
      {Readiness::kReady, {}, false, kOwn},
      {Readiness::kNotReady, {}, true, kNotReady},
      {Readiness::kNotReady, {}, false, kNotReady},
      {Readiness::kUndetermined, {}, true, kOwn},
      {Readiness::kUndetermined, {kGone}, true, kGone},
      {Readiness::kUndetermined, {kOwn, kGone}, true, kGone},
      {Readiness::kUndetermined, {kGone, kOwn}, false, kGone},
      {Readiness::kNotReady, {kGone}, true, kNotReady},
      {Readiness::kNotReady, {kOwn}, true, kNotReady},
      {Readiness::kUndetermined, {kUsage}, true, kUsage},
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(OfCheck(table[i].verdict, table[i].failures, table[i].stored), table[i].expected) << "row " << i;
  }
}

TEST(ExitStatus, OfSeveralIsOneOverFourOverThree) {
  EXPECT_EQ(Worse(kNotReady, kGone), kNotReady);
  EXPECT_EQ(Worse(kGone, kOwn), kGone);
  EXPECT_EQ(Worse(kOwn, kOk), kOwn);
  EXPECT_EQ(Worse(kOwn, kNotReady), kNotReady);
}

TEST(ExitStatus, OfAHostThatCannotBeReachedIsFour) {
  EXPECT_EQ(ConnectFailure(absl::NotFoundError("")), kGone);
  EXPECT_EQ(ConnectFailure(absl::UnavailableError("")), kGone);
  EXPECT_EQ(ConnectFailure(absl::DeadlineExceededError("")), kGone);
  EXPECT_EQ(ConnectFailure(absl::UnimplementedError("")), kGone);
  EXPECT_EQ(ConnectFailure(absl::UnauthenticatedError("")), kGone);
  EXPECT_EQ(CallFailure(absl::PermissionDeniedError("refused: Probe needs the role test")), kGone);
  EXPECT_EQ(ConnectFailure(absl::FailedPreconditionError("--insecure")), kUsage);
  EXPECT_EQ(ConnectFailure(absl::InternalError("")), kOwn);
  EXPECT_EQ(ConnectFailure(absl::OkStatus()), kOk);
}

TEST(ExitStatus, OfACallThatNamedWhatDoesNotExistIsTwo) {
  EXPECT_EQ(CallFailure(absl::NotFoundError("")), kUsage);
  EXPECT_EQ(CallFailure(absl::UnavailableError("")), kGone);
  EXPECT_EQ(CallFailure(absl::ResourceExhaustedError("busy")), kOwn);
}

TEST(ExitStatus, OfSavingIsTwoWhereNothingCanBeWrittenAndThreeWhenTheDiskIsFull) {
  EXPECT_EQ(SaveFailure(absl::AlreadyExistsError("")), kUsage);
  EXPECT_EQ(SaveFailure(absl::FailedPreconditionError("")), kUsage);
  EXPECT_EQ(SaveFailure(absl::InternalError("No space left on device")), kOwn);
  EXPECT_EQ(SaveFailure(absl::UnimplementedError("")), kGone);
  EXPECT_EQ(SaveFailure(absl::OkStatus()), kOk);
}

TEST(ExitStatus, OfATestOnAHostWithoutAnyPortIsOne) {
  EXPECT_EQ(RefusedTest(absl::NotFoundError("no RDMA port"), false), kNotReady);
  EXPECT_EQ(RefusedTest(absl::NotFoundError("no such port"), true), kUsage);
  EXPECT_EQ(RefusedTest(absl::FailedPreconditionError("no address"), false), kNotReady);
  EXPECT_EQ(RefusedTest(absl::ResourceExhaustedError("busy"), true), kOwn);
  EXPECT_EQ(RefusedTest(absl::UnknownError("the ports of b are not known"), false), kOwn);
}

TEST(ExitStatus, OfTestsFollowsTheirFindings) {
  EXPECT_EQ(StatusOf(TransferRun{.rows = {GoodTransfer()}}), kOk);
  EXPECT_EQ(StatusOf(TransferRun{.rows = {GoodTransfer(), CorruptTransfer()}}), kNotReady);
  EXPECT_EQ(StatusOf(TransferRun{}), kOwn);
  TransferRow unknown = CorruptTransfer();
  unknown.findings[0].outcome = Outcome::kUnknown;
  EXPECT_EQ(StatusOf(TransferRun{.rows = {unknown}}), kOwn);
}

TEST(ExitStatus, OfReportsIsWhatTheyShow) {
  EXPECT_EQ(StatusOf(HealthyCheck()), kOk);
  EXPECT_EQ(StatusOf(SickCheck()), kNotReady);
  EXPECT_EQ(StatusOf(PeerCheck()), kOk);
  EXPECT_EQ(StatusOf(UnreachableCheck()), kGone);
}

TEST(Complaints, NameWhatBelongsOnStandardError) {
  EXPECT_EQ(Complaints(UnreachableCheck()),
            std::vector<std::string>{"host b: connect to 10.0.0.2:7471: Connection refused"});
  CheckSummary check = PeerCheck();
  EXPECT_TRUE(Complaints(check).empty());
  check.report.hosts[1].profiles = {{"virtual-fabric", "other"}};
  check.notes[0].store_error = "disk full";
  EXPECT_EQ(Complaints(check).size(), 1U);  // a site file wants it so
  check.profiles_of_agents = true;
  ASSERT_EQ(Complaints(check).size(), 2U);
  EXPECT_EQ(Complaints(check)[0], "host 127.0.0.1:9001: the result was not stored: disk full");
}

}  // namespace
}  // namespace rdmaready
