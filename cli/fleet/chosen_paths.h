// SPDX-License-Identifier: Apache-2.0
// ChosenPaths: the paths from one host to another that have no port in common.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "api/model/paths.h"
#include "api/model/profile.h"
#include "api/model/transfer.h"
#include "cli/fleet/pair_plan.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct ChosenPaths {
  std::vector<StressPair> pairs{};         // in the order of the ports; not empty
  std::vector<PortWithoutPath> without{};  // ports that no path uses
};

// `hosts` are two. Errors: they have no path, or --connect verbs is not possible on one (kFailedPrecondition);
// nobody could say (kUnknown). The text names the host.
absl::StatusOr<ChosenPaths> ChoosePaths(std::vector<PlanHost> hosts, const Profile& profile,
                                        ConnectionKind connection);

}  // namespace rdmaready
