// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/side_effects.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "checks/dcb/dcb_driver.h"
#include "checks/setting/table.h"

namespace rdmaready {
namespace {

using Kind = SettingKind;

bool IsOneOf(Kind kind, std::initializer_list<Kind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool OpensDcb(Kind kind) { return IsOneOf(kind, {Kind::kDcbx, Kind::kPrivateFlag, Kind::kDevlinkParameter}); }

// Whether a driver of Linux 6.12 changes the other setting of a netdev when it writes one of that kind. A
// driver without a line here may change all of its bridging.
bool DriverRewrites(DcbDriver driver, Kind written, Kind other) {
  // Firmware lays out the buffers for PFC unless `manual_buffer` is set, and mlx5e_port_manual_buffer_config
  // does when it is (mlx5e_dcbnl_ieee_setpfc).
  const bool buffers = written == Kind::kPfc && other == Kind::kBuffer;
  // ice_dcbnl_setapp begins DSCP mode with the first row, and ice_dcbnl_delapp the default with the last one
  // gone: both set classes and PFC.
  const bool classes = written == Kind::kApp && IsOneOf(other, {Kind::kEts, Kind::kPfc});
  if (driver == DcbDriver::kMlx5) return buffers;
  if (driver == DcbDriver::kIce) return classes;
  if (driver == DcbDriver::kBnxt) return false;
  // The virtual fabric's NIC may behave as any of them.
  if (driver == DcbDriver::kPlain) return buffers || classes;
  // mlx4_en_dcbnl_ieee_setpfc changes the pause settings of the port as well.
  return (IsDcbSetting(written) && IsDcbSetting(other)) || (written == Kind::kPfc && other == Kind::kPause);
}

bool MayRewrite(const Facts& facts, const SettingObject& written, const SettingObject& other) {
  if (written.kind == Kind::kDevlinkParameter) return IsDcbSetting(other.kind);
  if (written.where != other.where) return false;
  // A change of who runs DCBX may change all of data centre bridging, in every driver.
  if (OpensDcb(written.kind)) return IsDcbSetting(other.kind);
  const SettingPlace place = PlaceOf(facts, written);
  const DcbDriver driver = place.netdev == nullptr ? DcbDriver::kOther : DcbDriverOf(*place.netdev);
  return DriverRewrites(driver, written.kind, other.kind);
}

// The values that differ between the two hosts.
void AddDifferences(const Facts& before, const Facts& after, std::set<SettingObject>& objects) {
  std::map<SettingObject, std::string> then;
  for (Setting& setting : SettingsOf(before)) then[setting.object] = std::move(setting.value);
  for (const Setting& setting : SettingsOf(after)) {
    const auto found = then.find(setting.object);
    if (found != then.end() && found->second != setting.value) objects.insert(setting.object);
  }
}

// There and back again: a bond's members follow it both ways.
std::set<SettingObject> ModelledChanges(const Facts& facts, std::span<const PlanStep> steps) {
  std::set<SettingObject> changed;
  if (!facts.ports) return changed;
  Facts host = facts;
  for (const PlanStep& step : steps) static_cast<void>(WriteSetting(host, step.object, step.to));
  AddDifferences(facts, host, changed);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    static_cast<void>(WriteSetting(host, step->object, step->from));
  AddDifferences(facts, host, changed);
  return changed;
}

}  // namespace

std::set<SettingObject> RewrittenBy(const Facts& facts, std::span<const PlanStep> steps,
                                    const std::vector<Setting>& all) {
  const std::set<SettingObject> modelled = ModelledChanges(facts, steps);
  std::set<SettingObject> rewritten;
  for (const Setting& setting : all) {
    const SettingObject& object = setting.object;
    const bool is_step = std::ranges::find(steps, object, &PlanStep::object) != steps.end();
    const bool may =
        (!is_step && modelled.contains(object)) || std::ranges::any_of(steps, [&](const PlanStep& step) {
          return step.object != object && MayRewrite(facts, step.object, object);
        });
    if (may) rewritten.insert(object);
  }
  return rewritten;
}

}  // namespace rdmaready
