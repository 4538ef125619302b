// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/boot_owner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "checks/setting/boot_settings.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// BootWrite::setting, and for "dcb" BootWrite::value: the first word behind `dcb`.
struct BootName {
  SettingKind kind = SettingKind::kUnknown;
  std::string_view setting;
  std::string_view value;
};
constexpr std::array<BootName, 8> kBootNames{{{SettingKind::kPfc, "pfc", ""},
                                              {SettingKind::kTrust, "trust", ""},
                                              {SettingKind::kCmTos, "tos", ""},
                                              {SettingKind::kEts, "dcb", "ets"},
                                              {SettingKind::kApp, "dcb", "app"},
                                              {SettingKind::kBuffer, "dcb", "buffer"},
                                              {SettingKind::kDcbx, "dcb", "dcbx"},
                                              {SettingKind::kMaxRate, "dcb", "maxrate"}}};

// The value as a command of the boot has it; empty: it cannot be compared.
std::string BootValueOf(SettingKind kind, std::string_view to) {
  if (kind == SettingKind::kCmTos) return std::string(to);
  const std::optional<PfcSetting> pfc = kind == SettingKind::kPfc ? PfcSettingOf(to) : std::nullopt;
  if (!pfc) return {};
  std::string text;
  for (const std::uint8_t priority : PrioritiesOf(pfc->enabled)) text += Cat(text.empty() ? "" : ",", priority);
  return text.empty() ? "none" : text;
}

// A command may name its interface or device by a variable.
bool IsAt(const BootWrite& write, const SettingObject& object) {
  const std::string device = object.where.substr(0, object.where.find('/'));
  return write.object.empty() || write.object == object.where || write.object == device;
}

// Whether a write of Facts::boot_writes sets the kind, to any value.
bool SetsKind(const BootWrite& write, const BootName& name, const SettingObject& object) {
  return write.setting == name.setting && (name.value.empty() || write.value == name.value) &&
         IsAt(write, object);
}

// A variable of the script, or a pattern.
bool HasKnownValue(const BootWrite& write) {
  return !write.value.empty() && write.value.find_first_of("*$") == std::string::npos;
}

bool IsBelow(std::string_view path, std::string_view folder) { return path.starts_with(folder); }

bool IsSettingFile(std::string_view file) {
  constexpr std::array<std::string_view, 4> kEndings{".conf", ".link", ".network", ".rules"};
  return std::ranges::any_of(kEndings, [file](std::string_view ending) { return file.ends_with(ending); });
}

// The files that give an MTU, link-level pause or a sysctl another value; a step for each.
SettingOwner SettingsOwner(const Facts& facts, const SettingPlace& place, std::string_view to) {
  SettingOwner owner;
  if (to.empty()) return owner;
  const SettingObject& object = place.object;
  const bool sysctl = object.kind == SettingKind::kSysctl;
  const std::string what = sysctl ? object.name : Cat(RowOf(object.kind).words, " of ", object.where);
  for (const BootWrite* write : BootWritersOf(facts, place)) {
    if (IsRightAtBoot(object.kind, *write, to)) continue;
    const std::string file = Printable(write->file);
    if (owner.empty())
      owner = {.name = file,
               .why = Cat(file, " sets ", what, " again at each boot"),
               .file = write->file,
               .at_boot = true};
    RemedyStep step{.action = StepAtBoot(*write, object, what, to)};
    if (std::ranges::find(owner.way.steps, step) == owner.way.steps.end())
      owner.way.steps.push_back(std::move(step));
  }
  return owner;
}

}  // namespace

bool IsMadeAnew(std::string_view file) {
  constexpr std::string_view kByHand = "/usr/local/";
  return IsBelow(file, "/run/") || IsBelow(file, "/lib/") ||
         (IsBelow(file, "/usr/") && (!IsBelow(file, kByHand) || IsBelow(file, "/usr/local/lib/")));
}

std::string ChangeText(std::string_view file, std::string_view started) {
  const std::string name = Printable(file);
  if (!IsMadeAnew(file)) return Cat("change ", name);
  if (file == started || started.empty()) {
    return file.ends_with(".service") ? Cat("change ", name, " by systemctl edit")
                                      : Cat("copy ", name, " to /etc and change it there");
  }
  return Cat("copy ", name, " to /etc, change the copy, and let ", Printable(started), " run it");
}

