// SPDX-License-Identifier: Apache-2.0
// The engine when something breaks: each fault ends in its own failure, at both ends, in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "agent/link/failure.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Runs with one fault; both ends must agree on how it went, and nothing may stay registered.
TransferResult RunWith(Operation operation, const Fault& fault, const RunOptions& options = QuickOptions()) {
  MemoryFabric fabric;
  fabric.faults = {fault};
  const BothEnds both = RunBoth(fabric, SmallCase(operation), options);
  EXPECT_EQ(both.initiator.failure, both.responder.failure);
  EXPECT_EQ(fabric.Registered(), 0u);
  return both.initiator;
}

RunOptions StalledAfter(milliseconds limit) {
  RunOptions options = QuickOptions();
  options.stall_limit = limit;
  return options;
}

// The same of a fault after which nothing moves: with a short stall limit, that the fault meets and not the
// machine.
TransferResult RunUntilStalled(Operation operation, const Fault& fault, std::uint64_t messages) {
  return WithShortestStallLimit(
      [&](milliseconds limit) { return RunWith(operation, fault, StalledAfter(limit)); },
      [&](const TransferResult& result, milliseconds) { return result.messages == messages; });
}

void ExpectOneWrongByte(const TransferResult& result, std::uint64_t offset) {
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt) << result.failure.detail;
  EXPECT_EQ(result.bytes_wrong, 1u);
  EXPECT_EQ(result.first_wrong_offset, offset);
  EXPECT_EQ(result.bytes_verified, result.bytes);
}

TEST(Corruption, OfAWriteIsFoundAtItsExactOffset) {
  const Fault fault{.kind = Fault::Kind::kCorrupt, .work = Work::kWrite, .number = 17, .offset = 123};
  ExpectOneWrongByte(RunWith(Operation::kWrite, fault), 17 * kMessageBytes + 123);
}

TEST(Corruption, OfAReadIsFoundAtItsExactOffset) {
  const Fault fault{
      .kind = Fault::Kind::kCorrupt, .work = Work::kRead, .number = 39, .offset = kMessageBytes - 1};
  ExpectOneWrongByte(RunWith(Operation::kRead, fault), 40 * kMessageBytes - 1);
}

TEST(Corruption, OfASendIsFoundByTheResponder) {
  const Fault fault{.kind = Fault::Kind::kCorrupt, .work = Work::kSend, .number = 7, .offset = 0};
  ExpectOneWrongByte(RunWith(Operation::kSend, fault), 14 * kMessageBytes);
}

TEST(Corruption, OfAnAnswerIsFoundByTheInitiator) {
  const Fault fault{
      .kind = Fault::Kind::kCorrupt, .from = Role::kResponder, .work = Work::kSend, .number = 7, .offset = 8};
  ExpectOneWrongByte(RunWith(Operation::kSend, fault), 15 * kMessageBytes + 8);
}

// Of a chain, of which only the last message is signaled: each is found, not only the signaled one.
TEST(Corruption, OfAnyMessageOfAChainIsFoundAtItsExactOffset) {
  for (const Operation operation : {Operation::kWrite, Operation::kRead}) {
    TransferCase test = SmallCase(operation);
    test.depth = 64;
    for (const std::uint64_t number : {16u, 19u, 23u}) {
      MemoryFabric fabric;
      fabric.faults = {{.kind = Fault::Kind::kCorrupt,
                        .work = operation == Operation::kWrite ? Work::kWrite : Work::kRead,
                        .number = number,
                        .offset = 123}};
      ExpectOneWrongByte(RunBoth(fabric, test, QuickOptions()).initiator, number * kMessageBytes + 123);
    }
  }
}

TEST(Loss, OfAnUnsignaledMessageOfAChainIsTold) {
  for (const Operation operation : {Operation::kWrite, Operation::kRead}) {
    TransferCase test = SmallCase(operation);
    test.depth = 64;
    MemoryFabric fabric;
    fabric.faults = {{.work = operation == Operation::kWrite ? Work::kWrite : Work::kRead, .number = 19}};
    const TransferResult result = RunBoth(fabric, test, QuickOptions()).initiator;
    EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
    EXPECT_THAT(result.failure.detail, HasSubstr("first lost is message 19"));
  }
}

