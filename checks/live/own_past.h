// SPDX-License-Identifier: Apache-2.0
// cmp.own-past: a live test beside those of the same case through the same port in the days before. No profile
// need say how fast a path must be: it is held against itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/model/baseline.h"
#include "api/model/fleet_past.h"
#include "api/model/report.h"
#include "checks/live/transfer.h"

namespace rdmaready {

inline constexpr std::string_view kOwnPastId = "cmp.own-past";

// Of so many days the past is known; below it is no measure.
inline constexpr std::uint32_t kLeastDays = 5;
// So many days before a test are its past.
inline constexpr std::int64_t kPastWindowDays = 30;

// Of each port, case, role and peer the last test beside the days before: `days` are oldest first within each.
// Rates are alike when neither is below 0.7 of the other; a single day that differs from both of its neighbours
// changes nothing.
std::vector<CaseBaseline> BaselinesOf(std::span<const BaselineDay> days);

// `cases`: one for each case that was tested and can be compared, the test being its last; `tests` are all that were
// tested. Warns when one is below 0.7 of the 10th
// percentile of its last 30 days; else unknown when one has fewer than kLeastDays of them, when there is no case
// (`why_none` says why), or fewer than tests; else pass. Not applicable on a software device, whose speed says nothing.
// Never keeps a host from being ready.
Finding JudgeOwnPast(std::span<const CaseBaseline> cases, const TransferPlace& place,
                     std::string_view why_none = {}, std::size_t tests = 0);

// The same of what is remembered of one port (`of_port`), by whoever did not see the tests: the loopback tests
// of the cases that a check makes, and of other cases of which the past is known. A test says nothing of the
// port after kPastWindowDays: it is left out, and where no other is left it is unknown, as when nothing is
// remembered.
Finding JudgeKeptPast(std::span<const CaseBaseline> of_port, const TransferPlace& place,
                      std::int64_t now_unix_ns);

// What one remembered test says, with or without a peer.
PastState PastStateOf(const CaseBaseline& baseline, bool software, std::int64_t now_unix_ns);

// "write-512k 13.0 MB/s, 97.0 MB/s for 90 days until 2026-11-20"; without a change only the first part.
std::string ChangeText(const CaseBaseline& baseline);

}  // namespace rdmaready
