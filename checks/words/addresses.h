// SPDX-License-Identifier: Apache-2.0
// Addresses: by which IP addresses an RDMA port can be reached. They are on its netdev, or on what stands on
// that: a VLAN, a bond, a bridge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/prefix_index.h"
#include "api/model/facts.h"

namespace rdmaready {

struct PlacedAddress {
  IpAddress ip{};
  std::string netdev{};                // the one that has it
  const UpperNetdev* upper = nullptr;  // of the port; null when it is the port's own netdev

  bool operator==(const PlacedAddress&) const = default;
};

// What RDMA-CM and storage can be given: no link-local, loopback or unspecified address, and nothing that is
// none. Those of the port's own netdev first, then those of what is built on it, the nearer ones first. What is
// not known is left out. The result points into `port`.
std::vector<PlacedAddress> AddressesOf(const Port& port);

// False where addresses may be left out above. That a port has no netdev here is an answer too.
bool AddressesKnown(const Port& port);

// Why it is not known which of the host's interfaces its RDMA ports have; null where it is.
const Missing* UnknownNetdev(const Facts& host);

// Why they are not known; only when they are not.
Missing WhyAddressesUnknown(const Port& port);

bool IsRoutable(const IpAddress& ip);

// Of an address that AddressesOf has.
ParsedAddress Parsed(const IpAddress& ip);

// "10.0.0.0/24": what all addresses of its subnet have in common. Empty for what is no address.
std::string SubnetOf(const IpAddress& ip);

}  // namespace rdmaready
