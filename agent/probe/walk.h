// SPDX-License-Identifier: Apache-2.0
// Walk: the steps of one probe, as they are made, and what the server answers on the way.
//
// It fills in a ProbeResult whose steps were listed before (BeginProbe), so that those which were not reached
// are told too. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "agent/link/link.h"
#include "agent/link/pacer.h"
#include "api/base/clock.h"
#include "api/model/probe.h"

namespace rdmaready {

RdmaRefusal RefusalOf(const Handshake& handshake);

// Cuts every text to 256 bytes: servers choose their length.
void CutTexts(ProbeAnswers& answers);

class Walk {
 public:
  struct Watch {
    TimePoint deadline{};                                     // of the whole probe
    std::function<absl::Status()> interrupted{};              // as Patience::interrupted
    std::function<void(const std::string& step)> progress{};  // the step that begins; may be empty
    std::stop_token stop{};       // `interrupted`, for who waits for something else too
    Clock* clock = &RealClock();  // that `deadline` is by
    // In production: what the proof's operations may put on the wire in each direction; 0: as much as they can.
    // An operation that does not fit it (FitsShare) is not made: kCancelled.
    std::uint64_t limit_bytes_per_s = 0;
  };
  using Make = std::function<absl::Status(const Patience&)>;

  // `result` outlives the walk.
  Walk(ProbeResult& result, Watch watch)
      : result_(result), watch_(std::move(watch)), pacer_(watch_.limit_bytes_per_s) {}

  // Makes the step of that name, which the result lists, within `limit` and within the time of the whole probe;
  // writes down how it ended and how long it took. False when it failed. After an interruption, and once the
  // time of the whole probe is up, no step is made. ProbeAnswers::time_up becomes the first step that had less
  // than its limit and heard nothing, or was not made.
  bool Step(std::string_view name, std::chrono::milliseconds limit, const Make& make);

  // For who makes steps in another process.
  const Watch& watch() const { return watch_; }

  ProbeResult& result() { return result_; }
  const ProbeResult& result() const { return result_; }
  ProbeAnswers& answers() { return result_.answers; }

 private:
  void TellTimeUp(std::string_view step);
  // Patience::pace of a step.
  absl::Status Pace(std::uint64_t bytes);

  ProbeResult& result_;
  const Watch watch_;
  Pacer pacer_;  // of all steps; not asked without a limit
};

}  // namespace rdmaready