std::string StepAtBoot(const BootWrite& write, const SettingObject& object, const std::string& what,
                       std::string_view to) {
  const std::string file = Printable(write.file);
  const std::string name = file.substr(file.rfind('/') + 1);
  const bool made = IsMadeAnew(write.file);
  if (IsBelow(file, "/run/") && file.find("-netplan-") != std::string::npos)
    return Cat("for the next boot: set ", what, " (", to, ") in /etc/netplan, which makes ", file);
  // A script or a unit runs later than these files, and a copy of it does not run.
  const bool is_read = IsSettingFile(file);
  const bool pattern = write.object.find('*') != std::string::npos;
  const bool known =
      !write.value.empty() && write.value.find('*') == std::string::npos && !write.object.empty();
  if (!is_read && (!known || pattern))
    return Cat("for the next boot: see that ", file, " sets ", what, " so, too");
  if (made && !is_read)
    return Cat("for the next boot: ", file, " sets ", what, " otherwise: change what starts it (",
               Printable(write.started), "), by systemctl edit where it is a unit");
  if (is_read && object.kind == SettingKind::kSysctl && (made || write.object != object.name))
    return Cat("for the next boot: set ", object.name, " = ", to,
               " in /etc/sysctl.d, in a file whose name comes after ", name, ": ", file, " sets it otherwise");
  if (made)
    return Cat("for the next boot: copy ", file, " to /etc and change it there: it sets ", what, " otherwise");
  if (!known) return Cat("for the next boot: see that ", file, " sets ", what, " so, too");
  return Cat("for the next boot: change ", file, ", which sets ", what, " otherwise");
}

SettingOwner BootOwner(const Facts& facts, const SettingPlace& place, std::string_view to) {
  if (SettingOwner owner = SettingsOwner(facts, place, to); !owner.empty()) return owner;
  const SettingObject& object = place.object;
  const auto name = std::ranges::find(kBootNames, object.kind, &BootName::kind);
  if (name == kBootNames.end() || !facts.boot_writes) return {};
  const bool comparable = object.kind == SettingKind::kCmTos || object.kind == SettingKind::kPfc;
  if (comparable && to.empty()) return {};
  const std::string wanted = BootValueOf(object.kind, to);
  const auto sets = [&](const BootWrite& write) {
    const bool right = !wanted.empty() && write.value == wanted;
    return SetsKind(write, *name, object) && !right;
  };
  const auto found = std::ranges::find_if(*facts.boot_writes, sets);
  if (found == facts.boot_writes->end()) return {};
  const std::string file = Printable(found->file);
  const std::string what = Cat(RowOf(object.kind).words, " of ", object.where);
  SettingOwner owner{.name = file,
                     .why = Cat(file, " sets ", what, " again at each boot"),
                     .file = found->file,
                     .at_boot = true};
  if (wanted.empty()) {
    owner.way.steps.push_back(
        {.action = Cat("for the next boot: see that ", file, " sets ", what, " so, too")});
    return owner;
  }
  const std::string made =
      Cat(ChangeText(found->file, found->started), ": ", file, " sets ", what, " otherwise");
  const std::string change = Cat("change ", file, ", which sets ", what, " otherwise");
  owner.way.steps.push_back({.action = Cat("for the next boot: ", IsMadeAnew(found->file) ? made : change)});
  return owner;
}

std::string FileThatSets(const Facts& facts, const SettingPlace& place, std::string_view value) {
  const SettingObject& object = place.object;
  for (const BootWrite* write : BootWritersOf(facts, place)) {
    if (!HasKnownValue(*write) || IsRightAtBoot(object.kind, *write, value)) return write->file;
  }
  const auto name = std::ranges::find(kBootNames, object.kind, &BootName::kind);
  if (name == kBootNames.end() || !facts.boot_writes) return {};
  const std::string at_boot = BootValueOf(object.kind, value);
  const auto found = std::ranges::find_if(*facts.boot_writes, [&](const BootWrite& write) {
    const bool may_be = at_boot.empty() || !HasKnownValue(write) || write.value == at_boot;
    return SetsKind(write, *name, object) && may_be;
  });
  return found == facts.boot_writes->end() ? std::string() : found->file;
}

}  // namespace rdmaready
