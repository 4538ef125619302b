// SPDX-License-Identifier: Apache-2.0
// mtu.max, mtu.vlan: can the interface have the MTU, and do the VLANs on it have it too.
#include <algorithm>

#include "checks/families.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "rtnetlink link";

std::string MaxNotApplicable(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotAsked(view.profile, "an MTU");
  return IsInfiniBand(view.port) ? "InfiniBand: a port has no Ethernet MTU" : "";
}

// What the interface has already, it can have.
Verdict JudgeMax(const PortView& view) {
  const std::uint32_t wanted = *view.profile.mtu_bytes;
  const std::string expected = Cat("at least ", wanted);
  const Fact<Netdev>& netdev = view.port.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kSource);
  const Fact<std::uint32_t>& max = netdev->max_mtu_bytes;
  if (netdev->mtu_bytes >= wanted)
    return Judged(true, Cat("MTU ", netdev->mtu_bytes, " is set"), expected, kSource);
  if (!max) return NoAnswer(max.missing(), expected, kSource);
  if (*max == 0) return Judged(true, "the driver names no limit", expected, kSource);
  return Judged(*max >= wanted, Cat("the driver allows ", *max, " at most"), expected, kSource);
}

std::string VlanNotApplicable(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotAsked(view.profile, "an MTU");
  if (IsInfiniBand(view.port)) return "InfiniBand: a port has no Ethernet MTU";
  if (!view.port.uppers || !AddressesKnown(view.port)) return {};
  return StorageVlans(view.port, view.profile).empty() ? "no VLAN with an address on the port" : "";
}

// Where the profile names no VLAN, one that has the MTU is enough: the others may be for something else.
Verdict JudgeVlan(const PortView& view) {
  const std::uint32_t wanted = *view.profile.mtu_bytes;
  const std::string expected = Cat("at least ", wanted);
  if (!view.port.uppers) return NoAnswer(view.port.uppers.missing(), expected, kSource);
  std::string observed;
  const TaggedNetdev* small = nullptr;
  bool enough = false;
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.port, view.profile);
  for (const TaggedNetdev& vlan : vlans) {
    if (vlan.mtu_bytes == 0) return NoAnswer({}, expected, kSource);
    observed += Cat(observed.empty() ? "" : ", ", vlan.name, " has MTU ", vlan.mtu_bytes);
    if (vlan.mtu_bytes < wanted) {
      if (small == nullptr) small = &vlan;
    } else {
      enough = enough || !view.profile.vlan_ids;
    }
  }
  if (small != nullptr && !enough)
    return Judged(false, observed, expected, kSource,
                  Cat("ip link set dev ", ShellWord(small->name), " mtu ", wanted));
  if (!AddressesKnown(view.port)) return NoAnswer(WhyAddressesUnknown(view.port), expected, kSource);
  return Judged(true, observed, expected, kSource);
}

}  // namespace

Check MtuMax() {
  return {
      .id = "mtu.max",
      .title = "The interface's driver allows the MTU of the profile",
      .why = "An MTU that the driver refuses cannot be set: the profile asks for what this NIC cannot do",
      .fix =
          "ip -d link show dev {netdev}  # maxmtu: on a virtual machine raise it at the hypervisor, else use "
          "a newer driver or correct mtu_bytes",
      .blocks_for = &kDemandsMtu,
      .depends_on = {"inv.netdev-mapping"},
      .rule = Rule<PortView>{MaxNotApplicable, JudgeMax}};
}

Check MtuVlan() {
  return {
      .id = "mtu.vlan",
      .title = "The VLANs that carry storage have the MTU too",
      .why =
          "A connection takes the MTU of the interface that has its address: a small VLAN makes small packets",
      .fix = "ip link set dev {netdev} mtu {mtu}  # first the interface, then the VLAN on it",
      .depends_on = {"inv.netdev-mapping", "mtu.ethernet"},
      .rule = Rule<PortView>{VlanNotApplicable, JudgeVlan}};
}

}  // namespace rdmaready