TEST(Chain, ThatIsDelayedIsStalledAndCountsOnlyWhatIsKnownComplete) {
  TransferCase test = SmallCase(Operation::kWrite);
  test.depth = 64;  // chains of 8: of the chain from 16 to 23 nothing is known
  const TransferResult result = WithShortestStallLimit(
      [&](milliseconds limit) {
        MemoryFabric fabric;
        fabric.faults = {
            {.kind = Fault::Kind::kDelay, .work = Work::kWrite, .number = 19, .delay = milliseconds(60'000)}};
        return RunBoth(fabric, test, StalledAfter(limit)).initiator;
      },
      [](const TransferResult& each, milliseconds limit) {
        return each.messages == 16 && IsStallOf(each.failure, limit);
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kStalled) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("40 RDMA writes posted, 16 completed; nothing for "));
}

TEST(Corruption, NamesMessageAndByte) {
  const Fault fault{.kind = Fault::Kind::kCorrupt, .work = Work::kWrite, .number = 17, .offset = 123};
  EXPECT_THAT(RunWith(Operation::kWrite, fault).failure.detail, HasSubstr("byte 123 of message 17"));
}

TEST(Corruption, OfEveryMessageIsCountedToTheLastByte) {
  MemoryFabric fabric;
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    fabric.faults.push_back(
        {.kind = Fault::Kind::kCorrupt, .work = Work::kWrite, .number = i, .offset = 100 + i});
  }
  const TransferResult result = RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions()).initiator;
  EXPECT_EQ(result.bytes_wrong, kMessages);
  EXPECT_EQ(result.first_wrong_offset, 100u);
}

TEST(Corruption, OfANoticeIsNoticed) {
  const Fault fault{.kind = Fault::Kind::kCorrupt, .work = Work::kSend, .number = 2, .offset = 8};
  const TransferResult result = RunWith(Operation::kWrite, fault);
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_THAT(result.failure.detail, HasSubstr("notice 2 arrived damaged"));
}

TEST(Truncation, OfAWriteShowsTheStaleTail) {
  const Fault fault{.kind = Fault::Kind::kTruncate, .work = Work::kWrite, .number = 20, .offset = 1000};
  const TransferResult result = RunWith(Operation::kWrite, fault);
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_GE(result.first_wrong_offset.value_or(0), 20u * kMessageBytes + 1000);
  EXPECT_GT(result.bytes_wrong, 2500u);
  EXPECT_LE(result.bytes_wrong, kMessageBytes - 1000);
}

TEST(Truncation, OfAReadShowsTheStaleTail) {
  const Fault fault{.kind = Fault::Kind::kTruncate, .work = Work::kRead, .number = 20, .offset = 1000};
  const TransferResult result = RunWith(Operation::kRead, fault);
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_GE(result.first_wrong_offset.value_or(0), 20u * kMessageBytes + 1000);
}

TEST(Loss, OfAWriteIsToldByItsStaleSlot) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{17}, kMessages - 1}) {
    const TransferResult result = RunWith(Operation::kWrite, {.work = Work::kWrite, .number = number});
    EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
    EXPECT_THAT(result.failure.detail, HasSubstr("first lost is message " + std::to_string(number)));
    EXPECT_EQ(result.bytes_wrong, 0u);
    EXPECT_EQ(result.bytes_verified, result.bytes - kMessageBytes);
  }
}

TEST(Loss, OfAReadIsToldByItsStaleSlot) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{17}, kMessages - 1}) {
    const TransferResult result = RunWith(Operation::kRead, {.work = Work::kRead, .number = number});
    EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
    EXPECT_THAT(result.failure.detail, HasSubstr("first lost is message " + std::to_string(number)));
  }
}

TEST(Loss, OfASendIsToldByTheCounts) {
  const TransferResult result = RunUntilStalled(Operation::kSend, {.work = Work::kSend, .number = 7}, 15);
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("to the responder: 8 sent and acknowledged, 7 arrived"));
}

