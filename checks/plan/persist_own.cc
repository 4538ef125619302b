// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist_own.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "checks/plan/boot_files.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

void EraseOwn(Fact<std::vector<std::string>>& paths) {
  if (!paths) return;
  std::vector<std::string> others = *paths;
  std::erase_if(others, IsBootFilePath);
  paths = std::move(others);
}

bool IsOwn(const BootWrite& write) { return IsBootFilePath(write.file) || IsBootFilePath(write.started); }

// Without what files of this program set. A drop-in of ours still shows which file of the site systemd applied.
std::vector<BootWrite> OfTheSite(const std::vector<BootWrite>& writes) {
  std::vector<BootWrite> others;
  for (const BootWrite& write : writes) {
    if (!IsOwn(write)) {
      others.push_back(write);
    } else if (!write.started.empty() && !IsBootFilePath(write.started)) {
      others.push_back(
          {.file = write.started, .started = write.started, .setting = "match", .object = write.object});
    }
  }
  return others;
}

// Whether the content gives the object that value.
bool Gives(const PersistFile& file, const SettingObject& object, const std::string& value) {
  if (object.kind == SettingKind::kSysctl)
    return file.content.find(Cat(object.name, " = ", value, "\n")) != std::string::npos;
  constexpr std::array<std::string_view, 4> kForms{"MTUBytes=", " mtu ", "mtu: ", "mtu="};
  return object.kind == SettingKind::kMtu && std::ranges::any_of(kForms, [&](std::string_view form) {
           return file.content.find(Cat(form, value, "\n")) != std::string::npos;
         });
}

}  // namespace

Facts WithoutOwnFiles(Facts facts) {
  EraseOwn(facts.dcb_keepers);
  EraseOwn(facts.tos_keepers);
  if (facts.boot_writes) facts.boot_writes = OfTheSite(*facts.boot_writes);
  if (facts.boot_settings) {
    BootSettings others = *facts.boot_settings;
    others.writes = OfTheSite(others.writes);
    facts.boot_settings = std::move(others);
  }
  return facts;
}

bool IsThere(const Facts& host, const PersistFile& file) {
  if (!host.boot_settings || !IsBootFilePath(file.path) || file.keeps.empty()) return false;
  std::size_t right = 0;
  for (const BootWrite& write : host.boot_settings->writes) {
    if (write.file != file.path || (write.setting != "mtu" && write.setting != "sysctl")) continue;
    const auto kept = std::ranges::find_if(file.keeps, [&write](const SettingObject& object) {
      return object.kind == SettingKind::kSysctl ? object.name == write.object
                                                 : object.kind == SettingKind::kMtu;
    });
    if (kept == file.keeps.end() || !Gives(file, *kept, write.value)) return false;
    ++right;
  }
  return right == file.keeps.size();
}

std::vector<PersistFile> MergedByPath(std::vector<PersistFile> files) {
  std::ranges::stable_sort(files, {}, &PersistFile::path);
  std::vector<PersistFile> merged;
  for (PersistFile& file : files) {
    if (merged.empty() || merged.back().path != file.path) {
      merged.push_back(std::move(file));
      continue;
    }
    PersistFile& first = merged.back();
    if (first.content.find(file.content) == std::string::npos) first.content += file.content;
    if (first.note.find(file.note) == std::string::npos) first.note += Cat("; ", file.note);
    first.exists_already = first.exists_already || file.exists_already;
    first.by_apply = first.by_apply && file.by_apply && first.content == file.content;
    for (const SettingObject& object : file.keeps)
      if (std::ranges::find(first.keeps, object) == first.keeps.end()) first.keeps.push_back(object);
  }
  return merged;
}

}  // namespace rdmaready
