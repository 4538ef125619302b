// SPDX-License-Identifier: Apache-2.0
#include "agent/worker/host_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};  // at a reading that is between two questions
constexpr std::chrono::milliseconds kLongestLook{
    100};  // what is beyond it in one look, this process stood still

}  // namespace

absl::Status AgentEnds() { return absl::UnavailableError("the agent is ending"); }

HostAttempt::HostAttempt(std::shared_ptr<HostReader> host, std::shared_ptr<StuckLanes> lanes,
                         std::vector<SaidOfHost> said, Clock& clock)
    : clock_(clock),
      host_(std::move(host)),
      lanes_(std::move(lanes)),
      said_(std::move(said)),
      known_(said_.size()) {}

Answer HostAttempt::Ask(const Question& question) {
  {
    const std::lock_guard lock(mutex_);
    if (left_behind_) return AgentEnds();
    // The same answers lead to the same questions; where they do not, the host is asked from there on.
    if (at_ < known_ && said_[at_].question == question) return said_[at_++].answer;
    if (at_ < known_) said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(at_), said_.end());
    known_ = 0;
    if (std::optional<absl::Status> why = lanes_->WhyNot(question)) return *why;
    asked_ = &question;
    ++asked_number_;
  }
  Answer answer = host_->Ask(question);
  const std::lock_guard lock(mutex_);
  asked_ = nullptr;
  if (closed_ != 0) lanes_->Open(closed_);
  closed_ = 0;
  if (left_behind_) return AgentEnds();
  said_.push_back({question, answer});
  return answer;
}

void HostAttempt::Do(const Reading& reading) {
  std::function<void()> give = reading(*this);
  const std::lock_guard lock(mutex_);
  give_ = std::move(give);
  done_ = true;
  changed_.notify_all();
}

HostAttempt::End HostAttempt::Watch(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  std::uint64_t watched = 0;
  Clock::TimePoint::duration left{};
  for (;;) {
    if (stopped_) {
      left_behind_ = true;
      return End::kStopped;
    }
    if (done_) return End::kDone;
    if (std::exchange(watched, asked_number_) != asked_number_) left = patience;
    if (asked_ != nullptr && left <= left.zero()) break;
    const Clock::TimePoint::duration look =
        asked_ != nullptr ? std::min<Clock::TimePoint::duration>(left, kLongestLook) : kLookAgain;
    const Clock::TimePoint looked = clock_.Now();
    clock_.WaitUntil(changed_, lock, {}, looked + look, [this] { return done_ || stopped_; });
    left -= std::min(clock_.Now() - looked, look);
  }
  left_behind_ = true;
  closed_ = lanes_->Close(*asked_);
  const double seconds = std::chrono::duration<double>(patience).count();
  said_.push_back({*asked_, absl::DeadlineExceededError(
                                fmt::format("{}: no answer within {:g} s", WhatIsAsked(*asked_), seconds))});
  return End::kStuck;
}

void HostAttempt::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::vector<SaidOfHost> HostAttempt::TakeSaid() {
  const std::lock_guard lock(mutex_);
  return std::move(said_);
}

}  // namespace rdmaready
