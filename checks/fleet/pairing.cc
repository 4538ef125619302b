// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/pairing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checks/fleet/pairing_side.h"
#include "checks/words/addresses.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Nothing that is known speaks against it, and something is not known. `x` is of the side that `subnets` are
// asked for.
bool MightPair(const PairingPort& x, const PairingSide& other, std::size_t j, const PairingSubnets& subnets) {
  const PairingPort& y = other.ports()[j];
  const bool transports = TransportKnown(*x.port) && TransportKnown(*y.port);
  const bool addresses = AddressesKnown(*x.port) && AddressesKnown(*y.port);
  if (transports && addresses) return false;
  if (transports && !SameTransport(*x.port, *y.port)) return false;
  return !addresses || subnets.Common(x, j).has_value();
}

// The first port of the other side of which that can be said.
std::optional<std::size_t> MightPairWith(const PairingPort& x, const PairingSide& other,
                                         const PairingSubnets& subnets) {
  if (x.Known()) {
    for (const std::size_t j : other.gaps()) {
      if (MightPair(x, other, j, subnets)) return j;
    }
    return std::nullopt;
  }
  for (std::size_t j = 0; j < other.ports().size(); ++j) {
    if (MightPair(x, other, j, subnets)) return j;
  }
  return std::nullopt;
}

std::string AddressList(const PairingSide& side) {
  std::string text;
  for (const PairingPort& port : side.ports()) {
    for (const PairingAddress& address : port.addresses)
      text += Cat(text.empty() ? "" : ", ", address.text, "/", address.parsed.prefix_bits);
  }
  return text.empty() ? "no address" : text;
}

std::string TransportList(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    const std::string_view name = port.transport ? Name(*port.transport) : "unknown";
    if (text.find(name) == std::string::npos) text += Cat(text.empty() ? "" : ", ", name);
  }
  return text;
}

// What keeps us from saying whether the two pair.
std::string Gap(const Port& port, std::string_view host) {
  if (!TransportKnown(port)) return Cat("the transport of ", PortName(port), " of ", host, " is not known");
  return Cat("the addresses of ", PortName(port), " of ", host, " are not known");
}

struct Reason {
  std::string text{};
  bool undetermined = false;
  bool untried = false;
};

// Of the first two ports that might pair.
std::optional<std::string> FirstGap(const PairingSide& a, const PairingSide& b, const PairingSubnets& subnets) {
  for (const PairingPort& x : a.ports()) {
    const std::optional<std::size_t> j = MightPairWith(x, b, subnets);
    if (!j) continue;
    const Port& y = *b.ports()[*j].port;
    const bool of_x = !TransportKnown(*x.port) || (TransportKnown(y) && !AddressesKnown(*x.port));
    return of_x ? Gap(*x.port, a.name()) : Gap(y, b.name());
  }
  return std::nullopt;
}

// The first reason on the way to a pair, between all ports of both.
Reason WhyNone(const PairingSide& a, const PairingSide& b) {
  for (const PairingSide* side : {&a, &b}) {
    if (side->facts().ports && side->ports().empty()) return {.text = Cat(side->name(), " has no RDMA port")};
  }
  for (const PairingSide* side : {&a, &b}) {
    if (!side->facts().ports)
      return {.text = Cat("the ports of ", side->name(), " are not known"), .undetermined = true};
  }
  const bool transport = std::ranges::any_of(a.ports(), [&b](const PairingPort& x) {
    return TransportKnown(*x.port) && b.Speaks(*x.port->transport);
  });
  const bool duplicate =
      std::ranges::any_of(a.ports(), [&b](const PairingPort& x) { return b.HasAddressOf(x); });
  const std::optional<std::string> gap = FirstGap(a, b, PairingSubnets(a, b));
  const std::string transports = Cat(a.name(), " has ", TransportList(*a.facts().ports), ", ", b.name(),
                                     " has ", TransportList(*b.facts().ports));
  if (gap && !transport) return {.text = "no common transport is known: " + transports, .undetermined = true};
  if (gap) return {.text = *gap, .undetermined = true};
  if (!transport) return {.text = "different transports: " + transports};
  if (duplicate)
    return {.text = Cat("duplicate address: ", a.name(), " and ", b.name(), " both have ", AddressList(a))};
  return {.text = Cat("no common subnet: ", a.name(), " has ", AddressList(a), ", ", b.name(), " has ",
                      AddressList(b)),
          .untried = true};
}