TEST(Loss, OfAnAnswerIsToldByTheCounts) {
  const TransferResult result =
      RunUntilStalled(Operation::kSend, {.from = Role::kResponder, .work = Work::kSend, .number = 7}, 15);
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("to the initiator: 8 sent and acknowledged, 7 arrived"));
}

TEST(Loss, OfANoticeIsToldByItsSequence) {
  const TransferResult result = RunWith(Operation::kWrite, {.work = Work::kSend, .number = 2});
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("notice 2 never arrived"));
}

TEST(Loss, OfTheLastNoticeIsToldByTheCounts) {
  const TransferResult result =
      RunUntilStalled(Operation::kWrite, {.work = Work::kSend, .number = 9}, kMessages);
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
}

TEST(Loss, OfACreditIsToldByItsSequence) {
  const TransferResult result =
      RunWith(Operation::kWrite, {.from = Role::kResponder, .work = Work::kSend, .number = 2});
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("credit 2 never arrived"));
}

struct Delayed {
  Operation operation;
  Work work;
};
class Delay : public testing::TestWithParam<Delayed> {};

INSTANTIATE_TEST_SUITE_P(Faults, Delay,
                         testing::Values(Delayed{Operation::kSend, Work::kSend},
                                         Delayed{Operation::kWrite, Work::kWrite},
                                         Delayed{Operation::kRead, Work::kRead}));

// Send counts the answers too.
std::uint64_t CompletedOf(const TransferResult& result) {
  return result.operation == Operation::kSend ? result.messages / 2 : result.messages;
}

TEST_P(Delay, WithinTheLimitsPassesWithAHigherLatency) {
  const Fault fault{
      .kind = Fault::Kind::kDelay, .work = GetParam().work, .number = 17, .delay = milliseconds(150)};
  const TransferResult result = RunWith(GetParam().operation, fault);
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_EQ(result.bytes_verified, result.bytes);
  EXPECT_GE(result.latency.max_ns, GetParam().operation == Operation::kSend ? 75'000'000 : 150'000'000);
}

