// SPDX-License-Identifier: Apache-2.0
// What is wrong with a profile's values: ranges, and what contradicts itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

struct ProfileProblem {
  std::string field{};  // "ets.rdma_percent"
  std::string text{};
  std::string other{};  // the field that it disagrees with, or that it lacks; empty: wrong by itself
  std::string write{};  // what a file says that has the field right: "pfc: [4]"; may be empty
};

// All of them, a field's range before what it contradicts: a lossless list holds the RDMA priority, a ToS
// carries the DSCP, what speaks of the RDMA priority names one, classes hold every lossless priority and add up
// to 100. RDMA and lossless priorities share no class with others, and the class of the heartbeat has its
// share. Several protocols share a lossless priority only when that is wished. A port that `ports` selects can
// have the transport and the VLAN that are asked for.
std::vector<ProfileProblem> FindProblems(const v1::Profile& message);

// The first of them.
std::optional<ProfileProblem> FindProblem(const v1::Profile& message);

}  // namespace rdmaready
