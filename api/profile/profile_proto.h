// SPDX-License-Identifier: Apache-2.0
// Profile <-> rdmaready.v1.Profile. Total both ways: every value of ours has a message, every message is either
// a value of ours or an error that names the field.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

v1::Profile ToProto(const Profile& profile);

// kInvalidArgument, "profile field dscp: 64 is not in 0..63", when FindProblem finds one.
absl::StatusOr<Profile> FromProto(const v1::Profile& message);

// The profile without what it demands of no host: its digest, its summary, its waivers.
v1::Profile ContentOf(const Profile& profile);

// The digest of a profile, in reports and in root's apply.yaml: SHA-256, hex, of its content in protobuf's
// deterministic form. The text's comments, its file's name and how it is put together (`extends`) do not
// matter; its `name` does. Stable across versions as long as the fields that the profile uses are. An error
// only when libcrypto refuses.
absl::StatusOr<std::string> ProfileContentDigest(const Profile& profile);

// As FromProto, with that digest in place of the message's own.
absl::StatusOr<Profile> Digested(const v1::Profile& message);

}  // namespace rdmaready
