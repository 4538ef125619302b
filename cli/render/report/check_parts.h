// SPDX-License-Identifier: Apache-2.0
// Parts of the text of a check that stand in that of one host and in that of many.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/fleet/check_summary.h"
#include "cli/style.h"

namespace rdmaready {

// From this many hosts on, equal findings are told once, with their hosts.
inline constexpr std::size_t kGroupFromHosts = 3;

// Where the texts of the ladder and of what follows it begin.
inline constexpr std::size_t kVerdictColumn = 8;

// "12 ok, 1 fail, 3 not applicable".
std::string SummaryText(std::span<const Finding> findings);

// "until 2026-12-31, Ann Example: the switch is replaced in December".
std::string WaivedText(const Waived& waived);
// "loopback FAIL".
std::string RungText(const RungResult& rung, const Style& style);
// The verdict in a line.
std::string VerdictText(const Report& report, const Style& style);

// How long --wait went on; empty where the first check was the last.
std::string WaitedText(const CheckSummary& run, const Style& style);

// The hosts of the report by index, the odd ones first: not ready, without an answer, undetermined, ready with
// something that calls for attention, ready. Else, and of two hosts, as the report has them.
std::vector<std::size_t> OddFirst(const Report& report);

// The whole report of many hosts: it grows with the number of different findings, not with that of hosts.
std::string FleetText(const CheckSummary& run, const Style& style);

}  // namespace rdmaready
