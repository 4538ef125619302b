// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/bursts.h"

#include <sys/prctl.h>

#include <algorithm>

namespace rdmaready::helper {
namespace {

using std::chrono::nanoseconds;

// A transmit queue that is full is soon not: the last frame is worth some tries.
constexpr int kTriesToEnd = 10;
constexpr std::chrono::milliseconds kBetweenTries{1};
// A sleep ends later than asked, by what a CPU takes to wake. A frame of the most quanta lasts 84 us at 400
// Gb/s: so near a renewal the thread spins. Only within a burst: for 100 ms at most.
constexpr std::chrono::microseconds kNearRenewal{300};

// The thread's sleeps end up to 50 us late unless it asks for less (PR_SET_TIMERSLACK of prctl(2)).
class ExactSleeps {
 public:
  ExactSleeps() : before_(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) { ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }
  ExactSleeps(const ExactSleeps&) = delete;
  ExactSleeps& operator=(const ExactSleeps&) = delete;
  ~ExactSleeps() {
    if (before_ > 0) ::prctl(PR_SET_TIMERSLACK, before_, 0, 0, 0);
  }

 private:
  const int before_;
};

class BurstSender {
 public:
  BurstSender(const BurstPlan& plan, const FrameSender& send, Clock& clock, const std::stop_token& stop)
      : plan_(plan), send_(send), clock_(clock), stop_(stop) {}

  // Returns the error of a frame; OK at the end of the burst and on `stop`.
  absl::Status Make(Burst& burst) {
    const absl::Status kept = Keep(burst);
    burst.ended = End();
    // The partner goes on by the last frame, or when the time of the one before is over.
    burst.paused += (burst.ended ? std::min(clock_.Now(), until_) : until_) - last_;
    return kept;
  }

 private:
  absl::Status Keep(Burst& burst) {
    const Clock::TimePoint end = clock_.Now() + plan_.burst;
    last_ = until_ = clock_.Now();
    while (!stop_.stop_requested()) {
      const Clock::TimePoint now = clock_.Now();
      const nanoseconds ask = std::min<nanoseconds>(end - now, kMostPauseOfFrame);
      const std::uint16_t quanta = QuantaWithin(ask, plan_.speed_mbps);
      if (quanta == 0) return absl::OkStatus();
      if (absl::Status sent = send_(MakePauseFrame(plan_.source, plan_.priority, quanta)); !sent.ok())
        return sent;
      burst.paused += std::min(now, until_) - last_;
      ++burst.frames;
      last_ = now;
      until_ = now + TimeOfQuanta(quanta, plan_.speed_mbps);
      const bool is_last = QuantaWithin(end - until_, plan_.speed_mbps) == 0;
      if (!Await(is_last ? end : now + (until_ - now) / 2)) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  // False: `stop` was requested.
  bool Await(Clock::TimePoint when) {
    if (when - clock_.Now() >= kNearRenewal) return clock_.SleepUntil(when, stop_);
    while (clock_.Now() < when && !stop_.stop_requested()) {
    }
    return !stop_.stop_requested();
  }

  bool End() {
    const PauseFrame go_on = MakePauseFrame(plan_.source, plan_.priority, 0);
    for (int i = 0; i < kTriesToEnd; ++i) {
      if (send_(go_on).ok()) return true;
      clock_.SleepUntil(clock_.Now() + kBetweenTries, {});
    }
    return false;
  }

  const BurstPlan& plan_;
  const FrameSender& send_;
  Clock& clock_;
  const std::stop_token& stop_;
  Clock::TimePoint last_{};   // of the last frame
  Clock::TimePoint until_{};  // the partner is paused
};

}  // namespace

BurstsSent SendBursts(const BurstPlan& plan, const FrameSender& send, Clock& clock, const std::stop_token& stop,
                      const std::function<void(const Burst& burst)>& done) {
  BurstsSent sent;
  const ExactSleeps exact;
  for (std::uint32_t i = 0; i < plan.bursts && sent.end.ok(); ++i) {
    if (i > 0) clock.SleepUntil(clock.Now() + plan.gap, stop);
    if (!stop.stop_requested()) {
      Burst& burst = sent.bursts.emplace_back();
      sent.end = BurstSender(plan, send, clock, stop).Make(burst);
      done(burst);
    }
    if (sent.end.ok() && stop.stop_requested()) sent.end = absl::CancelledError("stopped");
  }
  return sent;
}

}  // namespace rdmaready::helper
