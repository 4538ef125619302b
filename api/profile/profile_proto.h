// SPDX-License-Identifier: Apache-2.0
// Profile <-> rdmaready.v1.Profile. Total both ways: every value of ours has a message, every message is either
// a value of ours or an error that names the field.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

v1::Profile ToProto(const Profile& profile);

// kInvalidArgument, "profile field dscp: 64 is not in 0..63", when FindProblem finds one.
absl::StatusOr<Profile> FromProto(const v1::Profile& message);

// What is wrong with a profile, and where: "ets.rdma_percent".
struct ProfileProblem {
  std::string field{};
  std::string text{};
};

// Ranges, and what must fit together: a lossless list holds the RDMA priority, a ToS carries the DSCP, what
// speaks of the RDMA priority names one.
std::optional<ProfileProblem> FindProblem(const v1::Profile& message);

}  // namespace rdmaready
