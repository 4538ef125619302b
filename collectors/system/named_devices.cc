// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/named_devices.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "api/base/status.h"
#include "collectors/system/network_files.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNcclKey = "NCCL_IB_HCA";
constexpr std::string_view kUcxKey = "UCX_NET_DEVICES";
constexpr std::array<const char*, 4> kDeviceFiles{"/etc/nccl.conf", "/etc/environment", "/etc/ucx/ucx.conf",
                                                  "/etc/profile.d/nccl.sh"};

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

// "=mlx5_0:1,mlx5_1", "mlx5": NCCL takes the beginning of a name unless the list starts with '='.
void AddNames(std::string_view list, bool exact, const std::string& source, std::vector<NamedDevice>* named) {
  if (list.starts_with('^')) return;
  if (list.starts_with('=')) {
    list.remove_prefix(1);
    exact = true;
  }
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const std::string_view name = item.substr(0, item.find(':'));
    if (IsDeviceName(name) && name != "all") named->push_back({std::string(name), exact, source});
  }
}

}  // namespace

std::vector<NamedDevice> DecodeNamedDevices(std::span<const std::string> lines, const std::string& source) {
  std::vector<NamedDevice> named;
  for (const std::string& line : lines) {
    AddNames(ValueAfter(line, kNcclKey), false, source, &named);
    // UCX names an Ethernet interface by the same key, without a port.
    const std::string_view ucx = ValueAfter(line, kUcxKey);
    if (ucx.find(':') != std::string_view::npos) AddNames(ucx, true, source, &named);
  }
  return named;
}

Fact<std::vector<NamedDevice>> ReadNamedDevices(HostReader& host) {
  std::vector<NamedDevice> named;
  for (const std::string path : kDeviceFiles) {
    const absl::StatusOr<std::vector<std::string>> lines =
        host.FindLines(path, {std::string(kNcclKey), std::string(kUcxKey)});
    const absl::StatusCode code = lines.status().code();
    const bool gap = code == absl::StatusCode::kPermissionDenied || code == absl::StatusCode::kOutOfRange;
    if (gap) return MissingFrom(lines.status());
    if (!lines.ok()) continue;
    std::ranges::move(DecodeNamedDevices(*lines, path), std::back_inserter(named));
  }
  std::ranges::move(ReadManagedInterfaces(host), std::back_inserter(named));
  return named;
}

}  // namespace rdmaready
