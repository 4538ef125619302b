// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_settings.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/command_words.h"
#include "collectors/commands.h"
#include "collectors/lines.h"
#include "collectors/system/network_drop_ins.h"
#include "collectors/system/network_files.h"

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
  bool last_holds = false;    // of two files that give an object something; else each is a write of its own
  bool has_drop_ins = false;  // systemd's: "20-a.link.d/rdma.conf" adds to 20-a.link
};

const std::vector<FileKind>& FileKinds() {
  static const std::vector<FileKind> kKinds{
      {{"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d"}, "", ".conf", true},
      {{"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network",
        "/usr/lib/systemd/network"},
       "",
       ".link",
       false,
       true},
      {{"/run/netplan", "/etc/netplan", "/usr/lib/netplan"}, "", ".yaml", true},
      {{"/etc/sysconfig/network-scripts", "/etc/sysconfig/network"}, "ifcfg-", ""}};
  return kKinds;
}

const std::vector<FileKind>& NetworkdFiles() {
  static const std::vector<FileKind> kKinds{
      {{"/etc/systemd/network", "/run/systemd/network"}, "", ".netdev", false, true},
      {{"/etc/systemd/network", "/run/systemd/network"}, "", ".network", false, true}};
  return kKinds;
}

struct LinkedNetdev {
  std::uint32_t ifindex = 0;
  std::string bus{};  // "0000:3b:00.0"; empty: not known, or on no bus
};

using LinkedNetdevs = std::map<std::string, LinkedNetdev>;  // by name

void AddNetdev(const Netdev& netdev, LinkedNetdevs& netdevs) {
  LinkedNetdev one{.ifindex = netdev.ifindex};
  if (netdev.driver_info) one.bus = netdev.driver_info->bus;
  netdevs[netdev.name] = std::move(one);
}

void AddNetdevs(const Port& port, LinkedNetdevs& netdevs) {
  if (port.netdev) AddNetdev(*port.netdev, netdevs);
  if (port.lowers) {
    for (const Netdev& lower : *port.lowers) AddNetdev(lower, netdevs);
  }
  if (!port.uppers) return;
  for (const UpperNetdev& upper : *port.uppers)
    netdevs.try_emplace(upper.name, LinkedNetdev{.ifindex = upper.ifindex});
}

constexpr std::string_view kUdevPlace = "E:ID_PATH=pci-";

