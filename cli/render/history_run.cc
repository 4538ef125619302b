// SPDX-License-Identifier: Apache-2.0
#include "cli/render/history_run.h"

#include <map>
#include <tuple>

namespace rdmaready {
namespace {

// By whose demands it was found.
std::vector<std::string> ProfilesOf(const Finding& finding, const HostReport& report) {
  if (!finding.profile.empty()) return {finding.profile};
  std::vector<std::string> names;
  for (const ProfileRef& profile : report.profiles) names.push_back(profile.name);
  return names;
}

}  // namespace

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
      bool changed = false;
      for (const std::string& profile : ProfilesOf(finding, runs[i].report)) {
        const auto [last, fresh] = known.try_emplace({profile, finding.id, finding.subject}, trouble);
        changed = changed || (!fresh && last->second != trouble);
        last->second = trouble;
      }
      if (changed) (trouble ? changes[i].newly_failing : changes[i].newly_passing).push_back(finding);
    }
  }
  return changes;
}

}  // namespace rdmaready
