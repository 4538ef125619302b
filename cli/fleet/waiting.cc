// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/waiting.h"

#include <algorithm>
#include <stop_token>
#include <utility>

#include "checks/readiness.h"

namespace rdmaready {
namespace {

using std::chrono::nanoseconds;

// The pause is at least as long as the last check took, or three times as long where it moved bytes.
struct Pace {
  nanoseconds first{};
  nanoseconds longest{};
  int of_check = 1;
};
constexpr Pace kLooking{std::chrono::seconds(1), std::chrono::seconds(5), 1};
constexpr Pace kTesting{std::chrono::seconds(5), std::chrono::seconds(30), 3};
constexpr nanoseconds kLongestPause = std::chrono::seconds(60);

bool IsReadyOnHostLevel(const CheckSummary& run) {
  return std::ranges::all_of(run.report.hosts, [](const HostReport& host) {
    return host.error.empty() && OutcomeOn(host.ladder, Rung::kHost) == RungOutcome::kPass;
  });
}

bool CanBeWaitedFor(const CheckSummary& run) { return std::ranges::none_of(run.notes, &HostNotes::lasting); }

// A check that looked at the settings alone proves none of the levels above.
void JudgeUpTo(Rung level, Report& report) {
  if (report.level == level) return;
  report.level = level;
  Conclude(report);
  for (HostReport& host : report.hosts) {
    if (host.error.empty()) continue;
    for (RungResult& rung : host.ladder) {
      if (rung.outcome == RungOutcome::kPass) rung.outcome = RungOutcome::kUnknown;
    }
  }
}

}  // namespace

Waiting::Waiting(std::chrono::milliseconds limit, Rung level, Clock& clock)
    : limit_(limit), level_(level), clock_(clock) {}

std::optional<CheckSummary> Waiting::Last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Waiting::Keep(CheckSummary run, std::uint32_t tries) {
  run.waited = Waited{.ns = nanoseconds(clock_.Now() - began_).count(), .tries = tries};
  const std::lock_guard lock(mutex_);
  last_ = std::move(run);
}

CheckSummary Waiting::Run(const Check& check, const Changed& changed) {
  began_ = clock_.Now();
  Rung level = level_;  // the first check is the one that is made without waiting
  nanoseconds pause{};
  std::string said;
  for (std::uint32_t tries = 1;; ++tries) {
    const Clock::TimePoint start = clock_.Now();
    CheckSummary run = check(level);
    const nanoseconds took = clock_.Now() - start;
    const bool host_ready = IsReadyOnHostLevel(run);
    const bool over = !CanBeWaitedFor(run) || clock_.Now() >= began_ + limit_;
    JudgeUpTo(level_, run.report);
    const bool ready = VerdictStatusOf(run) == ExitStatus::kOk;
    const std::string headline = Headline(run.report);
    Keep(std::move(run), tries);
    if (ready || over) return *Last();
    if (changed && headline != said) changed(headline);
    said = headline;
    const Rung next = host_ready ? level_ : Rung::kHost;
    if (host_ready && level != level_) {  // the settings became ready: the live tests follow at once
      level = next;
      pause = {};
      continue;
    }
    const Pace& pace = next == Rung::kHost ? kLooking : kTesting;
    level = next;
    pause = std::clamp(2 * pause, pace.first, pace.longest);
    const nanoseconds left = began_ + limit_ - clock_.Now();
    const nanoseconds rest = std::min(std::max(pause, pace.of_check * took), kLongestPause);
    clock_.SleepUntil(clock_.Now() + std::clamp(rest, nanoseconds(0), std::max(left - took, nanoseconds(0))),
                      std::stop_token());
  }
}

}  // namespace rdmaready
