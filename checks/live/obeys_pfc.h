// SPDX-License-Identifier: Apache-2.0
// The verdict of a test of PFC: whether a NIC stops the priority that its link partner pauses, and no other.
// Pure.
//
// The transfers' bytes in short intervals show it. A stop is a run of quiet intervals of at least six tenths of
// a burst. The transfer obeys where each burst has its stop, there is no other one, and they follow one another
// as the bursts did. Before the bursts there is a control part of both transfers, in which nothing may stop:
// else the machines stop them, and the verdict is unknown.
//
// A transfer went on where nothing hides a stop: each burst was kept up, the transfer kept its rate during all
// of them, and its NIC counted nine tenths of the frames. It counted fewer: they did not all reach it, and the
// verdict is unknown. The sender's NIC may drop them, or a switch is between the two, which consumes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/model/pfc_run.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline constexpr std::uint32_t kLeastBesidePermille = 500;    // of its own rate, while the paused one is quiet
inline constexpr std::uint32_t kStoppedBesidePermille = 200;  // at most that: it stopped, too
inline constexpr std::uint32_t kLeastInClassPermille = 900;   // of a transfer's packets, in its own class

// Each verdict but kObeys has a fix.
struct PfcJudgement {
  PfcVerdict verdict = PfcVerdict::kUnknown;
  std::string text{};     // "obeys PFC: stopped in 5 of 5 pauses of priority 3, ..."; printable
  std::string culprit{};  // empty: nothing is wrong, or it is not known
  Fix fix{};
  std::uint32_t stops = 0;            // of the paused transfer, during the bursts
  std::int64_t quiet_ns = 0;          // of these stops together
  std::int64_t paused_ns = 0;         // that the bursts asked for
  std::uint32_t beside_permille = 0;  // of its own rate: the other transfer during the stops
  std::optional<std::uint64_t>
      pauses_counted{};  // of the priority, by the judged NIC; absent: it does not count
};

PfcJudgement JudgePfc(const PfcRun& run);

}  // namespace rdmaready
