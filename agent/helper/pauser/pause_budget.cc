// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_budget.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/apply/disk.h"
#include "agent/helper/frame.h"
#include "api/base/handle.h"
#include "api/base/small_file.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::size_t kMostBudgetBytes = std::size_t{2} << 20;
constexpr std::size_t kMostTaken = 20'000;
constexpr nanoseconds kWindow = kPauseWindow;

// The time that one order took.
struct Taken {
  PausePortKey port{};
  milliseconds pause{};
  std::int64_t free_ns = 0;  // when it is given back, by the clock of the boot that the file names
  std::int64_t unix_ns = 0;  // when it was taken

  bool operator==(const Taken&) const = default;
};

struct BudgetFile {
  std::string boot_id{};
  std::vector<Taken> taken{};
};

// A time that fits into 63 bits, whatever the file says.
std::int64_t TimeOf(Arguments& members, const char* key) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(members.Unsigned<std::uint64_t>(key), std::numeric_limits<std::int64_t>::max()));
}

Taken TakenOf(Arguments& members) {
  return {.port = {.pci = members.Text("pci"),
                   .permanent_mac = members.Text("permanent_mac"),
                   .physical_port = members.Text("phys_port_id")},
          .pause = milliseconds(members.Unsigned<std::uint32_t>("pause_ms")),
          .free_ns = TimeOf(members, "free_ns"),
          .unix_ns = TimeOf(members, "unix_ns")};
}

absl::StatusOr<BudgetFile> Parse(const std::string& text) {
  RR_ASSIGN_OR_RETURN(const Json json, recording::ParseObject(text));
  Arguments members(json);
  BudgetFile file{.boot_id = members.Text("boot_id"),
                  .taken = members.List<Taken>("taken", [](Arguments& one) { return TakenOf(one); })};
  RR_RETURN_IF_ERROR(members.status());
  if (file.taken.size() > kMostTaken) return absl::InvalidArgumentError("too many entries");
  return file;
}

std::string TextOf(const BudgetFile& file) {
  Json taken = Json::array();
  for (const Taken& one : file.taken) {
    taken.push_back({{"pci", recording::FromText(one.port.pci)},
                     {"permanent_mac", recording::FromText(one.port.permanent_mac)},
                     {"phys_port_id", recording::FromText(one.port.physical_port)},
                     {"pause_ms", one.pause.count()},
                     {"free_ns", one.free_ns},
                     {"unix_ns", one.unix_ns}});
  }
  return Text({{"boot_id", recording::FromText(file.boot_id)}, {"taken", std::move(taken)}}) + "\n";
}

// Only a file that was never made is an empty one.
absl::StatusOr<BudgetFile> Load(const std::string& path) {
  struct ::stat there {};
  if (::lstat(path.c_str(), &there) != 0 && errno == ENOENT) return BudgetFile{};
  const absl::StatusOr<std::string> text =
      ReadGuardedInPlace(path, kMostBudgetBytes, ::geteuid(), S_IWGRP | S_IWOTH);
  absl::StatusOr<BudgetFile> file = text.ok() ? Parse(*text) : absl::StatusOr<BudgetFile>(text.status());
  if (file.ok()) return file;
  return absl::FailedPreconditionError(fmt::format(
      "read the pauses of the last hour in {}: {} (root may remove it an hour after the last pause)", path,
      Message(file.status())));
}

// Counts entries of an earlier boot by the clock of this one, and leaves out those that are over. Returns
// whether others have a new time.
bool Refresh(BudgetFile& file, const std::string& boot_id, std::int64_t boot_now_ns, std::int64_t unix_now_ns) {
  bool changed = false;
  for (Taken& one : file.taken) {
    const Taken before = one;
    if (file.boot_id != boot_id) {
      one.unix_ns = std::min(one.unix_ns, unix_now_ns);
      one.free_ns = boot_now_ns + std::max<std::int64_t>(kWindow.count() - (unix_now_ns - one.unix_ns), 0);
    }
    one.free_ns = std::min(one.free_ns, boot_now_ns + kWindow.count());
    changed = changed || one != before;
  }
  file.boot_id = boot_id;
  std::erase_if(file.taken, [boot_now_ns](const Taken& one) { return one.free_ns <= boot_now_ns; });
  std::ranges::sort(file.taken, {}, &Taken::free_ns);
  return changed;
}

struct Moment {
  std::int64_t boot_ns = 0;
  std::int64_t unix_ns = 0;
};

Moment MomentOf(Clock& clock) {
  return {.boot_ns = nanoseconds(clock.Now().time_since_epoch()).count(),
          .unix_ns = std::max<std::int64_t>(UnixNs(clock), 0)};
}

