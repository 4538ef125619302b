// SPDX-License-Identifier: Apache-2.0
// Ballots: which hosts of a group are odd. Pure.
//
// One ballot is among the ports of one group, profile and check that should be alike: those of one subnet,
// where three hosts or more have it, else those of one name; for what another model may well have otherwise,
// those of one model. Hosts vote, not ports: one whose ports of a ballot differ has no vote, and counts. A
// value has the majority when more than half of the hosts of the ballot have it, three take part, and more than
// half of those of the group that could have voted did: else nothing is odd, and the ballot says why.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/model/fleet.h"
#include "hub/judge/paper.h"

namespace rdmaready::hub {

inline constexpr std::uint32_t kLeastVoters = 3;
inline constexpr std::size_t kMostValuesTold = 5;  // of one ballot

// One host. Without a paper, silent, never heard of: absent. In maintenance, or in no inventory: excused, which
// is as if it were not of the group.
struct BallotHost {
  enum class Part { kVotes, kAbsent, kExcused };
  std::uint32_t group = 0;
  Part part = Part::kAbsent;
  const Paper* paper = nullptr;  // of kVotes: not null
  bool was_odd = false;          // it is told also where nothing can be said now
};

struct Ballot {
  std::uint32_t group = 0;
  std::uint32_t profile = 0;
  std::uint16_t check = 0;
  std::uint32_t place = 0;  // the subnet, or the ports' name
  bool of_subnet = false;
  std::uint32_t board = 0;  // 0: of all models
  ComparisonState state = ComparisonState::kUnknown;
  std::uint32_t value = 0;  // of the most
  std::uint32_t hosts = 0;  // that have it
  std::uint32_t of = 0;     // that take part
  struct Share {
    std::uint32_t value = 0;
    std::uint32_t hosts = 0;
    std::size_t first = 0;  // the index of one of them
  };
  std::vector<Share> others{};  // other values, the most frequent first, at most kMostValuesTold
};

// A port that has not what the majority of its ballot has, or of which that is not known; or one of a host that
// was odd, where nothing can be said now.
struct OddPort {
  std::size_t host = 0;  // index
  std::size_t ballot = 0;
  std::uint32_t subject = 0;
  bool known = true;
  std::uint32_t value = 0;
};

struct Counted {
  std::vector<Ballot> ballots{};  // by group, profile, check, place
  std::vector<OddPort> odd{};     // by host
};

Counted CountBallots(std::span<const BallotHost> hosts);

}  // namespace rdmaready::hub
