// SPDX-License-Identifier: Apache-2.0
#include "api/model/baseline.h"

#include <algorithm>

namespace rdmaready {
namespace {

constexpr std::uint64_t kMostBytesPerS = 1'000'000'000'000'000;  // far above any port, and far from an overflow
constexpr std::uint32_t kMostDaysSaid = 100'000;

}  // namespace

bool IsPlausible(const CaseBaseline& baseline) {
  const bool named = !baseline.port.empty() && !baseline.case_name.empty();
  const bool has_role =
      baseline.role == "loopback" || baseline.role == "initiator" || baseline.role == "responder";
  const std::size_t longest = std::max({baseline.port.size(), baseline.case_name.size(), baseline.peer.size()});
  const std::uint64_t fastest = std::max({baseline.last_bytes_per_s, baseline.p10_bytes_per_s,
                                          baseline.p50_bytes_per_s, baseline.before_bytes_per_s});
  const std::int64_t least = std::min(
      {baseline.last_unix_ns, baseline.latency_p99_ns, baseline.first_unix_ns, baseline.changed_unix_ns});
  const std::uint32_t most_days = std::max({baseline.days, baseline.days_kept, baseline.before_days});
  return named && has_role && longest <= kMostPastTextBytes && fastest <= kMostBytesPerS && least >= 0 &&
         baseline.last_unix_ns > 0 && most_days <= kMostDaysSaid;
}

}  // namespace rdmaready
