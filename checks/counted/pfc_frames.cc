// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/pfc_frames.h"

#include <algorithm>

#include "checks/counted/counters.h"
#include "checks/counted/window.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

std::optional<ByPriority> FramesByStatistics(const EthernetView& view, PauseWays ways) {
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return std::nullopt;
  std::optional<ByPriority> frames;
  for (const StatisticChange& one : *all) {
    const bool wanted = (ways.received && one.now.counter == NicCounter::kPauseReceived) ||
                        (ways.sent && one.now.counter == NicCounter::kPauseSent);
    if (!wanted || !one.now.priority || *one.now.priority >= kPriorities) continue;
    if (!frames) frames = ByPriority{};
    (*frames)[*one.now.priority] += GrowthOf(one.change);
  }
  return frames;
}

// Few drivers leave them at 0.
std::optional<ByPriority> FramesByDcb(const EthernetView& view, PauseWays ways) {
  const Fact<NetdevReading> earlier = EarlierOf(view);
  const FactRef<Pfc> now = ToldByDriver(view.netdev, &Dcb::pfc);
  if (!earlier || !earlier->pfc || !now) return std::nullopt;
  const auto grown = [](bool wanted, std::uint64_t before, std::uint64_t after) {
    return wanted ? GrowthOf(Difference({"", before}, {"", after}, std::nullopt)) : 0;
  };
  ByPriority frames{};
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    frames[priority] =
        grown(ways.received, earlier->pfc->pauses_received[priority], now->pauses_received[priority]) +
        grown(ways.sent, earlier->pfc->pauses_sent[priority], now->pauses_sent[priority]);
  }
  return frames;
}

}  // namespace

// Each source may lack what the other has: mlx5 names its statistics of a priority only while PFC is on for it.
std::optional<ByPriority> PfcFrames(const EthernetView& view, PauseWays ways) {
  const std::optional<ByPriority> by_statistics = FramesByStatistics(view, ways);
  std::optional<ByPriority> frames = FramesByDcb(view, ways);
  if (!frames || !by_statistics) return frames ? frames : by_statistics;
  for (std::size_t priority = 0; priority < kPriorities; ++priority)
    (*frames)[priority] = std::max((*frames)[priority], (*by_statistics)[priority]);
  return frames;
}

bool IsLossless(const Profile& profile, std::uint8_t priority) {
  return profile.pfc && std::ranges::find(*profile.pfc, priority) != profile.pfc->end();
}

}  // namespace rdmaready
