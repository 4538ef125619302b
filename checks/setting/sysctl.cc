// SPDX-License-Identifier: Apache-2.0
// Sysctls of net.ipv4.conf (include/linux/inetdevice.h).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "api/base/number.h"
#include "checks/setting/consequences.h"
#include "checks/setting/edit.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/sysctl_name.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::vector<Setting> ReadSysctlSettings(const Facts& facts) {
  std::vector<Setting> settings;
  if (!facts.sysctls) return settings;
  for (const Sysctl& sysctl : *facts.sysctls)
    AddSetting(settings, {.kind = SettingKind::kSysctl, .name = sysctl.name}, std::to_string(sysctl.value));
  return SortedByObject(std::move(settings));
}

Commands SysctlCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  return {Cat("sysctl -w ", ShellWord(place.object.name), "=", to)};
}

std::string SysctlNote(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Ipv4Variable> variable = Ipv4VariableOf(place.object.name);
  std::string note;
  if (variable && variable->where == "all")
    note =
        "it holds for every interface of the host: the larger value of `all` and the interface's own counts; ";
  if (variable && variable->name == "rp_filter" && to == "2")
    note += "the loose filter accepts a packet by that interface where any route to its sender exists; ";
  return note + "for good: a file in /etc/sysctl.d";
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

// The larger of "all" and the interface's own value counts. One that is not known is at most the present one.
void TakeEffect(const Facts& facts, const std::string& netdev, const std::string& name,
                Ipv4Settings& settings) {
  const auto all = SysctlValue(facts, "all", name);
  const auto own = SysctlValue(facts, netdev, name);
  if (!all) return;
  const auto take = [&](auto& effective) {
    const auto least = own ? *own : static_cast<std::uint32_t>(effective);
    effective = static_cast<std::remove_reference_t<decltype(effective)>>(std::max(*all, least));
  };
  if (name == "arp_ignore") take(settings.arp_ignore);
  if (name == "arp_announce") take(settings.arp_announce);
  if (name == "rp_filter") take(settings.rp_filter);
  if (name == "accept_local") take(settings.accept_local);
}

std::string SysctlEffect(Facts& facts, const SettingObject& object, std::string_view to) {
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

}  // namespace

std::optional<Ipv4Variable> Ipv4VariableOf(std::string_view variable) {
  constexpr std::string_view kConf = "net.ipv4.conf.";
  if (!variable.starts_with(kConf)) return std::nullopt;
  variable.remove_prefix(kConf.size());
  const std::size_t dot = variable.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  Ipv4Variable parts{.where = std::string(variable.substr(0, dot)),
                     .name = std::string(variable.substr(dot + 1))};
  std::ranges::replace(parts.where, '/', '.');
  return parts;
}

std::string Ipv4VariableName(std::string where, std::string_view variable) {
  std::ranges::replace(where, '.', '/');
  return Cat("net.ipv4.conf.", where, ".", variable);
}

std::string InterfaceOfSysctl(std::string_view variable) {
  const std::optional<Ipv4Variable> parts = Ipv4VariableOf(variable);
  return !parts || parts->where == "all" || parts->where == "default" ? "" : parts->where;
}

std::vector<SettingRow> SysctlRows() {
  return {
      {.kind = SettingKind::kSysctl,
       .has_name = true,
       .home = SettingHome::kVariable,
       .writer = SettingWriter::kProcSys,
       .api = "/proc/sys",
       .right = "sysctl-settings",
       .serves = {"ip.accept-local", "ip.rp-filter", "arp.ignore", "arp.announce"},
       .read = ReadSysctlSettings,
       .commands = SysctlCommands,
       .note = SysctlNote,
       .disturbs = NothingDisturbs,
       .effect = SysctlEffect},
  };
}

}  // namespace rdmaready
