// SPDX-License-Identifier: Apache-2.0
#include "agent/recent_runs.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "checks/remembered.h"

namespace rdmaready {
namespace {

// More than count: checks that run at the same time may be kept before the one that began first asks.
constexpr int kKept = kRunsRemembered + 4;

HistoryQuery LastRuns(int limit, std::int64_t before_unix_ns) {
  return {.kind = HistoryQuery::Kind::kRuns, .limit = limit, .before_unix_ns = before_unix_ns};
}

}  // namespace

Remembered RecentRuns::Before(const RunRecord& now) {
  const std::lock_guard lock(mutex_);
  if (!loaded_ && !Load()) return {};
  const auto first = std::ranges::find_if(
      runs_, [&now](const RunRecord& run) { return run.started_unix_ns < now.started_unix_ns; });
  const std::span earlier(first, runs_.end());
  if (earlier.size() >= kRunsRemembered) return RememberedOf(now, earlier.first(kRunsRemembered));
  if (whole_) return RememberedOf(now, earlier);
  // The clock was set back: the runs before now are older than those in memory.
  const auto stored = store_.Runs(LastRuns(kRunsRemembered, now.started_unix_ns));
  return stored.ok() ? RememberedOf(now, *stored) : Remembered{};
}

void RecentRuns::Add(const RunRecord& run) {
  const std::lock_guard lock(mutex_);
  if (!loaded_ || std::ranges::find(runs_, run.run_id, &RunRecord::run_id) != runs_.end()) return;
  // Runs are reduced in the order in which they began.
  if (!runs_.empty() && runs_.front().started_unix_ns > run.started_unix_ns) {
    loaded_ = false;
    return;
  }
  Keep(run);
}

bool RecentRuns::Load() {
  const auto stored = store_.Runs(LastRuns(kKept, 0));
  if (!stored.ok()) return false;
  runs_.clear();
  whole_ = stored->size() < kKept;
  for (const RunRecord& run : std::views::reverse(*stored)) Keep(run);
  loaded_ = true;
  return true;
}

void RecentRuns::Keep(const RunRecord& run) {
  runs_.insert(runs_.begin(), ReducedRun(run, runs_));
  if (runs_.size() <= kKept) return;
  runs_.pop_back();
  whole_ = false;
}

}  // namespace rdmaready
