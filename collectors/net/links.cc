// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/links.h"

#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/if_vlan.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kLargestVlanId = 4095;
constexpr std::uint32_t kLargestPcp = 7;
constexpr std::size_t kLongestAddress = 32;  // MAX_ADDR_LEN of include/linux/netdevice.h

// The value of an attribute that need not be there.
template <class T>
absl::Status Optional(const Attributes& attributes, int type, absl::StatusOr<T> (Attributes::*read)(int) const,
                      std::optional<T>& value) {
  if (!attributes.Find(type)) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(value, (attributes.*read)(type));
  return absl::OkStatus();
}

absl::Status DecodeEgress(std::span<const std::byte> nest, std::vector<VlanPriority>& egress) {
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(nest, "VLAN egress map"));
  for (const Attributes::Attribute& row : rows.all()) {
    ifla_vlan_qos_mapping mapping{};
    if (row.type != IFLA_VLAN_QOS_MAPPING || row.value.size() != sizeof mapping) {
      return Malformed("VLAN egress map", "a row that is none");
    }
    std::memcpy(&mapping, row.value.data(), sizeof mapping);
    if (mapping.to > kLargestPcp) return Malformed("VLAN egress map", fmt::format("PCP {}", mapping.to));
    egress.push_back({mapping.from, static_cast<std::uint8_t>(mapping.to)});
  }
  std::ranges::sort(egress, {}, &VlanPriority::from);
  return absl::OkStatus();
}

// The kernel leaves the attribute out when no flag is set (vlan_fill_info of net/8021q/vlan_netlink.c).
absl::StatusOr<bool> DecodeReorder(const Attributes& vlan) {
  const auto raw = vlan.Find(IFLA_VLAN_FLAGS);
  if (!raw) return false;
  ifla_vlan_flags flags{};
  if (raw->size() != sizeof flags) return Malformed("VLAN information", "flags that are none");
  std::memcpy(&flags, raw->data(), sizeof flags);
  return (flags.flags & VLAN_FLAG_REORDER_HDR) != 0;
}

absl::Status DecodeVlan(std::span<const std::byte> data, Link& link) {
  RR_ASSIGN_OR_RETURN(const Attributes vlan, Attributes::Parse(data, "VLAN information"));
  RR_ASSIGN_OR_RETURN(const std::uint16_t id, vlan.U16(IFLA_VLAN_ID));
  if (id > kLargestVlanId) return Malformed("VLAN information", fmt::format("VLAN {}", id));
  link.vlan_id = id;
  RR_ASSIGN_OR_RETURN(link.vlan_reorder, DecodeReorder(vlan));
  const auto egress = vlan.Find(IFLA_VLAN_EGRESS_QOS);
  return egress ? DecodeEgress(*egress, link.vlan_egress) : absl::OkStatus();
}

absl::Status DecodeBond(std::span<const std::byte> data, Link& link) {
  RR_ASSIGN_OR_RETURN(const Attributes bond, Attributes::Parse(data, "bond information"));
  return Optional(bond, IFLA_BOND_MODE, &Attributes::U8, link.bond_mode);
}

absl::Status DecodeLinkInfo(std::span<const std::byte> bytes, Link& link) {
  RR_ASSIGN_OR_RETURN(const Attributes info, Attributes::Parse(bytes, "link information"));
  if (!info.Find(IFLA_INFO_KIND)) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(std::string kind, info.Text(IFLA_INFO_KIND));
  link.kind = std::move(kind);
  const auto data = info.Find(IFLA_INFO_DATA);
  if (!data) return absl::OkStatus();
  if (link.kind == "vlan") return DecodeVlan(*data, link);
  if (link.kind == "bond") return DecodeBond(*data, link);
  return absl::OkStatus();
}

absl::StatusOr<std::string> DecodeName(const Attributes& attributes) {
  absl::StatusOr<std::string> name = attributes.Text(IFLA_IFNAME);
  if (!name.ok()) return name;
  if (name->empty() || name->size() >= IFNAMSIZ || *name == "." || *name == ".." ||
      name->find('/') != std::string::npos) {
    return Malformed("link", "impossible name \"" + *name + "\"");
  }
  return name;
}

NetlinkRequest Request(std::uint32_t ifindex, bool dump) {
  ifinfomsg header{};
  header.ifi_index = static_cast<int>(ifindex);
  return {NETLINK_ROUTE, RTM_GETLINK, dump,
          Payload::Of(header).U32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS).bytes()};
}

std::vector<std::uint32_t> Related(const std::multimap<std::uint32_t, std::uint32_t>& relation,
                                   std::uint32_t ifindex) {
  std::vector<std::uint32_t> related;
  const auto [begin, end] = relation.equal_range(ifindex);
  for (auto it = begin; it != end; ++it) related.push_back(it->second);
  return related;
}

}  // namespace

