// SPDX-License-Identifier: Apache-2.0
// Parameters of devlink that take effect at once.
#include <algorithm>
#include <utility>

#include "checks/setting/consequences.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/edit.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::vector<Setting> ReadDevlinkSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [handle, port] : DevlinksOf(facts)) {
    if (!port->devlink.parameters) continue;
    for (const DevlinkParameter& parameter : *port->devlink.parameters) {
      AddSetting(settings, {.kind = SettingKind::kDevlinkParameter, .where = handle, .name = parameter.name},
                 parameter.runtime);
    }
  }
  return SortedByObject(std::move(settings));
}

Commands DevlinkCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  return {Cat("devlink dev param set ", ShellWord(place.object.where), " name ", ShellWord(place.object.name),
              " value ", to, " cmode runtime")};
}

// ice_devlink_enable_roce_set makes the RDMA device, or takes it away, with all its connections.
Disturbance DevlinkDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const bool of_rdma = place.object.name == "enable_roce" || place.object.name == "enable_iwarp" ||
                       place.object.name == "enable_rdma";
  if (!of_rdma) return OfUnknownDriver(place);
  const std::string_view driver = HasDriver(place.netdev, "ice") ? "ice: " : "";
  return {.text = Cat(driver, to == "true" ? "the RDMA device comes anew"
                                           : "the RDMA device goes, with all connections"),
          .estimate_ms = kDeviceMs};
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

std::string DevlinkEffect(Facts& facts, const SettingObject& object, std::string_view to) {
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

}  // namespace

std::vector<SettingRow> DevlinkRows() {
  return {
      {.kind = SettingKind::kDevlinkParameter,
       .words = "devlink",
       .has_name = true,
       .home = SettingHome::kDevlink,
       .writer = SettingWriter::kDevlink,
       .api = "devlink PARAM_SET",
       .right = "link-settings",
       .serves = {"drv.roce-enabled"},
       .read = ReadDevlinkSettings,
       .commands = DevlinkCommands,
       .disturbs = DevlinkDisturbs,
       .effect = DevlinkEffect},
  };
}

}  // namespace rdmaready
