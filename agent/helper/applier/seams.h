// SPDX-License-Identifier: Apache-2.0
// What the engine has of its surroundings in the applier's process: reading without any helper, a plan of its
// own, root's file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "agent/apply/applier.h"
#include "collectors/host_reader.h"

namespace rdmaready::helper {

// The plan that an order comes to on a host of these facts, each profile with the digest of its content. Errors
// are those of HostParts::Divide.
absl::StatusOr<Plan> PlanOf(const Facts& facts, const ApplyOrder& order);

// kPermissionDenied: nothing is allowed, and why.
absl::StatusOr<Permission> PermissionIn(const std::string& path, ::uid_t owner);

// Of this host; `host` outlives it. Without writer and foreign watch, which are the caller's. Lines of its log
// go to stderr.
ApplierSeams SeamsOf(HostReader& host, const std::string& apply_file);

// One line for the operator, in printable ASCII. Any thread.
void SayLine(std::string_view line);

}  // namespace rdmaready::helper