absl::StatusOr<std::string> MacText(std::span<const std::byte> bytes) {
  if (bytes.size() > kLongestAddress) {
    return Malformed("link", fmt::format("an address of {} bytes", bytes.size()));
  }
  return Hex(bytes, ":");
}

absl::StatusOr<Link> DecodeLink(std::span<const std::byte> payload) {
  ifinfomsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "link"));
  if (header.ifi_index <= 0) return Malformed("link", fmt::format("ifindex {}", header.ifi_index));
  Link link{.ifindex = static_cast<std::uint32_t>(header.ifi_index),
            .admin_up = (header.ifi_flags & IFF_UP) != 0,
            .carrier = (header.ifi_flags & IFF_LOWER_UP) != 0,
            .loopback = (header.ifi_flags & IFF_LOOPBACK) != 0};
  RR_ASSIGN_OR_RETURN(link.name, DecodeName(attributes));
  RR_ASSIGN_OR_RETURN(link.mtu_bytes, attributes.U32(IFLA_MTU));
  if (const auto mac = attributes.Find(IFLA_ADDRESS)) {
    RR_ASSIGN_OR_RETURN(link.mac, MacText(*mac));
  }
  if (const auto permanent = attributes.Find(IFLA_PERM_ADDRESS)) {
    RR_ASSIGN_OR_RETURN(link.permanent_mac, MacText(*permanent));
  }
  for (const auto& [type, value] :
       {std::pair{IFLA_MAX_MTU, &link.max_mtu_bytes}, std::pair{IFLA_CARRIER_CHANGES, &link.carrier_changes},
        std::pair{IFLA_MASTER, &link.master}, std::pair{IFLA_LINK, &link.peer}}) {
    RR_RETURN_IF_ERROR(Optional(attributes, type, &Attributes::U32, *value));
  }
  link.peer_elsewhere = link.peer && attributes.Find(IFLA_LINK_NETNSID).has_value();
  if (const auto info = attributes.Find(IFLA_LINKINFO)) RR_RETURN_IF_ERROR(DecodeLinkInfo(*info, link));
  return link;
}

absl::StatusOr<Link> ReadLinkByIndex(HostReader& host, std::uint32_t ifindex) {
  RR_ASSIGN_OR_RETURN(const NetlinkMessage answer, AskForOne(host, Request(ifindex, false), "link"));
  absl::StatusOr<Link> link = DecodeLink(answer.payload);
  if (link.ok() && link->ifindex != ifindex) return Malformed("link", "the answer is about another interface");
  return link;
}

Fact<std::uint16_t> VlanIdOf(const Link& link) {
  if (link.vlan_id) return *link.vlan_id;
  return Missing{Missing::Kind::kUnsupported, "not a VLAN device"};
}

Fact<std::vector<VlanPriority>> VlanEgressOf(const Link& link) {
  if (link.vlan_id) return link.vlan_egress;
  return Missing{Missing::Kind::kUnsupported, "not a VLAN device"};
}

Fact<bool> VlanReorderOf(const Link& link) {
  if (link.vlan_id) return link.vlan_reorder;
  return Missing{Missing::Kind::kUnsupported, "not a VLAN device"};
}

bool StandsOnItsPeer(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kKinds{"vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

LinkTable::LinkTable(std::vector<Link> links) {
  for (Link& link : links) links_.try_emplace(link.ifindex, std::move(link));
  std::set<std::pair<std::uint32_t, std::uint32_t>> stands;  // upper, lower
  for (const auto& [ifindex, link] : links_) {
    if (link.master && links_.contains(*link.master)) stands.emplace(*link.master, ifindex);
    if (link.peer && !link.peer_elsewhere && StandsOnItsPeer(link.kind) && links_.contains(*link.peer)) {
      stands.emplace(ifindex, *link.peer);
    }
  }
  for (const auto& [upper, lower] : stands) {
    above_.emplace(lower, upper);
    below_.emplace(upper, lower);
  }
}

const Link* LinkTable::Find(std::uint32_t ifindex) const {
  const auto found = links_.find(ifindex);
  return found == links_.end() ? nullptr : &found->second;
}

std::vector<std::uint32_t> LinkTable::Above(std::uint32_t ifindex) const { return Related(above_, ifindex); }
std::vector<std::uint32_t> LinkTable::Below(std::uint32_t ifindex) const { return Related(below_, ifindex); }

absl::StatusOr<LinkTable> ReadLinks(HostReader& host) {
  RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer, host.Netlink(Request(0, true)));
  std::vector<Link> links;
  links.reserve(answer.size());
  for (const NetlinkMessage& message : answer) {
    RR_ASSIGN_OR_RETURN(Link link, DecodeLink(message.payload));
    links.push_back(std::move(link));
  }
  return LinkTable(std::move(links));
}

}  // namespace rdmaready
