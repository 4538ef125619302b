// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/driver_effects.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/base/number.h"
#include "checks/device/mtu.h"
#include "checks/plan/dcb_effects.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

template <class T, class Edit>
void EditFact(Fact<T>& fact, Edit edit) {
  if (!fact) return;
  T value = *fact;
  edit(value);
  fact = std::move(value);
}

template <class Edit>
void EditPorts(Facts& facts, Edit edit) {
  EditFact(facts.ports, [&edit](std::vector<Port>& ports) {
    for (Port& port : ports) edit(port);
  });
}

// Every place in which the netdev stands.
template <class Edit>
void EditNetdevs(Port& port, const std::string& name, Edit edit) {
  if (port.netdev && port.netdev->name == name) EditFact(port.netdev, edit);
  EditFact(port.lowers, [&](std::vector<Netdev>& lowers) {
    for (Netdev& lower : lowers) {
      if (lower.name == name) edit(lower);
    }
  });
}

template <class Edit>
void EditUppers(Port& port, Edit edit) {
  EditFact(port.uppers, [&edit](std::vector<UpperNetdev>& uppers) {
    for (UpperNetdev& upper : uppers) edit(upper);
  });
}

bool IsBondKind(std::string_view kind) { return kind == "bond" || kind == "team" || kind == "bonding"; }

bool IsInBond(const Port& port, const Netdev& netdev) {
  if (netdev.master.empty() || !port.uppers) return false;
  const auto master = std::ranges::find(*port.uppers, netdev.master, &UpperNetdev::name);
  return master != port.uppers->end() && IsBondKind(master->kind);
}

// ---- data centre bridging and the link ----

std::string WriteNetdev(Facts& facts, const SettingObject& object, std::string_view to) {
  std::optional<std::string> refusal;
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, object.where, [&](Netdev& netdev) {
      Netdev changed = netdev;
      const std::string why = WriteDcb(changed, object, to, IsInBond(port, netdev));
      if (!refusal || refusal->empty()) refusal = why;
      if (why.empty()) netdev = std::move(changed);
    });
  });
  return refusal.value_or(Cat("there is no ", object.where));
}

// ---- MTU ----

std::uint32_t ActiveMtu(std::uint32_t mtu_bytes, std::uint32_t most_bytes) {
  std::uint32_t active = 256;
  for (const std::uint32_t size : {512U, 1024U, 2048U, 4096U}) {
    if (size <= most_bytes && size + kRoceHeaderRoomBytes <= mtu_bytes) active = size;
  }
  return active;
}

std::uint32_t MtuOf(const Facts& facts, const std::string& name) {
  std::uint32_t mtu_bytes = 0;
  for (const Port& port : *facts.ports) {
    const auto take = [&](const auto& netdev) {
      if (netdev.name == name) mtu_bytes = netdev.mtu_bytes;
    };
    if (port.netdev) take(*port.netdev);
    if (port.lowers) std::ranges::for_each(*port.lowers, take);
    if (port.uppers) std::ranges::for_each(*port.uppers, take);
  }
  return mtu_bytes;
}

// Why the netdev cannot have it: its driver's limit, or that of what a VLAN stands on (vlan_dev_change_mtu).
std::string MtuRefusal(const Facts& facts, const std::string& name, std::uint32_t mtu_bytes) {
  for (const Port& port : *facts.ports) {
    const auto too_large = [&](const Netdev& netdev) {
      return netdev.name == name && netdev.max_mtu_bytes && *netdev.max_mtu_bytes != 0 &&
             *netdev.max_mtu_bytes < mtu_bytes;
    };
    if ((port.netdev && too_large(*port.netdev)) ||
        (port.lowers && std::ranges::any_of(*port.lowers, too_large)))
      return Cat("the driver of ", name, " does not allow an MTU of ", mtu_bytes);
    if (port.netdev && port.netdev->name == name && port.netdev->vlan_id && port.lowers) {
      for (const Netdev& lower : *port.lowers) {
        if (lower.mtu_bytes < mtu_bytes) return Cat("a VLAN has no larger MTU than ", lower.name, " below it");
      }
    }
    if (!port.uppers) continue;
    for (const UpperNetdev& upper : *port.uppers) {
      if (upper.name != name || !upper.vlan_id) continue;
      for (const std::string& below : upper.over) {
        if (MtuOf(facts, below) < mtu_bytes) return Cat("a VLAN has no larger MTU than ", below, " below it");
      }
    }
  }
  return {};
}

void MoveMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops = 8);

// A bond gives its MTU to its members (bond_change_mtu); a VLAN follows what it stands on down, never up
// (vlan_device_event).
void FollowMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops) {
  std::vector<std::pair<std::string, std::uint32_t>> follow;
  for (const Port& port : *facts.ports) {
    const bool bond_itself = port.netdev && port.netdev->name == name && IsBondKind(port.netdev->driver);
    if (bond_itself && port.lowers) {
      for (const Netdev& lower : *port.lowers) follow.emplace_back(lower.name, mtu_bytes);
    }
    if (!port.uppers) continue;
    for (const UpperNetdev& upper : *port.uppers) {
      if (upper.name == name && IsBondKind(upper.kind)) {
        for (const std::string& member : upper.over) follow.emplace_back(member, mtu_bytes);
        if (!port.lowers) continue;
        for (const Netdev& lower : *port.lowers) {
          if (lower.master == name) follow.emplace_back(lower.name, mtu_bytes);
        }
      }
      const bool over = std::ranges::find(upper.over, name) != upper.over.end();
      if (over && upper.vlan_id && upper.mtu_bytes > mtu_bytes) follow.emplace_back(upper.name, mtu_bytes);
    }
  }
  for (const auto& [other, size] : follow) {
    if (MtuOf(facts, other) != size) MoveMtu(facts, other, size, hops - 1);
  }
}

void MoveMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops) {
  if (hops == 0) return;
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, name, [&](Netdev& netdev) { netdev.mtu_bytes = mtu_bytes; });
    EditUppers(port, [&](UpperNetdev& upper) {
      if (upper.name == name) upper.mtu_bytes = mtu_bytes;
    });
    const bool own = port.netdev && port.netdev->name == name;
    const bool roce = port.transport && *port.transport == Transport::kRoce;
    if (own && roce && port.active_mtu_bytes)
      port.active_mtu_bytes = ActiveMtu(mtu_bytes, port.max_mtu_bytes ? *port.max_mtu_bytes : 4096U);
  });
  FollowMtu(facts, name, mtu_bytes, hops);
}

std::string WriteMtu(Facts& facts, const SettingObject& object, std::string_view to) {
  const auto mtu_bytes = ParseNumber<std::uint32_t>(to);
  if (!mtu_bytes || !facts.ports) return "it is no MTU";
  if (std::string why = MtuRefusal(facts, object.where, *mtu_bytes); !why.empty()) return why;
  MoveMtu(facts, object.where, *mtu_bytes);
  return {};
}

// ---- sysctls ----

struct Ipv4Variable {
  std::string where{};  // "all", "dcb0", "dcb0.711"
  std::string name{};   // "arp_ignore"
};

std::optional<Ipv4Variable> Ipv4VariableOf(std::string_view name) {
  constexpr std::string_view kConf = "net.ipv4.conf.";
  if (!name.starts_with(kConf)) return std::nullopt;
  name.remove_prefix(kConf.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  Ipv4Variable variable{.where = std::string(name.substr(0, dot)), .name = std::string(name.substr(dot + 1))};
  std::ranges::replace(variable.where, '/', '.');
  return variable;
}

std::optional<std::uint32_t> SysctlValue(const Facts& facts, const std::string& where,
                                         const std::string& name) {
  if (!facts.sysctls) return std::nullopt;
  for (const Sysctl& one : *facts.sysctls) {
    const auto variable = Ipv4VariableOf(one.name);
    if (variable && variable->where == where && variable->name == name) return one.value;
  }
  return std::nullopt;
}

// What counts of "all" and the interface's own: the larger, or either.
void TakeEffect(const Facts& facts, const std::string& netdev, const std::string& name,
                Ipv4Settings& settings) {
  const auto all = SysctlValue(facts, "all", name);
  const auto own = SysctlValue(facts, netdev, name);
  if (!all || !own) return;
  const std::uint32_t value = std::max(*all, *own);
  if (name == "arp_ignore") settings.arp_ignore = value;
  if (name == "arp_announce") settings.arp_announce = value;
  if (name == "rp_filter") settings.rp_filter = value;
  if (name == "accept_local") settings.accept_local = value != 0;
}

std::string WriteSysctl(Facts& facts, const SettingObject& object, std::string_view to) {
  const auto variable = Ipv4VariableOf(object.name);
  const auto value = ParseNumber<std::uint32_t>(to);
  if (!variable || !value || !facts.sysctls) return "it is not known";
  EditFact(facts.sysctls, [&](std::vector<Sysctl>& all) {
    for (Sysctl& one : all) {
      if (one.name == object.name) one.value = *value;
    }
  });
  const Facts now = facts;
  const auto effect = [&](const std::string& netdev, Fact<Ipv4Settings>& fact) {
    EditFact(fact, [&](Ipv4Settings& settings) { TakeEffect(now, netdev, variable->name, settings); });
  };
  EditPorts(facts, [&](Port& port) {
    EditFact(port.netdev, [&](Netdev& netdev) { effect(netdev.name, netdev.ipv4); });
    EditUppers(port, [&](UpperNetdev& upper) { effect(upper.name, upper.ipv4); });
    EditFact(port.subnets, [&](std::vector<Subnet>& subnets) {
      for (Subnet& subnet : subnets) {
        for (SubnetSharer& sharer : subnet.shared_with) effect(sharer.netdev, sharer.ipv4);
      }
    });
  });
  return {};
}

// ---- the rest ----

std::string WriteVlanEgress(Facts& facts, const SettingObject& object, std::string_view to) {
  const auto map = VlanEgressOf(to);
  if (!map) return "it is no map";
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, object.where, [&](Netdev& netdev) { netdev.vlan_egress = *map; });
    EditUppers(port, [&](UpperNetdev& upper) {
      if (upper.name == object.where) upper.vlan_egress = *map;
    });
  });
  return {};
}

