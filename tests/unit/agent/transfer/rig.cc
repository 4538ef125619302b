// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/transfer/rig.h"

#include <thread>

namespace rdmaready {

using std::chrono::milliseconds;

TransferCase SmallCase(Operation operation) {
  return {.name = "small",
          .operation = operation,
          .message_bytes = kMessageBytes,
          .depth = operation == Operation::kSend ? 1u : 8u,
          .duration = milliseconds(20'000),
          .deadline = milliseconds(10'000)};
}

RunOptions QuickOptions(std::uint64_t messages) {
  RunOptions options;
  options.local_address = "here";
  options.stall_limit = milliseconds(400);
  options.connect_limit = milliseconds(1'000);
  options.farewell = milliseconds(1'500);
  options.max_bytes = messages * kMessageBytes;
  return options;
}

BothEnds RunBoth(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                 ChannelPair channel) {
  MemoryLink responder(fabric, Role::kResponder);
  MemoryLink initiator(fabric, Role::kInitiator);
  BothEnds both;
  {
    const std::jthread other([&] { both.responder = RunResponder(test, responder, *channel.first, options); });
    both.initiator = RunInitiator(test, initiator, *channel.second, options);
  }
  return both;
}

TransferResult RunInitiatorAgainst(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                                   const HandPlayed& responder) {
  ChannelPair channel = MakeLocalChannel();
  MemoryLink theirs(fabric, Role::kResponder);
  MemoryLink ours(fabric, Role::kInitiator);
  const std::jthread other([&] {
    responder(theirs, *channel.first);
    channel.first.reset();
  });
  return RunInitiator(test, ours, *channel.second, options);
}

TransferResult RunResponderAgainst(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                                   const HandPlayed& initiator) {
  ChannelPair channel = MakeLocalChannel();
  MemoryLink theirs(fabric, Role::kInitiator);
  MemoryLink ours(fabric, Role::kResponder);
  const std::jthread other([&] {
    initiator(theirs, *channel.second);
    channel.second.reset();
  });
  return RunResponder(test, ours, *channel.first, options);
}

PeerMessage Next(PeerChannel& peer) {
  absl::StatusOr<PeerMessage> message = peer.Receive(Soon());
  return message.ok() ? *std::move(message) : PeerMessage{};
}

TimePoint Soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(2); }

}  // namespace rdmaready
