// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/reader/settings.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "agent/helper/reader/names.h"
#include "api/base/status.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/dcb_keepers.h"
#include "collectors/system/storage.h"

namespace rdmaready::helper {
namespace {

struct SettingsFile {
  std::string name;
  LinesQuestion question;
};

const std::vector<SettingsFile>& SettingsFiles() {
  static const std::vector<SettingsFile> kFiles = [] {
    std::vector<SettingsFile> files{{"lldpad", {kLldpadSettings, {kLldpadWords}}}};
    for (const std::string& path : KsmbdFiles()) {
      files.push_back({path.starts_with("/etc") ? "ksmbd" : "ksmbd-local", {path, KsmbdWords()}});
    }
    for (const MarkingFile& file : MarkingFiles()) {
      const std::string path = file.path;
      files.push_back({path.substr(path.rfind('/') + 1), {path, file.words}});
    }
    return files;
  }();
  return kFiles;
}

Built BuildSettings(Arguments& arguments) {
  const auto found = std::ranges::find(SettingsFiles(), arguments.Text("of"), &SettingsFile::name);
  if (found == SettingsFiles().end()) return NoName("of");
  return found->question;
}

Recognised RecogniseSettings(const Question& question) {
  const auto* lines = As<LinesQuestion>(question);
  if (lines == nullptr) return std::nullopt;
  const auto found = std::ranges::find(SettingsFiles(), *lines, &SettingsFile::question);
  if (found == SettingsFiles().end()) return std::nullopt;
  return Json{{"of", found->name}};
}

Built BuildBootFolder(Arguments& arguments) {
  const std::vector<std::string> folders = BootFolders();
  const auto folder = arguments.Unsigned<std::uint32_t>("folder");
  if (folder >= folders.size()) return absl::InvalidArgumentError("no such folder");
  return DirectoryQuestion{folders[folder]};
}

Recognised RecogniseBootFolder(const Question& question) {
  const auto* asked = As<DirectoryQuestion>(question);
  const auto folder = asked == nullptr ? std::nullopt : IndexOf(BootFolders(), asked->path);
  if (!folder) return std::nullopt;
  return Json{{"folder", *folder}};
}

constexpr auto kBootAbout = std::to_array<std::string_view>({"", "tos", "tos-hook", "dcb", "connection"});
static_assert(static_cast<std::size_t>(BootWords::kConnection) + 1 == kBootAbout.size());

absl::StatusOr<std::vector<std::string>> ReadBootWords(Arguments& arguments) {
  const auto about = IndexOf(kBootAbout, arguments.Text("about"));
  if (!about || *about == 0) return NoName("about");
  return WordsOf(static_cast<BootWords>(*about));
}

Built BuildBootFile(Arguments& arguments) {
  const std::vector<std::string> folders = BootFolders();
  const auto folder = arguments.Unsigned<std::uint32_t>("folder");
  const std::string name = arguments.Text("name");
  RR_ASSIGN_OR_RETURN(std::vector<std::string> words, ReadBootWords(arguments));
  if (folder >= folders.size()) return absl::InvalidArgumentError("no such folder");
  if (!IsPathPart(name)) return NoName("name");
  return LinesQuestion{folders[folder] + "/" + name, std::move(words)};
}

Recognised RecogniseBootFile(const Question& question) {
  const auto* lines = As<LinesQuestion>(question);
  if (lines == nullptr) return std::nullopt;
  const std::size_t slash = lines->path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto folder = IndexOf(BootFolders(), lines->path.substr(0, slash));
  for (std::size_t about = 1; folder && about < kBootAbout.size(); ++about) {
    if (WordsOf(static_cast<BootWords>(about)) != lines->words) continue;
    return Json{{"folder", *folder},
                {"name", recording::FromText(lines->path.substr(slash + 1))},
                {"about", std::string(kBootAbout[about])}};
  }
  return std::nullopt;
}

Built BuildBootTable(Arguments& arguments) {
  const std::vector<std::string> files = BootFiles();
  const auto file = arguments.Unsigned<std::uint32_t>("file");
  RR_ASSIGN_OR_RETURN(std::vector<std::string> words, ReadBootWords(arguments));
  if (file >= files.size()) return absl::InvalidArgumentError("no such file");
  return LinesQuestion{files[file], std::move(words)};
}

Recognised RecogniseBootTable(const Question& question) {
  const auto* lines = As<LinesQuestion>(question);
  const auto file = lines == nullptr ? std::nullopt : IndexOf(BootFiles(), lines->path);
  for (std::size_t about = 1; file && about < kBootAbout.size(); ++about) {
    if (WordsOf(static_cast<BootWords>(about)) != lines->words) continue;
    return Json{{"file", *file}, {"about", std::string(kBootAbout[about])}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<ReaderQuestion> SettingsQuestions() {
  return {{"settings", "roots-settings", BuildSettings, RecogniseSettings},
          {"boot-folder", "roots-settings", BuildBootFolder, RecogniseBootFolder},
          {"boot-file", "roots-settings", BuildBootFile, RecogniseBootFile},
          {"boot-table", "roots-settings", BuildBootTable, RecogniseBootTable}};
}

}  // namespace rdmaready::helper