// ice runs one of the two protocols at a time (ice_devlink_enable_roce_validate and _iw_validate).
std::string DevlinkRefusal(const Port& port, const SettingObject& object, std::string_view to) {
  const std::string_view other = object.name == "enable_roce"    ? "enable_iwarp"
                                 : object.name == "enable_iwarp" ? "enable_roce"
                                                                 : "";
  if (to != "true" || other.empty()) return {};
  const auto found = std::ranges::find(*port.devlink.parameters, other, &DevlinkParameter::name);
  const bool on = found != port.devlink.parameters->end() && found->runtime == "true";
  return on ? Cat("the driver takes no ", object.name, " while ", other, " is on") : "";
}

std::string WriteDevlink(Facts& facts, const SettingObject& object, std::string_view to) {
  std::string refusal = Cat("there is no ", object.where);
  EditPorts(facts, [&](Port& port) {
    if (!port.pci || "pci/" + port.pci->address != object.where || !port.devlink.parameters) return;
    refusal = DevlinkRefusal(port, object, to);
    if (!refusal.empty()) return;
    EditFact(port.devlink.parameters, [&](std::vector<DevlinkParameter>& all) {
      for (DevlinkParameter& one : all) {
        if (one.name == object.name) one.runtime = std::string(to);
      }
    });
  });
  return refusal;
}

std::string WriteCm(Facts& facts, const SettingObject& object, std::string_view to) {
  const auto tos = ParseNumber<std::uint8_t>(to);
  const auto mode = CmModeOf(to);
  EditPorts(facts, [&](Port& port) {
    if (PortName(port) != object.where) return;
    if (object.kind == SettingKind::kCmTos && tos) port.cm_default_tos = *tos;
    if (object.kind == SettingKind::kCmMode && mode) port.cm_default_mode = *mode;
  });
  return {};
}

}  // namespace

std::string WriteSetting(Facts& facts, const SettingObject& object, std::string_view to) {
  switch (object.kind) {
    case SettingKind::kUnknown:
      return "it is no setting that is known here";
    case SettingKind::kPause:
    case SettingKind::kPrivateFlag:
    case SettingKind::kDcbx:
    case SettingKind::kEts:
    case SettingKind::kPfc:
    case SettingKind::kBuffer:
    case SettingKind::kMaxRate:
    case SettingKind::kApp:
    case SettingKind::kTrust:
      return WriteNetdev(facts, object, to);
    case SettingKind::kMtu:
      return WriteMtu(facts, object, to);
    case SettingKind::kSysctl:
      return WriteSysctl(facts, object, to);
    case SettingKind::kVlanEgress:
      return WriteVlanEgress(facts, object, to);
    case SettingKind::kDevlinkParameter:
      return WriteDevlink(facts, object, to);
    case SettingKind::kCmMode:
    case SettingKind::kCmTos:
      return WriteCm(facts, object, to);
  }
  return {};
}

}  // namespace rdmaready
