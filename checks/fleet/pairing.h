// SPDX-License-Identifier: Apache-2.0
// Pairing: which port of one host can be tested with which port of another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

struct PortPair {
  std::size_t a_port = 0;  // index into Facts::ports
  std::size_t b_port = 0;
  std::string a_address{};  // numeric, without prefix length
  std::string b_address{};
  bool routed = false;  // no subnet in common: whether a route leads there a connection shows

  bool operator==(const PortPair&) const = default;
};

// A port that nothing of the other host can be tested with.
struct UnpairedPort {
  std::size_t port = 0;  // index into Facts::ports of its own host
  std::string reason{};  // "no port of a in its subnet"

  bool operator==(const UnpairedPort&) const = default;
};

struct Pairing {
  std::vector<PortPair> pairs{};  // in the order of a's ports
  std::vector<UnpairedPort> a_unpaired{};
  std::vector<UnpairedPort> b_unpaired{};
  std::string reason{};       // why there is no pair at all; empty when there is one
  bool undetermined = false;  // the reason is that something is not known: there might be a pair
  bool untried = false;       // the reason is that no subnet is common: a router may lead from one to the other

  bool operator==(const Pairing&) const = default;
};

// Two ports pair when they speak the same transport and each has an address (checks/words/addresses.h) in the
// other's subnet; IPv4 is tried first. As many ports as possible are used once, the first ones with the first
// ones; a port is used again only where another one would be left without a partner (a has two ports in a
// subnet, b has one). The names are for the reasons only: "no common subnet: a has 10.0.0.1/24, b
// has 10.0.1.2/24".
Pairing PairPorts(const Facts& a, const Facts& b, std::string_view a_name = "a", std::string_view b_name = "b");

// Of two hosts without a common subnet: the pairs that a route may lead between. Both ports speak the same
// transport and have addresses of one family, IPv4 first. Ports of one name go together, then those that are
// left in their order; a port is used again only where another one would be left without a partner. None where
// the hosts have an address twice: such a connection would not leave its host.
std::vector<PortPair> PairByRoute(const Facts& a, const Facts& b);

}  // namespace rdmaready
