// SPDX-License-Identifier: Apache-2.0
// A process of a pod, from what /proc says of it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectors/questions/system.h"

namespace rdmaready {

// /proc/PID/comm, cgroup and cmdline.
struct ProcessTexts {
  std::string_view comm{};
  std::string_view cgroup{};
  std::string_view command_line{};
};

// The UID of the pod; empty: the process is in none.
std::string PodUidOf(std::string_view cgroup);

// Nothing for a process that is in no pod, or that PodProcessesQuestion does not ask for.
std::optional<PodProcess> PodProcessOf(std::uint32_t pid, const ProcessTexts& texts,
                                       std::span<const std::string> words);

}  // namespace rdmaready
