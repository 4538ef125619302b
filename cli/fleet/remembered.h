// SPDX-License-Identifier: Apache-2.0
// Remembered: what a host's agent remembers, beside a check of now. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/model/history.h"
#include "cli/fleet/history_run.h"

namespace rdmaready {

// What a check could not judge, because it did not watch, and earlier ones found.
struct SeenBefore {
  std::string id{};
  std::string subject{};
  std::string observed{};         // in the last of them
  std::int64_t last_unix_ns = 0;  // when that began
  int checks = 0;                 // that found it

  bool operator==(const SeenBefore&) const = default;
};

struct Remembered {
  std::vector<Standing> standing{};
  std::vector<SeenBefore> seen{};
};

// The runs that are asked for: three hours of an agent's own checks. Each is some 200 findings to send and to read.
inline constexpr int kRunsRemembered = 12;

// `earlier` are newest first.
Remembered RememberedOf(const RunRecord& now, std::span<const RunRecord> earlier);

}  // namespace rdmaready
