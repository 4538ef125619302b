// SPDX-License-Identifier: Apache-2.0
#include "checks/pairing.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "checks/addresses.h"
#include "checks/names.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

struct Address {
  bool is_ipv4 = false;
  std::array<std::uint8_t, 16> bytes{};  // IPv4 in the first four
  unsigned prefix_bits = 0;
  std::string text{};
};

// Of a routable address.
Address Parse(const IpAddress& from) {
  Address address{.prefix_bits = from.prefix_length, .text = from.address};
  address.is_ipv4 = inet_pton(AF_INET, from.address.c_str(), address.bytes.data()) == 1;
  if (!address.is_ipv4) inet_pton(AF_INET6, from.address.c_str(), address.bytes.data());
  return address;
}

bool Covers(const Address& net, const Address& other) {
  if (net.is_ipv4 != other.is_ipv4) return false;
  for (unsigned bit = 0; bit < net.prefix_bits; ++bit) {
    const unsigned shift = 7 - bit % 8;
    if (((net.bytes[bit / 8] ^ other.bytes[bit / 8]) >> shift & 1) != 0) return false;
  }
  return true;
}

std::vector<Address> ParsedAddresses(const Port& port) {
  std::vector<Address> addresses;
  for (const PlacedAddress& placed : AddressesOf(port)) addresses.push_back(Parse(placed.ip));
  std::ranges::stable_sort(addresses,
                           [](const Address& x, const Address& y) { return x.is_ipv4 && !y.is_ipv4; });
  return addresses;
}

bool SameTransport(const Port& a, const Port& b) {
  return a.transport && b.transport && *a.transport == *b.transport && *a.transport != Transport::kUnknown;
}

bool TransportKnown(const Port& port) { return port.transport && *port.transport != Transport::kUnknown; }

std::optional<std::pair<Address, Address>> CommonSubnet(const Port& a, const Port& b) {
  for (const Address& from : ParsedAddresses(a)) {
    for (const Address& to : ParsedAddresses(b)) {
      const bool same_subnet = Covers(from, to) && Covers(to, from);
      if (same_subnet && from.bytes != to.bytes) return std::pair(from, to);
    }
  }
  return std::nullopt;
}

bool ShareAddress(const Port& a, const Port& b) {
  for (const Address& from : ParsedAddresses(a)) {
    for (const Address& to : ParsedAddresses(b)) {
      if (from.is_ipv4 == to.is_ipv4 && from.bytes == to.bytes) return true;
    }
  }
  return false;
}

bool CanPair(const Port& a, const Port& b) { return SameTransport(a, b) && CommonSubnet(a, b).has_value(); }

// Nothing that is known speaks against it, and something is not known.
bool MightPair(const Port& a, const Port& b) {
  const bool transports = TransportKnown(a) && TransportKnown(b);
  const bool addresses = AddressesKnown(a) && AddressesKnown(b);
  if (transports && addresses) return false;
  if (transports && !SameTransport(a, b)) return false;
  return !addresses || CommonSubnet(a, b).has_value();
}

