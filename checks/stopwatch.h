// SPDX-License-Identifier: Apache-2.0
// How long a judgement took, by a clock that may be absent.
#pragma once

#include <cstdint>

#include "checks/judge.h"

namespace rdmaready {

class Stopwatch {
 public:
  explicit Stopwatch(const NowNs& now) : now_(now), started_(now ? now() : 0) {}
  std::int64_t ElapsedNs() const { return now_ ? now_() - started_ : 0; }

 private:
  const NowNs& now_;
  std::int64_t started_;
};

}  // namespace rdmaready
