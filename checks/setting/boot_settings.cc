// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/boot_settings.h"

#include <algorithm>
#include <optional>
#include <string>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLinkEnding = ".link";
constexpr std::string_view kNetworkEnding = ".network";

std::string_view NameAtBoot(SettingKind kind) {
  if (kind == SettingKind::kMtu) return "mtu";
  if (kind == SettingKind::kPause) return "pause";
  return kind == SettingKind::kSysctl ? "sysctl" : "";
}

bool IsSame(std::string_view object, const SettingPlace& place) {
  constexpr std::string_view kDriver = "driver=";
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

// A name that is written goes before a pattern, and a name without a value is not written by patterns. Commands
// run apart from both.
std::vector<const BootWrite*> SysctlWriters(const BootSettings& settings, const std::string& name) {
  std::vector<const BootWrite*> exact;
  const BootWrite* pattern = nullptr;
  bool excluded = false;
  for (const BootWrite& write : settings.writes) {
    if (write.setting != "sysctl" || !Fits(write.object, name)) continue;
    if (write.object.find('*') != std::string::npos) {
      pattern = &write;
    } else if (write.value.empty()) {
      excluded = true;
    } else {
      exact.push_back(&write);
    }
  }
  if (exact.empty() && !excluded && pattern != nullptr) exact.push_back(pattern);
  return exact;
}

// The first .link or .network file that is known to match is the only one of its kind.
std::vector<const BootWrite*> InterfaceWriters(const BootSettings& settings, const SettingPlace& place) {
  const std::string_view name = NameAtBoot(place.object.kind);
  std::vector<const BootWrite*> writers;
  for (const std::string_view ending : {kLinkEnding, kNetworkEnding}) {
    std::string chosen;
    for (const BootWrite& write : settings.writes) {
      if (!write.file.ends_with(ending)) continue;
      const bool same = IsSame(write.object, place);
      if (!chosen.empty() && write.file != chosen) break;
      if (same) chosen = write.file;
      if (write.setting == name && (same || write.object.empty())) writers.push_back(&write);
    }
  }
  for (const BootWrite& write : settings.writes) {
    const bool first_holds = write.file.ends_with(kLinkEnding) || write.file.ends_with(kNetworkEnding);
    const bool same = write.object.empty() || IsSame(write.object, place);
    if (!first_holds && same && write.setting == name) writers.push_back(&write);
  }
  return writers;
}

// "rx on tx on" says nothing of autoneg.
bool SetsPause(std::string_view value, std::string_view key, bool on) {
  const std::string text = Cat(" ", value, " ");
  const std::string named = Cat(" ", key, " ");
  return text.find(named) == std::string::npos ||
         text.find(Cat(named, on ? "on " : "off ")) != std::string::npos;
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
  if (NameAtBoot(kind).empty()) return {};
  if (!facts.boot_settings) return "the files of the boot were not read, and one may set it at the next boot";
  if (facts.boot_settings->unread.empty()) return {};
  const std::vector<std::string>& unread = facts.boot_settings->unread;
  std::string text;
  for (std::size_t i = 0; i < std::min(unread.size(), kMostNamed); ++i)
    text += Cat(text.empty() ? "" : ", ", Printable(unread[i]));
  if (unread.size() > kMostNamed) text += Cat(" and ", unread.size() - kMostNamed, " more");
  return Cat(text, " could not be read, and may set it at the next boot");
}

const BootWrite* LinkFileOf(const Facts& facts, const SettingPlace& place) {
  if (!facts.boot_settings) return nullptr;
  const auto& writes = facts.boot_settings->writes;
  const auto found = std::ranges::find_if(writes, [&place](const BootWrite& write) {
    return write.file.ends_with(kLinkEnding) && IsSame(write.object, place);
  });
  return found == writes.end() ? nullptr : &*found;
}

}  // namespace rdmaready
