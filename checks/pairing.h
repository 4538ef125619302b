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

  bool operator==(const PortPair&) const = default;
};

struct Pairing {
  std::vector<PortPair> pairs{};
  std::string reason{};  // why there is no pair at all; empty when there is one

  bool operator==(const Pairing&) const = default;
};

// Two ports pair when they speak the same transport and each has an address in the other's subnet: IPv4 or
// IPv6, never link-local or loopback. Each port is used at most once, in port order; IPv4 is tried first. The
// names are for the reason only: "no common subnet: a has 10.0.0.1/24, b has 10.0.1.2/24".
Pairing PairPorts(const Facts& a, const Facts& b, std::string_view a_name = "a", std::string_view b_name = "b");

}  // namespace rdmaready
