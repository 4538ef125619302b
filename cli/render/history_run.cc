// SPDX-License-Identifier: Apache-2.0
#include "cli/render/history_run.h"

#include <map>
#include <tuple>

namespace rdmaready {

bool StandsInTheWay(const Finding& finding) {
  if (!finding.hidden_by.empty()) return false;
  return finding.outcome == Outcome::kFail || (finding.outcome == Outcome::kUnknown && finding.blocking);
}

std::vector<RunChanges> ChangesOf(std::span<const RunRecord> runs) {
  std::vector<RunChanges> changes(runs.size());
  std::map<std::tuple<std::string, std::string, std::string>, bool> known;  // whether it was trouble
  for (std::size_t i = runs.size(); i-- > 0;) {
    for (const Finding& finding : runs[i].report.findings) {
      const bool trouble = StandsInTheWay(finding);
      // What was not judged, for whatever reason, says nothing new.
      if (!trouble && finding.outcome != Outcome::kPass && finding.outcome != Outcome::kWarn) continue;
      const auto [last, fresh] =
          known.try_emplace({runs[i].profile_name, finding.id, finding.subject}, trouble);
      if (fresh || last->second == trouble) continue;
      last->second = trouble;
      (trouble ? changes[i].newly_failing : changes[i].newly_passing).push_back(finding);
    }
  }
  return changes;
}

}  // namespace rdmaready
