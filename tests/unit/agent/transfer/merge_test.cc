// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kBytes = 100;

EndView GoodInitiator() {
  EndView view{.counts = {.posted = 10, .completed = 10, .announced = 10}};
  view.result.message_bytes = kBytes;
  view.result.messages = 10;
  view.result.bytes = 1000;
  view.result.cpu_initiator_ns = 5;
  return view;
}

EndView GoodResponder() {
  EndView view{.counts = {.received = 10}};
  view.result.bytes_verified = 1000;
  view.result.cpu_responder_ns = 7;
  return view;
}

TEST(Sanitized, BelievesNoPeerAboutErrorCounters) {
  TransferResult result = GoodInitiator().result;
  result.error_counters = std::vector<CounterChange>{{"out_of_sequence", CounterChange::Kind::kGrew, 1}};
  EXPECT_EQ(Sanitized(result).error_counters, CounterChanges{});
  result.priority_packets = PriorityPackets{};
  result.foreign_permille = result.tester_cpu = result.tester_numa_node = 7;
  EXPECT_EQ(Sanitized(result).priority_packets, Fact<PriorityPackets>{});
  EXPECT_FALSE(Sanitized(result).foreign_permille);
  EXPECT_FALSE(Sanitized(result).tester_cpu);
  EXPECT_FALSE(Sanitized(result).tester_numa_node);
  result.idle_packets = PriorityPackets{};
  result.nic_counters = std::vector<NicChange>{};
  result.interval_bytes = {1};
  result.pressure = {{.pauses = 1}};
  result.idle_ns = result.counted_ns = 7;
  result.path_mtu_bytes = 4096;
  EXPECT_EQ(Sanitized(result).idle_packets, Fact<PriorityPackets>{});
  EXPECT_FALSE(Sanitized(result).nic_counters);
  EXPECT_TRUE(Sanitized(result).interval_bytes.empty());
  EXPECT_TRUE(Sanitized(result).pressure.empty());
  EXPECT_FALSE(Sanitized(result).idle_ns);
  EXPECT_FALSE(Sanitized(result).counted_ns);
  EXPECT_FALSE(Sanitized(result).path_mtu_bytes);
}

TEST(Merge, AddsWhatTheResponderVerified) {
  const TransferResult merged = Merge(GoodInitiator(), GoodResponder(), true);
  EXPECT_EQ(merged.failure, Failure{});
  EXPECT_EQ(merged.bytes_verified, 1000u);
  EXPECT_EQ(merged.cpu_initiator_ns, 5);
  EXPECT_EQ(merged.cpu_responder_ns, 7);
}

TEST(Merge, TakesTheFirstWrongByteOfBothEnds) {
  EndView initiator = GoodInitiator();
  initiator.result.first_wrong_offset = 300;
  EndView responder = GoodResponder();
  responder.result.bytes_wrong = 2;
  responder.result.first_wrong_offset = 200;
  EXPECT_EQ(Merge(initiator, responder, true).first_wrong_offset, 200u);
  initiator.result.first_wrong_offset.reset();
  EXPECT_EQ(Merge(initiator, responder, true).first_wrong_offset, 200u);
}

TEST(Merge, CallsAcknowledgedMessagesThatNeverArrivedLost) {
  EndView responder = GoodResponder();
  responder.counts.received = 9;
  const TransferResult merged = Merge(GoodInitiator(), responder, true);
  EXPECT_EQ(merged.failure.kind, FailureKind::kLost);
  EXPECT_THAT(merged.failure.detail, testing::HasSubstr("10 sent and acknowledged, 9 arrived"));
}

TEST(Merge, TurnsAStallIntoALossWhenTheCountsSaySo) {
  EndView initiator = GoodInitiator();
  initiator.result.failure = {.kind = FailureKind::kStalled, .detail = "nothing for 4.0 s"};
  EndView responder = GoodResponder();
  EXPECT_EQ(Merge(initiator, responder, true).failure.kind, FailureKind::kStalled);
  responder.counts.received = 9;
  EXPECT_EQ(Merge(initiator, responder, true).failure.kind, FailureKind::kLost);
}

TEST(Merge, DoesNotCallUncountedMessagesLostWhenAnEndBrokeOff) {
  EndView responder = GoodResponder();
  responder.counts.received = 3;
  responder.result.failure = {.kind = FailureKind::kCancelled, .detail = "the caller gave up"};
  EXPECT_EQ(Merge(GoodInitiator(), responder, true).failure.kind, FailureKind::kCancelled);
}

TEST(Merge, WithoutAViewThePeerIsGoneUnlessThereIsABetterReason) {
  EXPECT_EQ(Merge(GoodInitiator(), std::nullopt, true).failure.kind, FailureKind::kPeerGone);
  EndView initiator = GoodInitiator();
  initiator.result.failure = {.kind = FailureKind::kCompletion, .detail = "retry"};
  EXPECT_EQ(Merge(initiator, std::nullopt, true).failure.kind, FailureKind::kCompletion);
}

TEST(Merge, WantsEveryByteComparedOnlyWhenVerifying) {
  EndView responder = GoodResponder();
  responder.result.bytes_verified = 900;
  EXPECT_EQ(Merge(GoodInitiator(), responder, true).failure.kind, FailureKind::kPeerGone);
  EXPECT_EQ(Merge(GoodInitiator(), responder, false).failure, Failure{});
}

TEST(MoreTelling, RanksWhatWasSeenAboveWhatWasConcludedAboveAbsence) {
  const std::vector<FailureKind> order = {
      FailureKind::kCorrupt,      FailureKind::kCompletion,  FailureKind::kSetup,     FailureKind::kRejected,
      FailureKind::kLost,         FailureKind::kUnreachable, FailureKind::kCancelled, FailureKind::kStalled,
      FailureKind::kDisconnected, FailureKind::kPeerGone,    FailureKind::kNone};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Failure more{.kind = order[i], .detail = "more"};
      const Failure less{.kind = order[j], .detail = "less"};
      EXPECT_EQ(MoreTelling(more, less), more);
      EXPECT_EQ(MoreTelling(less, more), more);
    }
  }
}

TEST(MoreTelling, KeepsTheFirstOfEquals) {
  const Failure first{.kind = FailureKind::kLost, .detail = "first"};
  const Failure second{.kind = FailureKind::kLost, .detail = "second"};
  EXPECT_EQ(MoreTelling(first, second), first);
}

TEST(FailureStatus, GoesThereAndBackForEveryKind) {
  for (int kind = static_cast<int>(FailureKind::kSetup); kind <= static_cast<int>(FailureKind::kCancelled);
       ++kind) {
    const Failure failure{.kind = static_cast<FailureKind>(kind), .detail = "why"};
    const absl::Status status = MakeFailure(failure.kind, failure.detail);
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(absl::IsOutOfRange(status));  // kept for the end of a conversation
    EXPECT_EQ(FailureOf(status), failure);
  }
  EXPECT_EQ(FailureOf(absl::OkStatus()), Failure{});
}

TEST(FailureStatus, OfForeignOriginIsClassifiedByItsCode) {
  EXPECT_EQ(FailureOf(absl::CancelledError("x")).kind, FailureKind::kCancelled);
  EXPECT_EQ(FailureOf(absl::DeadlineExceededError("x")).kind, FailureKind::kStalled);
  EXPECT_EQ(FailureOf(absl::UnavailableError("x")).kind, FailureKind::kPeerGone);
  EXPECT_EQ(FailureOf(absl::InternalError("x")).kind, FailureKind::kSetup);
}

}  // namespace
}  // namespace rdmaready
