// SPDX-License-Identifier: Apache-2.0
#include "agent/report/past_pace.h"

#include <algorithm>
#include <chrono>

namespace rdmaready::report {
namespace {

constexpr auto kAfterTest = std::chrono::seconds(3);     // others may follow it
constexpr auto kAfterNoPast = std::chrono::seconds(10);  // it could not be read, or packed
constexpr int kRestsPerReading = 20;                     // rest at least so many times what a reading took

}  // namespace

void PastPace::Tested(Clock::TimePoint now, bool at_once) {
  if (due_) return;
  const Clock::TimePoint soon = at_once ? now : now + kAfterTest;
  due_ = std::max(soon, rests_until_.value_or(soon));
}

bool PastPace::TakeDue(Clock::TimePoint now) {
  if (!due_ || now < *due_) return false;
  due_.reset();
  return true;
}

void PastPace::Read(Clock::TimePoint begun, Clock::TimePoint ended, bool told) {
  rests_until_ = ended + kRestsPerReading * (ended - begun);
  if (!told && !due_) due_ = ended + kAfterNoPast;
  if (due_) due_ = std::max(*due_, *rests_until_);
}

}  // namespace rdmaready::report
