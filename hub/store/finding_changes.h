// SPDX-License-Identifier: Apache-2.0
// What a new report of a host does to the findings that are kept of it. Pure.
//
// A finding is kept from when it begins until it is over and somebody acknowledged that. A change of its
// outcome is told as a row of its own, but for the fourth and following within an hour: they are added to the
// third, so that a port that flaps all night costs three rows an hour, and says how often it did.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/model/fleet.h"

namespace rdmaready::hub {

inline constexpr std::int64_t kDampingWindowNs = 3'600'000'000'000;
inline constexpr std::uint32_t kMostChangesInWindow = 3;

struct KeptFinding {
  FleetFinding finding{};
  std::int64_t window_unix_ns = 0;  // when the first change of this hour was told
  std::uint32_t changes = 0;        // in it, that have a row of their own
  std::uint64_t last_number = 0;    // of the last one, to which more are added
};

struct FindingChanges {
  std::vector<KeptFinding> put{};       // new, or other than they were
  std::vector<FleetFinding> removed{};  // over and acknowledged: nobody needs to hear of them again
  std::vector<FleetChange> told{};      // with their numbers
  // Added to the one that has the number `into`, which takes the new number.
  struct Merged {
    std::uint64_t into = 0;
    FleetChange change{};
  };
  std::vector<Merged> merged{};
  std::uint64_t last_number = 0;  // of the host, afterwards
};

// `kept` and `now` in any order, each check, subject and profile once. `first`: nothing was known of this host,
// and what it has is told as its beginning, not as so many changes.
FindingChanges CompareFindings(std::span<const KeptFinding> kept, std::span<const FleetFinding> now,
                               std::int64_t now_unix_ns, std::uint64_t last_number, bool first);

}  // namespace rdmaready::hub
