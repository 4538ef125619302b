// SPDX-License-Identifier: Apache-2.0
// A netdev in full: rtnetlink by ifindex, ethtool and dcbnl by name, and sysfs by name once it was seen to show
// the same interface.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/net/addresses.h"
#include "collectors/net/generic_families.h"
#include "collectors/net/links.h"
#include "collectors/net/neighbours.h"
#include "collectors/net/qdiscs.h"
#include "collectors/net/subnet_members.h"

namespace rdmaready {

// What is read once for all netdevs, so that many ports do not ask the same each.
struct Network {
  absl::StatusOr<LinkTable> links{};
  Fact<AddressTable> addresses{};
  Fact<SubnetMembers> subnets{};  // of those addresses
  Fact<NeighbourTable> neighbours{};
  Fact<Ipv4Settings> ipv4_of_all{};                // of /proc/sys/net/ipv4/conf/all
  absl::StatusOr<GenericFamilies> families{};      // of generic netlink
  absl::StatusOr<std::uint16_t> ethtool_family{};  // among them
  Fact<RootQdiscs> qdiscs{};
};
// kLinks: without the neighbours, of which there may be many thousands.
enum class NetworkPart : std::uint8_t { kAll, kLinks };
Network ReadNetwork(HostReader& host, NetworkPart part = NetworkPart::kAll);

// From the list; asked for by itself when the list could not be read, or is older than the link.
absl::StatusOr<Link> FindLink(HostReader& host, const Network& network, std::uint32_t ifindex);

// `text` is /sys/class/net/X/speed or duplex, or why it could not be read. Mb/s, -1 or EINVAL when the driver
// does not know; "half", "full", "unknown" or EINVAL.
Fact<std::uint32_t> DecodeSpeed(const absl::StatusOr<std::string>& text, bool carrier);
Fact<Duplex> DecodeDuplex(const absl::StatusOr<std::string>& text, bool carrier);

// The whole netdev, DCB included. What is read by name is kept only if the name still belongs to the ifindex
// afterwards; Missing when the interface goes away or is renamed meanwhile.
Fact<Netdev> ReadNetdev(HostReader& host, const Network& network, std::uint32_t ifindex);

}  // namespace rdmaready
