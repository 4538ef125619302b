// SPDX-License-Identifier: Apache-2.0
// Bursts: keeps one priority of the link partner paused for a bounded time, some times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "absl/status/status.h"
#include "agent/helper/pauser/pause_frame.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

inline constexpr std::chrono::milliseconds kLeastBurst{10};
inline constexpr std::chrono::milliseconds kMostBurst{100};
// The most that one frame asks for, so much is left where this process is killed. It is renewed after half of
// it. From 1.68 Gb/s on the field of the frame is the limit: 3.4 ms at 10 Gb/s, 84 us at 400 Gb/s.
inline constexpr std::chrono::milliseconds kMostPauseOfFrame{20};

struct BurstPlan {
  std::uint32_t priority = 0;
  std::chrono::milliseconds burst{};
  std::uint32_t bursts = 0;
  std::chrono::milliseconds gap{};  // from the end of a burst to the next one
  std::uint32_t speed_mbps = 0;     // of the link; at least 1
  Mac source{};
};

struct Burst {
  std::uint32_t frames = 0;           // that asked for a pause
  std::chrono::nanoseconds paused{};  // how long the frames that were sent ask for, overlaps counted once
  bool ended = false;                 // the frame of zero quanta was sent
};

struct BurstsSent {
  std::vector<Burst> bursts{};
  absl::Status end{};  // OK: all were sent; kCancelled: `stop`; else the error of a frame
};

// One frame onto the wire. Called by one thread.
using FrameSender = std::function<absl::Status(const PauseFrame& frame)>;

// Blocks. Where a frame lasts less than 0.6 ms, from 56 Gb/s on, a burst takes a whole CPU: a sleep would end
// too late. Each burst ends with a frame of zero quanta, also after an error and on `stop`: it is tried some
// times. No frame asks for more than what is left of its burst. `done` is called after each burst.
BurstsSent SendBursts(const BurstPlan& plan, const FrameSender& send, Clock& clock, const std::stop_token& stop,
                      const std::function<void(const Burst& burst)>& done);

}  // namespace rdmaready::helper
