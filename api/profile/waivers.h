// SPDX-License-Identifier: Apache-2.0
// Waivers in YAML: the list `waivers` of a profile, or of a file of its own that a profile or an agent names.
//
//   waivers:
//     - {check: pfc.lossless-priority, host: "node1*", port: mlx5_0/1,
//        reason: the switch is replaced in December, who: Ann Example, until: 2026-12-31}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/waiver.h"
#include "api/profile/profile_problems.h"
#include "api/profile/yaml_tree.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

inline constexpr std::string_view kWaiversKey = "waivers";
inline constexpr int kMaxWaivers = 4000;                // of a profile, with those of the agent that judges by it
inline constexpr std::size_t kMaxWaiversOfFile = 1000;  // of a file of their own

// What is wrong with the waivers of the message. One that has run out is well-formed.
void FindWaiverProblems(const v1::Profile& message, std::vector<ProfileProblem>& problems);

// Whether the tree of a file of waivers holds that list and nothing else; else the faults.
bool HoldsWaivers(const YamlNode& root, const std::string& file, std::vector<YamlFault>& faults);

// Of such a file. kInvalidArgument with file and line of the first fault, or as ReadProfileFile. Blocks on file
// access.
absl::StatusOr<std::vector<Waiver>> LoadWaivers(const std::string& path);

}  // namespace rdmaready
