// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/side_effects.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "checks/dcb/dcb_driver.h"
#include "checks/setting/table.h"

namespace rdmaready {
namespace {

using Kind = SettingKind;

bool OpensDcb(Kind kind) {
  return kind == Kind::kDcbx || kind == Kind::kPrivateFlag || kind == Kind::kDevlinkParameter;
}

// A write of one kind after which another setting of the same netdev may read otherwise.
struct Rewrite {
  DcbDriver driver;
  Kind written;
  Kind other;
};

// Rows of DRIVERS.md. bnxt_en, cxgb4 and qede write nothing but what they are asked for.
constexpr std::array<Rewrite, 15> kRewrites{
    {{DcbDriver::kMlx5, Kind::kPfc, Kind::kBuffer},    // mlx5.pfc.firmware-buffers, mlx5.pfc.manual-buffers
     {DcbDriver::kIce, Kind::kApp, Kind::kEts},        // ice.app.first, ice.app.last
     {DcbDriver::kIce, Kind::kApp, Kind::kPfc},        // ice.app.last
     {DcbDriver::kIce, Kind::kApp, Kind::kPause},      // ice.app.last, ice.pfc.pause
     {DcbDriver::kIce, Kind::kPfc, Kind::kEts},        // ice.pfc.first, ice.app.last-hidden
     {DcbDriver::kIce, Kind::kEts, Kind::kPfc},        // ice.app.last-hidden
     {DcbDriver::kIce, Kind::kEts, Kind::kPause},      // ice.app.last-hidden, ice.pfc.pause
     {DcbDriver::kIce, Kind::kPfc, Kind::kPause},      // ice.pfc.pause
     {DcbDriver::kMlx4, Kind::kPfc, Kind::kPause},     // mlx4.pfc.pause
     {DcbDriver::kMlx4, Kind::kPause, Kind::kPfc},     // mlx4.pause.pfc
     {DcbDriver::kHns3, Kind::kPfc, Kind::kPause},     // hns3.pfc.pause
     {DcbDriver::kHns3, Kind::kEts, Kind::kPause},     // hns3.ets.pause
     {DcbDriver::kI40e, Kind::kPfc, Kind::kPause},     // i40e.pfc.pause
     {DcbDriver::kI40e, Kind::kPause, Kind::kEts},     // i40e.all.link-down
     {DcbDriver::kIxgbe, Kind::kPfc, Kind::kPause}}};  // ixgbe.pfc.pause

// The rule for a netdev whose driver has no row. Every kind of bridging may change with another, and PFC and
// pause of the whole link exclude each other in most NICs.
bool UnknownRewrites(Kind written, Kind other) {
  if (written == Kind::kPause) return other == Kind::kPfc;
  return IsDcbSetting(written) && (IsDcbSetting(other) || other == Kind::kPause);
}

// The virtual fabric's NIC by the book behaves as mlx4, as hns3, or as a driver without a row: it does not say
// which.
bool IsRowOf(DcbDriver driver, const Rewrite& row) {
  if (driver != DcbDriver::kPlain) return row.driver == driver;
  return row.driver == DcbDriver::kMlx4 || row.driver == DcbDriver::kHns3;
}

bool DriverRewrites(DcbDriver driver, Kind written, Kind other) {
  if (driver == DcbDriver::kOther) return UnknownRewrites(written, other);
  return std::ranges::any_of(kRewrites, [&](const Rewrite& row) {
    return IsRowOf(driver, row) && row.written == written && row.other == other;
  });
}

bool MayRewrite(const Facts& facts, const SettingObject& written, const SettingObject& other) {
  if (written.kind == Kind::kDevlinkParameter) return IsDcbSetting(other.kind);
  if (written.where != other.where) return false;
  const SettingPlace place = PlaceOf(facts, written);
  const DcbDriver driver = place.netdev == nullptr ? DcbDriver::kOther : DcbDriverOf(*place.netdev);
  // A change of who runs DCBX may change all of data centre bridging in every driver, and what follows PFC.
  if (OpensDcb(written.kind)) return IsDcbSetting(other.kind) || DriverRewrites(driver, Kind::kPfc, other.kind);
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
