// SPDX-License-Identifier: Apache-2.0
// What happens to a made-up fleet, and when. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/version.h"

namespace rdmaready::sim {

struct Happening {
  enum class What { kChange, kOdd, kTest, kSlow, kRestart, kStop, kStart, kSkew, kVersion, kPartition, kHeal };
  std::chrono::milliseconds at{};
  What what = What::kChange;
  std::size_t hosts = 0;             // the first so many
  std::chrono::milliseconds skew{};  // of kSkew
  std::string version{};             // of kVersion: "0.2.0"
  std::uint32_t revision = kIngestRevision;  // and what it speaks with the hub
  bool to_hub = false;               // of kPartition and kHeal: what agents say is held
  bool to_agent = false;             // and what the hub says
  std::string text{};                // the line
};

// Lines "TIME WHAT HOW-MANY [MORE...]"; `#` begins a comment. In the order of their times; the end of a
// partition happens, too. kInvalidArgument with the line.
absl::StatusOr<std::vector<Happening>> ParseScript(std::string_view text, std::size_t agents);

// How many hosts are partitioned from the hub at any time: the first so many.
std::size_t MostPartitioned(const std::vector<Happening>& script);

}  // namespace rdmaready::sim
