// SPDX-License-Identifier: Apache-2.0
// Congestion control of an Ethernet port.
#pragma once

#include "checks/check.h"

namespace rdmaready {

// That of the port's RDMA device; where several ports share the device, and the driver has a tree for each,
// that of the port. kUnsupported: the driver shows none of this port.
Fact<CongestionControl> CongestionOf(const EthernetView& view);

}  // namespace rdmaready
