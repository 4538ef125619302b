// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/kept.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/digest.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/convert/model_json.h"
#include "checks/setting/older_values.h"

namespace rdmaready::apply {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostKeptBytes = 16U << 20U;

const SettingObject& ObjectOf(const KeptSetting& entry) { return entry.setting.object; }

Json EntriesJson(const std::vector<KeptSetting>& list) {
  Json entries = Json::array();
  for (const KeptSetting& entry : list) {
    entries.push_back({{"what", TextOf(entry.setting.object)},
                       {"setting", convert::KeptJson(entry.setting)},
                       {"subject", entry.subject},
                       {"change", entry.change},
                       {"boot_id", entry.boot_id},
                       {"device", entry.device},
                       {"identity", entry.identity}});
    if (!entry.written.empty()) entries.back()["written"] = entry.written;
  }
  return entries;
}

bool ReadText(const Json& entry, std::string_view key, std::string& text) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return true;
}

bool ReadEntry(const Json& json, KeptSetting& entry) {
  if (!json.is_object()) return false;
  const auto setting = json.find("setting");
  const auto device = json.find("device");
  if (setting == json.end() || device == json.end() || !device->is_number_unsigned()) return false;
  entry.device = device->get<std::uint64_t>();
  // Earlier versions wrote none.
  if (json.contains("identity") && !ReadText(json, "identity", entry.identity)) return false;
  if (json.contains("written") && !ReadText(json, "written", entry.written)) return false;
  if (!convert::ReadKeptJson(*setting, entry.setting)) return false;
  entry.setting.value = TodaysValue(ObjectOf(entry).kind, std::move(entry.setting.value));
  return IsCanonical(ObjectOf(entry).kind, entry.setting.value) && ReadText(json, "subject", entry.subject) &&
         ReadText(json, "change", entry.change) && ReadText(json, "boot_id", entry.boot_id);
}

bool ReadEntries(const Json& json, std::string_view key, std::vector<KeptSetting>& list) {
  const auto entries = json.find(key);
  if (entries == json.end() || !entries->is_array()) return false;
  for (const Json& one : *entries) {
    KeptSetting entry;
    if (!ReadEntry(one, entry)) return false;
    Put(list, std::move(entry));
  }
  return true;
}

// Earlier versions wrote none.
bool ReadFiles(const Json& json, std::vector<KeptFile>& files) {
  const auto entries = json.find("files");
  if (entries == json.end()) return true;
  if (!entries->is_array()) return false;
  return std::ranges::all_of(
      *entries, [&files](const Json& entry) { return convert::ReadKeptJson(entry, files.emplace_back()); });
}

}  // namespace

void Put(std::vector<KeptSetting>& list, KeptSetting entry) {
  const auto at = std::ranges::lower_bound(list, ObjectOf(entry), {}, ObjectOf);
  if (at != list.end() && ObjectOf(*at) == ObjectOf(entry))
    *at = std::move(entry);
  else
    list.insert(at, std::move(entry));
}

bool Remove(std::vector<KeptSetting>& list, const SettingObject& object) {
  return std::erase_if(list, [&](const KeptSetting& entry) { return ObjectOf(entry) == object; }) > 0;
}

const KeptSetting* Find(const std::vector<KeptSetting>& list, const SettingObject& object) {
  const auto at = std::ranges::lower_bound(list, object, {}, ObjectOf);
  return at != list.end() && ObjectOf(*at) == object ? &*at : nullptr;
}

std::string TextOf(const KeptSettings& settings) {
  Json json{{"version", 1}, {"kept", EntriesJson(settings.kept)}, {"owed", EntriesJson(settings.owed)}};
  for (const KeptFile& file : settings.files) json["files"].push_back(convert::KeptJson(file));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<KeptSettings> KeptSettingsOf(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  KeptSettings settings;
  if (!json.is_object() || !json.contains("version") || json["version"] != 1 ||
      !ReadEntries(json, "kept", settings.kept) || !ReadEntries(json, "owed", settings.owed) ||
      !ReadFiles(json, settings.files))
    return absl::DataLossError("it does not hold settings that are kept");
  return settings;
}

absl::StatusOr<KeptSettings> LoadKept(const std::string& path) {
  struct ::stat info {};
  if (::lstat(path.c_str(), &info) != 0 && errno == ENOENT) return KeptSettings{};
  if (S_ISLNK(info.st_mode)) return absl::FailedPreconditionError(path + ": it is a symbolic link");
  if (info.st_mode != 0 && !S_ISREG(info.st_mode))
    return absl::FailedPreconditionError(path + ": it is no file");
  if (std::cmp_greater(info.st_size, kMostKeptBytes))
    return absl::DataLossError(path + " is damaged: too large");
  RR_ASSIGN_OR_RETURN(const std::string text,
                      ReadGuardedFile(path, kMostKeptBytes, ::geteuid(), S_IRWXG | S_IRWXO));
  absl::StatusOr<KeptSettings> settings = KeptSettingsOf(text);
  if (!settings.ok()) return absl::DataLossError(path + " is damaged: " + Message(settings.status()));
  return settings;
}

absl::Status SaveKept(Disk& disk, const std::string& path, const KeptSettings& settings) {
  return disk.Replace(path, TextOf(settings));
}

}  // namespace rdmaready::apply
