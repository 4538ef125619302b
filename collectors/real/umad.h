// SPDX-License-Identifier: Apache-2.0
// A question to a port's own InfiniBand management agents, by /dev/infiniband/umadN and libibumad.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// As HostReader::Mad says. Nothing is registered that would be sent datagrams unasked.
absl::StatusOr<std::vector<std::byte>> AskManagementAgent(const MadRequest& request);

}  // namespace rdmaready
