// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_leftovers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "agent/probe/nvme/nvme_sysfs.h"
#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/status.h"

namespace rdmaready::nvme {
namespace {

constexpr int kMark = 0x52440000;        // "RD", in seconds 43 years: nobody's choice
constexpr int kMostProcesses = 1 << 22;  // PID_MAX_LIMIT of the kernel

// Whose controller it is; nullopt when it is not one of ours.
std::optional<pid_t> OwnerOf(const std::string& folder) {
  const std::optional<int> seconds = ParseNumber<int>(ReadLine(folder + "/reconnect_delay"));
  if (!seconds || *seconds <= kMark || *seconds > kMark + kMostProcesses) return std::nullopt;
  if (ReadLine(folder + "/ctrl_loss_tmo") != "0" || ReadLine(folder + "/transport") != "rdma")
    return std::nullopt;
  return *seconds - kMark;
}

bool IsAlive(pid_t process, Moment moment, const std::string& proc) {
  if (process == ::getpid()) return moment == Moment::kLater;
  return ReadLine(fmt::format("{}/{}/comm", proc, process)).starts_with("rdmaready");
}

absl::Status Remove(const std::string& folder) {
  const std::string file = folder + "/delete_controller";
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  const bool gone = !fd ? errno == ENOENT : ::write(fd.get(), "1", 1) >= 0 || errno == ENODEV;
  return gone ? absl::OkStatus() : ErrnoStatus(errno, "disconnect by " + file);
}

}  // namespace

int MarkOf(pid_t process) { return kMark + process; }

std::vector<Leftover> FindLeftovers(Moment moment, const std::string& sys, const std::string& proc) {
  std::vector<Leftover> found;
  for (const std::string& controller : Controllers(sys)) {
    const std::string folder = sys + "/class/nvme/" + controller;
    const std::optional<pid_t> owner = OwnerOf(folder);
    if (!owner || IsAlive(*owner, moment, proc)) continue;
    found.push_back({.controller = controller, .subsystem_name = ReadLine(folder + "/subsysnqn")});
  }
  return found;
}

std::vector<Leftover> RemoveLeftovers(std::vector<Leftover> leftovers, const std::string& sys) {
  for (Leftover& leftover : leftovers) leftover.removed = Remove(sys + "/class/nvme/" + leftover.controller);
  return leftovers;
}

}  // namespace rdmaready::nvme
