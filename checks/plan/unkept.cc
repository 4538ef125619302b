// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/unkept.h"

#include <algorithm>
#include <string>

#include "checks/plan/persist_managers.h"
#include "checks/roce/congestion.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/edit.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/spare.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string Joined(const std::vector<std::string>& commands) {
  std::string text;
  for (const std::string& command : commands) text += Cat(text.empty() ? "" : "; ", command);
  return text;
}

// Whether a command of the boot writes that DSCP to the file of this port. One that writes a variable may write
// another DSCP.
bool IsDscpKept(const EthernetView& view, unsigned dscp) {
  if (!view.host.boot_settings) return false;
  const std::string bus = view.netdev->driver_info ? view.netdev->driver_info->bus : std::string();
  return std::ranges::any_of(view.host.boot_settings->writes, [&](const BootWrite& write) {
    const bool here = write.object.empty() || write.object == view.netdev->name || write.object == bus ||
                      write.object == view.port.device;
    return write.setting == "cnp" && here && write.value == std::to_string(dscp);
  });
}

// They are files of the driver in sysfs, configfs or debugfs, whose names differ by driver.
void AddCongestion(const EthernetView& view, std::vector<PlanUnkept>& unkept) {
  const Profile& profile = view.profile;
  const Fact<CongestionControl> control = CongestionOf(view);
  if (!control || !profile.cnp || IsDscpKept(view, profile.cnp->dscp)) return;
  const std::string priority = profile.cnp->priority ? Cat(" and priority ", *profile.cnp->priority) : "";
  unkept.push_back({.subject = SubjectOf(view.port, view.netdev),
                    .what = Cat("DSCP ", profile.cnp->dscp, priority, " of congestion notifications"),
                    .again = Cat("write it again (", Printable(control->source), ")")});
}

void AddCongestion(const PlannedPart& part, const Port& port, std::vector<PlanUnkept>& unkept) {
  const Profile& profile = *part.origin->profile;
  if (!NotRoce(port).empty() || IsSpare(part.now, port, profile)) return;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (netdev) AddCongestion({part.now, port, netdev, profile}, unkept);
  }
}

bool IsBondOf(const Port& port, const std::string& name) {
  if (port.netdev && port.netdev->name == name) return IsBondKind(port.netdev->driver);
  return port.uppers && std::ranges::any_of(*port.uppers, [&name](const UpperNetdev& upper) {
           return upper.name == name && IsBondKind(upper.kind);
         });
}

// The setting that a file has to bring back: a bond gives its MTU to its members.
SettingObject KeptAs(const Facts& host, const SettingObject& object) {
  const Netdev* netdev = object.kind == SettingKind::kMtu ? PlaceOf(host, object).netdev : nullptr;
  if (netdev == nullptr || netdev->master.empty() || !host.ports) return object;
  const bool bond =
      std::ranges::any_of(*host.ports, [netdev](const Port& port) { return IsBondOf(port, netdev->master); });
  return bond ? SettingObject{.kind = SettingKind::kMtu, .where = netdev->master} : object;
}

// Whether the kernel gives it that value as long as no file of the boot sets another one.
bool IsDefault(const Facts& host, const SettingObject& object, std::string_view value) {
  if (object.kind == SettingKind::kCmTos) return value == "0";
  return object.kind == SettingKind::kMtu && value == "1500" && !MayStartAtOtherMtu(host, object);
}

// Whether it is known that no file of the boot sets it, and no program that keeps values of its own.
bool IsLeftAlone(const Facts& host, const SettingObject& object) {
  if (!UnreadAtBoot(host, object.kind).empty()) return false;
  if (object.kind == SettingKind::kCmTos)
    return host.boot_writes && host.tos_keepers && host.tos_keepers->empty();
  const bool manager = OwnerOf(host, object, "").name == "NetworkManager";  // its values are not read
  return !manager && BootWritersOf(host, PlaceOf(host, object)).empty();
}

// Whether the setting has the value after a boot without a file of persist.h.
bool IsRightWithoutFile(const Facts& host, const SettingObject& object, const std::string& value) {
  const SettingPlace place = PlaceOf(host, object);
  if (!FileThatSets(host, place, value).empty() && BootOwner(host, place, value).empty()) return true;
  return IsDefault(host, object, value) && IsLeftAlone(host, object);
}

bool HasFile(const Plan& plan, const SettingObject& object) {
  return std::ranges::any_of(plan.persist, [&object](const PersistFile& file) {
    return std::ranges::find(file.keeps, object) != file.keeps.end();
  });
}

// The commands, and where a file of the boot sets another value.
std::string AgainOf(const Facts& host, const PlanStep& step) {
  std::string again = Joined(step.commands);
  const SettingOwner owner = BootOwner(host, PlaceOf(host, step.object), step.to);
  for (const RemedyStep& one : owner.way.steps) again += Cat(again.empty() ? "" : "; ", one.action);
  return again;
}

std::string WhatOf(const SettingObject& object, std::string_view value) {
  const std::string words(RowOf(object.kind).words);
  return Cat(words, words.empty() || object.name.empty() ? "" : " ", object.name,
             object.where.empty() ? "" : Cat(" of ", object.where), " (", value, ")");
}

}  // namespace

std::vector<PlanUnkept> UnkeptOf(const Facts& host, const std::vector<PlannedPart>& parts, const Plan& plan) {
  std::vector<PlanUnkept> unkept;
  for (const PlannedPart& part : parts) {
    if (!part.now.ports) continue;
    for (const Port& port : *part.now.ports) AddCongestion(part, port, unkept);
  }
  for (const PlanStep& step : plan.steps) {
    const SettingObject object = KeptAs(host, step.object);
    if (HasFile(plan, object) || IsRightWithoutFile(host, object, step.to)) continue;
    unkept.push_back(
        {.subject = step.subject, .what = WhatOf(step.object, step.to), .again = AgainOf(host, step)});
  }
  // A permanent value of devlink is the NIC's own; one that a reload of the driver takes up is lost with it.
  for (const PlanPending& pending : plan.pending) {
    if (pending.needs.starts_with("devlink dev reload"))
      unkept.push_back({.subject = pending.subject,
                        .what = WhatOf(pending.object, pending.wanted),
                        .again = Joined(pending.commands)});
  }
  std::ranges::stable_sort(unkept, {}, &PlanUnkept::subject);
  unkept.erase(std::ranges::unique(unkept).begin(), unkept.end());
  return unkept;
}

}  // namespace rdmaready
