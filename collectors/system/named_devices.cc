// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/named_devices.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/gaps.h"
#include "collectors/system/started_units.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNcclKey = "NCCL_IB_HCA";
constexpr std::string_view kUcxKey = "UCX_NET_DEVICES";
constexpr std::array<const char*, 3> kDeviceFiles{"/etc/nccl.conf", "/etc/environment", "/etc/ucx/ucx.conf"};
constexpr std::string_view kLoginFolder = "/etc/profile.d";

using Texts = std::vector<std::string>;

bool IsDeviceName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos;
}

// The value after `key`, without quotes; empty where the line sets something else.
std::string_view ValueAfter(std::string_view line, std::string_view key) {
  const std::size_t found = line.find(key);
  if (found == std::string_view::npos || line.find('#') < found) return {};
  line.remove_prefix(found + key.size());
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  if (!line.starts_with('=')) return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\"'")));
  return line.substr(0, line.find_first_of(" \t\"'#;"));
}

bool TakeSign(std::string_view& list, char sign) {
  if (!list.starts_with(sign)) return false;
  list.remove_prefix(1);
  return true;
}

// "=mlx5_0:1,mlx5_1", "mlx5": NCCL takes the beginning of a name unless the list begins with '='. With '^'
// before that it takes every other device.
void AddNames(std::string_view list, const NamedDevice& kind, std::vector<NamedDevice>* named) {
  NamedDevice one = kind;
  one.excluded = TakeSign(list, '^');
  one.exact = TakeSign(list, '=') || one.exact;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const std::size_t colon = std::min(item.size(), item.find(':'));
    const std::string_view name = item.substr(0, colon);
    if (!IsDeviceName(name) || name == "all") continue;
    one.device = name;
    one.port = ParseNumber<std::uint32_t>(item.substr(std::min(item.size(), colon + 1))).value_or(0);
    named->push_back(one);
  }
}

// Names of the folder that end in `end`; a folder that is not there has none.
absl::StatusOr<Texts> FilesIn(HostReader& host, const std::string& folder, std::string_view end) {
  Texts paths;
  const absl::StatusOr<Texts> names = host.ListDirectory(folder);
  if (!names.ok()) return IsGap(names.status()) ? names : paths;
  for (const std::string& name : *names) {
    if (name.ends_with(end)) paths.push_back(folder + "/" + name);
  }
  return paths;
}

// Scripts of logins, units, and what is added to units.
absl::StatusOr<Texts> FilesToLookAt(HostReader& host) {
  constexpr std::size_t kMostNamingFiles = 256;
  Texts paths(kDeviceFiles.begin(), kDeviceFiles.end());
  RR_ASSIGN_OR_RETURN(const Texts scripts, FilesIn(host, std::string(kLoginFolder), ".sh"));
  RR_ASSIGN_OR_RETURN(const Texts units, FilesIn(host, std::string(kUnitFolder), ".service"));
  RR_ASSIGN_OR_RETURN(const Texts folders, FilesIn(host, std::string(kUnitFolder), ".service.d"));
  std::ranges::copy(scripts, std::back_inserter(paths));
  std::ranges::copy(units, std::back_inserter(paths));
  for (const std::string& folder : folders) {
    RR_ASSIGN_OR_RETURN(const Texts more, FilesIn(host, folder, ".conf"));
    std::ranges::copy(more, std::back_inserter(paths));
  }
  if (paths.size() > kMostNamingFiles) return absl::OutOfRangeError("too many files below /etc to look at");
  return paths;
}

}  // namespace

std::vector<NamedDevice> DecodeNamedDevices(std::span<const std::string> lines, const std::string& source) {
  std::vector<NamedDevice> named;
  for (const std::string& line : lines) {
    NamedDevice kind{.source = source, .key = std::string(kNcclKey)};
    AddNames(ValueAfter(line, kNcclKey), kind, &named);
    // UCX names an Ethernet interface by the same key, without a port.
    kind.key = kUcxKey;
    kind.exact = true;
    const std::string_view ucx = ValueAfter(line, kUcxKey);
    if (ucx.find(':') != std::string_view::npos) AddNames(ucx, kind, &named);
  }
  return named;
}

Fact<std::vector<NamedDevice>> ReadNamedDevices(HostReader& host) {
  std::vector<NamedDevice> named;
  const absl::StatusOr<Texts> paths = FilesToLookAt(host);
  if (!paths.ok()) return MissingFrom(paths.status());
  for (const std::string& path : *paths) {
    const absl::StatusOr<Texts> lines = host.FindLines(path, {std::string(kNcclKey), std::string(kUcxKey)});
    if (IsGap(lines.status())) return MissingFrom(lines.status());
    if (!lines.ok()) continue;
    std::ranges::move(DecodeNamedDevices(*lines, path), std::back_inserter(named));
  }
  return named;
}

}  // namespace rdmaready
