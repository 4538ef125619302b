// SPDX-License-Identifier: Apache-2.0
// mtu.*: how large a packet may be, on the interface, in RDMA and in a VLAN.
#include "checks/device/mtu.h"

#include <algorithm>

#include "checks/families.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kStandardMtuBytes = 1500;

std::string SetMtu(const Port& port, std::uint32_t mtu_bytes) {
  return Cat("ip link set dev ", NetdevWord(port.netdev), " mtu ", mtu_bytes);
}

Verdict JudgeMtuEthernet(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotApplicable(NotAsked(view.profile, "an MTU"));
  const bool infiniband = view.port.transport && *view.port.transport == Transport::kInfiniBand;
  if (infiniband) return NotApplicable("InfiniBand: a port has no Ethernet MTU");
  constexpr std::string_view kSource = "rtnetlink link";
  const std::string expected = Cat("at least ", *view.profile.mtu_bytes);
  NetdevRef netdev = view.port.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kSource);
  // No interface has MTU 0: the default means that nobody filled it in.
  if (netdev->mtu_bytes == 0) return NoAnswer({}, expected, kSource);
  return Judged(netdev->mtu_bytes >= *view.profile.mtu_bytes, Cat("MTU ", netdev->mtu_bytes), expected, kSource,
                Cat(SetMtu(view.port, InterfaceMtuFor(view.profile)),
                    "  # the RoCE MTU follows; the switch needs room too (9216)"));
}

std::string RoceFix(const PortView& view, std::uint32_t active) {
  const Port& port = view.port;
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const std::uint32_t mtu = InterfaceMtuFor(view.profile);
  if (active > wanted) {
    if (view.profile.mtu_bytes.value_or(0) <= wanted + kRoceHeaderRoomBytes) return SetMtu(port, mtu);
    return Cat(SetMtu(port, mtu), "  # the RoCE MTU follows the interface: with MTU ", mtu,
               " the profile cannot have a RoCE MTU of ", wanted, ", correct roce_mtu_bytes");
  }
  if (!port.netdev || port.netdev->mtu_bytes < mtu) return SetMtu(port, mtu);
  return Cat(SetMtu(port, kStandardMtuBytes), " && ", SetMtu(port, port.netdev->mtu_bytes),
             "  # the interface has room for it: a change of its MTU makes the driver compute again");
}

Verdict JudgeMtuRoceActive(const PortView& view) {
  if (!view.profile.roce_mtu_bytes) return NotApplicable(NotAsked(view.profile, "a RoCE MTU"));
  const bool iwarp = view.port.transport && *view.port.transport == Transport::kIwarp;
  if (iwarp) return NotApplicable("iWARP: it has no RoCE MTU, TCP segments by the interface's");
  constexpr std::string_view kSource = "verbs active MTU";
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const Fact<std::uint32_t>& active = view.port.active_mtu_bytes;
  if (!active) return NoAnswer(active.missing(), std::to_string(wanted), kSource);
  return Judged(*active == wanted, Cat("RoCE MTU ", *active), std::to_string(wanted), kSource,
                RoceFix(view, *active));
}

constexpr std::string_view kMtuSource = "rtnetlink link";

// What the interface has already, it can have.
Verdict JudgeMtuMax(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotApplicable(NotAsked(view.profile, "an MTU"));
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: a port has no Ethernet MTU");
  const std::uint32_t wanted = *view.profile.mtu_bytes;
  const std::string expected = Cat("at least ", wanted);
  NetdevRef netdev = view.port.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kMtuSource);
  const Fact<std::uint32_t>& max = netdev->max_mtu_bytes;
  if (netdev->mtu_bytes >= wanted)
    return Judged(true, Cat("MTU ", netdev->mtu_bytes, " is set"), expected, kMtuSource);
  if (!max) return NoAnswer(max.missing(), expected, kMtuSource);
  if (*max == 0) return Judged(true, "the driver names no limit", expected, kMtuSource);
  return Judged(*max >= wanted, Cat("the driver allows ", *max, " at most"), expected, kMtuSource);
}

