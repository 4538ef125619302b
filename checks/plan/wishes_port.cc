// SPDX-License-Identifier: Apache-2.0
// What is wanted of an RDMA port: its adapter's protocols, MTUs, the priority in its tag, sysctls, RDMA-CM.
#include <algorithm>
#include <optional>
#include <utility>

#include "checks/device/mtu.h"
#include "checks/device/protocol_switches.h"
#include "checks/net/shared_subnets.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/plan/wish.h"
#include "checks/plan/wish_words.h"
#include "checks/setting/sysctl_name.h"
#include "checks/setting/table.h"
#include "checks/words/addresses.h"
#include "checks/words/socket_priority.h"

namespace rdmaready {
namespace {

// ---- devlink ----

std::string_view OnWord(bool on) { return on ? "true" : "false"; }

std::optional<Wish> DevlinkWish(const PortView& view, const DevlinkParameter& now, bool on) {
  const std::string device = Cat("pci/", view.port.pci->address);
  const SettingObject object{.kind = SettingKind::kDevlinkParameter, .where = device, .name = now.name};
  const std::string wanted(OnWord(on));
  if (!now.runtime.empty()) return now.runtime == wanted ? std::nullopt : std::optional(Wanted(object, wanted));
  const bool reload = !now.driverinit.empty();
  const std::string& value = reload ? now.driverinit : now.permanent;
  if (value.empty() || value == wanted) return std::nullopt;
  const std::string set = Cat("devlink dev param set ", ShellWord(device), " name ", ShellWord(now.name),
                              " value ", wanted, " cmode ", reload ? "driverinit" : "permanent");
  Wish wish = Wanted(object, wanted);
  wish.needs = reload ? Cat("devlink dev reload ", ShellWord(device)) : std::string("a reboot");
  wish.commands = reload ? std::vector<std::string>{set, wish.needs} : std::vector<std::string>{set};
  return wish;
}

Wishes DevlinkWishes(const PortView& view, const Faults& faults) {
  const Fault* fault = faults.Find("drv.roce-enabled");
  if (fault == nullptr) return {};
  const Fact<std::vector<DevlinkParameter>>& now = view.port.devlink.parameters;
  if (!now)
    return {Unknown({.kind = SettingKind::kDevlinkParameter},
                    Cat("devlink parameters of ", SubjectOf(view.port), ": ", now.missing().detail))};
  if (!view.port.pci || view.port.pci->address.empty())
    return {Unknown({.kind = SettingKind::kDevlinkParameter},
                    Cat("the PCI address of ", SubjectOf(view.port), " is not known"))};
  Wishes wishes;
  for (const ProtocolSwitch& one : SwitchesFor(view.profile.transport)) {
    const auto found = std::ranges::find(*now, one.name, &DevlinkParameter::name);
    if (found == now->end()) continue;
    if (std::optional<Wish> wish = DevlinkWish(view, *found, one.on)) wishes.push_back(std::move(*wish));
  }
  return wishes;
}

// ---- MTU ----

SettingObject MtuObject(std::string netdev) { return {.kind = SettingKind::kMtu, .where = std::move(netdev)}; }

bool IsBondKindOf(std::string_view kind) { return kind == "bond" || kind == "team"; }

// The bond or team that the port's netdev is a member of: it gives its MTU to its members. Null for none.
const UpperNetdev* BondOver(const Port& port) {
  if (port.netdev->master.empty() || !port.uppers) return nullptr;
  const auto found = std::ranges::find(*port.uppers, port.netdev->master, &UpperNetdev::name);
  return found == port.uppers->end() || !IsBondKindOf(found->kind) ? nullptr : &*found;
}

// What must have the MTU for the port's netdev to have it: what it stands on first.
std::vector<std::string> NetdevsBelow(const Port& port, std::uint32_t mtu_bytes) {
  std::vector<std::string> names;
  const bool bond = IsBondKindOf(port.netdev->driver);
  if (port.lowers && !bond) {
    for (const Netdev& lower : *port.lowers) {
      if (lower.mtu_bytes < mtu_bytes && lower.name != port.netdev->name && lower.master != port.netdev->master)
        names.push_back(lower.name);
    }
  }
  const UpperNetdev* over = BondOver(port);
  const UpperNetdev* bridge = BridgeOver(port);
  const bool small_bridge = bridge != nullptr && bridge->mtu_bytes < mtu_bytes;
  if (!small_bridge || port.netdev->mtu_bytes < mtu_bytes)
    names.push_back(over != nullptr ? over->name : port.netdev->name);
  // A bridge takes the least MTU of its ports by itself only until somebody sets one (br_mtu_auto_adjust).
  if (small_bridge && bridge->addresses && !bridge->addresses->empty()) names.push_back(bridge->name);
  return names;
}

// Why setting the interface's MTU gives no such RoCE MTU; empty: it does.
std::string RoceRefusal(const PortView& view, std::uint32_t mtu_bytes) {
  if (!view.profile.roce_mtu_bytes || !view.port.active_mtu_bytes) return {};
  const std::uint32_t wanted = *view.profile.roce_mtu_bytes;
  const std::uint32_t active = *view.port.active_mtu_bytes;
  if (active == wanted) return {};
  if (view.port.max_mtu_bytes && *view.port.max_mtu_bytes < wanted)
    return Cat("the device has no larger RoCE MTU than ", *view.port.max_mtu_bytes);
  const bool smaller_wanted = wanted < 4096 && wanted * 2 + kRoceHeaderRoomBytes <= mtu_bytes;
  if (smaller_wanted)
    return Cat("profile ", view.profile.name,
               " contradicts itself: the RoCE MTU follows the interface, and with MTU ", mtu_bytes,
               " it is not ", wanted);
  if (view.port.netdev->mtu_bytes == mtu_bytes)
    return "the interface has room for it already: the driver computes it anew when its MTU changes";
  return {};
}

Wishes VlanMtuWishes(const PortView& view) {
  Wishes wishes;
  for (const TaggedNetdev& vlan : StorageVlans(view.host, view.port, view.profile)) {
    const bool own = view.port.netdev && vlan.name == view.port.netdev->name;
    if (vlan.mtu_bytes == 0 || own || vlan.mtu_bytes >= *view.profile.mtu_bytes) continue;
    wishes.push_back(
        About(Wanted(MtuObject(vlan.name), std::to_string(*view.profile.mtu_bytes)), {"mtu.vlan"}));
  }
  return wishes;
}

Wishes MtuWishes(const PortView& view, const Faults& faults) {
  if (!faults.Any()) return {};
  if (!view.port.netdev) {
    if (NotOffered(view.port.netdev)) return {};
    return {Unknown(MtuObject(""),
                    Cat("the interface of ", SubjectOf(view.port), ": ", view.port.netdev.missing().detail))};
  }
  const std::string& netdev = view.port.netdev->name;
  if (view.port.netdev->mtu_bytes == 0) return {Unknown(MtuObject(netdev), Cat("the MTU of ", netdev))};
  Wishes wishes;
  const Fault* roce = faults.Find("mtu.roce-active");
  const std::uint32_t mtu_bytes = InterfaceMtuFor(view.profile);
  const bool too_small = faults.Has("mtu.ethernet") || view.port.netdev->mtu_bytes < mtu_bytes;
  const std::string refusal = roce == nullptr ? "" : RoceRefusal(view, mtu_bytes);
  const bool interface = faults.Has("mtu.ethernet") || (roce != nullptr && refusal.empty());
  if (!refusal.empty() && !too_small)
    wishes.push_back(
        Refused(MtuObject(netdev), Cat("RoCE MTU ", *view.profile.roce_mtu_bytes), refusal, roce->fix));
  if (roce != nullptr && !view.port.active_mtu_bytes)
    wishes.push_back(Unknown(MtuObject(netdev), Cat("the RoCE MTU of ", SubjectOf(view.port), ": ",
                                                    view.port.active_mtu_bytes.missing().detail)));
  if (interface && (view.port.active_mtu_bytes || faults.Has("mtu.ethernet"))) {
    for (const std::string& name : NetdevsBelow(view.port, mtu_bytes))
      wishes.push_back(
          About(Wanted(MtuObject(name), std::to_string(mtu_bytes)), {"mtu.ethernet", "mtu.roce-active"}));
  }
  if (faults.Has("mtu.vlan") && view.profile.mtu_bytes) {
    for (Wish& wish : VlanMtuWishes(view)) wishes.push_back(std::move(wish));
  }
  return wishes;
}

// ---- the priority in the tag ----

// RDMA-CM's ToS as the profile will have it: it decides which priority the map is looked up by.
std::optional<std::uint8_t> FutureTos(const PortView& view) {
  const std::optional<unsigned> wanted = WantedTos(view.profile);
  const bool set_here = view.profile.marking == Profile::Marking::kRdmaCm;
  if (wanted && set_here) return static_cast<std::uint8_t>(*wanted);
  return view.port.cm_default_tos ? std::optional(*view.port.cm_default_tos) : std::nullopt;
}

std::vector<VlanPriority> WithPriority(std::vector<VlanPriority> map, std::uint32_t from, std::uint8_t pcp) {
  std::erase_if(map, [from](const VlanPriority& pair) { return pair.from == from; });
  map.push_back({.from = from, .pcp = pcp});
  return map;
}

Wishes VlanEgressWishes(const PortView& view, const Faults& faults) {
  const Fault* fault = faults.Find("vlan.egress-map");
  if (fault == nullptr || !view.profile.rdma_priority) return {};
  const std::optional<std::uint8_t> tos = FutureTos(view);
  const SettingObject none{.kind = SettingKind::kVlanEgress};
  if (!tos) return {Unknown(none, Cat("RDMA-CM's ToS of ", SubjectOf(view.port)))};
  const std::uint8_t wanted = *view.profile.rdma_priority;
  const std::uint32_t priority = SocketPriorityOf(*tos);
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.host, view.port, view.profile);
  if (vlans.empty())
    return {Refused(none, Cat("PCP ", wanted), "there is no storage VLAN: its id and address are the site's",
                    "rdmaready explain vlan.present")};
  Wishes wishes;
  std::size_t right = 0;
  for (const TaggedNetdev& vlan : vlans) {
    const SettingObject object{.kind = SettingKind::kVlanEgress, .where = vlan.name};
    const Fact<TagPriority> tag = TagPriorityOf(view.port, vlan, priority);
    if (!tag) {
      wishes.push_back(Unknown(object, Cat("the priority map of ", vlan.name, ": ", tag.missing().detail)));
    } else if (tag->pcp == wanted) {
      ++right;
    } else if (tag->by_class) {
      wishes.push_back(Refused(object, Cat("PCP ", wanted),
                               "the NIC's traffic classes decide there, and no map is looked at", fault->fix));
    } else {
      wishes.push_back(Wanted(object, Text(WithPriority(*vlan.egress, priority, wanted))));
    }
  }
  // A map for all of them might mark another's traffic.
  if (right > 0 && right < vlans.size() && !view.profile.vlan_ids)
    return {Refused(none, Cat("PCP ", wanted),
                    "which of the VLANs carry RDMA is not known: the profile names none", fault->fix)};
  return wishes;
}

// ---- the tag in a program's view ----

Wishes VlanReorderWishes(const PortView& view, const Faults& faults) {
  const Fault* fault = faults.Find("vlan.reorder");
  if (fault == nullptr) return {};
  if (fault->outcome == Outcome::kUnknown)
    return {Unknown({.kind = SettingKind::kVlanReorder},
                    Cat("reorder_hdr of the VLANs of ", SubjectOf(view.port), ": ", fault->observed))};
  Wishes wishes;
  for (const TaggedNetdev& vlan : VlansWithAddress(view.port)) {
    if (vlan.reorder && !*vlan.reorder)
      wishes.push_back(Wanted({.kind = SettingKind::kVlanReorder, .where = vlan.name}, "on"));
  }
  return wishes;
}

// ---- sysctls ----

Wishes SysctlWishes(const PortView& view, const Faults& faults) {
  Wishes wishes;
  for (const SharedSubnetSysctl& wanted : SharedSubnetSysctls()) {
    const Fault* fault = faults.Find(wanted.check);
    if (fault == nullptr) continue;
    const auto at = [&wanted](const std::string& where) {
      return SettingObject{.kind = SettingKind::kSysctl, .name = Ipv4VariableName(where, wanted.variable)};
    };
    if (fault->outcome == Outcome::kUnknown) {
      const std::string netdev = view.port.netdev ? view.port.netdev->name : "all";
      wishes.push_back(Unknown(at(netdev), Cat("whether ", SubjectOf(view.port), " needs ", wanted.variable,
                                               ": ", fault->observed)));
      continue;
    }
    for (const std::string& place : PlacesToSet(view.host, view.port, wanted))
      wishes.push_back(About(Wanted(at(place), std::to_string(wanted.value)), {wanted.check}));
  }
  return wishes;
}

// ---- RDMA-CM ----

SettingObject CmObject(const PortView& view, SettingKind kind) {
  return {.kind = kind, .where = PortName(view.port)};
}

Wishes CmModeWishes(const PortView& view, const Faults& faults) {
  if (!faults.Has("gid.default-mode")) return {};
  const SettingObject object = CmObject(view, SettingKind::kCmMode);
  const Fact<GidType>& now = view.port.cm_default_mode;
  if (!now || *now == GidType::kUnknown)
    return {Unknown(object, Cat("RDMA-CM's mode of ", SubjectOf(view.port), ": ",
                                now ? "a mode that is not known here" : now.missing().detail))};
  return {Wanted(object, Text(GidType::kRoceV2))};
}

Wishes CmTosWishes(const PortView& view, const Faults& faults) {
  const std::optional<unsigned> wanted = WantedTos(view.profile);
  if (!faults.Any() || !wanted) return {};
  const SettingObject object = CmObject(view, SettingKind::kCmTos);
  const std::string value = std::to_string(*wanted);
  const Fault* tos = faults.Find("roce.tos");
  if (const Fault* forced = faults.Find("roce.tos-verbs");
      forced != nullptr && faults.IsWrong("roce.tos-verbs"))
    return {Refused(object, value, Cat("the vendor's driver forces its own: ", forced->observed), forced->fix)};
  if (view.profile.marking == Profile::Marking::kConsumers) {
    if (tos == nullptr || tos->outcome == Outcome::kUnknown) return {};
    return {Refused(object, value, "each consumer marks by itself under this profile", tos->fix)};
  }
  const std::string& source = view.port.congestion ? view.port.congestion->source : std::string();
  if (tos != nullptr && source.starts_with("/sys/kernel/config/bnxt_re/"))
    return {Refused(object, value, "the NIC marks RoCE by itself, whatever RDMA-CM says", tos->fix)};
  const Fact<std::uint8_t>& now = view.port.cm_default_tos;
  if (!now)
    return {Unknown(object, Cat("RDMA-CM's ToS of ", SubjectOf(view.port), ": ", now.missing().detail))};
  if (tos != nullptr && tos->outcome == Outcome::kUnknown)
    return {Unknown(object, Cat("how ", SubjectOf(view.port), " marks RDMA: ", tos->observed))};
  return {Wanted(object, value)};
}

}  // namespace

std::vector<Stage> PortStages() {
  return {
      {SettingKind::kDevlinkParameter, DevlinkWishes},
      {SettingKind::kMtu, MtuWishes},
      {SettingKind::kVlanEgress, VlanEgressWishes},
      {SettingKind::kVlanReorder, VlanReorderWishes},
      {SettingKind::kSysctl, SysctlWishes},
      {SettingKind::kCmMode, CmModeWishes},
      {SettingKind::kCmTos, CmTosWishes},
  };
}

}  // namespace rdmaready
