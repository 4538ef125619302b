// SPDX-License-Identifier: Apache-2.0
// The end of a test: each end waits for the last word of the other one, and says why it did not come.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

// Loses each message of one kind that is sent, and calls `lost` for it.
class LossyChannel final : public PeerChannel {
 public:
  LossyChannel(std::unique_ptr<PeerChannel> channel, PeerMessageKind kind, std::function<void()> lost)
      : channel_(std::move(channel)), kind_(kind), lost_(std::move(lost)) {}

  absl::Status Send(const PeerMessage& message) override {
    if (message.kind != kind_) return channel_->Send(message);
    lost_();
    return absl::OkStatus();
  }
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override { return channel_->Receive(deadline); }
  PeerState Poll() override { return channel_->Poll(); }

 private:
  const std::unique_ptr<PeerChannel> channel_;
  const PeerMessageKind kind_;
  const std::function<void()> lost_;
};

// A write of which the last word of one end is lost.
BothEnds WriteWithout(PeerMessageKind last_word, const RunOptions& options, const std::function<void()>& lost) {
  MemoryFabric fabric;
  ChannelPair channel = MakeLocalChannel();
  std::unique_ptr<PeerChannel>& speaker = last_word == PeerMessageKind::kView ? channel.first : channel.second;
  speaker = std::make_unique<LossyChannel>(std::move(speaker), last_word, lost);
  return RunBoth(fabric, SmallCase(Operation::kWrite), options, std::move(channel));
}

TEST(LastWord, IsMissedOfAnEndThatDoesNotSayItInTime) {
  const auto nothing = [] {};
  RunOptions options = QuickOptions();
  options.farewell = std::chrono::milliseconds(1'000);
  EXPECT_EQ(WriteWithout(PeerMessageKind::kView, options, nothing).initiator.failure,
            (Failure{FailureKind::kPeerGone, "the responder's view of the transfer never came"}));
  EXPECT_EQ(WriteWithout(PeerMessageKind::kResult, options, nothing).responder.failure,
            (Failure{FailureKind::kPeerGone, "the initiator's result of the transfer never came"}));
}

TEST(LastWord, IsNotWaitedForWhereThisEndGaveUpAndTheReasonIsNamed) {
  for (const PeerMessageKind last_word : {PeerMessageKind::kView, PeerMessageKind::kResult}) {
    std::stop_source stop;
    RunOptions options = QuickOptions();
    options.cancel = stop.get_token();
    options.why_cancelled = [] { return std::string("a look at the port came late"); };
    BothEnds both;
    EXPECT_LT(TimeOf([&] { both = WriteWithout(last_word, options, [&] { stop.request_stop(); }); }), kAtOnce);
    const TransferResult& waited = last_word == PeerMessageKind::kView ? both.initiator : both.responder;
    EXPECT_EQ(waited.failure, (Failure{FailureKind::kCancelled, "a look at the port came late"}));
    EXPECT_EQ(both.initiator.messages, kMessages) << "the measured part was over";
  }
}

TEST(LastWord, IsNotWaitedForWhereTheCallerGaveUpWithoutAReason) {
  std::stop_source stop;
  RunOptions options = QuickOptions();
  options.cancel = stop.get_token();
  const BothEnds both = WriteWithout(PeerMessageKind::kView, options, [&] { stop.request_stop(); });
  EXPECT_EQ(both.initiator.failure, (Failure{FailureKind::kCancelled, "the caller gave up"}));
}

}  // namespace
}  // namespace rdmaready
