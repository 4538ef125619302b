// SPDX-License-Identifier: Apache-2.0
// What lldpad of this host has heard and sent on the ports' links: at once, and without listening.
#pragma once

#include <cstdint>

#include "api/base/clock.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Fills Netdev::lldp_agent of the links' netdevs. lldpad keeps one neighbour a netdev, the one that it heard
// last, of the nearest bridge's group only, and no more of its frame than the TLVs: `peers` and `own` have at
// most one agent, without source address, counts and times; `listened_ms` is for how long lldpad has been
// running. Missing where lldpad does not run, need not listen on the netdev and has heard nobody, or has
// not answered.
void ReadLldpad(HostReader& host, const Fact<std::uint64_t>& started_ms, Facts& facts, Clock& clock);

}  // namespace rdmaready