// Why one port has no partner, where others have.
std::string WhyAlone(const PairingPort& port, const PairingSide& other, const PairingSubnets& subnets) {
  if (!TransportKnown(*port.port)) return "its transport is not known";
  if (!AddressesKnown(*port.port)) return "its addresses are not known";
  if (const auto j = MightPairWith(port, other, subnets)) return Gap(*other.ports()[*j].port, other.name());
  if (!other.Speaks(*port.port->transport))
    return Cat("no port of ", other.name(), " speaks its transport, ", Name(*port.port->transport));
  if (port.addresses.empty()) return "it has no address that can be tested";
  if (other.HasAddressOf(port)) return Cat("a port of ", other.name(), " has the same address");
  return Cat("no port of ", other.name(), " in its subnet");
}

// Who can be tested with whom, and the choice among that: a maximum matching by augmenting paths (Kuhn), which
// takes a partner away from a port only if that one has another.
class Matching {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Matching(const PairingSide& a, const PairingSide& b, const PairingSubnets& subnets)
      : possible_of_b_(b.ports().size()), partner_(b.ports().size(), kNone) {
    for (const PairingPort& x : a.ports()) {
      std::vector<std::size_t>& row = possible_.emplace_back();
      for (const std::size_t j : subnets.Neighbours(x)) {
        if (!SameTransport(*x.port, *b.ports()[j].port) || !subnets.Common(x, j)) continue;
        row.push_back(j);
        possible_of_b_[j].push_back(possible_.size() - 1);
      }
    }
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      std::vector<bool> visited(partner_.size(), false);
      Augment(i, visited);
    }
  }

  // Pairs of indices, in order. A port that has only partners that are taken gets the least used of them.
  std::vector<std::pair<std::size_t, std::size_t>> Pairs() const {
    std::vector<std::size_t> a_uses(possible_.size(), 0);
    std::vector<std::size_t> b_uses(partner_.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    const auto take = [&](std::size_t i, std::size_t j) {
      if (i == kNone || j == kNone) return;
      ++a_uses[i];
      ++b_uses[j];
      pairs.emplace_back(i, j);
    };
    for (std::size_t j = 0; j < partner_.size(); ++j) take(partner_[j], j);
    for (std::size_t i = 0; i < a_uses.size(); ++i) {
      if (a_uses[i] == 0) take(i, LeastUsed(b_uses, possible_[i]));
    }
    for (std::size_t j = 0; j < b_uses.size(); ++j) {
      if (b_uses[j] == 0) take(LeastUsed(a_uses, possible_of_b_[j]), j);
    }
    std::ranges::sort(pairs);
    return pairs;
  }

 private:
  bool Augment(std::size_t i, std::vector<bool>& visited) {
    for (const bool only_free : {true, false}) {
      for (const std::size_t j : possible_[i]) {
        if (visited[j] || (only_free && partner_[j] != kNone)) continue;
        visited[j] = true;
        if (partner_[j] != kNone && !Augment(partner_[j], visited)) continue;
        partner_[j] = i;
        return true;
      }
    }
    return false;
  }

  static std::size_t LeastUsed(const std::vector<std::size_t>& uses, const std::vector<std::size_t>& possible) {
    std::size_t best = kNone;
    for (const std::size_t k : possible) {
      if (best == kNone || uses[k] < uses[best]) best = k;
    }
    return best;
  }

  std::vector<std::vector<std::size_t>> possible_{};     // of each port of a: those of b, ascending
  std::vector<std::vector<std::size_t>> possible_of_b_;  // the other way round
  std::vector<std::size_t> partner_;                     // of each port of b
};

