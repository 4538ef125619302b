// SPDX-License-Identifier: Apache-2.0
// Profile <-> rdmaready.v1.Profile. Total both ways: every value of ours has a message, every message is either
// a value of ours or an error that names the field.
#pragma once

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

v1::Profile ToProto(const Profile& profile);

// kInvalidArgument, "profile field dscp: 64 is not in 0..63", when FindProblem finds one.
absl::StatusOr<Profile> FromProto(const v1::Profile& message);

}  // namespace rdmaready
