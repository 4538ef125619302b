// SPDX-License-Identifier: Apache-2.0
// The profiles that a request names.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {

class Agent;

// The agent's own where none is named; with the agent's own waivers. kNotFound: none of that name is built in;
// kInvalidArgument: one that makes no sense.
absl::StatusOr<std::vector<Profile>> ChosenProfiles(
    const google::protobuf::RepeatedPtrField<v1::ProfileChoice>& choices, const Agent& agent);

}  // namespace rdmaready
