// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/profile_classes.h"

#include <algorithm>
#include <optional>

#include "api/model/dcb.h"

namespace rdmaready {

std::vector<std::uint8_t> LosslessPriorities(const Profile& profile) {
  std::vector<std::uint8_t> lossless = profile.pfc.value_or(std::vector<std::uint8_t>{});
  std::ranges::sort(lossless);
  return lossless;
}

std::vector<std::pair<std::uint8_t, std::uint8_t>> DscpPrioritiesOf(const Profile& profile) {
  std::vector<std::pair<std::uint8_t, std::uint8_t>> map;
  if (!profile.rdma_priority || !profile.dscp || profile.trust == Profile::Trust::kPcp) return map;
  map.emplace_back(*profile.dscp, *profile.rdma_priority);
  if (profile.cnp && profile.cnp->priority) map.emplace_back(profile.cnp->dscp, *profile.cnp->priority);
  return map;
}

// Nobody said that congestion notifications go first, so they stay with the rest.
std::vector<Profile::EtsClass> ClassesOf(const Profile& profile) {
  if (!profile.ets_classes.empty()) return profile.ets_classes;
  std::vector<Profile::EtsClass> classes;
  Profile::EtsClass rest;
  unsigned left = 100;
  const auto add = [&](std::uint8_t priority, std::optional<std::uint8_t> percent) {
    classes.push_back({.priorities = {priority}, .percent = percent});
    left -= percent.value_or(0);
  };
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (priority != 0 && priority == profile.rdma_priority) {
      add(priority, profile.ets_rdma_percent);
    } else if (profile.heartbeat && priority == profile.heartbeat->priority) {
      add(priority, profile.heartbeat->percent);
    } else {
      rest.priorities.push_back(priority);
    }
  }
  if (profile.ets_rdma_percent) rest.percent = static_cast<std::uint8_t>(left);
  classes.push_back(rest);
  return classes;
}

}  // namespace rdmaready
