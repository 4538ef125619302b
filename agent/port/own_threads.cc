// SPDX-License-Identifier: Apache-2.0
#include "agent/port/own_threads.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "api/base/number.h"

namespace rdmaready {

std::set<std::int64_t> OwnThreads() {
  std::set<std::int64_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    const std::optional<std::int64_t> id = ParseNumber<std::int64_t>(task->path().filename().string());
    if (id) threads.insert(*id);
  }
  return threads;
}

}  // namespace rdmaready
