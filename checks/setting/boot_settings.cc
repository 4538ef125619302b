// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/boot_settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLinkEnding = ".link";
constexpr std::string_view kNetworkEnding = ".network";
constexpr std::string_view kDriver = "driver=";

std::string_view NameAtBoot(SettingKind kind) {
  if (kind == SettingKind::kMtu) return "mtu";
  if (kind == SettingKind::kPause) return "pause";
  return kind == SettingKind::kSysctl ? "sysctl" : "";
}

bool IsSame(std::string_view object, const SettingPlace& place) {
  if (object.empty()) return false;  // not known
  if (object == place.object.where) return true;
  const Netdev* netdev = place.netdev;
  if (netdev == nullptr) return false;
  // A bond gives its members its own address after they appeared.
  const std::string& mac = netdev->permanent_mac ? *netdev->permanent_mac : netdev->mac;
  if (object == mac) return true;
  if (netdev->driver_info && object == netdev->driver_info->bus) return true;
  return object.starts_with(kDriver) && object.substr(kDriver.size()) == netdev->driver;
}

// '*' of a pattern stands for an interface.
bool Fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) && name.ends_with(end);
}

bool IsPattern(const BootWrite& write) { return write.object.find('*') != std::string::npos; }

// In sysctl.d a name that is written goes before a pattern, and patterns leave a name without a value alone.
// Commands run apart from both, and each of them may hold.
std::vector<const BootWrite*> SysctlWriters(const BootSettings& settings, const std::string& name) {
  std::vector<const BootWrite*> writers;
  const BootWrite* pattern = nullptr;
  bool named = false;
  for (const BootWrite& write : settings.writes) {
    if (write.setting != "sysctl" || !Fits(write.object, name)) continue;
    const bool of_file = write.file.ends_with(".conf");
    if (of_file && IsPattern(write)) {
      pattern = &write;
      continue;
    }
    named = named || of_file;
    if (!write.value.empty()) writers.push_back(&write);
  }
  if (!named && pattern != nullptr) writers.insert(writers.begin(), pattern);
  return writers;
}

// ---- .link and .network files ----

constexpr std::string_view kApplied = "applied";

