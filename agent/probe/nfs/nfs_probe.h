// SPDX-License-Identifier: Apache-2.0
// The way of an NFS client over RDMA: the NULL call, and which versions the server has. The proof mounts an
// export by this host's own client (nfs_proof.h).
#pragma once

#include <string_view>
#include <vector>

#include "agent/probe/probe.h"

namespace rdmaready {

std::vector<std::string_view> NfsSteps();

// Tells RdmaAnswers and NfsAnswers.
void ProbeNfs(const ProbeTarget& target, const ProbeTools& tools, Walk& walk);

}  // namespace rdmaready
