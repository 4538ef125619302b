// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "tests/unit/checks/live/incast_run.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TEST(Incast, IsLosslessWhereNothingIsLostAndTheVictimWaitsUpToTwiceAsLong) {
  const IncastJudgement judged = JudgeIncastRun(RightIncast());
  EXPECT_EQ(judged.verdict, IncastVerdict::kLossless) << judged.text;
  EXPECT_EQ(judged.goodput_bytes_per_s, 39'000'000U);
  EXPECT_GT(judged.fairness, 0.99);
  EXPECT_EQ(judged.pressure_permille, 1000U);
  EXPECT_THAT(judged.text, HasSubstr("lossless works: 2 senders, 39"));
  EXPECT_THAT(judged.text, HasSubstr("the victim's p99 is 1.5 times its own"));
  EXPECT_EQ(judged.culprit, "");
}

TEST(Incast, IsControlledWhereMostOfTheRateIsKeptAndSharedFairly) {
  const IncastJudgement judged = JudgeIncastRun(LossyIncast());
  EXPECT_EQ(judged.verdict, IncastVerdict::kControlled) << judged.text;
  EXPECT_TRUE(judged.lost);
}

TEST(Incast, CollapsesWhereTheRateIsNotKept) {
  IncastRun run = LossyIncast();
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s /= 2;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  run = LossyIncast();
  run.senders[0].result.throughput_bytes_per_s = 38'000'000;
  run.senders[1].result.throughput_bytes_per_s = 1'000'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "unfair";
  run = LossyIncast();
  run.offered_bytes_per_s = 30'000'000;
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s = 14'000'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kControlled) << "the senders' links give no more";
  run = RightIncast();
  run.senders[1].result.failure = {FailureKind::kCompletion, "transport retry counter exceeded"};
  AddTo(run.senders[1].counters[0], IncastChange("retry_exceeded_err", 1));
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "a sender did not get to its end";
}

TEST(Incast, CollapsesForAVictimThatFailsBesideIt) {
  for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kLost, FailureKind::kCompletion}) {
    IncastRun run = RightIncast();
    AddTo(run.victim->counters[0],
          IncastChange("retry_exceeded_err", kind == FailureKind::kCompletion ? 1 : 0));
    run.victim->result.failure = {kind, "it ended"};
    run.victim->result.latency.p99_ns = 1'000'000;  // of the few messages that were carried
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << static_cast<int>(kind);
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the victim's transfer failed"));
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the victim was not carried to its end: it ended"));
    EXPECT_FALSE(JudgeIncastRun(run).victim_growth);
    run.victim_shares_a_sender = true;
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << "it is not judged";
  }
}

TEST(Incast, CollapsesForAVictimThatLosesFrames) {
  IncastRun run = RightIncast();
  run.victim->counters[1] = IncastEnd("f", {.drops = 3});
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the victim lost frames"));
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("in f's NIC dcb0"));
  run.victim->counters[1] = IncastEnd("f", {}, 3);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "missing packets are lost ones";
}

TEST(Incast, IsUnknownWhereTheVictimAloneFailed) {
  for (std::optional<StressFlow> IncastRun::*const alone :
       {&IncastRun::victim_alone, &IncastRun::victim_again}) {
    for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kCompletion, FailureKind::kSetup}) {
      IncastRun run = RightIncast();
      (run.*alone)->result.failure = {kind, "why"};
      EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
      EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the victim alone was not carried: e -> f: why"));
    }
    IncastRun empty = RightIncast();
    (empty.*alone)->result.latency.p99_ns = 0;
    EXPECT_EQ(JudgeIncastRun(empty).verdict, IncastVerdict::kUnknown);
    IncastRun absent = RightIncast();
    (absent.*alone).reset();
    EXPECT_EQ(JudgeIncastRun(absent).verdict, IncastVerdict::kUnknown);
  }
  IncastRun run = RightIncast();
  run.victim->result.latency.p99_ns = -5;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
}

