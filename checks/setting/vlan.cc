// SPDX-License-Identifier: Apache-2.0
// Settings of a VLAN's netdev.
#include <algorithm>
#include <utility>

#include "checks/setting/consequences.h"
#include "checks/setting/edit.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::vector<Setting> ReadVlanEgressSettings(const Facts& facts) {
  std::vector<Setting> settings;
  const auto add = [&settings](const std::string& name, const Fact<std::vector<VlanPriority>>& map) {
    if (map) AddSetting(settings, {.kind = SettingKind::kVlanEgress, .where = name}, Text(*map));
  };
  const auto netdevs = NetdevsOf(facts);
  for (const auto& [name, netdev] : netdevs) add(name, netdev->vlan_egress);
  for (const auto& [name, upper] : UppersOf(facts)) {
    if (!netdevs.contains(name)) add(name, upper->vlan_egress);
  }
  return SortedByObject(std::move(settings));
}

// A pair cannot be taken out of a map: it is set to 0, which is what a priority without a pair gets.
Commands VlanEgressCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  const std::vector<VlanPriority> old = *VlanEgressOf(from);
  const std::vector<VlanPriority> wanted = *VlanEgressOf(to);
  std::string pairs;
  for (const VlanPriority& pair : old) {
    if (std::ranges::find(wanted, pair.from, &VlanPriority::from) == wanted.end())
      pairs += Cat(" ", pair.from, ":0");
  }
  for (const VlanPriority& pair : wanted) {
    if (std::ranges::find(old, pair) == old.end()) pairs += Cat(" ", pair.from, ":", pair.pcp);
  }
  return {Cat("ip link set dev ", ShellWord(place.object.where), " type vlan egress-qos-map", pairs)};
}

std::string VlanEgressEffect(Facts& facts, const SettingObject& object, std::string_view to) {
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

std::vector<Setting> ReadVlanReorderSettings(const Facts& facts) {
  std::vector<Setting> settings;
  const auto add = [&settings](const std::string& name, const Fact<bool>& reorder) {
    if (reorder)
      AddSetting(settings, {.kind = SettingKind::kVlanReorder, .where = name}, *reorder ? "on" : "off");
  };
  const auto netdevs = NetdevsOf(facts);
  for (const auto& [name, netdev] : netdevs) add(name, netdev->vlan_reorder);
  for (const auto& [name, upper] : UppersOf(facts)) {
    if (!netdevs.contains(name)) add(name, upper->vlan_reorder);
  }
  return SortedByObject(std::move(settings));
}

Commands VlanReorderCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  return {Cat("ip link set dev ", ShellWord(place.object.where), " type vlan reorder_hdr ", to)};
}

// The kernel makes a VLAN with it on (vlan_newlink): a manager of the network has it off, and sets that again.
std::string VlanReorderNote(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view /*to*/) {
  return "for good: where the VLAN is made (NetworkManager: vlan.flags, systemd-networkd: ReorderHeader=)";
}

// vlan_dev_change_flags changes a bit of the VLAN's own, and no driver hears of it.
std::string VlanReorderEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  bool there = false;
  const auto set = [&](auto& netdev) {
    if (netdev.name != object.where || !netdev.vlan_reorder) return;
    netdev.vlan_reorder = to == "on";
    there = true;
  };
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, object.where, set);
    EditUppers(port, set);
  });
  return there ? "" : Cat(object.where, " has no reorder_hdr: it is not a VLAN");
}

}  // namespace

std::vector<SettingRow> VlanRows() {
  return {
      {.kind = SettingKind::kVlanEgress,
       .words = "VLAN egress map",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kRtnetlink,
       .api = "rtnetlink IFLA_VLAN_EGRESS_QOS",
       .right = "link-settings",
       .serves = {"vlan.egress-map"},
       .read = ReadVlanEgressSettings,
       .commands = VlanEgressCommands,
       .disturbs = NothingDisturbs,
       .effect = VlanEgressEffect},
      {.kind = SettingKind::kVlanReorder,
       .words = "VLAN reorder_hdr",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kRtnetlink,
       .api = "rtnetlink IFLA_VLAN_FLAGS",
       .right = "link-settings",
       .serves = {"vlan.reorder"},
       .read = ReadVlanReorderSettings,
       .commands = VlanReorderCommands,
       .note = VlanReorderNote,
       .disturbs = NothingDisturbs,
       .effect = VlanReorderEffect},
  };
}

}  // namespace rdmaready
