// SPDX-License-Identifier: Apache-2.0
// NumberedRuns: the shared part of each run of numbered writes at this agent. It outlasts the paths of the run.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "agent/transfer/run.h"
#include "api/base/clock.h"

namespace rdmaready {

// One path, as its caller asks for it.
struct NumberedPart {
  std::string who{};     // Caller::who: nobody else joins the run
  std::string run_id{};  // not empty
  bool is_initiator = false;
  std::uint32_t message_bytes = 0;
  std::uint64_t most_writes = 0;         // by the agent's own limit of what a test moves
  std::chrono::milliseconds duration{};  // of the run
};

class NumberedRuns {
 public:
  explicit NumberedRuns(Clock& clock) : clock_(clock) {}

  // The run of that caller, made by its first path. It is forgotten kKept after its time. kInvalidArgument:
  // messages of another size, or another duration; kResourceExhausted: kMost runs are known.
  absl::StatusOr<RunOptions::Numbered> Join(const NumberedPart& part);

 private:
  // At most 4 MiB of memory each. A caller who makes one run after another meets no limit: each takes 5 s or
  // more.
  static constexpr std::size_t kMost = 16;
  static constexpr std::chrono::seconds kKept{60};

  struct Run {
    NumberedPart made_by{};
    RunOptions::Numbered shared{};
    Clock::TimePoint until{};
  };

  Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Run> runs_{};  // by who and run_id
};

}  // namespace rdmaready
