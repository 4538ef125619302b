// SPDX-License-Identifier: Apache-2.0
// EtsPlan: a complete ETS configuration that gives RDMA, and a heartbeat, classes and shares of their own,
// changing no more of what is there than it must. The kernel's drivers take ETS only as a whole, with shares
// that sum to 100.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/setting.h"

namespace rdmaready {

struct EtsPlan {
  std::array<Tsa, kPriorities> tsa{};                  // by traffic class
  std::array<std::uint8_t, kPriorities> tx_percent{};  // by traffic class
  std::array<std::uint8_t, kPriorities> prio_tc{};     // by priority

  bool operator==(const EtsPlan&) const = default;
};

// The part of it that is a setting. The share of a class that is not ETS does not belong to it, and reads 0
// here: a driver shows 100 for it (mlx5), or what was written.
EtsSetting SettingOf(const Ets& ets);

// Number of traffic classes; a driver that reports none has the eight of the standard.
std::uint8_t ClassCount(const Ets& ets);

// A priority that is to have a class of its own. 1..7: priority 0 is everybody else's.
struct EtsClaim {
  std::uint8_t priority = 0;
  std::uint8_t percent = 0;  // of the link; all claims together at most 100
};

// What the profile claims on a link of that speed: RDMA's, then the heartbeat's. Empty where it asks for
// no share.
std::vector<EtsClaim> ClaimsOf(const Profile& profile, const Fact<std::uint32_t>& speed_mbps);

// The heartbeat's share on a link of that speed, which decides between two where the profile names two.
// Nothing: no share is asked for.
std::optional<std::uint8_t> HeartbeatPercent(const Profile& profile, const Fact<std::uint32_t>& speed_mbps);

// `contiguous`: the NIC wants its classes numbered from 0 without gaps (Intel E810). Priorities of its default
// class fill them.
EtsPlan PlanEts(const Ets& now, std::span<const EtsClaim> claims, bool contiguous);

// The classes of a profile that names them all (Profile::ets_classes). That of priority 0 is TC 0, the others
// have the number of their lowest priority, or the next one where `contiguous`.
EtsPlan PlanClasses(const Profile& profile, bool contiguous);

// "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3".
std::string EtsCommand(const EtsPlan& plan, std::string_view netdev_word);

}  // namespace rdmaready