std::string_view NameOfFile(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The .link or .network file that a write belongs to, of a drop-in the one that it adds to; empty: neither.
std::string_view MainFileOf(const BootWrite& write, std::string_view ending) {
  if (write.setting == kApplied) return {};
  if (write.started.ends_with(ending)) return write.started;
  return write.file.ends_with(ending) ? std::string_view(write.file) : std::string_view();
}

bool IsOfNetworkFile(const BootWrite& write) {
  return write.setting == kApplied || !MainFileOf(write, kLinkEnding).empty() ||
         !MainFileOf(write, kNetworkEnding).empty();
}

// The .link file that udev applied when the interface appeared; empty: not known.
std::string_view AppliedTo(const BootSettings& settings, const SettingPlace& place) {
  for (const BootWrite& write : settings.writes) {
    if (write.setting == kApplied && write.object == place.object.where) return write.file;
  }
  return {};
}

// The file that holds for the interface: the first one that matches it, by what the files say or by what udev
// applied. A file after the one that udev applied is not looked at any more. Empty: none is known.
std::string_view ChosenFile(const BootSettings& settings, const SettingPlace& place, std::string_view ending,
                            std::string_view applied) {
  for (const BootWrite& write : settings.writes) {
    const std::string_view file = MainFileOf(write, ending);
    if (file.empty()) continue;
    if (!applied.empty() && NameOfFile(file) > NameOfFile(applied)) break;
    if (file == applied || IsSame(write.object, place)) return file;
  }
  return applied;
}

void AddFileWriters(const BootSettings& settings, const SettingPlace& place, std::string_view ending,
                    std::vector<const BootWrite*>& writers) {
  const std::string_view name = NameAtBoot(place.object.kind);
  const std::string_view applied = ending == kLinkEnding ? AppliedTo(settings, place) : std::string_view();
  const std::string_view chosen = ChosenFile(settings, place, ending, applied);
  for (const BootWrite& write : settings.writes) {
    const std::string_view file = MainFileOf(write, ending);
    if (file.empty()) continue;
    const bool past = !chosen.empty() && file != chosen && NameOfFile(file) > NameOfFile(chosen);
    if (past) break;
    // Every write of the file that holds: it may match the interface by what this program does not compare.
    const bool holds = file == chosen && (!applied.empty() || IsSame(write.object, place));
    const bool may_hold = write.object.empty() && applied.empty();
    if (write.setting == name && (holds || may_hold)) writers.push_back(&write);
  }
}

std::vector<const BootWrite*> InterfaceWriters(const BootSettings& settings, const SettingPlace& place) {
  const std::string_view name = NameAtBoot(place.object.kind);
  std::vector<const BootWrite*> writers;
  AddFileWriters(settings, place, kLinkEnding, writers);
  AddFileWriters(settings, place, kNetworkEnding, writers);
  for (const BootWrite& write : settings.writes) {
    const bool same = write.object.empty() || IsSame(write.object, place);
    if (!IsOfNetworkFile(write) && same && write.setting == name) writers.push_back(&write);
  }
  return writers;
}

// Whether the file names this interface and no other one. A driver may have others.
bool IsOfOneInterface(const BootSettings& settings, const SettingPlace& place, std::string_view file) {
  bool any = false;
  for (const BootWrite& write : settings.writes) {
    if (MainFileOf(write, kLinkEnding) != file) continue;
    any = true;
    if (!IsSame(write.object, place) || write.object.starts_with(kDriver)) return false;
  }
  return any;
}

// "rx on tx on" says nothing of autoneg.
bool SetsPause(std::string_view value, std::string_view key, bool on) {
  const std::string text = Cat(" ", value, " ");
  const std::string named = Cat(" ", key, " ");
  return text.find(named) == std::string::npos ||
         text.find(Cat(named, on ? "on " : "off ")) != std::string::npos;
}

// The kinds of Facts::boot_writes.
bool IsSetByScripts(SettingKind kind) {
  constexpr std::array<SettingKind, 8> kKinds{SettingKind::kPfc,  SettingKind::kTrust,  SettingKind::kCmTos,
                                              SettingKind::kEts,  SettingKind::kApp,    SettingKind::kBuffer,
                                              SettingKind::kDcbx, SettingKind::kMaxRate};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

// Whether a file or folder of the boot may hold a setting of the kind: sysctl.d holds no MTU, and the files of
// network managers no sysctl.
bool MayHold(std::string_view path, SettingKind kind) {
  const auto has = [path](std::string_view part) { return path.find(part) != std::string_view::npos; };
  if (has("/modprobe.d")) return false;
  if (has("/sysctl.")) return kind == SettingKind::kSysctl;
  const bool of_manager = has("/systemd/network") || has("/netplan") || has("/system-connections") ||
                          has("/network-scripts/ifcfg-") || has("/sysconfig/network");
  return !of_manager || kind != SettingKind::kSysctl;
}

}  // namespace

std::vector<const BootWrite*> BootWritersOf(const Facts& facts, const SettingPlace& place) {
  if (!facts.boot_settings) return {};
  const SettingKind kind = place.object.kind;
  if (kind == SettingKind::kSysctl) return SysctlWriters(*facts.boot_settings, place.object.name);
  if (NameAtBoot(kind).empty()) return {};
  return InterfaceWriters(*facts.boot_settings, place);
}

bool IsRightAtBoot(SettingKind kind, const BootWrite& write, std::string_view to) {
  if (kind != SettingKind::kPause) return write.value == to;
  const std::optional<Pause> pause = PauseOf(to);
  return pause && SetsPause(write.value, "autoneg", pause->autoneg) &&
         SetsPause(write.value, "rx", pause->rx) && SetsPause(write.value, "tx", pause->tx);
}

std::string UnreadAtBoot(const Facts& facts, SettingKind kind) {
  constexpr std::size_t kMostNamed = 2;
  if (NameAtBoot(kind).empty()) {
    const auto script = facts.boot_writes && IsSetByScripts(kind) ? UnreadScript(facts) : std::nullopt;
    return script ? script->detail : std::string();
  }
  if (!facts.boot_settings) return "the files of the boot were not read, and one may set it at the next boot";
  std::vector<std::string> unread = facts.boot_settings->unread;
  std::erase_if(unread, [kind](const std::string& path) { return !MayHold(path, kind); });
  if (unread.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(unread.size(), kMostNamed); ++i)
    text += Cat(text.empty() ? "" : ", ", Printable(unread[i]));
  if (unread.size() > kMostNamed) text += Cat(" and ", unread.size() - kMostNamed, " more");
  return Cat(text, " could not be read, and may set it at the next boot");
}

AtBootLink LinkFileOf(const Facts& facts, const SettingPlace& place) {
  if (!facts.boot_settings) return {};
  const BootSettings& settings = *facts.boot_settings;
  const std::string file(ChosenFile(settings, place, kLinkEnding, AppliedTo(settings, place)));
  return {.file = file, .own = !file.empty() && IsOfOneInterface(settings, place, file)};
}

std::string NetworkdFileOf(const Facts& facts, const std::string& netdev) {
  if (!facts.boot_settings) return {};
  for (const BootWrite& write : facts.boot_settings->writes)
    if (write.setting == "networkd" && write.object == netdev) return write.file;
  return {};
}

bool NamesOthers(const Facts& facts, const SettingPlace& place, std::string_view file) {
  const bool managed =
      facts.managed_interfaces && std::ranges::any_of(*facts.managed_interfaces, [&](const NamedDevice& named) {
        return named.source == file && (named.device != place.object.where || !named.exact);
      });
  if (managed || !facts.boot_settings) return managed;
  return std::ranges::any_of(facts.boot_settings->writes, [&](const BootWrite& write) {
    return !write.object.empty() && (write.started == file || write.file == file) &&
           !IsSame(write.object, place);
  });
}

std::optional<Missing> UnreadScript(const Facts& facts, std::string_view folder) {
  if (!facts.boot_writes) return facts.boot_writes.missing();
  for (const BootWrite& write : *facts.boot_writes) {
    if (write.setting != "unread" || !write.file.starts_with(folder)) continue;
    return Missing{write.value == "denied" ? Missing::Kind::kDenied : Missing::Kind::kFailed,
                   Cat(Printable(write.file), " could not be read, and may set it at the next boot")};
  }
  return std::nullopt;
}

}  // namespace rdmaready
