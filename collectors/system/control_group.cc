// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/control_group.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/gaps.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::string_view kUnified = "0::";
constexpr std::string_view kGroups = "/sys/fs/cgroup";

// As the engines name their groups: "kubepods-besteffort.slice", "docker-ID.scope", "/docker/ID",
// "libpod-ID.scope", "/lxc.payload.NAME", "machine-NAME.scope" of systemd-nspawn.
constexpr std::array<std::string_view, 7> kEngines{"kubepods", "docker", "libpod",       "cri-containerd",
                                                   "crio",     "lxc",    "machine.slice"};

// "22 1 0:30 / / rw,relatime - overlay overlay rw,lowerdir=...": what is mounted at the root.
bool IsOverlayAtRoot(std::string_view line) {
  constexpr std::size_t kMountPoint = 4;
  const std::vector<std::string_view> words = WordsOf(line);
  const auto end = std::ranges::find(words, "-");
  return words.size() > kMountPoint && words[kMountPoint] == "/" && end != words.end() &&
         std::next(end) != words.end() && std::next(end)->find("overlay") != std::string_view::npos;
}

bool IsAtTop(std::string_view cgroup) {
  while (!cgroup.empty()) {
    const std::string_view line = TakeLine(cgroup);
    const std::size_t path = line.rfind(':');
    if (path == std::string_view::npos || line.substr(path + 1) != "/") return false;
  }
  return true;
}

// "max", or a number of bytes; a group without the file has no limit, as the first of all.
Fact<std::uint64_t> LimitOf(HostReader& host, const std::string& folder) {
  const absl::StatusOr<std::string> text = host.ReadFile(folder + "/memory.max");
  if (absl::IsNotFound(text.status())) return Memlock::kUnlimited;
  if (!text.ok()) return MissingFrom(text.status());
  const std::string word = TrimRight(*text);
  if (word == "max") return Memlock::kUnlimited;
  const std::optional<std::uint64_t> number = ParseNumber<std::uint64_t>(word);
  if (number) return *number;
  return Missing{Missing::Kind::kFailed, "\"" + word + "\" in memory.max is not a limit"};
}

// Version 1 has the memory in a hierarchy of its own: "9:memory:/docker/1f".
bool HasMemoryOfVersion1(std::string_view cgroup) {
  while (!cgroup.empty()) {
    const std::string_view line = TakeLine(cgroup);
    const std::string_view controllers = line.substr(std::min(line.size(), line.find(':')));
    if (controllers.starts_with(":memory:")) return true;
  }
  return false;
}

// A group's memory counts for all groups above it.
Fact<std::uint64_t> LeastLimit(HostReader& host, std::string_view path) {
  if (path.empty()) return Missing{Missing::Kind::kUnsupported, "no control group of version 2"};
  if (path.find("..") != std::string_view::npos)
    return Missing{Missing::Kind::kFailed, "the control group is outside of what the process sees"};
  // Without the file the hierarchy is not mounted there, and a limit would not be seen.
  const absl::StatusOr<std::string> mounted = host.ReadFile(std::string(kGroups) + "/cgroup.controllers");
  if (!mounted.ok()) return MissingFrom(mounted.status());
  std::uint64_t least = Memlock::kUnlimited;
  while (true) {
    const std::string folder = std::string(kGroups) + std::string(path == "/" ? "" : path);
    const Fact<std::uint64_t> limit = LimitOf(host, folder);
    if (!limit) return limit;
    least = std::min(least, *limit);
    if (path == "/") return least;
    const std::size_t slash = path.rfind('/');
    path = slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
  }
}

}  // namespace

std::string_view GroupPathOf(std::string_view cgroup) {
  while (!cgroup.empty()) {
    const std::string_view line = TakeLine(cgroup);
    if (line.starts_with("0::/")) return line.substr(kUnified.size());
  }
  return {};
}

std::string ContainerOf(std::string_view cgroup, std::span<const std::string> root_mounts) {
  for (const std::string_view engine : kEngines) {
    if (cgroup.find(engine) != std::string_view::npos) return std::string(engine);
  }
  return IsAtTop(cgroup) && std::ranges::any_of(root_mounts, IsOverlayAtRoot) ? "overlay" : "";
}

Fact<ControlGroup> ReadControlGroup(HostReader& host) {
  const absl::StatusOr<std::string> cgroup = host.ReadFile("/proc/self/cgroup");
  if (!cgroup.ok()) return MissingFrom(cgroup.status());
  const absl::StatusOr<std::vector<std::string>> mounts = host.FindLines("/proc/self/mountinfo", {" / / "});
  if (!mounts.ok()) return MissingFrom(mounts.status());
  return ControlGroup{
      .container = ContainerOf(*cgroup, *mounts),
      .memory_max_bytes = LeastLimit(host, HasMemoryOfVersion1(*cgroup) ? "" : GroupPathOf(*cgroup))};
}

}  // namespace rdmaready
