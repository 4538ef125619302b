// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/own_past.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checks/live/own_past.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready::hub {

std::vector<Finding> JudgeOwnPasts(const Facts& facts, const KnownPast& past, std::int64_t now_unix_ns) {
  std::vector<Finding> findings;
  if (!facts.ports || (past.tests.empty() && past.told.empty())) return findings;
  for (const Port& port : *facts.ports) {
    const std::string name = PortName(port);
    std::vector<CaseBaseline> of_port;
    for (const KeptTest& kept : past.tests) {
      if (kept.test.port == name && kept.test.role == "loopback") of_port.push_back(kept.test);
    }
    const TransferPlace place{
        .rung = Rung::kLoopback, .subject = SubjectOf(port), .software = IsSoftware(port)};
    if (of_port.empty() && !past.told.contains(place.subject)) continue;
    findings.push_back(JudgeKeptPast(of_port, place, now_unix_ns));
  }
  return findings;
}

std::vector<KeptTest> TestsOf(std::vector<CaseBaseline> tests, const Facts& facts) {
  std::set<std::string> software;
  if (facts.ports) {
    for (const Port& port : *facts.ports) {
      if (IsSoftware(port)) software.insert(PortName(port));
    }
  }
  std::vector<KeptTest> kept;
  for (CaseBaseline& test : tests) {
    const bool is_software = software.contains(test.port);
    kept.push_back({.software = is_software, .test = std::move(test)});
  }
  return kept;
}

}  // namespace rdmaready::hub