std::vector<UnpairedPort> Unpaired(const PairingSide& side, const PairingSide& other,
                                   const std::vector<PortPair>& pairs, std::size_t PortPair::*which) {
  const PairingSubnets subnets(side, other);
  std::vector<bool> paired(side.ports().size(), false);
  for (const PortPair& pair : pairs) paired[pair.*which] = true;
  std::vector<UnpairedPort> unpaired;
  for (std::size_t i = 0; i < paired.size(); ++i) {
    if (!paired[i]) unpaired.push_back({i, Printable(WhyAlone(side.ports()[i], other, subnets))});
  }
  return unpaired;
}

enum class Choice { kSameName, kFree, kAny };

// The first address of each, of the first family that both have.
std::optional<std::pair<const PairingAddress*, const PairingAddress*>> OfOneFamily(const PairingPort& x,
                                                                                   const PairingPort& y) {
  for (const PairingAddress& from : x.addresses) {
    for (const PairingAddress& to : y.addresses) {
      if (from.parsed.is_ipv4 == to.parsed.is_ipv4) return std::pair(&from, &to);
    }
  }
  return std::nullopt;
}

}  // namespace

Pairing PairPorts(const Facts& a, const Facts& b, std::string_view a_name, std::string_view b_name) {
  Pairing pairing;
  const PairingSide a_side(a, a_name);
  const PairingSide b_side(b, b_name);
  if (a.ports && b.ports) {
    const PairingSubnets subnets(a_side, b_side);
    for (const auto& [i, j] : Matching(a_side, b_side, subnets).Pairs()) {
      const auto addresses = subnets.Common(a_side.ports()[i], j);
      pairing.pairs.push_back({i, j, addresses->first->text, addresses->second->text});
    }
    pairing.a_unpaired = Unpaired(a_side, b_side, pairing.pairs, &PortPair::a_port);
    pairing.b_unpaired = Unpaired(b_side, a_side, pairing.pairs, &PortPair::b_port);
  }
  if (!pairing.pairs.empty()) return pairing;
  const Reason reason = WhyNone(a_side, b_side);
  pairing.reason = Printable(reason.text);
  pairing.undetermined = reason.undetermined;
  pairing.untried = reason.untried;
  return pairing;
}

std::vector<PortPair> PairByRoute(const Facts& a, const Facts& b) {
  const PairingSide a_side(a, "a");
  const PairingSide b_side(b, "b");
  const auto twice = [&b_side](const PairingPort& x) { return b_side.HasAddressOf(x); };
  if (std::ranges::any_of(a_side.ports(), twice)) return {};
  const std::size_t a_count = a_side.ports().size();
  const std::size_t b_count = b_side.ports().size();
  std::vector<PortPair> pairs;
  std::vector<bool> a_used(a_count, false);
  std::vector<bool> b_used(b_count, false);
  // First one by one, then whoever is left with whoever there is.
  for (const Choice choice : {Choice::kSameName, Choice::kFree, Choice::kAny}) {
    for (std::size_t i = 0; i < a_count; ++i) {
      for (std::size_t j = 0; j < b_count; ++j) {
        const bool taken = choice == Choice::kAny ? a_used[i] && b_used[j] : a_used[i] || b_used[j];
        const PairingPort& x = a_side.ports()[i];
        const PairingPort& y = b_side.ports()[j];
        if (taken || (choice == Choice::kSameName && PortName(*x.port) != PortName(*y.port))) continue;
        const auto addresses = OfOneFamily(x, y);
        if (!addresses || !SameTransport(*x.port, *y.port)) continue;
        pairs.push_back({i, j, addresses->first->text, addresses->second->text, true});
        a_used[i] = b_used[j] = true;
      }
    }
  }
  std::ranges::sort(pairs, {}, [](const PortPair& pair) { return std::pair(pair.a_port, pair.b_port); });
  return pairs;
}

}  // namespace rdmaready
