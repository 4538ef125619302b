// SPDX-License-Identifier: Apache-2.0
#include "checks/run_changes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace rdmaready {
namespace {

// By whose demands it was found.
std::vector<std::string> ProfilesOf(const Finding& finding, const HostReport& report) {
  if (!finding.profile.empty()) return {finding.profile};
  std::vector<std::string> names;
  for (const ProfileRef& profile : report.profiles) names.push_back(profile.name);
  return names;
}

struct KnownTrouble {
  bool trouble = false;
  std::int64_t since_unix_ns = 0;
  std::uint32_t checks = 0;  // that said so
  std::size_t run = 0;       // the last of them
};

}  // namespace

bool PreventsReadiness(const Finding& finding) {
  if (!finding.hidden_by.empty()) return false;
  return finding.outcome == Outcome::kFail || (finding.outcome == Outcome::kUnknown && finding.blocking);
}

std::vector<RunChanges> ChangesOf(std::span<const RunRecord> runs) {
  std::vector<RunChanges> changes(runs.size());
  std::map<std::tuple<std::string, std::string, std::string>, KnownTrouble> known;
  for (std::size_t i = runs.size(); i-- > 0;) {
    for (const Finding& finding : runs[i].report.findings) {
      const bool trouble = PreventsReadiness(finding);
      // What was not judged, for whatever reason, says nothing new.
      if (!trouble && finding.outcome != Outcome::kPass && finding.outcome != Outcome::kWarn) continue;
      bool changed = false;
      Standing standing{finding.id, finding.subject, runs[i].started_unix_ns, 1};
      for (const std::string& profile : ProfilesOf(finding, runs[i].report)) {
        const KnownTrouble now{trouble, runs[i].started_unix_ns, 1, i};
        const auto [last, fresh] = known.try_emplace({profile, finding.id, finding.subject}, now);
        changed = changed || (!fresh && last->second.trouble != trouble);
        if (last->second.trouble != trouble) last->second = now;
        if (std::exchange(last->second.run, i) != i) ++last->second.checks;
        standing.since_unix_ns = std::min(standing.since_unix_ns, last->second.since_unix_ns);
        standing.checks = std::max(standing.checks, last->second.checks);
      }
      if (changed) (trouble ? changes[i].newly_failing : changes[i].newly_passing).push_back(finding);
      if (trouble && !finding.waived && !changed && standing.checks > 1)
        changes[i].standing.push_back(std::move(standing));
    }
  }
  return changes;
}

}  // namespace rdmaready
