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

// The bond or team that the port's netdev is a member of: it gives its MTU to its members. Null for none.
const UpperNetdev* AggregateOf(const Port& port) {
  if (!port.netdev || port.netdev->master.empty() || !port.uppers) return nullptr;
  const auto found = std::ranges::find(*port.uppers, port.netdev->master, &UpperNetdev::name);
  const bool bond = found != port.uppers->end() && (found->kind == "bond" || found->kind == "team");
  return bond ? &*found : nullptr;
}

std::string SetMtu(const Port& port, std::uint32_t mtu_bytes) {
  const UpperNetdev* bond = AggregateOf(port);
  const std::string set =
      Cat("ip link set dev ", bond != nullptr ? ShellWord(bond->name) : NetdevWord(port.netdev), " mtu ",
          mtu_bytes);
  const UpperNetdev* bridge = BridgeOver(port);
  if (bridge == nullptr || bridge->mtu_bytes >= mtu_bytes) return set;
  const std::string set_bridge = Cat("ip link set dev ", ShellWord(bridge->name), " mtu ", mtu_bytes);
  return port.netdev->mtu_bytes >= mtu_bytes ? set_bridge : Cat(set, " && ", set_bridge);
}

Fix MtuFix(std::string command, std::string_view check) {
  return Fix(command)
      .Because("the interface has the MTU that its configuration, or the default, gives it")
      .Caution("some drivers take the link down for a moment")
      .Do("give the switch port room for it (9216)", StepSite::kSwitch)
      .CheckBy(check);
}

std::string MtuText(const Port& port) {
  const UpperNetdev* upper = AggregateOf(port);
  if (upper == nullptr) upper = BridgeOver(port);
  const bool differs = upper != nullptr && upper->mtu_bytes != 0 && upper->mtu_bytes != port.netdev->mtu_bytes;
  return Cat(
      "MTU ", port.netdev->mtu_bytes,
      differs ? Cat(", and ", Printable(upper->name), " above it has ", upper->mtu_bytes) : std::string());
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
  // RDMA-CM takes the MTU of a path from the interface that has the address (cma_resolve_iboe_route).
  const UpperNetdev* bridge = BridgeOver(view.port);
  const bool small = bridge != nullptr && bridge->mtu_bytes != 0 && bridge->mtu_bytes < *view.profile.mtu_bytes;
  const bool enough = netdev->mtu_bytes >= *view.profile.mtu_bytes;
  if (enough && !netdev->master.empty() && !view.port.uppers && !NotOffered(view.port.uppers))
    return NoAnswer(view.port.uppers.missing(), expected, kSource);
  if (enough && bridge != nullptr && bridge->mtu_bytes == 0) return NoAnswer({}, expected, kSource);
  if (enough && small && !bridge->addresses) return NoAnswer(bridge->addresses.missing(), expected, kSource);
  const bool below = small && bridge->addresses && !bridge->addresses->empty();
  return Judged(enough && !below, MtuText(view.port), expected, kSource,
                MtuFix(SetMtu(view.port, InterfaceMtuFor(view.profile)), "ip link show dev {netdev}"));
}

