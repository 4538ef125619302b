// SPDX-License-Identifier: Apache-2.0
// RDMA-CM's defaults, by configfs.
#include <cstdint>

#include "api/base/number.h"
#include "checks/setting/consequences.h"
#include "checks/setting/edit.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// "rxe0/1": the device's directory must be made first, and shows what RDMA-CM has for its ports.
std::string IntoConfigfs(const SettingObject& object, std::string_view value) {
  const std::size_t slash = object.where.rfind('/');
  const std::string folder = Cat("/sys/kernel/config/rdma_cm/", object.where.substr(0, slash));
  const std::string_view port =
      slash == std::string::npos ? "" : std::string_view(object.where).substr(slash + 1);
  return Cat("mkdir -p ", ShellWord(folder), " && echo ", ShellWord(value), " > ",
             ShellWord(Cat(folder, "/ports/", port, "/", RowOf(object.kind).file.name)));
}

std::vector<Setting> ReadCmModeSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, port] : PortsOf(facts)) {
    if (port->cm_default_mode)
      AddSetting(settings, {.kind = SettingKind::kCmMode, .where = name}, Text(*port->cm_default_mode));
  }
  return settings;
}

std::vector<Setting> ReadCmTosSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, port] : PortsOf(facts)) {
    if (port->cm_default_tos)
      AddSetting(settings, {.kind = SettingKind::kCmTos, .where = name}, std::to_string(*port->cm_default_tos));
  }
  return settings;
}

Commands CmCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  return IsChange(place, from, to) ? Commands{IntoConfigfs(place.object, to)} : Commands{};
}

std::string CmEffect(Facts& facts, const SettingObject& object, std::string_view to) {
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

std::vector<SettingRow> RdmaCmRows() {
  return {
      {.kind = SettingKind::kCmMode,
       .words = "RDMA-CM mode",
       .home = SettingHome::kRdmaPort,
       .writer = SettingWriter::kRdmaCm,
       .file = {"default_roce_mode", "RoCE mode"},
       .api = "configfs rdma_cm default_roce_mode",
       .right = "rdma-cm-settings",
       .serves = {"gid.default-mode"},
       .read = ReadCmModeSettings,
       .commands = CmCommands,
       .disturbs = NothingDisturbs,
       .effect = CmEffect},
      {.kind = SettingKind::kCmTos,
       .words = "RDMA-CM ToS",
       .home = SettingHome::kRdmaPort,
       .writer = SettingWriter::kRdmaCm,
       .file = {"default_roce_tos", "type of service"},
       .api = "configfs rdma_cm default_roce_tos",
       .right = "rdma-cm-settings",
       .serves = {"roce.tos", "ecn.ect-set", "roce.tos-verbs"},
       .read = ReadCmTosSettings,
       .commands = CmCommands,
       .disturbs = NothingDisturbs,
       .effect = CmEffect},
  };
}

}  // namespace rdmaready
