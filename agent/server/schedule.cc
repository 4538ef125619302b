// SPDX-License-Identifier: Apache-2.0
#include "agent/server/schedule.h"

#include <fmt/format.h>

#include <utility>

namespace rdmaready {
namespace {

constexpr auto kLatest = std::chrono::minutes(1);         // a machine under load starts threads late
constexpr auto kLongestRound = std::chrono::minutes(15);  // reading a host that answers nothing, and a slow disk

}  // namespace

std::chrono::milliseconds NextWait(std::chrono::milliseconds interval, bool first, std::mt19937_64& random) {
  const std::int64_t whole = interval.count();
  const std::int64_t jitter = whole / 10;
  std::uniform_int_distribution<std::int64_t> wait(first ? 0 : whole - jitter, first ? whole : whole + jitter);
  return std::chrono::milliseconds(wait(random));
}

Schedule::Schedule(std::chrono::milliseconds interval, std::uint64_t seed, Clock& clock,
                   std::function<void(std::stop_token)> round)
    : clock_(clock), thread_([this, interval, seed, round = std::move(round)](const std::stop_token& stop) {
        std::mt19937_64 random(seed);
        for (bool first = true;; first = false) {
          const Clock::TimePoint due = clock_.Now() + NextWait(interval, first, random);
          since_ = due.time_since_epoch().count();
          in_round_ = false;
          if (!clock_.SleepUntil(due, stop)) return;
          since_ = clock_.Now().time_since_epoch().count();
          in_round_ = true;
          round(stop);
        }
      }) {}

absl::Status Schedule::OnTime() const {
  const bool in_round = in_round_;
  const auto late = clock_.Now() - Clock::TimePoint(Clock::TimePoint::duration(since_));
  if (since_ == 0 || late <= (in_round ? kLongestRound : kLatest)) return absl::OkStatus();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(late).count();
  return absl::DeadlineExceededError(fmt::format(
      "{} {} s", in_round ? "a check of the agent's own has not ended for" : "a check of the agent's own is late by",
      seconds));
}

}  // namespace rdmaready
