// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/remembered.h"

#include <algorithm>
#include <string_view>

namespace rdmaready {
namespace {

constexpr std::string_view kNotWatched = "not watched (";  // what those say that only a watch can judge

bool WasFound(const Finding& finding) {
  return finding.hidden_by.empty() && (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn);
}

}  // namespace

Remembered RememberedOf(const RunRecord& now, std::span<const RunRecord> earlier) {
  std::vector<RunRecord> runs{now};
  runs.insert(runs.end(), earlier.begin(), earlier.end());
  Remembered remembered{.standing = ChangesOf(runs).front().standing};
  for (const Finding& finding : now.report.findings) {
    if (finding.outcome != Outcome::kNotApplicable || !finding.observed.starts_with(kNotWatched)) continue;
    SeenBefore seen{.id = finding.id, .subject = finding.subject};
    for (const RunRecord& run : earlier) {
      const auto found = std::ranges::find_if(run.report.findings, [&finding](const Finding& one) {
        return one.id == finding.id && one.subject == finding.subject && WasFound(one);
      });
      if (found == run.report.findings.end()) continue;
      if (seen.checks++ > 0) continue;
      seen.observed = found->observed;
      seen.last_unix_ns = run.started_unix_ns;
    }
    if (seen.checks > 0) remembered.seen.push_back(std::move(seen));
  }
  return remembered;
}

}  // namespace rdmaready
