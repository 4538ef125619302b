// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/trust/relay.h"

#include <array>
#include <thread>
#include <utility>

#include "agent/transfer/local_channel.h"
#include "api/convert/records.h"

namespace rdmaready {

Role Across(Role role) { return role == Role::kInitiator ? Role::kResponder : Role::kInitiator; }

std::vector<Relayed> Honest(Role from, const PeerMessage& message) { return {{message, Across(from)}}; }

PeerMessage Inside(const PeerMessage& message) {
  v1::PeerMessage body;
  if (message.kind != PeerMessageKind::kSigned || !body.ParseFromString(message.body)) return message;
  return FromProto(body);
}

Tamper Changes(PeerMessageKind kind, std::function<void(PeerMessage&)> change) {
  return [kind, change = std::move(change)](Role from, const PeerMessage& message) -> std::vector<Relayed> {
    PeerMessage inside = Inside(message);
    if (message.kind != PeerMessageKind::kSigned || inside.kind != kind) return Honest(from, message);
    change(inside);
    PeerMessage changed = message;
    changed.body = ToProto(inside).SerializeAsString();
    return {{changed, Across(from)}};
  };
}

BothOutcomes RunThrough(const End& first, const End& second, const Tamper& tamper, MemoryFabric& fabric,
                        Operation operation, const RunOptions& options) {
  const std::array<End, 2> ends{first, second};
  BothOutcomes outcome;
  const TransferCase test = SmallCase(operation);
  std::array<ChannelPair, 2> wires{MakeLocalChannel(), MakeLocalChannel()};
  const auto run = [&](std::size_t i) {
    const std::unique_ptr<PeerChannel> own = std::move(wires[i].first);
    SignedChannel channel(ends[i].role, *own, RealClock());
    outcome.greeted[i] = channel.Greet(ends[i].trust, Soon(), {});
    if (!outcome.greeted[i].ok()) return;
    MemoryLink link(fabric, ends[i].role);
    const auto play = ends[i].role == Role::kInitiator ? RunInitiator : RunResponder;
    outcome.result[i] = play(test, link, channel, options);
  };
  std::array<std::jthread, 2> threads{std::jthread([&] { run(0); }), std::jthread([&] { run(1); })};
  // The first end is the initiator to the relay, whatever it says of itself. As with the command line: when one
  // end has left, the other is told.
  const auto place = [](Role role) { return role == Role::kInitiator ? 0u : 1u; };
  for (bool open = true; open;) {
    for (const Role from : {Role::kInitiator, Role::kResponder}) {
      const auto message =
          wires[place(from)].second->Receive(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
      if (message.ok()) {
        for (const Relayed& relayed : tamper(from, *message))
          static_cast<void>(wires[place(relayed.to)].second->Send(relayed.message));
      }
      open = open && (message.ok() || absl::IsDeadlineExceeded(message.status()));
    }
  }
  for (ChannelPair& wire : wires) wire.second.reset();
  for (std::jthread& thread : threads) thread.join();
  return outcome;
}

}  // namespace rdmaready
