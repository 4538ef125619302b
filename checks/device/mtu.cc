// SPDX-License-Identifier: Apache-2.0
// mtu.*: the interface's MTU, and the RoCE MTU that follows from it.
#include <algorithm>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// A RoCE MTU of 4096 needs an Ethernet MTU of 4200: headers, and some room.
constexpr std::uint32_t kHeaderRoomBytes = 104;
constexpr std::uint32_t kStandardMtuBytes = 1500;

// The interface MTU that serves both what the profile asks of the interface and of RoCE.
std::uint32_t InterfaceMtuFor(const Profile& profile) {
  const std::uint32_t for_roce = profile.roce_mtu_bytes ? *profile.roce_mtu_bytes + kHeaderRoomBytes : 0;
  return std::max({profile.mtu_bytes.value_or(0), for_roce, kStandardMtuBytes});
}

std::string SetMtu(const Port& port, std::uint32_t mtu_bytes) {
  return Cat("ip link set dev ", NetdevWord(port.netdev), " mtu ", mtu_bytes);
}

std::string EthernetNotApplicable(const PortView& view) {
  if (!view.profile.mtu_bytes) return NotAsked(view.profile, "an MTU");
  const bool infiniband = view.port.transport && *view.port.transport == Transport::kInfiniBand;
  return infiniband ? "InfiniBand: a port has no Ethernet MTU" : "";
}

Verdict JudgeEthernet(const PortView& view) {
  constexpr std::string_view kSource = "rtnetlink link";
  const std::string expected = Cat("at least ", *view.profile.mtu_bytes);
  const Fact<Netdev>& netdev = view.port.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kSource);
  // No interface has MTU 0: the default means that nobody filled it in.
  if (netdev->mtu_bytes == 0) return NoAnswer({}, expected, kSource);
  return Judged(netdev->mtu_bytes >= *view.profile.mtu_bytes, Cat("MTU ", netdev->mtu_bytes), expected, kSource,
                Cat(SetMtu(view.port, InterfaceMtuFor(view.profile)),
                    "  # the RoCE MTU follows; the switch needs room too (9216)"));
}

std::string RoceNotApplicable(const PortView& view) {
  if (!view.profile.roce_mtu_bytes) return NotAsked(view.profile, "a RoCE MTU");
  const bool iwarp = view.port.transport && *view.port.transport == Transport::kIwarp;
  return iwarp ? "iWARP: it has no RoCE MTU, TCP segments by the interface's" : "";
}

std::string RoceFix(const PortView& view, std::uint32_t active) {
  const Port& port = view.port;
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const std::uint32_t mtu = InterfaceMtuFor(view.profile);
  if (active > wanted) {
    if (view.profile.mtu_bytes.value_or(0) <= wanted + kHeaderRoomBytes) return SetMtu(port, mtu);
    return Cat(SetMtu(port, mtu), "  # the RoCE MTU follows the interface: with MTU ", mtu,
               " the profile cannot have a RoCE MTU of ", wanted, ", correct roce_mtu_bytes");
  }
  if (!port.netdev || port.netdev->mtu_bytes < mtu) return SetMtu(port, mtu);
  return Cat(SetMtu(port, kStandardMtuBytes), " && ", SetMtu(port, port.netdev->mtu_bytes),
             "  # the interface has room for it: a change of its MTU makes the driver compute again");
}

Verdict JudgeRoce(const PortView& view) {
  constexpr std::string_view kSource = "verbs active MTU";
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const Fact<std::uint32_t>& active = view.port.active_mtu_bytes;
  if (!active) return NoAnswer(active.missing(), std::to_string(wanted), kSource);
  return Judged(*active == wanted, Cat("RoCE MTU ", *active), std::to_string(wanted), kSource,
                RoceFix(view, *active));
}

}  // namespace

Check MtuEthernet() {
  return {
      .id = "mtu.ethernet",
      .title = "The interface's MTU is as large as the profile asks",
      .why =
          "A small Ethernet MTU makes a small RoCE MTU: more packets, lower rates, and peers that do not agree",
      .fix = "ip link set dev {netdev} mtu {mtu}  # the switch needs room too (9216)",
      .blocks_for = &kDemandsMtu,
      .depends_on = {"inv.netdev-mapping", "mtu.max"},
      .rule = Rule<PortView>{EthernetNotApplicable, JudgeEthernet}};
}

Check MtuRoceActive() {
  return {.id = "mtu.roce-active",
          .title = "The RoCE MTU is the profile's",
          .why = "Two ends with different RoCE MTUs lose large messages, or fail to connect",
          .fix = "ip link set dev {netdev} mtu {mtu}  # the RoCE MTU follows the interface's",
          .blocks_for = &kDemandsRoceMtu,
          .depends_on = {"drv.userlib", "link.state", "mtu.ethernet"},
          .rule = Rule<PortView>{RoceNotApplicable, JudgeRoce}};
}

}  // namespace rdmaready
