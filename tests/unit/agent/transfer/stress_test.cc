// SPDX-License-Identifier: Apache-2.0
// A part of a stress test: the caller lets it begin when the other parts are connected, and its queues are
// full.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "agent/link/pacer.h"
#include "agent/transfer/meter.h"
#include "agent/transfer/run.h"
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

// How many ends had begun when that work request of the initiator was carried out, and in all.
std::pair<int, int> BegunAt(Work work, const RunOptions& asked) {
  MemoryFabric fabric;
  std::atomic<int> begun = 0;
  std::atomic<int> then = 0;
  fabric.faults = {{.kind = Fault::Kind::kThen, .work = work, .then = [&] { then = begun.load(); }}};
  RunOptions options = asked;
  options.began = [&begun] { ++begun; };
  const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  return {then, begun};
}

TEST(StressPart, BeginsAtTheResponderWithTheFirstMessageThatComes) {
  EXPECT_EQ(BegunAt(Work::kWrite, QuickOptions()), std::pair(1, 2)) << "the initiator had begun alone";
}

TEST(StressPart, BeginsAtTheResponderWhenItIsReadyWhereNoMessageComes) {
  RunOptions unverified = QuickOptions();
  unverified.verify = false;
  EXPECT_EQ(BegunAt(Work::kWrite, unverified).second, 2);
}

TEST(StressPart, AnnouncesItsFirstMessageBeforeTheHalfWindow) {
  for (const bool announces : {true, false}) {
    MemoryFabric fabric;
    std::atomic<bool> second = false;  // the second write was carried out
    std::atomic<bool> before_notice = false;
    fabric.faults = {
        {.kind = Fault::Kind::kThen, .work = Work::kWrite, .number = 1, .then = [&] { second = true; }},
        {.kind = Fault::Kind::kThen, .work = Work::kSend, .then = [&] { before_notice = second.load(); }}};
    RunOptions options = QuickOptions();
    options.announces_first = announces;
    options.pacer = std::make_shared<Pacer>(1'000'000'000);  // so that one message is under way at a time
    const BothEnds both = RunBoth(fabric, SmallCase(Operation::kWrite), options);
    EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
    EXPECT_EQ(before_notice, !announces);
  }
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
