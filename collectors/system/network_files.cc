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
constexpr std::string_view kStarted = "/etc/systemd/system/multi-user.target.wants";

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
    const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(file, {std::string(folder.word)});
    if (IsGap(lines.status())) found.AddGap(lines.status(), file);
    if (lines.ok())
      std::ranges::move(DecodeNetworkLines(*lines, folder.word, file), std::back_inserter(found.named));
  }
}

}  // namespace

std::vector<NamedDevice> DecodeNetworkLines(std::span<const std::string> lines, std::string_view word,
                                            const std::string& source) {
  std::vector<NamedDevice> named;
  for (const std::string& line : lines) {
    if (!line.starts_with(word)) continue;
    const std::string name = line.substr(word.size());
    const bool plain = !name.empty() && name.find_first_of(" \t;*?[!") == std::string::npos;
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
