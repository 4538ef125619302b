// SPDX-License-Identifier: Apache-2.0
#include "checks/remembered.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/run_changes.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNotWatched = "not watched (";  // what those say that only a watch can judge

bool WasFound(const Finding& finding) {
  return finding.hidden_by.empty() && (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn);
}

bool IsSame(const Finding& one, const Finding& other) {
  return one.id == other.id && one.subject == other.subject;
}

// Whether the finding may end what one of the runs found.
bool MayEnd(const Finding& finding, std::span<const RunRecord> older) {
  if (finding.outcome != Outcome::kPass && finding.outcome != Outcome::kWarn) return false;
  return std::ranges::any_of(older, [&finding](const RunRecord& run) {
    return std::ranges::any_of(run.report.findings, [&finding](const Finding& one) {
      return IsSame(one, finding) && PreventsReadiness(one);
    });
  });
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
        return IsSame(one, finding) && WasFound(one);
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

RunRecord ReducedRun(const RunRecord& run, std::span<const RunRecord> older) {
  RunRecord reduced{.run_id = run.run_id, .started_unix_ns = run.started_unix_ns};
  reduced.report.profiles = run.report.profiles;
  for (const Finding& finding : run.report.findings) {
    const bool found = WasFound(finding);
    if (!found && !PreventsReadiness(finding) && !MayEnd(finding, older)) continue;
    Finding& kept = reduced.report.findings.emplace_back();
    kept.id = finding.id;
    kept.subject = finding.subject;
    kept.profile = finding.profile;
    kept.hidden_by = finding.hidden_by;
    kept.outcome = finding.outcome;
    kept.blocking = finding.blocking;
    if (found) kept.observed = finding.observed;
  }
  return reduced;
}

}  // namespace rdmaready
