// SPDX-License-Identifier: Apache-2.0
// inv.bond, inv.bridge: RDMA ports that are members of something else.
#include <algorithm>

#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kMasterSource = "rtnetlink link";

// What the port's netdev is a member of: a master's name is known with the netdev, its kind with what stands on
// it. Null: of none.
struct Master {
  std::string name{};
  const UpperNetdev* upper = nullptr;
};

Master MasterOf(const Port& port) {
  if (!port.netdev || port.netdev->master.empty()) return {};
  Master master{.name = port.netdev->master};
  if (!port.uppers) return master;
  const auto found = std::ranges::find(*port.uppers, master.name, &UpperNetdev::name);
  if (found != port.uppers->end()) master.upper = &*found;
  return master;
}

std::string NotAMember(const Port& port, std::string_view kind) {
  if (IsInfiniBand(port)) return "InfiniBand: a port has no Ethernet interface";
  if (HasOwnProtocol(port)) return "neither InfiniBand, RoCE nor iWARP: it has no interface";
  if (!port.netdev) return {};
  const Master master = MasterOf(port);
  if (master.name.empty()) return Cat(port.netdev->name, " is in no ", kind);
  if (master.upper != nullptr && master.upper->kind != kind)
    return Cat(port.netdev->name, " is in ", master.name, ", a ", master.upper->kind);
  return {};
}

// Another RDMA port of the host in the same bond.
const Port* Fellow(const PortView& view, std::string_view bond) {
  if (!view.host.ports) return nullptr;
  for (const Port& other : *view.host.ports) {
    const bool same = other.device == view.port.device && other.number == view.port.number;
    if (!same && MasterOf(other).name == bond) return &other;
  }
  return nullptr;
}

// Why it is not known whether there is one; null when it is. A port without an interface is in no bond.
const Missing* FellowGap(const PortView& view) {
  if (!view.host.ports) return &view.host.ports.missing();
  for (const Port& other : *view.host.ports) {
    if (!other.netdev && !NotOffered(other.netdev)) return &other.netdev.missing();
  }
  return nullptr;
}

// Modes that send the frames of one connection over several links.
bool Scatters(std::string_view mode) { return mode == "balance-rr" || mode == "broadcast"; }

// "reth0 and reth1".
std::string MembersText(const Port& port) {
  if (!SharesDevice(port)) return port.netdev->name;
  std::string text;
  for (std::size_t i = 0; i < port.lowers->size(); ++i) {
    const std::string_view between = i == 0 ? "" : i + 1 == port.lowers->size() ? " and " : ", ";
    text += Cat(between, (*port.lowers)[i].name);
  }
  return text;
}

Fix LeaveFix(const std::string& netdev) {
  return Fix(Cat("ip link set dev ", netdev, " nomaster"))
      .Because("both ports are one path in a bond; SMB Multichannel uses each by itself")
      .Caution("the port leaves the bond: what runs over it goes on by the other members")
      .Do("give the port an address of its own")
      .CheckBy(Cat("ip -br address show dev ", netdev));
}

Verdict JudgeInvBond(const PortView& view) {
  if (std::string reason = NotAMember(view.port, "bond"); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "no bond, or one that keeps a connection on one link";
  const Port& port = view.port;
  if (!port.netdev) return NoAnswer(port.netdev.missing(), kExpected, kMasterSource);
  const Master bond = MasterOf(port);
  if (bond.upper == nullptr) {
    Missing why{.kind = Missing::Kind::kFailed, .detail = Cat("what ", bond.name, " is, is not known")};
    return NoAnswer(port.uppers ? why : port.uppers.missing(), kExpected, kMasterSource);
  }
  if (!bond.upper->bond_mode) return NoAnswer(bond.upper->bond_mode.missing(), kExpected, kMasterSource);
  const std::string& mode = *bond.upper->bond_mode;
  const std::string observed = Cat(port.netdev->name, " is in ", bond.name, " (", mode, ")");
  const Fix leave = LeaveFix(NetdevWord(port.netdev));
  if (port.netdev->driver == "ice")
    return Judged(false, observed + ", where its driver refuses DCB settings", kExpected, kMasterSource, leave);
  if (Scatters(mode)) {
    return Judged(false, observed + ", which sends one connection over several links", kExpected, kMasterSource,
                  Fix(Cat("ip link set dev ", ShellWord(bond.name), " type bond mode active-backup"))
                      .Because("the mode of the bond sends the frames of one connection over several links",
                               Certainty::kCertain)
                      .Caution("the kernel refuses it while the bond has members: take them out first")
                      .Do("change the mode where the bond is configured, for the next boot")
                      .CheckBy(Cat("ip -d link show dev ", ShellWord(bond.name))));
  }
  if (const Port* fellow = Fellow(view, bond.name)) {
    return Judged(false, Cat(observed, ", together with ", PortName(*fellow)), kExpected, kMasterSource, leave);
  }
  if (const Missing* gap = FellowGap(view)) return NoAnswer(*gap, kExpected, kMasterSource);
  if (!port.lowers) return NoAnswer(port.lowers.missing(), kExpected, kMasterSource);
  return Judged(true, Cat(observed, "; judged here, at ", MembersText(port)), kExpected, kMasterSource);
}

Verdict JudgeInvBridge(const PortView& view) {
  if (std::string reason = NotAMember(view.port, "bridge"); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "an interface of its own, or a VLAN on it";
  const Port& port = view.port;
  if (!port.netdev) return NoAnswer(port.netdev.missing(), kExpected, kMasterSource);
  const Master bridge = MasterOf(port);
  if (bridge.upper == nullptr) {
    Missing why{.kind = Missing::Kind::kFailed, .detail = Cat("what ", bridge.name, " is, is not known")};
    return NoAnswer(port.uppers ? why : port.uppers.missing(), kExpected, kMasterSource);
  }
  if (!bridge.upper->addresses && !IsSoftware(port))
    return NoAnswer(bridge.upper->addresses.missing(), kExpected, kMasterSource);
  // The bridge has the frames, but for a hardware NIC's RDMA, which it never sees.
  const bool reached = !IsSoftware(port) && !bridge.upper->addresses->empty();
  const std::string observed = Cat(port.netdev->name, " is a port of the bridge ", bridge.name);
  return Judged(reached, observed, kExpected, kMasterSource);
}

}  // namespace

std::vector<Check> BondChecks() {
  return {
      {.id = "inv.bond",
       .title = "A bond over the port leaves RDMA and its DCB settings alone",
       .why =
           "Some drivers refuse DCB settings in a bond, some modes reorder frames, and two ports in one bond "
           "are one path to SMB Multichannel",
       .fix = LeaveFix("{netdev}"),
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeInvBond},
      {.id = "inv.bridge",
       .title = "The port is not below a bridge that takes its frames",
       .why = "A bridge takes what arrives for itself: a software RDMA device below it hears nothing",
       .fix = Fix("ip link set dev {netdev} nomaster")
                  .Because("the bridge takes what arrives for itself", Certainty::kCertain)
                  .Caution("machines behind the bridge lose this port")
                  .Do("give those machines another port, or virtual functions of this one")
                  .CheckBy("ip -br link show dev {netdev}"),
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeInvBridge},
  };
}

}  // namespace rdmaready
