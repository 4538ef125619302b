// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/apply_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "agent/apply/journal.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/model/setting.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "rdmaready/v1/apply_file.pb.h"

namespace rdmaready::helper {
namespace {

constexpr std::string_view kAllSettings = "all";
constexpr std::size_t kMostPatternBytes = 128;
constexpr std::size_t kMostPeerBytes = 253;  // of a name in the DNS
constexpr std::uint32_t kMostConfirmSeconds = 86'400;
constexpr std::uint32_t kMostPutBacksPerHour = 3'600;
constexpr std::uint32_t kMsPerSecond = 1'000;

// What is wrong, and the key that it is wrong of; an item of a list, where it is one.
struct Trouble {
  std::string key{};
  std::optional<std::size_t> item{};
  std::string text{};
};

bool IsWord(std::string_view text, std::size_t most_bytes) {
  return !text.empty() && text.size() <= most_bytes &&
         std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~'; });
}

bool IsSha256(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

std::string NoSetting(const std::string& word) {
  std::vector<std::string> known{std::string(kAllSettings)};
  for (const SettingKind kind : kSettingKinds) known.emplace_back(NameOf(kind));
  const std::string close = ClosestWord(word, known);
  return fmt::format("`{}` is no setting{}", word, close.empty() ? "" : " (did you mean `" + close + "`?)");
}

std::optional<Trouble> TakePorts(const v1::ApplyFile& file, Permission& permission) {
  for (const std::string& pattern : file.ports()) {
    if (!IsWord(pattern, kMostPatternBytes))
      return Trouble{"ports", permission.ports.size(),
                     "a port is a pattern of names, like \"ens1*\", without blanks"};
    permission.ports.push_back(pattern);
  }
  return std::nullopt;
}

std::optional<Trouble> TakeSettings(const v1::ApplyFile& file, Permission& permission) {
  for (int i = 0; i < file.settings_size(); ++i) {
    const std::string& word = file.settings(i);
    if (word == kAllSettings) {
      permission.settings.assign(kSettingKinds.begin(), kSettingKinds.end());
      continue;
    }
    const SettingKind kind = SettingKindNamed(word);
    if (kind == SettingKind::kUnknown) return Trouble{"settings", static_cast<std::size_t>(i), NoSetting(word)};
    if (std::ranges::find(permission.settings, kind) == permission.settings.end())
      permission.settings.push_back(kind);
  }
  return std::nullopt;
}

std::optional<Trouble> TakeProfiles(const v1::ApplyFile& file, Permission& permission) {
  for (const v1::ApplyFile::ListedProfile& listed : file.profiles()) {
    if (!IsSha256(listed.sha256()))
      return Trouble{"profiles", permission.profiles.size(),
                     "a profile needs its `sha256`, 64 lower-case hexadecimal digits: rdmaready profile digest "
                     "NAME|FILE"};
    permission.profiles.push_back({.sha256 = listed.sha256(), .name = listed.name()});
  }
  return std::nullopt;
}

std::optional<Trouble> TakeLimits(const v1::ApplyFile& file, Permission& permission) {
  const v1::ApplyFile::ConfirmWithin& within = file.confirm_within();
  for (const std::uint32_t seconds : {within.least(), within.most()}) {
    if (seconds > kMostConfirmSeconds)
      return Trouble{"confirm_within", {}, fmt::format("{} s is more than a day", seconds)};
  }
  if (within.has_least()) permission.least_confirm_within_ms = within.least() * kMsPerSecond;
  if (within.has_most()) permission.most_confirm_within_ms = within.most() * kMsPerSecond;
  if (permission.least_confirm_within_ms == 0 ||
      permission.least_confirm_within_ms > permission.most_confirm_within_ms)
    return Trouble{"confirm_within", {}, "`least` is 1 or more, and not more than `most`"};
  permission.one_way = file.one_way();
  permission.files = file.files();
  if (!file.has_put_back()) return std::nullopt;
  const std::uint32_t most = file.put_back().most_per_hour();
  if (most == 0 || most > kMostPutBacksPerHour)
    return Trouble{"put_back", {}, fmt::format("it needs `most_per_hour`, 1 to {}", kMostPutBacksPerHour)};
  permission.put_back_most_per_hour = most;
  return std::nullopt;
}

std::optional<Trouble> TakeChanges(const v1::ApplyFile& file, Permission& permission) {
  if (!file.has_changes()) return std::nullopt;
  const std::uint32_t most = file.changes().most_per_hour();
  if (most == 0 || most > apply::kMostBegun)
    return Trouble{"changes", {}, fmt::format("it needs `most_per_hour`, 1 to {}", apply::kMostBegun)};
  permission.changes_most_per_hour = most;
  return std::nullopt;
}

std::optional<Trouble> TakePeer(const v1::ApplyFile& file, Permission& permission) {
  if (file.peer().empty()) return std::nullopt;
  if (!IsWord(file.peer(), kMostPeerBytes)) return Trouble{"peer", {}, "a host's name or address"};
  permission.peer = file.peer();
  return std::nullopt;
}

std::optional<Trouble> Take(const v1::ApplyFile& file, Permission& permission) {
  for (const auto take : {TakePorts, TakeSettings, TakeProfiles, TakeLimits, TakeChanges, TakePeer}) {
    if (std::optional<Trouble> trouble = take(file, permission)) return trouble;
  }
  return std::nullopt;
}

int LineOf(const YamlNode& root, const Trouble& trouble) {
  for (const YamlNode::Entry& entry : root.entries) {
    if (entry.key != trouble.key) continue;
    return trouble.item && *trouble.item < entry.value.items.size() ? entry.value.items[*trouble.item].line
                                                                    : entry.line;
  }
  return root.line;
}

}  // namespace

absl::StatusOr<Permission> ParseApplyFile(std::string_view yaml, const std::string& file_name) {
  std::vector<YamlFault> faults;
  v1::ApplyFile message;
  Permission permission;
  const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults);
  if (root) FillMessage(*root, std::span(&file_name, 1), {}, message, faults);
  if (faults.empty()) {
    if (const std::optional<Trouble> trouble = Take(message, permission))
      faults.push_back({.file = file_name,
                        .line = LineOf(*root, *trouble),
                        .text = fmt::format("`{}`: {}", trouble->key, trouble->text)});
  }
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return permission;
}

absl::StatusOr<Permission> LoadApplyFile(const std::string& path, ::uid_t owner) {
  RR_ASSIGN_OR_RETURN(const std::string text,
                      ReadGuardedInPlace(path, kMaxYamlBytes, owner, S_IWGRP | S_IWOTH));
  return ParseApplyFile(text, path);
}

}  // namespace rdmaready::helper
