// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/link_write.h"

#include <linux/if_link.h>
#include <linux/if_vlan.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <span>

#include "api/base/number.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

// Flags and their mask are 0: no flag is changed.
Payload LinkOf(std::uint32_t ifindex) {
  ifinfomsg link{};
  link.ifi_family = AF_UNSPEC;
  link.ifi_index = static_cast<int>(ifindex);
  return Payload::Of(link);
}

void AddPair(const VlanPriority& pair, Payload& map) {
  const ifla_vlan_qos_mapping raw{.from = pair.from, .to = pair.pcp};
  map.Bytes(IFLA_VLAN_QOS_MAPPING, std::as_bytes(std::span(&raw, 1)));
}

NetlinkRequest SetVlan(std::uint32_t ifindex, const Payload& data) {
  Payload info;
  info.Text(IFLA_INFO_KIND, "vlan").Nest(IFLA_INFO_DATA, data);
  Payload payload = LinkOf(ifindex);
  payload.Nest(IFLA_LINKINFO, info);
  return {NETLINK_ROUTE, RTM_NEWLINK, false, payload.bytes()};
}

// Only this flag: the mask keeps the others.
NetlinkRequest SetVlanReorder(std::uint32_t ifindex, bool on) {
  const ifla_vlan_flags raw{.flags = on ? std::uint32_t{VLAN_FLAG_REORDER_HDR} : 0U,
                            .mask = VLAN_FLAG_REORDER_HDR};
  Payload data;
  data.Bytes(IFLA_VLAN_FLAGS, std::as_bytes(std::span(&raw, 1)));
  return SetVlan(ifindex, data);
}

}  // namespace

NetlinkRequest SetMtu(std::uint32_t ifindex, std::uint32_t mtu) {
  Payload payload = LinkOf(ifindex);
  payload.U32(IFLA_MTU, mtu);
  return {NETLINK_ROUTE, RTM_SETLINK, false, payload.bytes()};
}

NetlinkRequest SetVlanEgress(std::uint32_t ifindex, const std::vector<VlanPriority>& from,
                             const std::vector<VlanPriority>& to) {
  Payload map;
  for (const VlanPriority& pair : to) {
    if (std::ranges::find(from, pair) == from.end()) AddPair(pair, map);
  }
  for (const VlanPriority& pair : from) {
    if (std::ranges::find(to, pair.from, &VlanPriority::from) == to.end()) AddPair({pair.from, 0}, map);
  }
  Payload data;
  data.Nest(IFLA_VLAN_EGRESS_QOS, map);
  return SetVlan(ifindex, data);
}

absl::Status WriteLink(KernelDoor& door, const SettingObject& object, std::string_view from,
                       std::string_view to) {
  return WithNetdev(door, object.where, [&](std::uint32_t ifindex) {
    if (object.kind == SettingKind::kMtu) {
      return Order(door, SetMtu(ifindex, ParseNumber<std::uint32_t>(to).value_or(0)),
                   "set the MTU of " + object.where);
    }
    if (object.kind == SettingKind::kVlanReorder)
      return Order(door, SetVlanReorder(ifindex, to == "on"), "set reorder_hdr of " + object.where);
    return Order(door, SetVlanEgress(ifindex, *VlanEgressOf(from), *VlanEgressOf(to)),
                 "set the VLAN egress map of " + object.where);
  });
}

}  // namespace rdmaready
