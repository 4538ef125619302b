// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

TEST(JudgePeer, NamesTheAgentThatWentAway) {
  PeerAnswer answer;
  answer.to_status = absl::UnavailableError("host b: the agent went away");
  answer.result.failure = {FailureKind::kStalled, "nothing came"};
  const CaseOutcome outcome = JudgePeer(answer, "send-1k", {.rung = Rung::kPeer, .peer_host = "b"}, "a");
  EXPECT_EQ(outcome.finding.outcome, Outcome::kFail);
  EXPECT_THAT(outcome.finding.observed, HasSubstr("host b: the agent went away"));
  EXPECT_EQ(outcome.to.gone, "host b: the agent went away");
  EXPECT_EQ(outcome.from.gone, "");
}

TEST(JudgePeer, TellsABusyPortFromAFailedTest) {
  PeerAnswer answer;
  answer.from_status = absl::ResourceExhaustedError("host a: port rxe0/1 is in use by root@c");
  const CaseOutcome outcome = JudgePeer(answer, "send-1k", {.rung = Rung::kPeer}, "a");
  EXPECT_EQ(outcome.finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(outcome.finding.observed, HasSubstr("in use by root@c"));
  EXPECT_EQ(outcome.from.gone, "");
}

TEST(JudgePeer, BytesThatArrivedWrongAreProvenWhateverEndedTheCallAfterwards) {
  for (const absl::Status& ended :
       {absl::CancelledError("host b: cancelled"), absl::UnavailableError("host b: gone")}) {
    PeerAnswer answer;
    answer.to_status = ended;
    answer.result.failure = {FailureKind::kCorrupt, "3 bytes wrong"};
    const CaseOutcome outcome = JudgePeer(answer, "write-8k", {.rung = Rung::kPeer}, "a");
    EXPECT_EQ(outcome.finding.outcome, Outcome::kFail) << ended;
    EXPECT_EQ(outcome.result.failure.kind, FailureKind::kCorrupt) << ended;
  }
}

}  // namespace
}  // namespace rdmaready
