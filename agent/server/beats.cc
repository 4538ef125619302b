// SPDX-License-Identifier: Apache-2.0
#include "agent/server/beats.h"

#include <cstddef>
#include <utility>

namespace rdmaready {
namespace {

constexpr std::size_t kMostBeatBytes = 64;

}  // namespace

std::function<bool()> Beats::Begin(const std::string& beat) {
  if (beat.empty() || beat.size() > kMostBeatBytes) return {};
  auto heard = std::make_shared<std::atomic<bool>>(false);
  {
    const std::lock_guard lock(mutex_);
    calls_.emplace(beat, heard);
  }
  const std::shared_ptr<void> registered(nullptr, [this, beat, heard](void*) {
    const std::lock_guard lock(mutex_);
    std::erase_if(calls_, [&heard](const auto& call) { return call.second == heard; });
  });
  return [heard, registered] { return heard->exchange(false); };
}

void Beats::Heard(const std::string& beat) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = calls_.equal_range(beat);
  for (auto call = first; call != last; ++call) call->second->store(true);
}

}  // namespace rdmaready