std::string AddressList(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    for (const Address& address : ParsedAddresses(port)) {
      text += Cat(text.empty() ? "" : ", ", address.text, "/", address.prefix_bits);
    }
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

struct Side {
  const Facts& facts;
  std::string_view name;
};

struct Reason {
  std::string text{};
  bool undetermined = false;
};

// The first reason on the way to a pair, between all ports of both.
Reason WhyNone(const Side& a, const Side& b) {
  for (const Side* side : {&a, &b}) {
    if (side->facts.ports && side->facts.ports->empty()) return {.text = Cat(side->name, " has no RDMA port")};
  }
  for (const Side* side : {&a, &b}) {
    if (!side->facts.ports)
      return {.text = Cat("the ports of ", side->name, " are not known"), .undetermined = true};
  }
  bool transport = false;
  bool duplicate = false;
  Reason gap;
  for (const Port& x : *a.facts.ports) {
    for (const Port& y : *b.facts.ports) {
      transport = transport || SameTransport(x, y);
      duplicate = duplicate || (SameTransport(x, y) && ShareAddress(x, y));
      if (gap.undetermined || !MightPair(x, y)) continue;
      const bool of_x = !TransportKnown(x) || (TransportKnown(y) && !AddressesKnown(x));
      gap = {.text = of_x ? Gap(x, a.name) : Gap(y, b.name), .undetermined = true};
    }
  }
  const std::string transports =
      Cat(a.name, " has ", TransportList(*a.facts.ports), ", ", b.name, " has ", TransportList(*b.facts.ports));
  if (gap.undetermined && !transport)
    return {.text = "no common transport is known: " + transports, .undetermined = true};
  if (gap.undetermined) return gap;
  if (!transport) return {.text = "different transports: " + transports};
  if (duplicate)
    return {.text = Cat("duplicate address: ", a.name, " and ", b.name, " both have ",
                        AddressList(*a.facts.ports))};
  return {.text = Cat("no common subnet: ", a.name, " has ", AddressList(*a.facts.ports), ", ", b.name, " has ",
                      AddressList(*b.facts.ports))};
}

// Why one port has no partner, where others have.
std::string WhyAlone(const Port& port, const Side& other) {
  bool transport = false;
  bool duplicate = false;
  for (const Port& candidate : *other.facts.ports) {
    transport = transport || SameTransport(port, candidate);
    duplicate = duplicate || (SameTransport(port, candidate) && ShareAddress(port, candidate));
  }
  if (!TransportKnown(port)) return "its transport is not known";
  if (!AddressesKnown(port)) return "its addresses are not known";
  for (const Port& candidate : *other.facts.ports) {
    if (MightPair(port, candidate)) return Gap(candidate, other.name);
  }
  if (!transport) return Cat("no port of ", other.name, " speaks its transport, ", Name(*port.transport));
  if (ParsedAddresses(port).empty()) return "it has no address that can be tested";
  if (duplicate) return Cat("a port of ", other.name, " has the same address");
  return Cat("no port of ", other.name, " in its subnet");
}

// Who can be tested with whom, and the choice among that: a maximum matching by augmenting paths (Kuhn), which
// takes a partner away from a port only if that one has another.
class Matching {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Matching(const std::vector<Port>& a, const std::vector<Port>& b) : partner_(b.size(), kNone) {
    for (const Port& x : a) {
      std::vector<bool>& row = possible_.emplace_back();
      for (const Port& y : b) row.push_back(CanPair(x, y));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::vector<bool> visited(b.size(), false);
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
      if (a_uses[i] == 0) take(i, LeastUsed(b_uses, [&](std::size_t j) { return possible_[i][j]; }));
    }
    for (std::size_t j = 0; j < b_uses.size(); ++j) {
      if (b_uses[j] == 0) take(LeastUsed(a_uses, [&](std::size_t i) { return possible_[i][j]; }), j);
    }
    std::ranges::sort(pairs);
    return pairs;
  }

 private:
  bool Augment(std::size_t i, std::vector<bool>& visited) {
    for (const bool only_free : {true, false}) {
      for (std::size_t j = 0; j < partner_.size(); ++j) {
        if (!possible_[i][j] || visited[j] || (only_free && partner_[j] != kNone)) continue;
        visited[j] = true;
        if (partner_[j] != kNone && !Augment(partner_[j], visited)) continue;
        partner_[j] = i;
        return true;
      }
    }
    return false;
  }

  template <class Possible>
  static std::size_t LeastUsed(const std::vector<std::size_t>& uses, const Possible& possible) {
    std::size_t best = kNone;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (possible(k) && (best == kNone || uses[k] < uses[best])) best = k;
    }
    return best;
  }

  std::vector<std::vector<bool>> possible_;  // [port of a][port of b]
  std::vector<std::size_t> partner_;         // of each port of b
};

std::vector<UnpairedPort> Unpaired(const std::vector<Port>& ports, const std::vector<PortPair>& pairs,
                                   std::size_t PortPair::*which, const Side& other) {
  std::vector<UnpairedPort> unpaired;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (std::ranges::find(pairs, i, which) != pairs.end()) continue;
    unpaired.push_back({.port = i, .reason = Printable(WhyAlone(ports[i], other))});
  }
  return unpaired;
}

}  // namespace

Pairing PairPorts(const Facts& a, const Facts& b, std::string_view a_name, std::string_view b_name) {
  Pairing pairing;
  const Side a_side{a, a_name};
  const Side b_side{b, b_name};
  if (a.ports && b.ports) {
    for (const auto& [i, j] : Matching(*a.ports, *b.ports).Pairs()) {
      const auto addresses = CommonSubnet((*a.ports)[i], (*b.ports)[j]);
      pairing.pairs.push_back({i, j, addresses->first.text, addresses->second.text});
    }
    pairing.a_unpaired = Unpaired(*a.ports, pairing.pairs, &PortPair::a_port, b_side);
    pairing.b_unpaired = Unpaired(*b.ports, pairing.pairs, &PortPair::b_port, a_side);
  }
  if (!pairing.pairs.empty()) return pairing;
  const Reason reason = WhyNone(a_side, b_side);
  pairing.reason = Printable(reason.text);
  pairing.undetermined = reason.undetermined;
  return pairing;
}

}  // namespace rdmaready
