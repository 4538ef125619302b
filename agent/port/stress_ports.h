// SPDX-License-Identifier: Apache-2.0
// StressPorts: the transfers of one stress test share the lock of a port, which every other test has for
// itself, and one meter of its pressure.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/port/idle_traffic.h"
#include "agent/port/port_lock.h"
#include "agent/port/pressure_meter.h"
#include "api/base/clock.h"

namespace rdmaready {

// A stress test may ask so much of this host. No caller can raise it.
struct StressLimits {
  bool allowed = false;
  std::uint32_t senders = 8;                   // transfers through one port at a time
  std::chrono::milliseconds duration{30'000};  // of each
  std::chrono::milliseconds run{180'000};      // of one run on one port, from its first transfer to its last
  std::chrono::milliseconds hour{600'000};     // of all runs of one caller on one port, within an hour
  std::uint64_t bytes_per_s = 0;  // on the wire of one port, all transfers together; 0: as much as goes
};

// kFailedPrecondition: this host allows none, and how its root does.
absl::Status StressIsOff();

// One transfer of a stress test, as its caller asks for it.
struct StressPart {
  std::string who{};  // the caller, as Caller::who; runs of two callers are never one
  std::string run_id{};
  std::chrono::milliseconds duration{};
  std::uint64_t bytes_per_s = 0;            // on the wire; 0: as much as goes
  std::optional<std::uint32_t> priority{};  // 0 to 7, whose pauses and drops are sampled; absent: of all
};

// The lock of a run on a port, and its meter.
struct StressHold {
  PortLock lock;
  std::shared_ptr<PressureMeter> meter{};
  std::shared_ptr<IdleTraffic> idle{};  // null: nobody asks whether others used the port
};

// A test's share of a port. The lock is given back first, since the end of a meter waits for a reading.
struct PortShare {
  std::shared_ptr<PressureMeter> meter{};  // null: not a part of a stress test
  std::shared_ptr<const PortLock> lock{};
  std::optional<Clock::TimePoint> until{};  // when the time of the stress test on the port is over
  std::shared_ptr<IdleTraffic> idle{};      // as of StressHold
};

// Threads: any.
class StressPorts {
 public:
  // `clock` outlives this, and the shares.
  explicit StressPorts(Clock& clock);
  StressPorts(const StressPorts&) = delete;
  StressPorts& operator=(const StressPorts&) = delete;
  ~StressPorts() = default;

  // The share of one more transfer in `port`. `take` takes the lock and makes the meter where no transfer of
  // the run holds them, and reads no host. Both are held until the last transfer gives them back, which may be
  // after this object is gone. The time of a run counts from its first transfer; this is remembered for an
  // hour. So is for how long the runs of each caller held each port. Errors:
  // - kInvalidArgument: the transfer is longer or faster than the limits, its priority does not exist, or
  //   another transfer of the run has another one;
  // - kResourceExhausted: the run has too many transfers on this port, moves too much, or its time is over; the
  //   caller's hour on the port is used up; or (of `take`) another test has the port.
  absl::StatusOr<PortShare> Join(const std::string& port, const StressPart& part, const StressLimits& limits,
                                 const std::function<absl::StatusOr<StressHold>()>& take);

  // The share for something else of a run that has the port, as Join: it counts as one more transfer while it
  // is held. Errors: kFailedPrecondition: the run has no transfer on this port now; kResourceExhausted: its
  // time, or the caller's hour on the port, is over.
  absl::StatusOr<PortShare> Hold(const std::string& port, const std::string& who, const std::string& run_id,
                                 const StressLimits& limits);

 private:
  struct State;
  class Share;
  const std::shared_ptr<State> state_;
};

}  // namespace rdmaready
