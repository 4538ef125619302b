// SPDX-License-Identifier: Apache-2.0
// The verdict of an ETS test: whether RDMA and TCP share a full link as it is configured. Pure.
//
// The classes are the sender's: the priority in which its NIC counted the packets of each transfer alone; where
// it counts none, that of the profile for RDMA and that of the mark for TCP. The configured share of a class is
// its share of what both classes have, since a third class that sends nothing gives its own to both.
//
// Rates are those of whole 100 ms, from the second second on, while both transfers ran. Shares are of bytes on
// the wire: payload plus the headers of each full packet. The scheduler may count other headers than we do,
// which moves a share by less than a point.
//
// The verdict is unknown where
// - a transfer was not carried to its end, or measured nothing;
// - a class is not known, both are one class, or one has no share: a strict one may take all;
// - the sender's port is a bond, where the two may leave by different members;
// - the machine limits: a host's CPUs were idle for less than a quarter of the time, or both together moved
//   less than 80 % of what the faster one moves alone;
// - a host did not report for half of the time how busy its CPUs were.
// A class that has 90 % of what it has alone, and not more than its share, did not want more. Where neither
// wanted more, or the one with less than its share did not, the shares were not put to the test: bounded by
// demand. Else they are kept within ten points, or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/model/ets.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline constexpr std::uint32_t kEtsTolerancePermille = 100;
inline constexpr double kWantsNoMore = 0.9;    // of its rate alone
inline constexpr double kLeastTogether = 0.8;  // of the faster one alone

struct EtsJudgement {
  EtsVerdict verdict = EtsVerdict::kUnknown;
  std::string text{};     // "kept: RDMA on priority 3 got 51.2 %, configured 50.0 %; ..."; printable
  std::string culprit{};  // "a's NIC ens1 or the switch port to b"; empty: nothing is wrong, or it is not known
  Fix fix{};
  EtsClass rdma{};
  EtsClass tcp{};
  EtsPlace place = EtsPlace::kUnknown;
};

// `sender` is the RDMA port that sent.
EtsJudgement JudgeEts(const EtsRun& run, const Port& sender, const Profile& profile);

}  // namespace rdmaready