std::string VlanNotApplicable(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotAsked(view.profile, "an MTU");
  if (IsInfiniBand(view.port)) return "InfiniBand: a port has no Ethernet MTU";
  if (!view.port.uppers || !AddressesKnown(view.port)) return {};
  const bool untagged = std::ranges::any_of(
      AddressesOf(view.port), [](const PlacedAddress& placed) { return placed.upper == nullptr; });
  if (untagged && view.profile.vlan != Profile::Vlan::kTagged)
    return "the port has an address of its own, and no VLAN is asked for";
  return StorageVlans(view.host, view.port, view.profile).empty() ? "no VLAN with an address on the port" : "";
}

// Where the profile names no VLAN, one that has the MTU is enough: the others may be for something else.
Verdict JudgeMtuVlan(const PortView& view) {
  if (std::string reason = VlanNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint32_t wanted = *view.profile.mtu_bytes;
  const std::string expected = Cat("at least ", wanted);
  if (!view.port.uppers) return NoAnswer(view.port.uppers.missing(), expected, kMtuSource);
  std::string observed;
  const TaggedNetdev* small = nullptr;
  bool enough = false;
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.host, view.port, view.profile);
  for (const TaggedNetdev& vlan : vlans) {
    if (vlan.mtu_bytes == 0) return NoAnswer({}, expected, kMtuSource);
    observed += Cat(observed.empty() ? "" : ", ", vlan.name, " has MTU ", vlan.mtu_bytes);
    if (vlan.mtu_bytes < wanted) {
      if (small == nullptr) small = &vlan;
    } else {
      enough = enough || !view.profile.vlan_ids;
    }
  }
  if (small != nullptr && !enough)
    return Judged(false, observed, expected, kMtuSource,
                  Cat("ip link set dev ", ShellWord(small->name), " mtu ", wanted));
  if (!AddressesKnown(view.port)) return NoAnswer(WhyAddressesUnknown(view.port), expected, kMtuSource);
  // The one that has it may be that of the default route.
  const Fact<std::vector<std::string>>& routes = view.host.default_routes;
  if (small != nullptr && !routes) return NoAnswer(routes.missing(), expected, "rtnetlink GETROUTE");
  return Judged(true, observed, expected, kMtuSource);
}

}  // namespace

std::uint32_t InterfaceMtuFor(const Profile& profile) {
  const std::uint32_t for_roce = profile.roce_mtu_bytes ? *profile.roce_mtu_bytes + kRoceHeaderRoomBytes : 0;
  return std::max({profile.mtu_bytes.value_or(0), for_roce, kStandardMtuBytes});
}

std::vector<Check> MtuChecks() {
  return {
      {.id = "mtu.max",
       .title = "The interface's driver allows the MTU of the profile",
       .why = "An MTU that the driver refuses cannot be set: the profile asks for what this NIC cannot do",
       .fix =
           "ip -d link show dev {netdev}  # maxmtu: on a virtual machine raise it at the hypervisor, else use "
           "a newer driver or correct mtu_bytes",
       .blocks_for = &kDemandsMtu,
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeMtuMax},
      {.id = "mtu.ethernet",
       .title = "The interface's MTU is as large as the profile asks",
       .why = "A small Ethernet MTU makes a small RoCE MTU: more packets, lower rates, and peers that do not "
              "agree",
       .fix = "ip link set dev {netdev} mtu {mtu}  # the switch needs room too (9216)",
       .blocks_for = &kDemandsMtu,
       .depends_on = {"inv.netdev-mapping", "mtu.max"},
       .judge = JudgeMtuEthernet},
      {.id = "mtu.roce-active",
       .title = "The RoCE MTU is the profile's",
       .why = "Two ends with different RoCE MTUs lose large messages, or fail to connect",
       .fix = "ip link set dev {netdev} mtu {mtu}  # the RoCE MTU follows the interface's",
       .blocks_for = &kDemandsRoceMtu,
       .depends_on = {"drv.userlib", "link.state", "mtu.ethernet"},
       .in_summary = 2,
       .judge = JudgeMtuRoceActive},
      {.id = "mtu.vlan",
       .title = "The VLANs that carry storage have the MTU too",
       .why =
           "A connection takes the MTU of the interface that has its address: a small VLAN makes small packets",
       .fix = "ip link set dev {netdev} mtu {mtu}  # first the interface, then the VLAN on it",
       .depends_on = {"inv.netdev-mapping", "mtu.ethernet"},
       .judge = JudgeMtuVlan},
  };
}

}  // namespace rdmaready
