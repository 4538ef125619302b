// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/owner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/neighbours.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/cluster_owner.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/lldp_owner.h"
#include "checks/setting/network_owner.h"
#include "checks/setting/table.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Whether the text has the program of the command as a word of its own.
bool HasProgramOf(const RemedyStep& step, std::string_view text) {
  const std::string program = step.command.substr(0, step.command.find(' '));
  return !program.empty() && Cat(" ", text, " ").find(Cat(" ", program, " ")) != std::string::npos;
}

bool IsHostCommand(const RemedyStep& step) { return !step.command.empty() && step.site == StepSite::kHost; }

// The NIC's firmware takes these over from the switch, and dcbnl refuses to set them.
SettingOwner FirmwareOwner(const SettingPlace& place, std::string_view to) {
  constexpr std::array<SettingKind, 4> kKinds{SettingKind::kEts, SettingKind::kPfc, SettingKind::kApp,
                                              SettingKind::kBuffer};
  const bool of_firmware = std::ranges::find(kKinds, place.object.kind) != kKinds.end();
  if (!of_firmware || place.netdev == nullptr || !FirmwareHasDcb(*place.netdev, place.object.kind)) return {};
  const std::string& netdev = place.object.where;
  const std::string words(RowOf(place.object.kind).words);
  SettingOwner owner{.name = "firmware",
                     .why = Cat("the firmware of ", netdev, " takes ", words,
                                " over from the switch, and the driver refuses to set it"),
                     .writes_again = true};
  const std::string value = to.empty() ? "" : Cat(" (", to, ")");
  owner.way.steps.push_back({.site = StepSite::kSwitch,
                             .action = Cat("let the switch port of ", netdev, " announce ", words, value,
                                           " by DCBX: the firmware follows it")});
  // cxgb4 has no setter either way.
  if (DcbDriverOf(*place.netdev) == DcbDriver::kCxgb4) return owner;
  RemedyStep take{.command = AgentOffCommand(*place.netdev)};
  if (take.command.empty()) {
    take.action = Cat("switch the LLDP agent in the firmware of ", netdev, " off with the vendor's tool");
  }
  owner.way.alternatives.push_back(
      Cat("take it over: ", take.command.empty() ? take.action : take.command, "; then set ", words, " here"));
  owner.takes_over = std::move(take);
  return owner;
}

// The interface of a virtual function that was moved to this network namespace: the physical one is not seen.
SettingOwner GiverOwner(const SettingPlace& place, std::string_view to) {
  if (place.object.kind != SettingKind::kMtu || place.port == nullptr || !place.port->pci) return {};
  const PciFunction& pci = *place.port->pci;
  if (!pci.virtual_function || !pci.physical || !pci.physical->netdev.empty()) return {};
  const std::string& netdev = place.object.where;
  SettingOwner owner{.name = "the node",
                     .why = Cat("the node gives ", netdev, " to this container with an MTU, each time anew")};
  owner.way.steps.push_back({.action = Cat("set the MTU", to.empty() ? "" : " ", to, " of ", netdev,
                                           " in the network definition by which the node gives it")});
  return owner;
}

// A network manager may have the setting, and a file of the boot set it beside the manager.
SettingOwner WithFilesOfTheBoot(SettingOwner manager, const SettingOwner& boot) {
  if (manager.empty()) return boot;
  const bool managers_own = boot.file == manager.file || boot.file.ends_with(".network") ||
                            boot.file.starts_with("/etc/netplan/") ||
                            boot.file.find("-netplan-") != std::string::npos;
  if (!boot.empty() && !managers_own)
    manager.way.steps.insert(manager.way.steps.end(), boot.way.steps.begin(), boot.way.steps.end());
  return manager;
}

}  // namespace

SettingOwner OwnerOf(const Facts& facts, const SettingObject& object, std::string_view to) {
  if (object.kind == SettingKind::kUnknown) return {};
  const SettingPlace place = PlaceOf(facts, object);
  SettingOwner owner = ClusterOwner(facts, place);
  // lldpad leaves a port alone whose DCB the firmware has: ieee8021qaz_ifup() of lldp_8021qaz.c.
  if (owner.empty()) owner = FirmwareOwner(place, to);
  if (owner.empty()) owner = LldpOwner(facts, place, to);
  if (owner.empty()) owner = GiverOwner(place, to);
  if (!owner.empty()) return owner;
  return WithFilesOfTheBoot(NetworkOwner(facts, place, to), BootOwner(facts, place, to));
}

Remedy WithOwner(Remedy remedy, const SettingOwner& owner) {
  if (owner.empty() || remedy.empty()) return remedy;
  remedy.owner = owner.name;
  const RemedyStep first = owner.way.steps.empty() ? RemedyStep() : owner.way.steps.front();
  const std::string by =
      first.command.empty() ? first.action : first.command.substr(0, first.command.find(' '));
  const auto same_tool = [&by](const RemedyStep& step) { return HasProgramOf(step, by); };
  if (std::ranges::any_of(remedy.steps, same_tool)) return remedy;
  if (owner.writes_again) {
    std::erase_if(remedy.steps, IsHostCommand);
    remedy.cautions.clear();
  }
  remedy.cautions.insert(remedy.cautions.begin(), owner.why);
  remedy.cautions.insert(remedy.cautions.end(), owner.way.cautions.begin(), owner.way.cautions.end());
  const auto place = owner.at_boot ? remedy.steps.end() : remedy.steps.begin();
  remedy.steps.insert(place, owner.way.steps.begin(), owner.way.steps.end());
  remedy.alternatives.insert(remedy.alternatives.begin(), owner.way.alternatives.begin(),
                             owner.way.alternatives.end());
  return remedy;
}

Remedy TakenOver(Remedy remedy, const SettingOwner& owner) {
  if (remedy.empty() || !owner.takes_over) return remedy;
  const auto same = [&owner](const RemedyStep& step) { return step == *owner.takes_over; };
  if (std::ranges::none_of(remedy.steps, same)) remedy.steps.insert(remedy.steps.begin(), *owner.takes_over);
  remedy.owner = owner.name;
  return remedy;
}

std::string AdviceOf(const SettingOwner& owner) {
  std::string text;
  const auto add = [&text](std::string_view between, const std::string& words) {
    if (!words.empty()) text += Cat(text.empty() ? "" : between, words);
  };
  for (const RemedyStep& step : owner.way.steps) add("; ", step.command.empty() ? step.action : step.command);
  for (const std::string& other : owner.way.alternatives) add("; or ", other);
  return text;
}

}  // namespace rdmaready
