// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/lldp_owner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checks/dcb/neighbours.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// lldpad sets these by dcbnl (lldp_8021qaz.c). It leaves buffers, rates and the trust order alone.
constexpr std::array<SettingKind, 3> kOfLldpad{SettingKind::kEts, SettingKind::kPfc, SettingKind::kApp};

bool Runs(const Facts& facts, std::string_view agent) {
  const Fact<std::vector<std::string>>& running = facts.lldp_agents;
  return running && std::ranges::find(*running, agent) != running->end();
}

std::string TlvCommand(const std::string& netdev, std::string_view arguments) {
  return Cat("lldptool -T -i ", ShellWord(netdev), " -V ", arguments);
}

std::string PfcTlv(std::string_view to) {
  const std::optional<PfcSetting> wanted = PfcSettingOf(to);
  if (!wanted) return {};
  std::string on;
  for (const std::uint8_t priority : PrioritiesOf(wanted->enabled)) on += Cat(on.empty() ? "" : ",", priority);
  return Cat("PFC enableTx=yes willing=no enabled=", on.empty() ? "none" : on);
}

std::string_view LldptoolName(Tsa tsa) { return tsa == Tsa::kCbShaper ? "cb_shaper" : Name(tsa); }

std::string EtsTlv(std::string_view to) {
  const std::optional<EtsSetting> wanted = EtsSettingOf(to);
  if (!wanted) return {};
  std::string tsa;
  std::string map;
  std::string shares;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    tsa += Cat(comma, i, ":", LldptoolName(wanted->tsa[i]));
    map += Cat(comma, i, ":", wanted->prio_tc[i]);
    shares += Cat(comma, wanted->tx_percent[i]);
  }
  return Cat("ETS-CFG enableTx=yes willing=no tsa=", tsa, " up2tc=", map, " tcbw=", shares);
}

// A row each: those that are missing are added, those that are too many are deleted.
std::vector<std::string> AppCommandsOfLldpad(const SettingPlace& place, std::string_view from,
                                             std::string_view to) {
  const std::optional<std::vector<AppEntry>> old = AppRowsOf(from);
  const std::optional<std::vector<AppEntry>> wanted = AppRowsOf(to);
  std::vector<std::string> commands;
  if (!old || !wanted) return commands;
  const auto add = [&](const AppEntry& row, std::string_view option) {
    if (row.selector == AppSelector::kPcp) return;  // lldptool knows 1 to 5
    commands.push_back(
        TlvCommand(place.object.where, Cat("APP ", option, "app=", row.priority, ",",
                                           static_cast<unsigned>(row.selector), ",", row.protocol)));
  };
  for (const AppEntry& row : *wanted) {
    if (std::ranges::find(*old, row) == old->end()) add(row, "");
  }
  for (const AppEntry& row : *old) {
    if (std::ranges::find(*wanted, row) == wanted->end()) add(row, "-d ");
  }
  return commands;
}

std::vector<std::string> CommandsOfLldpad(const Facts& facts, const SettingPlace& place, std::string_view to) {
  switch (place.object.kind) {
    case SettingKind::kPfc:
      return {TlvCommand(place.object.where, PfcTlv(to))};
    case SettingKind::kEts:
      return {TlvCommand(place.object.where, EtsTlv(to))};
    case SettingKind::kApp:
      return AppCommandsOfLldpad(place, ValueOf(facts, place.object), to);
    default:
      return {};
  }
}

Remedy WayOfLldpad(const Facts& facts, const SettingPlace& place, std::string_view to) {
  Remedy way;
  if (!to.empty()) {
    for (std::string& command : CommandsOfLldpad(facts, place, to))
      way.steps.push_back({.command = std::move(command)});
  }
  if (way.steps.empty())
    way.steps.push_back(
        {.action = Cat("set it in lldpad with lldptool -T -i ", ShellWord(place.object.where))});
  way.alternatives.push_back(
      "let the host set it alone: systemctl disable --now lldpad.service lldpad.socket; then set it here");
  return way;
}

}  // namespace

std::string DoubtOfLldpOwner(const Facts& facts, const SettingObject& object) {
  if (std::ranges::find(kOfLldpad, object.kind) == kOfLldpad.end() || facts.lldp_agents) return {};
  const std::string& detail = facts.lldp_agents.missing().detail;
  return Cat("whether an LLDP agent of this host writes ", TextOf(object), ": ",
             detail.empty() ? "nobody asked which ones run" : detail);
}

SettingOwner LldpOwner(const Facts& facts, const SettingPlace& place, std::string_view to) {
  if (std::ranges::find(kOfLldpad, place.object.kind) == kOfLldpad.end() || place.netdev == nullptr) return {};
  const std::string& netdev = place.netdev->name;
  const Fact<LinkAgents> agents = AgentsOn(NetdevRef(*place.netdev));
  const bool follows = agents && std::ranges::any_of(agents->own, IsWillingAgent);
  const bool lldpad = Runs(facts, "lldpad") || (follows && agents->by_lldpad);
  if (!lldpad && !follows) return {};
  SettingOwner owner{.name = lldpad ? "lldpad" : "an LLDP agent of this host", .writes_again = true};
  owner.why = follows ? Cat(owner.name, " follows the switch on ", netdev, ": it writes over what is set here")
                      : Cat("lldpad runs and writes its own PFC, ETS and APP rows to ", netdev);
  if (lldpad) {
    owner.way = WayOfLldpad(facts, place, to);
  } else {
    owner.way.steps.push_back(
        {.action = Cat("find the LLDP agent that speaks on ", netdev, ", and switch willing off in it")});
  }
  return owner;
}

}  // namespace rdmaready
