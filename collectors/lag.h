// SPDX-License-Identifier: Apache-2.0
// RoCE LAG: the ports of a NIC in a bond that share one RDMA device.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/netdev.h"

namespace rdmaready {

// RDMA netlink names one member of such a bond as the netdev of the device (mlx5_ib: the first, or the active
// one), and RDMA leaves by all of them. That it is one shows where another member of the same driver has no
// RDMA device of its own: of such a port `lowers` becomes all those members, the named one among them, and
// `uppers` what stands on any. Missing where it is not known whether another member has a device. Software
// devices have no LAG.
void FindLags(HostReader& host, const Network& network, std::vector<Port>& ports);

}  // namespace rdmaready
