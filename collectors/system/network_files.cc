// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/network_files.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "collectors/gaps.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNetworkFiles = 256;
constexpr std::string_view kStarted = "/etc/systemd/system/multi-user.target.wants";

bool Holds(HostReader& host, std::string_view folder, std::string_view name) {
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  return names.ok() && std::ranges::find(*names, name) != names->end();
}

// NetworkManager makes its folder when it starts, networkd a file for each link.
bool Runs(HostReader& host, const NetworkFolder& folder) {
  if (folder.ending == ".network") return host.ListDirectory("/run/systemd/netif/links").ok();
  return host.ListDirectory("/run/NetworkManager").ok() || Holds(host, kStarted, "NetworkManager.service");
}

struct Found {
  std::vector<NamedDevice> named{};
  std::optional<Missing> gap{};
};

void ReadFolder(HostReader& host, const NetworkFolder& folder, Found* found) {
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder.path);
  if (IsGap(names.status())) found->gap = MissingFrom(names.status());
  if (!names.ok() || names->empty() || !Runs(host, folder)) return;
  std::erase_if(*names, [&folder](const std::string& name) { return !name.ends_with(folder.ending); });
  if (names->size() > kMostNetworkFiles) names->resize(kMostNetworkFiles);
  for (const std::string& name : *names) {
    const std::string path = std::string(folder.path) + "/" + name;
    const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, {std::string(folder.word)});
    if (IsGap(lines.status())) found->gap = MissingFrom(lines.status());
    if (lines.ok())
      std::ranges::move(DecodeNetworkLines(*lines, folder.word, path), std::back_inserter(found->named));
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

Fact<std::vector<NamedDevice>> ReadManagedInterfaces(HostReader& host) {
  Found found;
  for (const NetworkFolder& folder : kNetworkFolders) ReadFolder(host, folder, &found);
  if (found.named.empty() && found.gap) return *found.gap;
  return std::move(found.named);
}

}  // namespace rdmaready