// Written also when nothing is taken: else the hour of an entry would begin anew with each look.
absl::StatusOr<BudgetFile> LoadRefreshed(const std::string& path, const std::string& boot_id,
                                         const Moment& now) {
  RR_ASSIGN_OR_RETURN(BudgetFile file, Load(path));
  if (Refresh(file, boot_id, now.boot_ns, now.unix_ns))
    RR_RETURN_IF_ERROR(apply::RealDisk().Replace(path, TextOf(file)));
  return file;
}

// The time that the port has taken, and after how long `wanted` more is free. An hour holds `wanted`.
struct PortAccount {
  milliseconds used{};
  nanoseconds free_in{};
};

PortAccount StateOf(const BudgetFile& file, const PausePortKey& port, milliseconds wanted,
                    std::int64_t boot_now_ns) {
  PortAccount state;
  for (const Taken& one : file.taken)
    if (IsSamePort(one.port, port)) state.used += one.pause;
  milliseconds left = state.used;
  for (const Taken& one : file.taken) {
    if (!IsSamePort(one.port, port) || left + wanted <= kMostPausePerHour) continue;
    left -= one.pause;
    state.free_in = nanoseconds(one.free_ns - boot_now_ns);
  }
  return state;
}

absl::Status CheckPorts(const BudgetFile& file, const PausePortKey& port) {
  std::vector<PausePortKey> ports;
  for (const Taken& one : file.taken) {
    const auto known = [&one](const PausePortKey& other) { return IsSamePort(one.port, other); };
    if (!known(port) && std::ranges::none_of(ports, known)) ports.push_back(one.port);
  }
  if (ports.size() < kMostPausedPorts) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("too many ports were paused in the last hour (limit {})", kMostPausedPorts));
}

absl::StatusOr<UniqueFd> LockBeside(const std::string& path) {
  const std::string name = path + ".lock";
  UniqueFd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return ErrnoStatus(errno, "open " + name);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return ErrnoStatus(errno, "lock " + name);
  return fd;
}

}  // namespace

bool IsSamePort(const PausePortKey& one, const PausePortKey& other) {
  const auto shared = [&](std::string PausePortKey::*part) {
    return !(one.*part).empty() && one.*part == other.*part;
  };
  return shared(&PausePortKey::pci) || shared(&PausePortKey::permanent_mac) ||
         shared(&PausePortKey::physical_port);
}

absl::Status PauseBudget::Take(const PausePortKey& port, milliseconds pause) {
  if (port == PausePortKey{})
    return absl::FailedPreconditionError("a port without PCI address and hardware address has no budget");
  if (pause.count() <= 0 || pause > kMostPausePerHour)
    return absl::InvalidArgumentError(
        fmt::format("a pause of {} ms (1 to {} ms)", pause.count(), kMostPausePerHour.count()));
  RR_ASSIGN_OR_RETURN(const UniqueFd lock, LockBeside(path_));
  return TakeLocked(port, pause);
}

absl::StatusOr<std::optional<nanoseconds>> PauseBudget::AgeOfNewest(const PausePortKey& port) {
  RR_ASSIGN_OR_RETURN(const UniqueFd lock, LockBeside(path_));
  const Moment now = MomentOf(*time_.clock);
  RR_ASSIGN_OR_RETURN(const BudgetFile file, LoadRefreshed(path_, time_.boot_id, now));
  std::optional<nanoseconds> youngest;
  for (const Taken& one : file.taken) {
    if (!IsSamePort(one.port, port)) continue;
    const nanoseconds age = kWindow - nanoseconds(one.free_ns - now.boot_ns);
    if (!youngest || age < *youngest) youngest = age;
  }
  return youngest;
}

absl::Status PauseBudget::TakeLocked(const PausePortKey& port, milliseconds pause) {
  const Moment now = MomentOf(*time_.clock);
  const auto [boot_now_ns, unix_now_ns] = now;
  RR_ASSIGN_OR_RETURN(BudgetFile file, LoadRefreshed(path_, time_.boot_id, now));
  const PortAccount state = StateOf(file, port, pause, boot_now_ns);
  if (state.used + pause > kMostPausePerHour) {
    const std::int64_t free_unix_ns = unix_now_ns + state.free_in.count();
    return absl::ResourceExhaustedError(fmt::format(
        "the port may be paused for {} ms an hour, and {} ms of it are used: {} ms more are free in {} s, at "
        "{:%Y-%m-%d %H:%M:%S} UTC",
        kMostPausePerHour.count(), state.used.count(), pause.count(),
        std::chrono::ceil<std::chrono::seconds>(state.free_in).count(),
        fmt::gmtime(static_cast<std::time_t>(free_unix_ns / 1'000'000'000 + 1))));
  }
  RR_RETURN_IF_ERROR(CheckPorts(file, port));
  file.taken.push_back(
      {.port = port, .pause = pause, .free_ns = boot_now_ns + kWindow.count(), .unix_ns = unix_now_ns});
  return apply::RealDisk().Replace(path_, TextOf(file));
}

}  // namespace rdmaready::helper