TEST_P(Delay, PastTheStallLimitIsStalledAndSaysWhatWasInFlight) {
  const Fault fault{
      .kind = Fault::Kind::kDelay, .work = GetParam().work, .number = 17, .delay = milliseconds(60'000)};
  milliseconds met{};
  const TransferResult result = WithShortestStallLimit(
      [&](milliseconds limit) { return RunWith(GetParam().operation, fault, StalledAfter(limit)); },
      [&](const TransferResult& each, milliseconds limit) {
        met = limit;
        return CompletedOf(each) == 17 && IsStallOf(each.failure, limit);
      });
  EXPECT_TRUE(IsStallOf(result.failure, met)) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("posted, 17 completed; nothing for "));
}

TEST_P(Delay, PastTheDeadlineOfTheCaseIsStalled) {
  BothEnds both;
  // The set-up has the same deadline, also on a busy machine.
  for (milliseconds deadline(300); deadline < milliseconds(20'000) && CompletedOf(both.initiator) < 17;
       deadline *= 4) {
    MemoryFabric fabric;
    fabric.faults = {
        {.kind = Fault::Kind::kDelay, .work = GetParam().work, .number = 17, .delay = milliseconds(60'000)}};
    TransferCase test = SmallCase(GetParam().operation);
    test.deadline = deadline;
    both = RunBoth(fabric, test, QuickOptions());
  }
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kStalled) << both.initiator.failure.detail;
  EXPECT_THAT(both.initiator.failure.detail, HasSubstr("not finished by the deadline"));
  EXPECT_EQ(both.initiator.failure, both.responder.failure);
}

TEST(Failures, OfACompletionKeepTheDevicesWords) {
  for (const Operation operation : {Operation::kWrite, Operation::kRead}) {
    const Work work = operation == Operation::kWrite ? Work::kWrite : Work::kRead;
    const TransferResult result = RunWith(operation, {.kind = Fault::Kind::kError, .work = work, .number = 17});
    EXPECT_EQ(result.failure.kind, FailureKind::kCompletion);
    EXPECT_THAT(result.failure.detail, HasSubstr("transport retry counter exceeded (message 17)"));
  }
}

TEST(Failures, OfTheRespondersDeviceReachTheInitiatorAtOnce) {
  const Fault fault{.kind = Fault::Kind::kError, .from = Role::kResponder, .work = Work::kSend, .number = 5};
  EXPECT_LT(TimeOf([&] { EXPECT_EQ(RunWith(Operation::kSend, fault).failure.kind, FailureKind::kCompletion); }),
            kAtOnce);
}

TEST(Failures, ADisconnectInMidTransferIsNamed) {
  const TransferResult result =
      RunWith(Operation::kWrite, {.kind = Fault::Kind::kDisconnect, .work = Work::kWrite, .number = 17});
  EXPECT_EQ(result.failure.kind, FailureKind::kDisconnected);
}

TEST(Failures, OfMemoryAreSetupAtBothEnds) {
  for (const Role role : {Role::kInitiator, Role::kResponder}) {
    MemoryFabric fabric;
    fabric.cannot_register = role;
    const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions());
    EXPECT_EQ(both.initiator.failure.kind, FailureKind::kSetup);
    EXPECT_THAT(both.initiator.failure.detail, HasSubstr("Cannot allocate memory"));
    EXPECT_EQ(both.initiator.failure, both.responder.failure);
    EXPECT_EQ(fabric.Registered(), 0u);
  }
}

TEST(Failures, ACaseWithoutAnOperationIsSetup) {
  MemoryFabric fabric;
  EXPECT_EQ(RunBoth(fabric, SmallCase(Operation::kUnknown), QuickOptions()).initiator.failure.kind,
            FailureKind::kSetup);
}

TEST(Failures, AnUnreachablePeerIsToldToTheResponder) {
  MemoryFabric fabric;
  fabric.unreachable = true;
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions());
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kUnreachable);
  EXPECT_EQ(both.initiator.failure, both.responder.failure);
}

TEST(Failures, ImpostorsDoNotKeepTheRightPeerOut) {
  MemoryFabric fabric;
  fabric.impostors = 3;
  EXPECT_EQ(RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions()).initiator.failure, Failure{});
}

// Changes the nonce of the offer on its way, as somebody without the right one would present.
class SpoiledChannel final : public PeerChannel {
 public:
  explicit SpoiledChannel(std::unique_ptr<PeerChannel> inner) : inner_(std::move(inner)) {}
  absl::Status Send(const PeerMessage& message) override { return inner_->Send(message); }
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override {
    absl::StatusOr<PeerMessage> message = inner_->Receive(deadline);
    if (message.ok()) message->nonce[15] ^= 1;
    return message;
  }
  PeerState Poll() override { return inner_->Poll(); }

 private:
  const std::unique_ptr<PeerChannel> inner_;
};

// A connect that returns only after the responder's kReady arrived, as happens on a real network.
TEST(Failures, AReadyThatOvertakesTheConnectIsKept) {
  MemoryFabric fabric;
  fabric.slow_connect = milliseconds(100);
  EXPECT_EQ(RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions()).initiator.failure, Failure{});
}

TEST(Failures, AWrongNonceIsRejected) {
  MemoryFabric fabric;
  ChannelPair channel = MakeLocalChannel();
  channel.second = std::make_unique<SpoiledChannel>(std::move(channel.second));
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions(), std::move(channel));
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kRejected);
  EXPECT_EQ(both.responder.failure.kind, FailureKind::kRejected);
  EXPECT_EQ(fabric.rejected, 1);
}

// Breaks when told so by any thread.
class BreakableChannel final : public PeerChannel {
 public:
  BreakableChannel(std::unique_ptr<PeerChannel> inner, std::atomic<bool>& broken)
      : inner_(std::move(inner)), broken_(broken) {}
  absl::Status Send(const PeerMessage& message) override { return broken_ ? Gone() : inner_->Send(message); }
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override {
    return broken_ ? absl::StatusOr<PeerMessage>(Gone()) : inner_->Receive(deadline);
  }
  PeerState Poll() override { return broken_ ? PeerState::kClosed : inner_->Poll(); }

