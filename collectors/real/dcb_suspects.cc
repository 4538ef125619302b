// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/dcb_suspects.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/number.h"
#include "collectors/dcb/dcb_writes.h"
#include "collectors/lines.h"
#include "collectors/real/dcb.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kYoungS = 3;         // a process that began before is no command just typed
constexpr std::size_t kMostLookedAt = 128;   // processes, of each notice
constexpr std::size_t kStartAfterName = 19;  // field 22 of proc(5); the name is field 2

std::uint64_t NowTicks() {
  const auto now = std::chrono::floor<std::chrono::seconds>(BootClock().Now().time_since_epoch());
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.count()) * per_second;
}

std::string CommOf(std::string_view stat) {
  const std::size_t begin = stat.find('(');
  const std::size_t end = stat.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) return {};
  return std::string(stat.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::optional<std::uint64_t> StartTicksOf(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = WordsOf(stat.substr(name_end + 1));
  if (words.size() <= kStartAfterName) return std::nullopt;
  return ParseNumber<std::uint64_t>(words[kStartAfterName]);
}

std::vector<ProcessName> DcbSuspectsNow() {
  const absl::StatusOr<std::string> sockets = ReadWholeFile("/proc/net/netlink");
  if (!sockets.ok()) return {};
  std::vector<std::uint32_t> owners = RoutingSocketOwners(*sockets);
  std::ranges::reverse(owners);  // numbers of processes ascend
  const auto self = static_cast<std::uint32_t>(::getpid());
  const std::uint64_t now = NowTicks();
  const std::uint64_t young = kYoungS * static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  std::vector<ProcessName> suspects;
  for (std::size_t i = 0; i < std::min(owners.size(), kMostLookedAt); ++i) {
    if (owners[i] == self) continue;
    // One that is gone has no name, and one that we may not see is not known to be young.
    const absl::StatusOr<std::string> stat = ReadWholeFile(fmt::format("/proc/{}/stat", owners[i]));
    if (!stat.ok()) continue;
    ProcessName process{owners[i], CommOf(*stat)};
    const std::optional<std::uint64_t> began = StartTicksOf(*stat);
    if (IsDcbDaemon(process) || (began && *began + young >= now)) suspects.push_back(std::move(process));
  }
  return suspects;
}

}  // namespace rdmaready
