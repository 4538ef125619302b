// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/unkept.h"

#include <algorithm>
#include <array>
#include <string>

#include "checks/roce/congestion.h"
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

// Kinds that no file of persist.h has.
bool HasNoFile(SettingKind kind) {
  constexpr std::array<SettingKind, 3> kKinds{SettingKind::kDevlinkParameter, SettingKind::kCmMode,
                                              SettingKind::kVlanReorder};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::string WhatOf(const SettingObject& object, std::string_view value) {
  const std::string words(RowOf(object.kind).words);
  return Cat(words, object.name.empty() ? "" : Cat(" ", object.name), " of ", object.where, " (", value, ")");
}

}  // namespace

std::vector<PlanUnkept> UnkeptOf(const std::vector<PlannedPart>& parts, const Plan& plan) {
  std::vector<PlanUnkept> unkept;
  for (const PlannedPart& part : parts) {
    if (!part.now.ports) continue;
    for (const Port& port : *part.now.ports) AddCongestion(part, port, unkept);
  }
  for (const PlanStep& step : plan.steps) {
    if (HasNoFile(step.object.kind))
      unkept.push_back(
          {.subject = step.subject, .what = WhatOf(step.object, step.to), .again = Joined(step.commands)});
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