TEST(Incast, IsUnknownWhereASenderEndedEarlyAndNoCounterShowsALoss) {
  for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kDisconnected, FailureKind::kCompletion}) {
    IncastRun run = RightIncast();
    run.senders[1].result.failure = {kind, "not finished by the deadline"};
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("no counter shows a loss: b -> d: not finished"));
    run.senders[1].counters[1] = IncastEnd("d", {.drops = 1});
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << static_cast<int>(kind);
  }
}

TEST(Incast, IsUnknownWherePacketsWereSentAgainAfterATimeoutAlone) {
  for (const char* counter : {"completer_retry_err", "duplicate_request"}) {
    IncastRun run = RightIncast();
    AddTo(run.senders[0].counters[0], IncastChange(counter, 64));
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << counter;
    EXPECT_FALSE(JudgeIncastRun(run).lost);
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("sent again after a timeout"));
    run.senders[0].counters[1] = IncastEnd("d", {.drops = 1});
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kControlled) << counter;
  }
}

TEST(Incast, TakesTimeoutsForALossWhereANicDroppedFramesWhileItSent) {
  IncastRun run = RightIncast();
  EndCounters& sender = run.senders[0].counters[0];
  AddTo(sender, IncastChange("local_ack_timeout_err", 6));
  AddTo(sender, IncastNic(NicCounter::kDropSent, std::nullopt, "tx_discards_phy", 5));
  const IncastJudgement dropped = JudgeIncastRun(run);
  EXPECT_TRUE(dropped.lost);
  EXPECT_EQ(dropped.verdict, IncastVerdict::kControlled) << dropped.text;
  EXPECT_THAT(dropped.culprit, HasSubstr("first lost in a's NIC dcb0, on the way a -> d: tx_discards_phy +5"));
  AddTo(sender, IncastNic(NicCounter::kLinkDown, std::nullopt, "link_down_events_phy", 1));
  EXPECT_FALSE(JudgeIncastRun(run).lost) << "it dropped the frames that waited for the link";
}

TEST(Incast, CollapsesForWrongBytesWhateverElseWasSeen) {
  IncastRun run = RightIncast();
  run.senders[0].result.failure = {FailureKind::kCorrupt, "1 byte differs"};
  run.senders[1].result.failure = {FailureKind::kSetup, "why"};
  run.senders[1].counters.clear();
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("bytes arrived that were not sent (a -> d)"));
}

TEST(Incast, CollapsesForWrongBytesOfAFlowThatIsOnlyShown) {
  for (std::optional<StressFlow> IncastRun::*const shown :
       {&IncastRun::victim_alone, &IncastRun::victim_again, &IncastRun::second_victim_alone,
        &IncastRun::second_victim}) {
    IncastRun run = RightIncast();
    run.*shown = FlowBetween("a", "f", 1'000'000);
    (run.*shown)->result.bytes_wrong = 1;
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("bytes arrived that were not sent (a -> f)"));
  }
}

TEST(Incast, IsUnknownForALossWhereTheRateOfTheReceiverIsNotKnown) {
  IncastRun run = LossyIncast();
  run.drain_bytes_per_s = 0;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("what the receiver takes is not known: --drain-mbps"));
  run.senders[0].result.throughput_bytes_per_s = 1'000'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "unfair whatever the receiver takes";
  run = RightIncast();
  run.drain_bytes_per_s = 0;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << "nothing was lost";
}

TEST(Incast, CollapsesForASenderThatMovesNothingWhileItIsPaused) {
  IncastRun run = RightIncast();
  StressFlow& still = run.senders[1];
  still.result.failure = {FailureKind::kStalled, "nothing for 10 s"};
  still.result.elapsed_ns = 1'000'000'000;
  still.result.interval_bytes.assign(10, 50'000);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << JudgeIncastRun(run).text;
  EXPECT_THAT(JudgeIncastRun(run).text,
              HasSubstr("a sender moved nothing while it was paused (b -> d: nothing for 10 s)"));
  still.counters[0].pressure = still.counters[1].pressure = StressSamples(kFreeSample);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << "it was not paused";
  AddTo(still.counters[1],
        IncastNic(NicCounter::kPauseStormError, std::nullopt, "tx_pause_storm_error_events", 1));
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "its partner gave the pauses up";
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("d's NIC dcb0 paused its partner for too long"));
}

