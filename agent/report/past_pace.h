// SPDX-License-Identifier: Apache-2.0
// PastPace: when the record of live tests is read and told again. An agent that tests without pause would read
// it every few seconds, and the record grows: reading gets a small share of the time, however long it takes.
//
// Times are of a clock that nobody sets. Not thread-safe.
#pragma once

#include <optional>

#include "api/base/clock.h"

namespace rdmaready::report {

class PastPace {
 public:
  // A test was kept, or, with `at_once`, nothing was read yet. What is due already stays due.
  void Tested(Clock::TimePoint now, bool at_once = false);

  // Whether it is time to read. A test that is kept while that is done is read the next time.
  bool TakeDue(Clock::TimePoint now);

  // So long it took. `told`: else it is due again after a while.
  void Read(Clock::TimePoint begun, Clock::TimePoint ended, bool told);

  // When to read next; none: nothing was tested since.
  std::optional<Clock::TimePoint> due() const { return due_; }

 private:
  std::optional<Clock::TimePoint> due_{};
  std::optional<Clock::TimePoint> rests_until_{};
};

}  // namespace rdmaready::report
