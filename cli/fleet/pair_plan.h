// SPDX-License-Identifier: Apache-2.0
// PairPlan: what there is to test between hosts, and in which order. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/live/transfer.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

// One host of a check; `facts` is null when it could not be asked.
struct PlanHost {
  std::string name{};
  const Facts* facts = nullptr;
  std::span<const Finding> findings{};
};

// The cases of a test from one port to another.
struct PairJob {
  std::size_t pair = 0;  // index into PairPlan::pairs
  std::size_t from = 0;  // indices of hosts
  std::size_t to = 0;
  PortSelection from_port{};
  PortSelection to_port{};
  TransferPlace place{};
  TransferPlace back{};                             // of the other direction, where both are tested at once
  std::map<std::string, std::string> impossible{};  // cases that a device of the pair cannot make, and why
  std::string no_verbs{};            // why there is no plain verbs connection; empty: there may be
  const Profile* profile = nullptr;  // by which it is judged; null: by none
  // Whether what is known of the two ports explains a failure. Then the other direction need not be tried.
  // Null: nothing is known.
  std::function<bool(const Failure&)> is_explained{};
};

// The pair reports hold what is known without a test: settings that must agree, judged once for both
// directions, why there is nothing to test, ports without a partner (not proven, so the verdict stays open),
// and tests that a finding of a host makes pointless.
struct PairPlan {
  std::vector<PairReport> pairs{};
  std::vector<PairJob> jobs{};
};

// Two pair reports for each edge, one for each direction. `profile` outlives the jobs.
PairPlan PlanPairs(std::span<const PlanHost> hosts, std::span<const Edge> edges, const Profile& profile);

// What `test` makes from one host to another: no report, no profile. Without `ports` from every port that can
// reach one of the other host; one port: of that name on both hosts; two: the first host's, the second's.
// kNotFound: a host has no such port; kFailedPrecondition: there is no path; kUnknown: nobody could say.
// The hosts are 0 and 1 of the jobs.
absl::StatusOr<std::vector<PairJob>> JobsBetween(const PlanHost& from, const PlanHost& to,
                                                 std::span<const PortSelection> ports);

// Jobs by index, in rounds: no port of a host is in two jobs of a round. Jobs keep their order where they can.
std::vector<std::vector<std::size_t>> Rounds(std::span<const PairJob> jobs);

}  // namespace rdmaready