TEST(Incast, ShowsAVictimThatMayNotShareTheSwitch) {
  IncastRun run = RightIncast();
  run.victim->result.latency.p99_ns = 50'000'000;
  run.victim_elsewhere = "its ports have other switches";
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("times its own (its ports have other switches: not judged)"));
}

TEST(Incast, SaysThatTheReceiversHostIsTheLimit) {
  IncastRun run = RightIncast();
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("of the receiver's link, fairness"));
  run.drain_bytes_per_s = 400'000'000;
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("d's own NIC asked for pauses: its host takes less than"));
  for (StressFlow& flow : run.senders) {
    flow.counters = {IncastEnd(flow.from, {}), IncastEnd(flow.to, {})};
    for (EndCounters& end : flow.counters)
      end.pressure = StressSamples({.pauses = 0, .marks = 2, .idle_permille = 600});
  }
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("congestion control slows the senders down too much"));
  run = RightIncast();
  run.drain_is_given = true;
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("that the receiver takes, fairness"));
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("d's own NIC asked for pauses"));
}

TEST(Incast, JudgesNumbersOfAnySize) {
  IncastRun run = RightIncast();
  run.victim->result.latency.p99_ns = std::numeric_limits<std::int64_t>::max();
  run.victim_alone->result.latency.p99_ns = run.victim_again->result.latency.p99_ns = 1;
  for (StressFlow& flow : run.senders)
    flow.result.throughput_bytes_per_s = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_EQ(JudgeIncastRun(run).goodput_bytes_per_s, std::numeric_limits<std::uint64_t>::max());
}

TEST(Incast, CollapsesForAVictimThatWaitsLongerUnlessItSharesASender) {
  IncastRun run = RightIncast();
  run.victim->result.latency.p99_ns = 2'500'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  run.victim_shares_a_sender = true;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("it shares a sender: not judged"));
}

TEST(Incast, ShowsASecondVictimAndDoesNotJudgeIt) {
  IncastRun run = RightIncast();
  run.second_victim_alone = FlowBetween("a", "f", 1'000'000);
  run.second_victim = FlowBetween("a", "f", 1'000'000, 9'000'000);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(JudgeIncastRun(run).text,
              HasSubstr("the second victim's p99 is 9.0 times its own (it shares a sender: not"));
  run.second_victim->result.failure = {FailureKind::kStalled, "why"};
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the second victim was not carried to its end"));
}

TEST(Incast, IsUnknownWhereTheVictimAloneIsNoisy) {
  IncastRun run = RightIncast();
  run.victim_again->result.latency.p99_ns = 1'600'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("the victim alone differs by 1.6"));
}

TEST(Incast, IsUnknownWhereATransferWasNotMade) {
  for (const FailureKind kind : {FailureKind::kSetup, FailureKind::kUnreachable, FailureKind::kPeerGone,
                                 FailureKind::kCancelled, FailureKind::kRejected, FailureKind::kUnknown}) {
    const bool begun = kind == FailureKind::kPeerGone || kind == FailureKind::kCancelled;
    IncastRun run = RightIncast();
    run.senders[0].result.failure = {kind, "why"};
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
    EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr(begun ? "a transfer was given up: a -> d: why"
                                                          : "a transfer was not made: a -> d: why"));
  }
  IncastRun one = RightIncast();
  one.senders.pop_back();
  EXPECT_THAT(JudgeIncastRun(one).text, HasSubstr("an incast needs two senders"));
}

}  // namespace
}  // namespace rdmaready
