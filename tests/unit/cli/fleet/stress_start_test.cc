// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using Flows = std::vector<absl::StatusOr<StressFlow>>;

constexpr std::chrono::seconds kLimit{20};

StressFlow Flow(FailureKind kind, const std::string& detail = {}) {
  return {.from = "a", .to = "d", .result = {.failure = {kind, detail}}};
}

std::string Why(const Flows& flows, bool late = false) {
  return std::string(WhyNotBegun(flows, late, kLimit).message());
}

TEST(StressStart, IsOkWhereAllBeganHoweverTheyEnded) {
  EXPECT_EQ(
      WhyNotBegun(Flows{Flow(FailureKind::kNone), Flow(FailureKind::kCompletion), Flow(FailureKind::kPeerGone)},
                  false, kLimit),
      absl::OkStatus());
}

TEST(StressStart, NamesTheTransferThatCouldNotConnectBeforeThoseItCancelled) {
  const Flows flows{absl::CancelledError("host b: CANCELLED"),
                    Flow(FailureKind::kUnreachable, "connect to 10.0.0.3: nobody answered"),
                    Flow(FailureKind::kCancelled, "the caller gave up")};
  EXPECT_EQ(WhyNotBegun(flows, false, kLimit).code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(Why(flows), "a -> d: connect to 10.0.0.3: nobody answered");
}

TEST(StressStart, NamesTheRefusalOfAnAgentFirst) {
  const Flows flows{absl::CancelledError("host b: CANCELLED"), Flow(FailureKind::kUnreachable, "why"),
                    absl::ResourceExhaustedError("host c: port rxe0/1 is busy")};
  EXPECT_EQ(Why(flows), "host c: port rxe0/1 is busy");
}

TEST(StressStart, SaysThatTheTimeWasUp) {
  const Flows flows{absl::CancelledError("host b: CANCELLED"), absl::CancelledError("host c: CANCELLED")};
  EXPECT_EQ(Why(flows, true), "not all transfers were connected within 20 s");
  EXPECT_EQ(Why(flows), "host b: CANCELLED");
}

TEST(StressStart, KeepsATransferWhoseAgentWentAwayAfterwards) {
  const absl::Status gone = absl::UnavailableError("host b: the stream broke");
  EXPECT_EQ(AfterTheStart(Flow(FailureKind::kNone), gone).result.failure,
            (Failure{FailureKind::kPeerGone, "host b: the stream broke"}));
  EXPECT_EQ(AfterTheStart(Flow(FailureKind::kCancelled, "in use by fio"), gone).result.failure.detail,
            "in use by fio");
  EXPECT_EQ(AfterTheStart(Flow(FailureKind::kNone), absl::OkStatus()).result.failure.kind, FailureKind::kNone);
}

TEST(StressStart, IsTriedAgainWherePortsWereBusyAndNothingElseWasWrong) {
  const absl::Status busy =
      absl::ResourceExhaustedError("host c: port rxe0/1 is busy: anna, test peer d, run 7");
  const absl::Status cancelled = absl::CancelledError("host b: CANCELLED");
  EXPECT_TRUE(MayBeginAgain(Flows{cancelled, busy}));
  EXPECT_TRUE(MayBeginAgain(Flows{busy, Flow(FailureKind::kCancelled), busy}));
  EXPECT_FALSE(MayBeginAgain(Flows{cancelled, Flow(FailureKind::kUnreachable)}));
  EXPECT_FALSE(MayBeginAgain(Flows{busy, absl::FailedPreconditionError("stress tests are off")}));
  EXPECT_FALSE(MayBeginAgain(Flows{
      absl::ResourceExhaustedError("too many transfers of one stress test on a port (limit 8)"), cancelled}));
}

TEST(StressStart, WaitsLongerAndMoreDifferentlyAfterEachAttempt) {
  using std::chrono::milliseconds;
  for (const std::uint32_t attempt : {1U, 2U, 3U, 100U})
    EXPECT_EQ(WaitAfterAttempt(attempt, 0), milliseconds(1'000)) << attempt;
  EXPECT_EQ(WaitAfterAttempt(1, 1), milliseconds(3'000));
  EXPECT_EQ(WaitAfterAttempt(2, 0.5), milliseconds(3'000));
  EXPECT_EQ(WaitAfterAttempt(2, 1), milliseconds(5'000));
  EXPECT_EQ(WaitAfterAttempt(3, 1), milliseconds(9'000));
  EXPECT_EQ(WaitAfterAttempt(100, 1), milliseconds(9'000));
}

}  // namespace
}  // namespace rdmaready