 private:
  static absl::Status Gone() { return MakeFailure(FailureKind::kPeerGone, "broken"); }
  const std::unique_ptr<PeerChannel> inner_;
  std::atomic<bool>& broken_;
};

// How long the ends go on after that.
milliseconds EndsAfterABrokenChannel(Operation operation) {
  const Work work = operation == Operation::kSend    ? Work::kSend
                    : operation == Operation::kWrite ? Work::kWrite
                                                     : Work::kRead;
  MemoryFabric fabric;
  std::atomic<bool> broken = false;
  TimePoint since{};
  fabric.faults = {{.kind = Fault::Kind::kThen, .work = work, .number = 17, .then = [&] {
                      broken = true;
                      since = std::chrono::steady_clock::now();
                    }}};
  ChannelPair channel = MakeLocalChannel();
  channel.first = std::make_unique<BreakableChannel>(std::move(channel.first), broken);
  channel.second = std::make_unique<BreakableChannel>(std::move(channel.second), broken);
  const BothEnds both = RunBoth(fabric, SmallCase(operation), QuickOptions(1'000'000'000), std::move(channel));
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - since);
  // The end that looks first closes the connection, which the other one may see before it looks itself.
  const auto gone = testing::AnyOf(FailureKind::kPeerGone, FailureKind::kDisconnected);
  EXPECT_THAT(both.initiator.failure.kind, gone) << both.initiator.failure.detail;
  EXPECT_THAT(both.responder.failure.kind, gone) << both.responder.failure.detail;
  EXPECT_TRUE(both.initiator.failure.kind == FailureKind::kPeerGone ||
              both.responder.failure.kind == FailureKind::kPeerGone);
  EXPECT_EQ(fabric.Registered(), 0u);
  return took;
}

TEST(Failures, ABrokenControlChannelEndsTheDataPathWithinATenthOfASecond) {
  const milliseconds bound(500);  // 100 ms, and a slow machine
  for (const Operation operation : {Operation::kSend, Operation::kWrite, Operation::kRead}) {
    milliseconds took{};
    const auto holds = [&] { return (took = EndsAfterABrokenChannel(operation)) < bound; };
    EXPECT_EQ(TimesOfTen(holds), kOften) << took.count() << " ms";
  }
}

TEST(Failures, ACallerWhoGivesUpIsObeyedAndBothEndsKnow) {
  MemoryFabric fabric;
  std::stop_source caller;
  fabric.faults = {
      {.kind = Fault::Kind::kThen, .work = Work::kWrite, .number = 17, .then = [&] { caller.request_stop(); }}};
  RunOptions options = QuickOptions(1'000'000'000);
  options.cancel = caller.get_token();
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), options);
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCancelled);
  EXPECT_EQ(both.responder.failure.kind, FailureKind::kCancelled);
}

// The other end obeyed first, and hung up.
TEST(Failures, ACallerWhoGaveUpIsTheReasonAlsoOfWhoSeesTheConnectionEnd) {
  MemoryFabric fabric;
  std::stop_source caller;
  fabric.faults = {{.kind = Fault::Kind::kThen, .work = Work::kWrite, .number = 17, .then = [&] {
                      caller.request_stop();
                      fabric.Break(MakeFailure(FailureKind::kDisconnected, "the peer closed the connection"));
                    }}};
  RunOptions options = QuickOptions(1'000'000'000);
  options.cancel = caller.get_token();
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), options);
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCancelled) << both.initiator.failure.detail;
  EXPECT_EQ(both.responder.failure.kind, FailureKind::kCancelled) << both.responder.failure.detail;
}

TEST(Failures, ACallerMayGiveUpBeforeAnythingBegan) {
  MemoryFabric fabric;
  std::stop_source caller;
  caller.request_stop();
  RunOptions options = QuickOptions();
  options.cancel = caller.get_token();
  EXPECT_EQ(RunBoth(fabric, SmallCase(Operation::kWrite), options).initiator.failure.kind,
            FailureKind::kCancelled);
}

}  // namespace
}  // namespace rdmaready
