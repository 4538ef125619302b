// SPDX-License-Identifier: Apache-2.0
// What proves that the agent gets on with its work: see agent/server/watchdog.h.
#pragma once

#include "agent/worker/host_worker.h"
#include "api/daemon/watchdog.h"

namespace rdmaready {

// The worker answers who asks it, or at least its queue moves. The host itself is asked nothing, so a NIC that hangs does not matter.
// `worker` outlives its use.
ProofOfLife ProofOfReading(HostWorker& worker);

}  // namespace rdmaready
