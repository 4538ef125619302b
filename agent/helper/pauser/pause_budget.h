// SPDX-License-Identifier: Apache-2.0
// PauseBudget: how long each port may still pause its link partner. It is kept in a file, so that neither a new
// start nor a reboot gives more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

inline constexpr std::chrono::milliseconds kMostPausePerHour{1'000};
inline constexpr std::chrono::hours kPauseWindow{1};
inline constexpr std::size_t kMostPausedPorts = 64;  // in one hour

// A port of a NIC, by names that no rename changes. A part may be empty, not all. Functions of one port (NPAR,
// multi-host) share the third part, where their driver has it.
struct PausePortKey {
  std::string pci{};            // "0000:3b:00.0/1": the address and the port of the function; may be empty
  std::string permanent_mac{};  // "02:00:00:00:00:01"; of a software interface its present one
  std::string physical_port{};  // phys_port_id of sysfs, hexadecimal: "3cfdfe9e8a40"

  bool operator==(const PausePortKey&) const = default;
};

// Whether they share a part.
bool IsSamePort(const PausePortKey& one, const PausePortKey& other);

// The id of the present boot, and a clock that also counts while the machine is suspended.
struct BootTime {
  std::string boot_id{};
  Clock* clock = &BootClock();
};

// One thread at a time. Other processes with the same file are kept out by a lock beside it.
class PauseBudget {
 public:
  PauseBudget(std::string path, BootTime time) : path_(std::move(path)), time_(std::move(time)) {}

  // Takes `pause` from what the port has left, and returns when that is on the medium. A pause of this boot is
  // given back an hour later by the boot's clock, which nobody sets. A pause of an earlier boot is as old as
  // the date says; where the date is before it, its hour begins now.
  //
  // kResourceExhausted: not so much is left; the text says when it is. kFailedPrecondition: the file cannot be
  // read, is not ours or is damaged: nothing may be sent. Other errors are those of writing it.
  absl::Status Take(const PausePortKey& port, std::chrono::milliseconds pause);

  // For how long the newest pause of the port has been taken; nothing: none within the hour. Errors as those of
  // Take.
  absl::StatusOr<std::optional<std::chrono::nanoseconds>> AgeOfNewest(const PausePortKey& port);

 private:
  absl::Status TakeLocked(const PausePortKey& port, std::chrono::milliseconds pause);

  const std::string path_;
  const BootTime time_;
};

}  // namespace rdmaready::helper
