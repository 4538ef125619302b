// SPDX-License-Identifier: Apache-2.0
// One question to the kernel over netlink, and its whole answer.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Opens a socket of its own, so that no left-over message of another question can be mistaken for this answer.
// A dump that the kernel marks as interrupted (objects changed meanwhile) is asked again a few times.
absl::StatusOr<std::vector<NetlinkMessage>> AskKernel(const NetlinkRequest& request);

}  // namespace rdmaready
