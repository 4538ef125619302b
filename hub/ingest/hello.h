// SPDX-License-Identifier: Apache-2.0
// Who says hello: whether what an agent says of itself can be, and is what its certificate says. Pure.
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/client/subject_names.h"
#include "rdmaready/v1/ingest.pb.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostWordBytes = 255;

// Whether the agent and this hub understand each other; to be asked before anything else that it says.
// kFailedPrecondition, with both revisions: one of them is to be updated.
absl::Status CheckRevision(const v1::AgentHello& hello);

// The id of the host (api/pki/identity.h). `certificate`: its names where the stream came by TLS; null else.
// kUnauthenticated: the certificate names no host, or several. kPermissionDenied: the host says that it is
// another one. kInvalidArgument: what it says cannot be, or needs a newer hub.
absl::StatusOr<std::string> HostIdOf(const v1::AgentHello& hello, const std::vector<SubjectName>* certificate);

}  // namespace rdmaready::hub
