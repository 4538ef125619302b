// SPDX-License-Identifier: Apache-2.0
#include "checks/net/firewall_path.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr int kMostJumps = 16;                 // NFT_JUMP_STACK_SIZE of the kernel
constexpr std::size_t kMostSteps = 1'000'000;  // of one packet

enum class Holds { kNo, kMaybe, kYes };

// How a chain may end, and the place that speaks for it.
struct Ends {
  bool accept = false;
  bool drop = false;
  bool fall = false;  // at its end, or by return: the caller goes on
  bool open = false;  // by what is not understood
  FirewallStop dropped{};
  FirewallStop unclear{};
};

bool IsNamed(std::string_view pattern, std::string_view netdev) {
  if (!pattern.ends_with('*')) return pattern == netdev;
  return netdev.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool PortHolds(const FirewallRule& rule, std::uint16_t port) {
  if (rule.ports.empty()) return true;
  const bool within = std::ranges::any_of(
      rule.ports, [port](const L4Ports& ports) { return ports.first <= port && port <= ports.last; });
  return within != rule.negated_ports;
}

Holds HoldsFor(const FirewallRule& rule, const FirewallChain& base, const ArrivingPacket& packet) {
  if (rule.established_only) return Holds::kNo;  // the packet opens one
  if (rule.protocol && *rule.protocol != packet.protocol) return Holds::kNo;
  // A chain of a netdev sees the packet as it comes by that one.
  if (rule.netdev && !IsNamed(*rule.netdev, base.netdev.empty() ? packet.netdev : base.netdev))
    return Holds::kNo;
  if (!PortHolds(rule, packet.port)) return Holds::kNo;
  return rule.other_conditions ? Holds::kMaybe : Holds::kYes;
}

bool Meets(const FirewallChain& chain, const ArrivingPacket& packet) {
  if (!chain.input_hook) return false;
  if (chain.family == "ip") return !packet.ipv6;
  if (chain.family == "ip6") return packet.ipv6;
  if (chain.netdev.empty()) return chain.family == "inet";
  return chain.netdev == packet.netdev ||
         std::ranges::find(packet.carriers, chain.netdev) != packet.carriers.end();
}

class FirewallWalk {
 public:
  FirewallWalk(const Firewall& firewall, const FirewallChain& base, const ArrivingPacket& packet)
      : firewall_(firewall), base_(base), packet_(packet) {}

  Ends Through(const FirewallChain& chain, int jumps);

 private:
  const FirewallChain* Find(const std::string& name) const;
  void Note(FirewallStop& place, const FirewallChain& chain, const FirewallRule* rule) const;
  void Call(const FirewallChain& chain, const FirewallRule& rule, int jumps, Ends& ends, bool* falls);

  const Firewall& firewall_;
  const FirewallChain& base_;
  const ArrivingPacket& packet_;
  std::size_t steps_ = 0;
};

const FirewallChain* FirewallWalk::Find(const std::string& name) const {
  const auto found = std::ranges::find_if(firewall_.chains, [&](const FirewallChain& chain) {
    return chain.name == name && chain.family == base_.family && chain.table == base_.table;
  });
  return found == firewall_.chains.end() ? nullptr : &*found;
}

// The first one speaks.
void FirewallWalk::Note(FirewallStop& place, const FirewallChain& chain, const FirewallRule* rule) const {
  if (place.chain == nullptr) place = {.base = &base_, .chain = &chain, .rule = rule};
}

void FirewallWalk::Call(const FirewallChain& chain, const FirewallRule& rule, int jumps, Ends& ends, bool* falls) {
  const FirewallChain* target = Find(rule.target);
  if (target == nullptr || jumps >= kMostJumps) {
    ends.open = true;
    Note(ends.unclear, chain, &rule);
    return;
  }
  const Ends called = Through(*target, jumps + 1);
  ends.accept = ends.accept || called.accept;
  ends.drop = ends.drop || called.drop;
  ends.open = ends.open || called.open;
  if (called.dropped.chain != nullptr) Note(ends.dropped, *called.dropped.chain, called.dropped.rule);
  if (called.unclear.chain != nullptr) Note(ends.unclear, *called.unclear.chain, called.unclear.rule);
  *falls = called.fall;
}

Ends FirewallWalk::Through(const FirewallChain& chain, int jumps) {
  Ends ends;
  for (const FirewallRule& rule : chain.rules) {
    if (++steps_ > kMostSteps) {
      ends.open = true;
      Note(ends.unclear, chain, &rule);
      return ends;
    }
    const Holds holds = HoldsFor(rule, base_, packet_);
    if (holds == Holds::kNo || rule.action == FirewallAction::kNone) continue;
    if (holds == Holds::kMaybe) Note(ends.unclear, chain, &rule);
    bool goes_on = holds == Holds::kMaybe;
    bool falls = false;
    switch (rule.action) {
      case FirewallAction::kNone:
        break;
      case FirewallAction::kAccept:
        ends.accept = true;
        break;
      case FirewallAction::kDrop:
        ends.drop = true;
        if (holds == Holds::kYes || ends.dropped.chain == nullptr)
          ends.dropped = {.base = &base_, .chain = &chain, .rule = &rule};
        break;
      case FirewallAction::kJump:
        Call(chain, rule, jumps, ends, &falls);
        goes_on = goes_on || falls;
        break;
      case FirewallAction::kGoto:
        Call(chain, rule, jumps, ends, &falls);
        ends.fall = ends.fall || falls;
        break;
      case FirewallAction::kReturn:
        ends.fall = true;
        break;
      case FirewallAction::kUnknown:
        ends.open = true;
        Note(ends.unclear, chain, &rule);
        break;
    }
    if (!goes_on) return ends;
  }
  ends.fall = true;
  return ends;
}

}  // namespace

std::vector<FirewallStop> StopsOf(const Firewall& firewall, const ArrivingPacket& packet) {
  std::vector<FirewallStop> stops;
  for (const FirewallChain& base : firewall.chains) {
    if (!Meets(base, packet)) continue;
    Ends ends = FirewallWalk(firewall, base, packet).Through(base, 0);
    if (ends.fall && base.policy == FirewallAction::kDrop) {
      ends.drop = true;
      if (ends.dropped.chain == nullptr) ends.dropped = {.base = &base, .chain = &base};
    } else if (ends.fall) {
      ends.accept = true;
    }
    if (!ends.drop && !ends.open) continue;
    const bool certain = ends.drop && !ends.accept && !ends.open;
    FirewallStop stop = certain || ends.unclear.chain == nullptr ? ends.dropped : ends.unclear;
    stop.certain = certain;
    stops.push_back(stop);
  }
  return stops;
}

std::string PlaceText(const FirewallStop& stop) {
  const std::string chain = Cat(stop.chain->family, " ", stop.chain->table, " ", stop.chain->name);
  return stop.rule == nullptr ? Cat("the policy of ", chain) : Cat("rule ", stop.rule->handle, " of ", chain);
}

}  // namespace rdmaready
