// SPDX-License-Identifier: Apache-2.0
#include "api/base/run_id.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <random>

namespace rdmaready {

std::string MakeRunId() {
  std::random_device random;
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{:08x}", fmt::gmtime(std::time(nullptr)), random());
}

std::string MakeInstanceId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::int64_t UnixNowNs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace rdmaready
