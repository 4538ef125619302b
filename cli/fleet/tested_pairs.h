// SPDX-License-Identifier: Apache-2.0
// Tested pairs: what a check notes of the tests between two ports, so that failures can be explained when all
// tests are over (checks/fleet/explained_pairs.h). Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/client/agent_calls.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/fleet/explained_pairs.h"
#include "checks/fleet/known_causes.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

// Where a pair report of a plan is in the report, and how many findings were there before its own.
struct JoinedPair {
  std::size_t pair = 0;
  std::size_t before = 0;
};

// Puts the pairs behind what the report says of the same hosts already.
std::vector<JoinedPair> JoinPairs(std::vector<PairReport> pairs, Report& report);

// One end of a job. Nothing where the facts are not there, or lack the port.
std::optional<CauseEnd> CauseEndOf(std::string_view host, const Facts* facts, const PortSelection& port,
                                   std::span<const Finding> findings);

// Which pair reports are about two hosts, in either direction. The reports outlive it and stay as they are.
class PairIndex {
 public:
  explicit PairIndex(std::span<const PairReport> pairs);

  // The findings about two ports, by the subjects of both directions.
  std::vector<Finding> Between(std::string_view a, std::string_view b, std::string_view subject,
                               std::string_view back) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const PairReport*>> by_hosts_{};
};

// Before the tests: `first` of the pair's findings is that of the first of `cases` tests.
TestedWay WayOf(const PairJob& job, std::size_t first, std::size_t cases, const std::optional<CauseEnd>& from,
                const std::optional<CauseEnd>& to, const PairIndex& pairs);

// Nothing where the failure is not explained.
const KnownCause* CauseOf(const TestedWay& way, const Failure& failure);

// How test `number` ended.
void NoteFailure(const Failure& failure, std::size_t number, const std::optional<CauseEnd>& from,
                 const std::optional<CauseEnd>& to, const Profile& profile, TestedWay& way);

// Waives what is said of pairs, by the profiles of each host of the report: a finding that both hosts accept.
void WaivePairs(std::span<const std::vector<Profile>> profiles, Report& report);

}  // namespace rdmaready
