// SPDX-License-Identifier: Apache-2.0
// IP addresses of the netdevs: rtnetlink GETADDR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct AddressOfLink {
  std::uint32_t ifindex = 0;
  IpAddress address{};

  bool operator==(const AddressOfLink&) const = default;
};

// nullopt for an address that is neither IPv4 nor IPv6.
absl::StatusOr<std::optional<AddressOfLink>> DecodeAddress(std::span<const std::byte> payload);

// By ifindex, each netdev's in the kernel's order.
using AddressTable = std::map<std::uint32_t, std::vector<IpAddress>>;

// Of all netdevs at once: the kernel would list all of them for one, too.
Fact<AddressTable> ReadAddresses(HostReader& host);

Fact<std::vector<IpAddress>> AddressesOf(const Fact<AddressTable>& table, std::uint32_t ifindex);

}  // namespace rdmaready
