// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/turned_away.h"

#include <chrono>
#include <utility>

namespace rdmaready {
namespace {

constexpr auto kBetweenWords = std::chrono::minutes(1);

}  // namespace

std::optional<std::uint64_t> TurnedAway::One() {
  ++since_told_;
  const Clock::TimePoint now = clock_.Now();
  if (told_ && now - *told_ < kBetweenWords) return std::nullopt;
  told_ = now;
  return std::exchange(since_told_, 0);
}

}  // namespace rdmaready
