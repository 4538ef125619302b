// SPDX-License-Identifier: Apache-2.0
// TimedWait: for how long a listener of the running host may still wait, and what wakes it. To be used by one
// thread; the stop may be asked for by another.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "api/base/clock.h"
#include "api/base/handle.h"
#include "collectors/questions/listening.h"

namespace rdmaready {

// Until the time is up or somebody asks to stop.
class TimedWait {
 public:
  explicit TimedWait(const LldpWait& wait, Clock& clock = RealClock())
      : clock_(clock),
        start_(clock.Now()),
        end_(start_ + wait.longest),
        stop_(wait.stop),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        on_stop_(wait.stop, Waker{wake_.get()}) {}

  int wake_fd() const { return wake_.get(); }
  std::uint32_t elapsed_ms() const { return static_cast<std::uint32_t>(Milliseconds(clock_.Now() - start_)); }
  // 0: it is over. Rounded up, so that nobody turns around in the last millisecond.
  int left_ms() const {
    if (stop_.stop_requested() || clock_.Now() >= end_) return 0;
    return static_cast<int>(std::min<std::int64_t>(Milliseconds(end_ - clock_.Now()) + 1, 60'000));
  }

 private:
  struct Waker {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      static_cast<void>(!::write(fd, &one, sizeof one));
    }
  };
  static std::int64_t Milliseconds(Clock::TimePoint::duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  }

  Clock& clock_;
  const Clock::TimePoint start_;
  const Clock::TimePoint end_;
  const std::stop_token stop_;
  const UniqueFd wake_;
  const std::stop_callback<Waker> on_stop_;
};

}  // namespace rdmaready