// The .link file in the lines of udev's database. Empty: none, or the record is of another device, as numbers
// of interfaces are those of one network namespace.
std::string AppliedFileIn(const Names& lines, const std::string& bus) {
  constexpr std::string_view kFile = "E:ID_NET_LINK_FILE=";
  std::string file;
  for (const std::string_view line : lines) {
    const bool elsewhere = line.starts_with(kUdevPlace) && !line.substr(kUdevPlace.size()).starts_with(bus);
    if (elsewhere && !bus.empty()) return {};
    if (line.starts_with(kFile)) file = line.substr(kFile.size());
  }
  return file.starts_with('/') && file.ends_with(".link") ? file : std::string();
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

// The files of one kind by their names, and the folders of drop-ins that are there.
struct FoundFiles {
  std::map<std::string, std::string> paths{};
  Names drop_in_folders{};  // the first one of a name goes before the later ones
};

class SettingReader {
 public:
  explicit SettingReader(HostReader& host) : host_(host) {}

  void Read(const FileKind& kind) {
    const FoundFiles found = Find(kind);
    kind_begin_ = settings_.writes.size();
    for (const auto& [name, path] : found.paths) ReadFile(path, DropInsOf(name, found), kind.last_holds);
    if (kind.last_holds && kind.ending == ".conf")
      ReadSysctlFile(found.paths.contains(std::string(kSysctlLink)));
  }

  void Take(const BootScripts& scripts) {
    for (const BootScript& script : scripts.scripts) {
      for (const std::string& command : script.commands) Add(command, script.path, script.started, false);
    }
    settings_.unread.insert(settings_.unread.end(), scripts.unread.begin(), scripts.unread.end());
  }

  BootSettings End() { return std::move(settings_); }

 private:
  FoundFiles Find(const FileKind& kind) {
    FoundFiles found;
    for (const std::string_view folder : kind.folders) {
      const absl::StatusOr<Names> names = host_.ListDirectory(folder);
      if (!names.ok() && !IsGone(names.status())) settings_.unread.emplace_back(folder);
      bool cut = false;
      for (const std::string& name : names.ok() ? *names : Names{}) {
        const std::string path = std::string(folder) + "/" + name;
        if (kind.has_drop_ins && name.ends_with(std::string(kind.ending) + ".d"))
          found.drop_in_folders.push_back(path);
        if (!name.starts_with(kind.beginning) || !name.ends_with(kind.ending)) continue;
        if (found.paths.size() < kMostSettingFiles) {
          found.paths.try_emplace(name, path);
        } else {
          cut = cut || !found.paths.contains(name);
        }
      }
      if (cut) settings_.unread.emplace_back(folder);
    }
    return found;
  }

  // In the order in which systemd reads them: by their names, whatever their folders.
  Names DropInsOf(const std::string& name, const FoundFiles& found) {
    std::map<std::string, std::string> paths;
    for (const std::string& folder : found.drop_in_folders) {
      if (!folder.ends_with("/" + name + ".d")) continue;
      const absl::StatusOr<Names> names = host_.ListDirectory(folder);
      if (!names.ok() && !IsGone(names.status())) settings_.unread.push_back(folder);
      for (const std::string& one : names.ok() ? *names : Names{}) {
        if (one.ends_with(".conf")) paths.try_emplace(one, folder + "/" + one);
      }
      if (paths.size() > kMostSettingFiles) settings_.unread.push_back(folder);
    }
    Names ordered;
    for (const auto& [one, path] : paths) {
      if (ordered.size() < kMostSettingFiles) ordered.push_back(path);
    }
    return ordered;
  }

  // systemd-sysctl reads it by a link in /etc/sysctl.d alone, `sysctl --system` as the last one.
  void ReadSysctlFile(bool linked) {
    const bool systemd = host_.ListDirectory("/run/systemd/system").ok();
    if (!linked && !systemd) ReadFile(std::string(kSysctlFile), {}, true);
  }

  // Nothing where the file cannot be read.
  std::optional<std::vector<SettingLine>> LinesOf(const std::string& path) {
    const absl::StatusOr<Names> lines = host_.Ask(CommandsQuestion{path});
    if (!lines.ok()) {
      if (!IsGone(lines.status())) settings_.unread.push_back(path);
      return std::nullopt;
    }
    std::vector<SettingLine> all;
    for (const std::string& line : *lines) {
      if (line == kCutLine) {
        settings_.unread.push_back(path);
      } else {
        all.push_back({line, path});
      }
    }
    return all;
  }

  void ReadFile(const std::string& path, const Names& drop_ins, bool last_holds) {
    std::optional<std::vector<SettingLine>> lines = LinesOf(path);
    if (!lines) return;
    for (const std::string& drop_in : drop_ins) {
      if (const auto more = LinesOf(drop_in)) lines = WithDropIn(*std::move(lines), *more);
    }
    for (const SettingLine& line : *lines) Add(line.text, line.file, path, last_holds);
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

// Whether udev's record of that number is of this interface: the same PCI device has it, or the same name. Only
// then the interface is in the network namespace of udev and networkd. `lines`: the places in the record.
bool IsInNamespaceOfUdev(HostReader& host, const std::string& record, const Names& lines,
                         const std::string& name, const std::string& bus) {
  constexpr std::string_view kName = "ID_NET_NAME=";
  for (const std::string_view line : lines)
    if (line.starts_with(kUdevPlace) && !bus.empty()) return line.substr(kUdevPlace.size()).starts_with(bus);
  const absl::StatusOr<Names> names = host.FindLines(record, {std::string(kName)});
  return names.ok() && std::ranges::find(*names, "E:" + std::string(kName) + name) != names->end();
}

// The .network file in networkd's record of that number; empty: it has none. The record holds no other name of
// the interface.
std::string NetworkFileOf(HostReader& host, std::uint32_t ifindex) {
  constexpr std::string_view kFile = "NETWORK_FILE=";
  const std::string record = "/run/systemd/netif/links/" + std::to_string(ifindex);
  const absl::StatusOr<Names> lines = host.FindLines(record, {std::string(kFile)});
  for (const std::string_view line : lines.ok() ? *lines : Names{})
    if (line.starts_with(kFile) && line.ends_with(".network")) return std::string(line.substr(kFile.size()));
  return {};
}

// Defaults of NetworkManager for the MTU of connections; see NetworkManager.conf(5). An empty value: a file or
// folder could not be read, or the value is not a number: NetworkManager removes no quotes.
void AddConnectionMtus(HostReader& host, BootSettings& settings) {
  constexpr std::string_view kMtu = "ethernet.mtu";
  const auto add = [&settings](const std::string& file, std::string_view value) {
    settings.writes.push_back(
        {.file = file, .started = file, .setting = "connection-mtu", .value = std::string(value)});
  };
  Names paths{"/etc/NetworkManager/NetworkManager.conf"};
  for (const std::string folder :
       {"/usr/lib/NetworkManager/conf.d", "/run/NetworkManager/conf.d", "/etc/NetworkManager/conf.d"}) {
    const absl::StatusOr<Names> names = host.ListDirectory(folder);
    const bool cut = names.ok() && names->size() > kMostSettingFiles;
    if (cut || (!names.ok() && !IsGone(names.status()))) add(folder, "");
    if (!names.ok() || cut) continue;
    for (const std::string& name : *names)
      if (name.ends_with(".conf")) paths.push_back(folder + "/" + name);
  }
  for (const std::string& path : paths) {
    const absl::StatusOr<Names> lines = host.FindLines(path, WordsOfKey(kMtu));
    if (!lines.ok() && !IsGone(lines.status())) add(path, "");
    for (const std::string_view line : lines.ok() ? *lines : Names{}) {
      if (line.find('=') == std::string_view::npos || !line.starts_with(kMtu)) continue;
      const std::string_view value = ValueOfKey(line, kMtu);
      add(path, IsNumber(value) ? value : "");
    }
  }
}

}  // namespace

BootSettings ReadBootSettings(HostReader& host, const BootScripts& scripts) {
  SettingReader reader(host);
  for (const FileKind& kind : FileKinds()) reader.Read(kind);
  // networkd makes a file for each link when it runs.
  if (host.ListDirectory("/run/systemd/netif/links").ok()) {
    for (const FileKind& kind : NetworkdFiles()) reader.Read(kind);
  }
  reader.Take(scripts);
  BootSettings settings = reader.End();
  // NetworkManager makes its folder when it runs.
  if (host.ListDirectory("/run/NetworkManager").ok()) AddConnectionMtus(host, settings);
  return settings;
}

void AddAppliedLinkFiles(HostReader& host, const Fact<std::vector<Port>>& ports, BootSettings& settings) {
  if (!ports) return;
  LinkedNetdevs netdevs;
  for (const Port& port : *ports) AddNetdevs(port, netdevs);
  for (const auto& [name, netdev] : netdevs) {
    const std::string record = "/run/udev/data/n" + std::to_string(netdev.ifindex);
    const absl::StatusOr<Names> lines = host.FindLines(record, {"ID_NET_LINK_FILE=", "ID_PATH="});
    const std::string used = NetworkFileOf(host, netdev.ifindex);
    const bool here =
        !used.empty() && lines.ok() && IsInNamespaceOfUdev(host, record, *lines, name, netdev.bus);
    if (here) settings.writes.push_back({.file = used, .started = used, .setting = "networkd", .object = name});
    if (!lines.ok()) continue;
    const std::string file = AppliedFileIn(*lines, netdev.bus);
    // Not the record: its name has the number of the interface, which is another one after the next boot.
    if (!file.empty())
      settings.writes.push_back({.file = file, .started = file, .setting = "applied", .object = name});
  }
}

}  // namespace rdmaready
