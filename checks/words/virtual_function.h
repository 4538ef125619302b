// SPDX-License-Identifier: Apache-2.0
// Virtual functions: what they are called where they are set, and who has their interface.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// By its link to the physical one, or by its number where a virtual machine owns it.
bool IsVirtualFunction(const Port& port);

// "virtual function 0 of ens1f0np0"; by PCI address where no interface of the physical one is seen here.
std::string VirtualFunctionText(const Port& port);

// "ens1f0np0 vf 0", as `ip link set dev` takes it. What is not known is NETDEV and NUMBER.
std::string VirtualFunctionWords(const Port& port);

// Whether it is a virtual function whose interface another network namespace has: a pod, a container. All
// namespaces see the RDMA device, which is the kernel's default.
bool IsLent(const Port& port);

// The same; missing where that is not known, which is so only where the interface, or what owns it, is not.
Fact<bool> LentOf(const Port& port);

// Whether the device speaks neither InfiniBand, RoCE nor iWARP, and says so: EFA. It has no interface, no
// RDMA-CM and none of the storage protocols.
bool HasOwnProtocol(const Port& port);

// The same; missing where that is not known.
Fact<bool> OwnProtocolOf(const Port& port);

}  // namespace rdmaready
