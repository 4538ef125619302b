// SPDX-License-Identifier: Apache-2.0
// Who is at which address of a link, as the kernel found out: rtnetlink GETNEIGH.
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

struct NeighbourOfLink {
  std::uint32_t ifindex = 0;
  Neighbour neighbour{};  // without its netdev

  bool operator==(const NeighbourOfLink&) const = default;
};

// nullopt for what was never asked for on the link: other families, multicast, loopback.
absl::StatusOr<std::optional<NeighbourOfLink>> DecodeNeighbour(std::span<const std::byte> payload);

// By ifindex, each netdev's in the kernel's order.
using NeighbourTable = std::map<std::uint32_t, std::vector<Neighbour>>;

// Of all netdevs at once.
Fact<NeighbourTable> ReadNeighbours(HostReader& host);

}  // namespace rdmaready
