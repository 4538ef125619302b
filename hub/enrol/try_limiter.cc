// SPDX-License-Identifier: Apache-2.0
#include "hub/enrol/try_limiter.h"

#include <algorithm>

namespace rdmaready::hub {

std::chrono::milliseconds TryLimiter::Wait(const std::string& address, Time now) {
  constexpr auto kMinute = std::chrono::minutes(1);
  constexpr int kMostDoublings = 6;
  const std::lock_guard lock(mutex_);
  if (now - minute_ >= kMinute) {
    minute_ = now;
    in_minute_ = 0;
    std::erase_if(addresses_, [now](const auto& one) { return now - one.second.last > kForgotten; });
  }
  if (in_minute_ >= kMostWrongAMinute)
    return std::chrono::ceil<std::chrono::milliseconds>(minute_ + kMinute - now);
  const auto found = addresses_.find(address);
  if (found == addresses_.end() || found->second.wrong < kFreeTries) return {};
  const int doublings = std::min(found->second.wrong - kFreeTries, kMostDoublings);
  const Time free =
      found->second.last + std::min<std::chrono::seconds>(std::chrono::seconds(1 << doublings), kLongestWait);
  return free > now ? std::chrono::ceil<std::chrono::milliseconds>(free - now) : std::chrono::milliseconds(0);
}

void TryLimiter::Wrong(const std::string& address, Time now) {
  const std::lock_guard lock(mutex_);
  ++wrong_;
  ++in_minute_;
  Tries& tries = addresses_[address];
  ++tries.wrong;
  tries.last = now;
}

void TryLimiter::Right(const std::string& address) {
  const std::lock_guard lock(mutex_);
  addresses_.erase(address);
}

std::uint64_t TryLimiter::wrong() const {
  const std::lock_guard lock(mutex_);
  return wrong_;
}

}  // namespace rdmaready::hub