Fix RoceFix(const PortView& view, std::uint32_t active) {
  constexpr std::string_view kCheck = "ibv_devinfo -d {device} -i {port}";
  const Port& port = view.port;
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const std::uint32_t mtu = InterfaceMtuFor(view.profile);
  if (active > wanted) {
    if (view.profile.mtu_bytes.value_or(0) <= wanted + kRoceHeaderRoomBytes)
      return MtuFix(SetMtu(port, mtu), kCheck);
    return MtuFix(SetMtu(port, mtu), kCheck)
        .Do(Cat("correct roce_mtu_bytes: the RoCE MTU follows the interface, and with MTU ", mtu, " it is not ",
                wanted));
  }
  if (!port.netdev || port.netdev->mtu_bytes < mtu) return MtuFix(SetMtu(port, mtu), kCheck);
  return Fix(Cat(SetMtu(port, kStandardMtuBytes), " && ", SetMtu(port, port.netdev->mtu_bytes)))
      .Because("the interface has room for it, and the driver did not compute the RoCE MTU again")
      .Caution("larger packets are lost between the two commands")
      .CheckBy(kCheck);
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

// The kernel never raises a VLAN's MTU with that of the interface below it.
Fix VlanFix(const std::string& vlan, std::uint32_t mtu_bytes) {
  return Fix(Cat("ip link set dev ", ShellWord(vlan), " mtu ", mtu_bytes))
      .Because(Cat("the configuration of ", Printable(vlan), " names no MTU, or a smaller one"))
      .Do(Cat("name the MTU of ", Printable(vlan), " in the network manager of this host, for the next boot"))
      .CheckBy(Cat("ip link show dev ", ShellWord(vlan)));
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
    return Judged(false, observed, expected, kMtuSource, VlanFix(small->name, wanted));
  if (!AddressesKnown(view.port)) return NoAnswer(WhyAddressesUnknown(view.port), expected, kMtuSource);
  // The one that has it may be that of the default route.
  const Fact<std::vector<std::string>>& routes = view.host.default_routes;
  if (small != nullptr && !routes) return NoAnswer(routes.missing(), expected, "rtnetlink GETROUTE");
  return Judged(true, observed, expected, kMtuSource);
}

}  // namespace

const UpperNetdev* BridgeOver(const Port& port) {
  if (!port.netdev || port.netdev->master.empty() || !port.uppers) return nullptr;
  const auto found = std::ranges::find(*port.uppers, port.netdev->master, &UpperNetdev::name);
  return found != port.uppers->end() && found->kind == "bridge" ? &*found : nullptr;
}

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
           Fix("ip -d link show dev {netdev}")
               .Because("the driver, or the hypervisor below it, allows no more (maxmtu)", Certainty::kCertain)
               .Do("on a virtual machine: raise it at the hypervisor; else use a newer driver")
               .Or("correct mtu_bytes of {profile}")
               .CheckBy("ip -d link show dev {netdev}"),
       .blocks_for = &kDemandsMtu,
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeMtuMax},
      {.id = "mtu.ethernet",
       .title = "The interface's MTU is as large as the profile asks",
       .why = "A small Ethernet MTU makes a small RoCE MTU: more packets, lower rates, and peers that do not "
              "agree",
       .fix = MtuFix("ip link set dev {netdev} mtu {mtu}", "ip link show dev {netdev}"),
       .blocks_for = &kDemandsMtu,
       .depends_on = {"inv.netdev-mapping", "mtu.max"},
       .judge = JudgeMtuEthernet},
      {.id = "mtu.roce-active",
       .title = "The RoCE MTU is the profile's",
       .why = "Two ends with different RoCE MTUs lose large messages, or fail to connect",
       .fix = MtuFix("ip link set dev {netdev} mtu {mtu}", "ibv_devinfo -d {device} -i {port}"),
       .blocks_for = &kDemandsRoceMtu,
       .depends_on = {"drv.userlib", "link.state", "mtu.ethernet"},
       .in_summary = 2,
       .judge = JudgeMtuRoceActive},
      {.id = "mtu.vlan",
       .title = "The VLANs that carry storage have the MTU too",
       .why =
           "A connection takes the MTU of the interface that has its address: a small VLAN makes small packets",
       .fix = Fix("ip link set dev {netdev} mtu {mtu}")
                  .Because("the configuration of the VLAN names no MTU, or a smaller one")
                  .Do("then give the VLAN on {netdev} the same MTU")
                  .CheckBy("ip link show"),
       .blocks_for = &kDemandsMtu,
       .depends_on = {"inv.netdev-mapping", "mtu.ethernet"},
       .judge = JudgeMtuVlan},
  };
}

}  // namespace rdmaready
