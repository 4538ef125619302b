// SPDX-License-Identifier: Apache-2.0
// The network interfaces of our namespace and how they stand on one another: rtnetlink GETLINK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct Link {
  std::uint32_t ifindex = 0;
  std::string name{};  // fit to be a part of a path
  bool admin_up = false;
  bool carrier = false;
  bool loopback = false;
  std::uint32_t mtu_bytes = 0;
  std::string kind{};           // IFLA_INFO_KIND: "vlan", "bond"; empty for hardware
  std::string mac{};            // "02:00:00:00:00:01", as many bytes as the interface has; may be empty
  std::string permanent_mac{};  // empty: the kernel names none
  std::optional<std::uint32_t> max_mtu_bytes{};  // absent: the kernel did not tell; 0: it sets no limit
  std::optional<std::uint32_t> carrier_changes{};
  std::optional<std::uint32_t> master{};    // ifindex of the bond or bridge it is a member of
  std::optional<std::uint32_t> peer{};      // IFLA_LINK: what it stands on, or a veth's other end: see StandsOn
  bool peer_elsewhere = false;              // `peer` counts in another network namespace
  std::optional<std::uint16_t> vlan_id{};   // of a VLAN
  std::vector<VlanPriority> vlan_egress{};  // of a VLAN
  bool vlan_reorder = false;                // of a VLAN: REORDER_HDR
  std::optional<std::uint8_t> bond_mode{};  // of a bond: BOND_MODE_* of linux/if_bonding.h

  bool operator==(const Link&) const = default;
};

// "02:00:00:00:00:01"; an error when it is longer than any address of a link.
absl::StatusOr<std::string> MacText(std::span<const std::byte> bytes);

absl::StatusOr<Link> DecodeLink(std::span<const std::byte> payload);
absl::StatusOr<Link> ReadLinkByIndex(HostReader& host, std::uint32_t ifindex);

// Missing when the interface is no VLAN.
Fact<std::uint16_t> VlanIdOf(const Link& link);
Fact<std::vector<VlanPriority>> VlanEgressOf(const Link& link);
Fact<bool> VlanReorderOf(const Link& link);

// Whether IFLA_LINK of this kind of interface names what carries its frames. For a veth it names the other end,
// for a tunnel the interface whose address it uses.
bool StandsOnItsPeer(std::string_view kind);

// All interfaces at one moment. Which stands on which is what the interfaces themselves say: it may be cyclic
// (the kernel has no cycles, a recording may) and name interfaces that are not there.
class LinkTable {
 public:
  LinkTable() = default;
  explicit LinkTable(std::vector<Link> links);

  const Link* Find(std::uint32_t ifindex) const;  // nullptr when there is none
  const std::map<std::uint32_t, Link>& all() const { return links_; }

  // What stands directly on the interface, and what it stands on directly; by ifindex, in ascending order.
  // Neither names an interface that is not in the table.
  std::vector<std::uint32_t> Above(std::uint32_t ifindex) const;
  std::vector<std::uint32_t> Below(std::uint32_t ifindex) const;

 private:
  std::map<std::uint32_t, Link> links_{};
  std::multimap<std::uint32_t, std::uint32_t> above_{};
  std::multimap<std::uint32_t, std::uint32_t> below_{};
};

absl::StatusOr<LinkTable> ReadLinks(HostReader& host);

}  // namespace rdmaready
