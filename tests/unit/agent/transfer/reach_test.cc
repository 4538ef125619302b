// SPDX-License-Identifier: Apache-2.0
// Whom the peer reaches when a test is over: nobody, from before the first of the last words is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "agent/link/failure.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

// Registrations of that end which the other end's device writes or reads by itself.
std::ptrdiff_t Reachable(MemoryFabric& fabric, Role end) {
  const std::lock_guard lock(fabric.mutex);
  return std::ranges::count_if(fabric.end(end).regions, [](const MemoryFabric::Region& region) {
    return region.registered && region.access != Access::kSendSource && region.access != Access::kReceiveTarget;
  });
}

using AnyCase = testing::TestWithParam<TransferCase>;

class LentMemory : public AnyCase {};

// From here on the responder alone decides: the initiator's queue pair stands, and it says nothing more.
void EndsUnreachable(const TransferCase& test,
                     const std::function<void(PeerChannel&, std::stop_source&)>& end) {
  MemoryFabric fabric;
  std::stop_source cancel;
  RunOptions options = QuickOptions();
  options.cancel = cancel.get_token();
  const TransferResult result =
      RunResponderAgainst(fabric, test, options, [&](MemoryLink& link, PeerChannel& peer) {
        const PeerMessage offer = Next(peer);
        ASSERT_TRUE(link.Connect(offer.endpoint, offer.nonce, "here", {}, {.deadline = Soon()}).ok());
        ASSERT_EQ(Next(peer).kind, PeerMessageKind::kReady);
        ASSERT_GT(Reachable(fabric, Role::kResponder), 0);
        end(peer, cancel);
        ASSERT_EQ(Next(peer).kind, PeerMessageKind::kView);
        EXPECT_EQ(Reachable(fabric, Role::kResponder), 0) << "it waits for an answer, and its memory is there";
      });
  EXPECT_NE(result.failure.kind, FailureKind::kNone);
}

TEST_P(LentMemory, IsGoneBeforeACancelledResponderSaysSo) {
  EndsUnreachable(GetParam(), [](PeerChannel&, std::stop_source& cancel) { cancel.request_stop(); });
}

TEST_P(LentMemory, IsGoneBeforeAResponderWhosePeerBreaksTheProtocolSaysSo) {
  EndsUnreachable(GetParam(), [](PeerChannel& peer, std::stop_source&) {
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kOffer}).ok());
  });
}

TEST_P(LentMemory, IsGoneBeforeAResponderAnswersADone) {
  MemoryFabric fabric;
  RunResponderAgainst(fabric, GetParam(), QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
    const PeerMessage offer = Next(peer);
    ASSERT_TRUE(link.Connect(offer.endpoint, offer.nonce, "here", {}, {.deadline = Soon()}).ok());
    ASSERT_EQ(Next(peer).kind, PeerMessageKind::kReady);
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kDone}).ok());
    ASSERT_EQ(Next(peer).kind, PeerMessageKind::kView);
    EXPECT_EQ(Reachable(fabric, Role::kResponder), 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Both, LentMemory,
                         testing::Values(SmallCase(Operation::kWrite), SmallCase(Operation::kRead)),
                         [](const auto& test) {
                           return test.param.operation == Operation::kWrite ? "write" : "read";
                         });

// Calls `look` before each message that is sent.
class Overheard final : public PeerChannel {
 public:
  Overheard(std::unique_ptr<PeerChannel> inner, std::function<void(PeerMessageKind)> look)
      : inner_(std::move(inner)), look_(std::move(look)) {}
  absl::Status Send(const PeerMessage& message) override {
    look_(message.kind);
    return inner_->Send(message);
  }
  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override { return inner_->Receive(deadline); }
  PeerState Poll() override { return inner_->Poll(); }

 private:
  std::unique_ptr<PeerChannel> inner_;
  std::function<void(PeerMessageKind)> look_;
};

class ShownMemory : public AnyCase {};

// What the initiator shows by SMB Direct, and what its reads arrive in.
void DoneUnreachable(const TransferCase& test, const RunOptions& options) {
  MemoryFabric fabric;
  std::ptrdiff_t reachable = -1;
  ChannelPair channel = MakeLocalChannel();
  channel.second = std::make_unique<Overheard>(std::move(channel.second), [&](PeerMessageKind kind) {
    if (kind == PeerMessageKind::kDone) reachable = Reachable(fabric, Role::kInitiator);
  });
  RunBoth(fabric, test, options, std::move(channel));
  EXPECT_EQ(reachable, 0);
}

TransferCase Brief(TransferCase test) {
  test.duration = std::chrono::milliseconds(20);
  return test;
}

TEST_P(ShownMemory, IsGoneBeforeTheInitiatorSaysDone) {
  RunOptions options = QuickOptions();
  options.max_bytes = 64ull << 20;
  DoneUnreachable(Brief(GetParam()), options);
}

TEST_P(ShownMemory, IsGoneBeforeACancelledInitiatorSaysDone) {
  TransferCase test = GetParam();
  test.duration = std::chrono::seconds(20);
  std::stop_source cancel;
  RunOptions options = QuickOptions();
  options.max_bytes = ~0ull;
  options.cancel = cancel.get_token();
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.request_stop();
  });
  DoneUnreachable(test, options);
}

std::vector<TransferCase> CasesThatShowMemory() {
  std::vector<TransferCase> cases = CasesOn(Rung::kSmbDirect);
  std::erase_if(cases, [](const TransferCase& test) { return test.operation == Operation::kSend; });
  cases.push_back(SmallCase(Operation::kRead));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ShownMemory, testing::ValuesIn(CasesThatShowMemory()), [](const auto& test) {
  std::string name(test.param.name);
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace rdmaready
