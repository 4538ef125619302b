// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_settings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/lines.h"

namespace rdmaready {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kMostSettingFiles = 128;  // of one kind
constexpr std::string_view kSysctlFile = "/etc/sysctl.conf";
constexpr std::string_view kSysctlLink = "99-sysctl.conf";  // by which systemd reads kSysctlFile

// Files of one kind. A file hides those of the same name in later folders.
struct FileKind {
  std::vector<std::string_view> folders{};
  std::string_view beginning{};
  std::string_view ending{};
  bool last_holds = false;  // of two files that give an object something; else each is a write of its own
};

const std::vector<FileKind>& FileKinds() {
  static const std::vector<FileKind> kKinds{
      {{"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d"}, "", ".conf", true},
      {{"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network",
        "/usr/lib/systemd/network"},
       "",
       ".link"},
      {{"/run/netplan", "/etc/netplan", "/usr/lib/netplan"}, "", ".yaml", true},
      {{"/etc/sysconfig/network-scripts", "/etc/sysconfig/network"}, "ifcfg-", ""}};
  return kKinds;
}

const std::vector<FileKind>& NetworkdFiles() {
  static const std::vector<FileKind> kKinds{{{"/etc/systemd/network", "/run/systemd/network"}, "", ".netdev"},
                                            {{"/etc/systemd/network", "/run/systemd/network"}, "", ".network"}};
  return kKinds;
}

std::string ObjectOfWord(std::string_view word) {
  constexpr std::string_view kPlace = "pci=";
  if (word.starts_with(kPlace)) word.remove_prefix(kPlace.size());
  return word.find_first_of("*$") == std::string_view::npos ? std::string(word) : std::string();
}

// The write of a line of setting_commands.h; nothing where it is another command.
std::vector<BootWrite> WritesOfLine(std::string_view line) {
  const std::vector<std::string_view> words = WordsOf(line);
  if (words.size() < 2) return {};
  const bool sysctl = words[0] == "sysctl";
  const bool known =
      sysctl || words[0] == "mtu" || words[0] == "pause" || words[0] == "match" || words[0] == "cnp";
  if (!known) return {};
  BootWrite write{.setting = std::string(words[0]),
                  .object = sysctl ? std::string(words[1]) : ObjectOfWord(words[1])};
  for (std::size_t i = 2; i < words.size(); ++i) write.value += (i == 2 ? "" : " ") + std::string(words[i]);
  return {std::move(write)};
}

class SettingReader {
 public:
  explicit SettingReader(HostReader& host) : host_(host) {}

  void Read(const FileKind& kind) {
    std::map<std::string, std::string> paths;  // by the name of the file
    for (const std::string_view folder : kind.folders) {
      const absl::StatusOr<Names> names = host_.ListDirectory(folder);
      if (!names.ok() && !IsGone(names.status())) settings_.unread.emplace_back(folder);
      for (const std::string& name : names.ok() ? *names : Names{}) {
        if (name.starts_with(kind.beginning) && name.ends_with(kind.ending) && paths.size() < kMostSettingFiles)
          paths.try_emplace(name, std::string(folder) + "/" + name);
      }
    }
    kind_begin_ = settings_.writes.size();
    for (const auto& [name, path] : paths) ReadFile(path, kind.last_holds);
    if (kind.last_holds && kind.ending == ".conf") ReadSysctlFile(paths.contains(std::string(kSysctlLink)));
  }

  void Take(const BootScripts& scripts) {
    for (const BootScript& script : scripts.scripts) {
      for (const std::string& command : script.commands) Add(command, script.path, script.started, false);
    }
    settings_.unread.insert(settings_.unread.end(), scripts.unread.begin(), scripts.unread.end());
  }

  BootSettings End() { return std::move(settings_); }

 private:
  // systemd-sysctl reads it by a link in /etc/sysctl.d alone, `sysctl --system` as the last one.
  void ReadSysctlFile(bool linked) {
    const bool systemd = host_.ListDirectory("/run/systemd/system").ok();
    if (!linked && !systemd) ReadFile(std::string(kSysctlFile), true);
  }

  void ReadFile(const std::string& path, bool last_holds) {
    const absl::StatusOr<Names> lines = host_.Ask(CommandsQuestion{path});
    if (!lines.ok()) {
      if (!IsGone(lines.status())) settings_.unread.push_back(path);
      return;
    }
    for (const std::string& line : *lines) Add(line, path, path, last_holds);
  }

  void Add(const std::string& line, const std::string& file, const std::string& started, bool last_holds) {
    for (BootWrite& write : WritesOfLine(line)) {
      const auto same = [&write](const BootWrite& other) {
        return other.setting == write.setting && other.object == write.object && !write.object.empty();
      };
      if (last_holds) {
        const auto of_kind = std::ranges::subrange(
            settings_.writes.begin() + static_cast<std::ptrdiff_t>(kind_begin_), settings_.writes.end());
        const auto gone = std::ranges::remove_if(of_kind, same);
        settings_.writes.erase(gone.begin(), gone.end());
      }
      write.file = file;
      write.started = started;
      if (std::ranges::find(settings_.writes, write) == settings_.writes.end())
        settings_.writes.push_back(std::move(write));
    }
  }

  HostReader& host_;
  BootSettings settings_{};
  std::size_t kind_begin_ = 0;  // of its writes, those of the kind that is read begin there
};

}  // namespace

BootSettings ReadBootSettings(HostReader& host, const BootScripts& scripts) {
  SettingReader reader(host);
  for (const FileKind& kind : FileKinds()) reader.Read(kind);
  // networkd makes a file for each link when it runs.
  if (host.ListDirectory("/run/systemd/netif/links").ok()) {
    for (const FileKind& kind : NetworkdFiles()) reader.Read(kind);
  }
  reader.Take(scripts);
  return reader.End();
}

}  // namespace rdmaready
