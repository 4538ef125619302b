// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/transfer/rig.h"

#include <cstdio>
#include <thread>

namespace rdmaready {

using std::chrono::milliseconds;

TransferCase SmallCase(Operation operation) {
  return {.name = "small",
          .operation = operation,
          .message_bytes = kMessageBytes,
          .depth = operation == Operation::kSend ? 1u : 8u,
          .duration = milliseconds(20'000),
          .deadline = milliseconds(60'000)};
}

RunOptions QuickOptions(std::uint64_t messages) {
  RunOptions options;
  options.local_address = "here";
  options.stall_limit = milliseconds(50'000);
  options.connect_limit = milliseconds(50'000);
  options.farewell = milliseconds(50'000);
  options.max_bytes = messages * kMessageBytes;
  return options;
}

RunOptions ImpatientOptions() {
  RunOptions options = QuickOptions();
  options.stall_limit = milliseconds(400);
  options.connect_limit = milliseconds(1'000);
  options.farewell = milliseconds(1'500);
  return options;
}

bool IsStallOf(const Failure& failure, milliseconds limit) {
  const std::string words = "nothing for ";
  const std::size_t at = failure.detail.find(words);
  if (failure.kind != FailureKind::kStalled || at == std::string::npos) return false;
  double time = 0;
  char unit[3] = {};
  if (std::sscanf(failure.detail.c_str() + at + words.size(), "%lf %2[ms]", &time, unit) != 2) return false;
  const double told_ms = std::string(unit) == "s" ? time * 1'000 : time;
  const auto limit_ms = static_cast<double>(limit.count());
  return told_ms >= limit_ms && told_ms <= limit_ms * 1.25;
}

milliseconds TimeOf(const std::function<void()>& run) {
  const TimePoint start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
}

int TimesOfTen(const std::function<bool()>& holds) {
  int times = 0;
  for (int i = 0; i < 10 && times < kOften; ++i) times += holds() ? 1 : 0;
  return times;
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

TimePoint Soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(50); }

}  // namespace rdmaready
