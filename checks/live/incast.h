// SPDX-License-Identifier: Apache-2.0
// The verdict of an incast: whether the class is lossless, loses under control, or collapses. Pure.
//
// A run counts only where the network was the limit. Each host's CPUs were idle for a quarter of the time. In
// 90 % of it a NIC was paused, or saw congestion marks or drops; that does not apply where a NIC counted drops
// of the class. Else the machines were the limit, and the verdict is unknown. It is unknown too where the
// victim alone failed, or differs from itself by more than half, and where the senders' NICs have the frames in
// another priority than the profile's.
//
// A loss is a counted drop or a packet that was missing. A transfer that ended with an error and without one of
// those shows nothing. Nor do packets that were sent again after a timeout: a queue that is longer than the
// timeout does the same. Lossless is said only where each initiator counts what it loses
// (checks/live/incast_losses.h).
//
// A victim that shares no sender and fails beside the incast, loses frames, or waits more than twice as long
// makes the run collapse. So does a sender that moves nothing for seconds while it is paused. So do wrong
// bytes, whatever else was seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/model/incast.h"
#include "api/model/profile.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline constexpr std::uint32_t kLeastPressurePermille = 900;  // of the time
inline constexpr double kMostNoise = 1.5;         // between the two measurements of the victim alone
inline constexpr double kMostVictimGrowth = 2.0;  // of its p99
inline constexpr double kLeastGoodput = 0.8;      // of what the receiver takes, of a lossy class
inline constexpr double kLeastFairness = 0.9;     // Jain's index

struct IncastJudgement {
  IncastVerdict verdict = IncastVerdict::kUnknown;
  std::string text{};     // "lossless works: 3 senders, 38.2 MB/s together, ..."; printable
  std::string culprit{};  // "b's NIC dcb0: ..."; empty: nothing is wrong, or it is not known
  Fix fix{};
  std::uint64_t goodput_bytes_per_s = 0;  // of all senders together
  double fairness = 0;                    // Jain's index of their shares: 1 is equal
  std::uint32_t pressure_permille = 0;
  std::optional<double> victim_growth{};  // p99 beside the incast by the larger p99 alone
  std::optional<double> victim_noise{};
  bool lost = false;            // packets were lost: of a sender, or of a victim that is judged
  bool wants_lossless = false;  // the profile does
};

// The profile says which priority is RDMA's, how it is marked, and whether it is lossless.
IncastJudgement JudgeIncast(const IncastRun& run, const Profile& profile);

}  // namespace rdmaready
