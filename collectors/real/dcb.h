// SPDX-License-Identifier: Apache-2.0
// Writes of DCB settings on the running host: the multicast group RTNLGRP_DCB of NETLINK_ROUTE, which takes no
// privilege. The kernel (net/dcb/dcbnl.c, up to 6.12 at least) leaves the writer out of what it sends there:
// who had a socket open at that moment is looked up in /proc. The thread that listens goes before others for as
// long (SCHED_FIFO), where it may: else the writer may be gone by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rdmaready {

// What is kept of one listening.
inline constexpr std::size_t kMostDcbNotices = 256;

// The text of /proc/net/netlink to the processes with a socket of NETLINK_ROUTE, ascending, each once: as far
// as the port id tells the process, which is a convention. Port ids that were drawn at random are left out.
std::vector<std::uint32_t> RoutingSocketOwners(std::string_view proc_net_netlink);

}  // namespace rdmaready
