// SPDX-License-Identifier: Apache-2.0
#include "agent/numbered_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "api/base/digest.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// Both ends know the run, and each path has a nonce of its own.
absl::StatusOr<Nonce> KeyOf(const std::string& run_id) {
  RR_ASSIGN_OR_RETURN(const std::string digest, Sha256("rdmaready numbered writes " + run_id));
  Nonce key{};
  std::memcpy(key.data(), digest.data(), std::min(key.size(), digest.size()));
  return key;
}

absl::StatusOr<RunOptions::Numbered> MadeFor(const NumberedPart& part, Clock& clock) {
  RunOptions::Numbered shared;
  RR_ASSIGN_OR_RETURN(shared.key, KeyOf(part.run_id));
  if (part.is_initiator) {
    shared.writes = std::make_shared<NumberedWrites>(part.duration, part.most_writes, clock);
    return shared;
  }
  RR_ASSIGN_OR_RETURN(shared.log, NumberedLog::Make(shared.key, part.message_bytes, clock));
  return shared;
}

}  // namespace

absl::StatusOr<RunOptions::Numbered> NumberedRuns::Join(const NumberedPart& part) {
  const std::lock_guard lock(mutex_);
  const Clock::TimePoint now = clock_.Now();
  std::erase_if(runs_, [now](const auto& one) { return one.second.until < now; });
  const auto found = runs_.find({part.who, part.run_id});
  if (found != runs_.end()) {
    const NumberedPart& first = found->second.made_by;
    if (first.message_bytes != part.message_bytes || first.duration != part.duration ||
        first.is_initiator != part.is_initiator)
      return absl::InvalidArgumentError("numbered writes: run " + part.run_id +
                                        " began with another size, time or role");
    return found->second.shared;
  }
  if (runs_.size() >= kMost)
    return absl::ResourceExhaustedError(
        fmt::format("too many runs of numbered writes within a minute (limit {})", kMost));
  RR_ASSIGN_OR_RETURN(RunOptions::Numbered shared, MadeFor(part, clock_));
  runs_.emplace(std::pair(part.who, part.run_id),
                Run{.made_by = part, .shared = shared, .until = now + part.duration + kKept});
  return shared;
}

}  // namespace rdmaready
