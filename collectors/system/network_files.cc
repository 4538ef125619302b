// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/network_files.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "collectors/gaps.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNetworkFiles = 256;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kStarted = "/etc/systemd/system/multi-user.target.wants";

std::string_view Trimmed(std::string_view text, std::string_view around) {
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

bool Holds(HostReader& host, std::string_view folder, std::string_view name) {
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  return names.ok() && std::ranges::find(*names, name) != names->end();
}

enum class Runs : std::uint8_t { kUnknown = 0, kNo, kYes };

Runs RunsBy(const absl::Status& folder) {
  if (folder.ok() || absl::IsPermissionDenied(folder)) return Runs::kYes;  // it is there
  return IsGap(folder) ? Runs::kUnknown : Runs::kNo;
}

// NetworkManager makes its folder when it starts, networkd a file for each link.
Runs RunsHere(HostReader& host, const NetworkFolder& folder) {
  if (folder.ending == ".network") return RunsBy(host.ListDirectory("/run/systemd/netif/links").status());
  const Runs runs = RunsBy(host.ListDirectory("/run/NetworkManager").status());
  return runs != Runs::kYes && Holds(host, kStarted, "NetworkManager.service") ? Runs::kYes : runs;
}

struct Found {
  std::vector<NamedDevice> named{};
  std::optional<Missing> gap{};
  std::vector<std::string> unread{};

  void AddGap(const absl::Status& why, const std::string& path) {
    gap = MissingFrom(why);
    unread.push_back(path);
  }
};

// A folder of a manager that does not run says nothing.
void ReadFolder(HostReader& host, const NetworkFolder& folder, Found& found) {
  const std::string path(folder.path);
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(path);
  if (names.ok()) {
    std::erase_if(*names, [&folder](const std::string& name) { return !name.ends_with(folder.ending); });
    if (names->empty()) return;
  } else if (!IsGap(names.status())) {
    return;
  }
  const Runs runs = RunsHere(host, folder);
  if (runs == Runs::kNo) return;
  if (!names.ok()) return found.AddGap(names.status(), path);
  if (runs == Runs::kUnknown) return found.AddGap(NotCollected("whether a network manager runs"), path);
  if (names->size() > kMostNetworkFiles) {
    names->resize(kMostNetworkFiles);
    found.AddGap(absl::ResourceExhaustedError(path + ": more files than are read"), path);
  }
  for (const std::string& name : *names) {
    const std::string file = path + "/" + name;
    const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(file, WordsOfKey(folder.key));
    if (IsGap(lines.status())) found.AddGap(lines.status(), file);
    if (lines.ok())
      std::ranges::move(DecodeNetworkLines(*lines, folder.key, file), std::back_inserter(found.named));
  }
}

}  // namespace

std::vector<std::string> WordsOfKey(std::string_view key) {
  const std::string name(key);
  return {name + "=", name + " ", name + "\t"};
}

std::string_view ValueOfKey(std::string_view line, std::string_view key) {
  line = Trimmed(line, kBlanks);
  if (!line.starts_with(key)) return {};
  line = Trimmed(line.substr(key.size()), kBlanks);
  return line.starts_with('=') ? Trimmed(line.substr(1), kBlanks) : std::string_view();
}

std::vector<NamedDevice> DecodeNetworkLines(std::span<const std::string> lines, std::string_view key,
                                            const std::string& source) {
  std::vector<NamedDevice> named;
  for (const std::string& line : lines) {
    const std::string name(Trimmed(ValueOfKey(line, key), "\"'"));
    const bool plain = !name.empty() && name.find_first_of(" \t;*?[!\"'") == std::string::npos;
    if (plain) named.push_back({.device = name, .exact = true, .source = source});
  }
  return named;
}

ManagedInterfaces ReadManagedInterfaces(HostReader& host) {
  Found found;
  for (const NetworkFolder& folder : kNetworkFolders) ReadFolder(host, folder, found);
  ManagedInterfaces managed{.unread = std::move(found.unread)};
  if (found.named.empty() && found.gap) {
    managed.named = *found.gap;
  } else {
    managed.named = std::move(found.named);
  }
  return managed;
}

}  // namespace rdmaready
