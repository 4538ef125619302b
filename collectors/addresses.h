// SPDX-License-Identifier: Apache-2.0
// IP addresses of a netdev: rtnetlink GETADDR.
#pragma once

#include <cstddef>
#include <cstdint>
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

// In the kernel's order.
Fact<std::vector<IpAddress>> ReadAddresses(HostReader& host, std::uint32_t ifindex);

}  // namespace rdmaready
