// SPDX-License-Identifier: Apache-2.0
// A part of a stress test: the caller lets it begin when the other parts are connected, and its queues are
// full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "agent/link/pacer.h"
#include "agent/transfer/meter.h"
#include "agent/transfer/run.h"
#include "agent/transfer/session.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

// Lets the responder's kReady through after `held`, as a caller does that waits for other transfers.
class HeldChannel final : public PeerChannel {
 public:
  HeldChannel(std::unique_ptr<PeerChannel> inner, milliseconds held) : inner_(std::move(inner)), held_(held) {}
  absl::Status Send(const PeerMessage& message) override { return inner_->Send(message); }
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override {
    absl::StatusOr<PeerMessage> message = inner_->Receive(deadline);
    const TimePoint until = std::chrono::steady_clock::now() + held_;
    while (message.ok() && message->kind == PeerMessageKind::kReady && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(milliseconds(10));
    return message;
  }
  PeerState Poll() override { return inner_->Poll(); }

 private:
  const std::unique_ptr<PeerChannel> inner_;
  const milliseconds held_;
};

BothEnds RunHeld(const RunOptions& options) {
  TransferCase test = SmallCase(Operation::kWrite);
  test.deadline = milliseconds(2'000);
  MemoryFabric fabric;
  ChannelPair channel = MakeLocalChannel();
  channel.second = std::make_unique<HeldChannel>(std::move(channel.second), milliseconds(2'500));
  return RunBoth(fabric, test, options, std::move(channel));
}

TEST(StressPart, HasItsDeadlineFromTheStartOfTheMeasuredPart) {
  RunOptions options = QuickOptions();
  options.set_up_limit = milliseconds(60'000);
  const BothEnds both = RunHeld(options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_EQ(both.responder.failure, Failure{}) << both.responder.failure.detail;
}

TEST(StressPart, DiffersFromAnotherTestWhoseDeadlineIncludesTheSetUp) {
  EXPECT_EQ(RunHeld(QuickOptions()).initiator.failure.kind, FailureKind::kStalled);
}

void AwaitCount(const std::atomic<int>& count, int wanted) {
  const TimePoint latest = Soon();
  while (count < wanted && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(milliseconds(5));
}

struct Begun {
  int before = 0;  // the initiator said that it began
  int after = 0;
  Failure failure{};
  bool operator==(const Begun&) const = default;
};

// How often the responder of an initiator that says kBegan and sends nothing began, of `wanted` times.
Begun BegunWithoutAMessage(const RunOptions& asked, int wanted_before, int wanted_after) {
  MemoryFabric fabric;
  RunOptions options = asked;
  std::atomic<int> count = 0;
  options.began = [&count] { ++count; };
  Begun begun;
  const TransferResult result = RunResponderAgainst(
      fabric, SmallCase(Operation::kWrite), options, [&](MemoryLink& link, PeerChannel& peer) {
        const PeerMessage offer = Next(peer);
        ASSERT_TRUE(link.Connect(offer.endpoint, offer.nonce, "here", {}, {.deadline = Soon()}).ok());
        ASSERT_EQ(Next(peer).kind, PeerMessageKind::kReady);
        std::this_thread::sleep_for(milliseconds(40));
        AwaitCount(count, wanted_before);
        begun.before = count;
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kBegan}).ok());
        AwaitCount(count, wanted_after);
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kResult}).ok());
      });
  begun.after = count;
  begun.failure = result.failure;
  return begun;
}

TEST(StressPart, BeginsAtTheResponderWhenTheInitiatorSaysSoThoughNoMessageComes) {
  RunOptions options = QuickOptions();
  options.says_began = true;
  for (const bool verify : {true, false}) {
    options.verify = verify;
    EXPECT_EQ(BegunWithoutAMessage(options, 0, 1), (Begun{.before = 0, .after = 1}));
  }
}

TEST(StressPart, DiffersFromAnotherTestWhoseResponderBeginsWhenItIsReady) {
  const Begun begun = BegunWithoutAMessage(QuickOptions(), 1, 1);
  EXPECT_EQ(begun.before, 1);
  EXPECT_EQ(begun.after, 1);
  EXPECT_THAT(begun.failure.detail, testing::HasSubstr("it sent a began out of turn"));
}

TEST(StressPart, SaysThatItBeganOnceForEachQueuePair) {
  MemoryFabric fabric;
  std::atomic<int> begun = 0;
  RunOptions options = QuickOptions();
  options.says_began = true;
  options.began = [&begun] { ++begun; };
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_EQ(both.responder.failure, Failure{}) << both.responder.failure.detail;
  EXPECT_EQ(begun, 2);
}

Phase LateMessage(bool counts_missed_turns) {
  const TransferCase test = SmallCase(Operation::kWrite);
  RunOptions options = QuickOptions();
  options.counts_missed_turns = counts_missed_turns;
  options.pacer = std::make_shared<Pacer>(WireBytesOf(test.message_bytes) * 100);  // a turn each 10 ms
  Meter meter(test, options);
  constexpr std::int64_t kLateNs = 100'000'000;
  const std::int64_t now_ns = NowNs();
  meter.Posted(0, now_ns);
  meter.Completed(0, now_ns + kLateNs, test.message_bytes);
  Phase phase;
  meter.Report(phase);
  return phase;
}

TEST(StressPart, CountsTheTurnsThatALateMessageMissed) {
  const Histogram all = LateMessage(true).latencies;
  EXPECT_NEAR(static_cast<double>(all.count()), 10, 1);
  EXPECT_NEAR(static_cast<double>(all.Quantile(0.5)), 50e6, 10e6);
  EXPECT_EQ(all.Summary().max_ns, 100'000'000);
  EXPECT_EQ(LateMessage(false).latencies.count(), 1U);
}

}  // namespace
}  // namespace rdmaready
