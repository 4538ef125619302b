// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rdmaready
