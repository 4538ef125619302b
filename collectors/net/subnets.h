// SPDX-License-Identifier: Apache-2.0
// The subnets in which an RDMA port has addresses: who else of the host is in them, and which way the kernel
// would send to them. Routes are asked for (RTM_GETROUTE), nothing is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/netdev.h"

namespace rdmaready {

// The way of an answer to RTM_GETROUTE, its interface by index. 0: there is none (unreachable, prohibited).
struct RawRoute {
  std::uint32_t ifindex = 0;
  std::string gateway{};

  bool operator==(const RawRoute&) const = default;
};
absl::StatusOr<RawRoute> DecodeRoute(std::span<const std::byte> payload);

// An address of the subnet of `own` that is not in `taken`, near to it and neither the subnet's own address nor
// its broadcast address. Empty when there is none.
std::string ProbeAddress(const IpAddress& own, const std::set<std::string>& taken);

// Of every address but link-local and loopback ones, on the port's netdev and on what is built on it.
Fact<std::vector<Subnet>> ReadSubnets(HostReader& host, const Network& network, const Port& port);

// By which netdevs the kernel would send to the addresses of documentation (RFC 5737, RFC 3849), which are in
// nobody's network: those of the default routes of IPv4 and IPv6, each once. Nothing is sent.
Fact<std::vector<std::string>> ReadDefaultRoutes(HostReader& host, const Network& network);

// On the port's netdev and on what is built on it.
Fact<std::vector<Neighbour>> NeighboursOf(const Network& network, const Port& port);

}  // namespace rdmaready
