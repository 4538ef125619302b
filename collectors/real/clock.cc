// SPDX-License-Identifier: Apache-2.0
#include <sys/timex.h>

#include <algorithm>
#include <cerrno>

#include "api/base/status.h"
#include "collectors/questions/system.h"

namespace rdmaready {

absl::StatusOr<ClockAnswer> ClockQuestion::AskThisHost() const {
  timex clock{};  // modes 0: nothing is set
  const int state = ::adjtimex(&clock);
  if (state < 0) return ErrnoStatus(errno, What());
  const auto microseconds = [](long value) { return static_cast<std::uint64_t>(std::max(value, 0L)); };
  return ClockAnswer{.state = static_cast<std::uint32_t>(state),
                     .status = static_cast<std::uint32_t>(clock.status),
                     .max_error_us = microseconds(clock.maxerror),
                     .estimated_error_us = microseconds(clock.esterror)};
}

}  // namespace rdmaready
