// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist_sysctls.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/number.h"
#include "checks/net/shared_subnets.h"
#include "checks/plan/boot_files.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/sysctl_name.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFolder = "/etc/sysctl.d/";
constexpr std::string_view kOwnName = "90-rdmaready.conf";
constexpr std::string_view kConfEnding = ".conf";

std::string_view NameOfFile(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether the file of ours would be read before it: systemd-sysctl goes by the names, and commands run later.
bool HoldsOverOurs(const BootWrite& write) {
  if (!write.file.ends_with(kConfEnding)) return true;
  // A name that is written goes before a pattern, whatever the names of the files.
  const bool pattern = write.object.find('*') != std::string::npos;
  return !pattern && NameOfFile(write.file) > kOwnName;
}

// A file of a package that is read later than ours: ours gets a name that comes after it.
bool IsOvertaken(const BootWrite& write) {
  return write.file.ends_with(kConfEnding) && IsMadeAnew(write.file) && HoldsOverOurs(write);
}

// The values that are to be kept, by the names of their variables.
using Values = std::map<std::string, std::string>;

// Whether files of the host leave the variable at that value, or one of them must be changed: then it is among
// `files`.
bool IsSysctlKept(const Facts& host, const std::string& name, const std::string& value,
                  std::vector<PersistFile>& files) {
  const SettingObject object{.kind = SettingKind::kSysctl, .name = name};
  bool kept = false;
  for (const BootWrite* write : BootWritersOf(host, PlaceOf(host, object))) {
    const bool right = IsRightAtBoot(object.kind, *write, value);
    if (!right && (!HoldsOverOurs(*write) || IsOvertaken(*write))) continue;
    kept = true;
    if (right) continue;
    const bool made = IsMadeAnew(write->file);
    files.push_back({.path = made ? write->started : write->file,
                     .content = made ? std::string() : Cat(name, " = ", value, "\n"),
                     .note = made ? StepAtBoot(*write, object, name, value)
                                  : Cat("sets ", name, " otherwise at boot: change it there"),
                     .exists_already = true,
                     .keeps = {object}});
  }
  return kept;
}

// Whether files of the host leave the variable of all interfaces at a value that does for this one.
bool IsKeptForAll(const Facts& host, std::string_view variable, const std::string& value) {
  const SettingObject all{.kind = SettingKind::kSysctl, .name = Ipv4VariableName("all", variable)};
  const auto writers = BootWritersOf(host, PlaceOf(host, all));
  return !writers.empty() && std::ranges::all_of(writers, [&value](const BootWrite* write) {
    return IsRightAtBoot(SettingKind::kSysctl, *write, value);
  });
}

// Keeps the value in effect on the interface: the larger one of its own variable and that of all interfaces.
void AddHeld(const Facts& now, const Facts& host, const std::string& netdev, Values& values) {
  for (const SharedSubnetSysctl& wanted : SharedSubnetSysctls()) {
    const auto valued = [&now, &wanted](const std::string& where) {
      const SettingObject object{.kind = SettingKind::kSysctl,
                                 .name = Ipv4VariableName(where, wanted.variable)};
      return ParseNumber<std::uint32_t>(ValueOf(now, object)).value_or(0);
    };
    const std::uint32_t all = valued("all");
    const std::uint32_t held = std::max(all, valued(netdev));
    const std::string value = std::to_string(held);
    const bool by_all = all == held && IsKeptForAll(host, wanted.variable, value);
    if (held != 0 && !by_all) values.try_emplace(Ipv4VariableName(netdev, wanted.variable), value);
  }
}

// In /etc/sysctl.d, after every file of a package that sets one of the values otherwise.
std::string SysctlFileName(const Facts& host, const Values& values) {
  std::string last;
  for (const auto& [name, value] : values) {
    const SettingObject object{.kind = SettingKind::kSysctl, .name = name};
    for (const BootWrite* write : BootWritersOf(host, PlaceOf(host, object))) {
      const bool undone = !IsRightAtBoot(object.kind, *write, value) && IsOvertaken(*write);
      if (undone) last = std::max(last, std::string(NameOfFile(write->file)));
    }
  }
  if (last.empty()) return Cat(kFolder, kOwnName);
  last.resize(last.size() - kConfEnding.size());
  return Cat(kFolder, last, ".rdmaready.conf");
}

// The values in this program's files; the last file by its name holds, and is written again.
struct OwnFile {
  std::string path{};
  Values values{};
};

OwnFile OwnFileOf(const Facts& before) {
  OwnFile own;
  if (!before.boot_settings) return own;
  std::vector<BootWrite> writes = before.boot_settings->writes;
  std::erase_if(writes, [](const BootWrite& write) {
    return write.setting != "sysctl" || !write.file.starts_with(kFolder) || !IsBootFilePath(write.file);
  });
  std::ranges::stable_sort(writes, {}, &BootWrite::file);
  for (const BootWrite& write : writes) {
    own.path = write.file;
    own.values[write.object] = write.value;
  }
  return own;
}

}  // namespace

void AddSysctlFiles(const Facts& before, const Facts& host, const std::vector<PlannedPart>& parts,
                    const Plan& plan, std::vector<PersistFile>& files) {
  Values values;
  for (const PlanStep& step : plan.steps) {
    if (step.object.kind == SettingKind::kSysctl) values[step.object.name] = step.to;
  }
  for (const PlannedPart& part : parts) {
    if (!part.now.sysctls) continue;
    for (const Port& port : *part.now.ports) {
      for (const SharedSubnet& subnet : SharedSubnetsOf(port)) {
        for (const SubnetMember& member : subnet.members) AddHeld(part.now, host, member.netdev, values);
      }
    }
  }
  Values ours;
  for (const auto& [name, value] : values) {
    if (!IsSysctlKept(host, name, value, files)) ours[name] = value;
  }
  if (ours.empty()) return;
  const OwnFile own = OwnFileOf(before);
  // An earlier order for other ports stays in force.
  for (const auto& [name, value] : own.values)
    if (!values.contains(name)) ours.try_emplace(name, value);
  std::string content;
  std::vector<SettingObject> keeps;
  for (const auto& [name, value] : ours) {
    content += Cat(name, " = ", value, "\n");
    keeps.push_back({.kind = SettingKind::kSysctl, .name = name});
  }
  files.push_back({.path = std::max(SysctlFileName(host, ours), own.path),
                   .content = Cat("# Made by rdmaready.\n", content),
                   .note = Cat("what interfaces in one subnet need",
                               UnreadAtBoot(host, SettingKind::kSysctl).empty()
                                   ? std::string()
                                   : Cat("; ", UnreadAtBoot(host, SettingKind::kSysctl))),
                   .keeps = std::move(keeps),
                   .by_apply = true});
}

}  // namespace rdmaready
