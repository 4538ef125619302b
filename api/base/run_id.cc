// SPDX-License-Identifier: Apache-2.0
#include "api/base/run_id.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <random>

#include "api/base/clock.h"

namespace rdmaready {

std::string MakeRunId() {
  std::random_device random;
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{:08x}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(RealClock().Wall())), random());
}

std::string MakeInstanceId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::int64_t UnixNowNs() { return UnixNs(RealClock()); }

}  // namespace rdmaready
