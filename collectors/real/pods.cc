// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/pod_process.h"
#include "collectors/questions/system.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kMostBytes = 16384;  // of a command line

std::optional<PodProcess> LookAt(std::uint32_t pid, const std::vector<std::string>& words) {
  const std::string folder = fmt::format("/proc/{}/", pid);
  const absl::StatusOr<std::string> cgroup = ReadWholeFile(folder + "cgroup");
  if (!cgroup.ok() || PodUidOf(*cgroup).empty()) return std::nullopt;
  const absl::StatusOr<std::string> comm = ReadWholeFile(folder + "comm");
  const absl::StatusOr<std::string> line = ReadFirstBytes(folder + "cmdline", kMostBytes);
  if (!comm.ok() || !line.ok()) return std::nullopt;  // it ended
  return PodProcessOf(pid, {*comm, *cgroup, *line}, words);
}

}  // namespace

absl::StatusOr<PodProcessesAnswer> PodProcessesQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListWholeDirectory("/proc"));
  PodProcessesAnswer answer;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const std::string& name : names) {
    const std::optional<std::uint32_t> pid = ParseNumber<std::uint32_t>(name);
    if (!pid) continue;
    std::optional<PodProcess> found = LookAt(*pid, words);
    // Workers of one program are alike.
    if (!found || !seen.emplace(found->pod, found->name, found->script).second) continue;
    if (answer.processes.size() >= kMostProcesses) return ErrnoStatus(EFBIG, What());
    answer.processes.push_back(*std::move(found));
  }
  return answer;
}

}  // namespace rdmaready
