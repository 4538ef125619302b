// SPDX-License-Identifier: Apache-2.0
// Everything of the ports of one RDMA device: RDMA netlink, verbs, sysfs and configfs, and the netdevs under
// and on top of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/netdev.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// In the order of their numbers. `verbs` says why libibverbs cannot be asked (VerbsThere). Nothing of a device
// that went away or was renamed while it was read is believed.
std::vector<Port> ReadPortsOf(HostReader& host, const Network& network, const RdmaDevice& device,
                              const absl::Status& verbs);

// Reads the port's netdev again, when it is known to have one, what that stands on and what stands on either,
// and the subnets of their addresses.
void RefreshLinksOf(HostReader& host, const Network& network, Port& port);

// What stands on the netdevs of that list, the nearer ones first. The links are known.
Fact<std::vector<UpperNetdev>> ReadUppers(HostReader& host, const Network& network,
                                          const std::vector<std::uint32_t>& bases);

// By what libibverbs answered to a question about a port, and to the one about all GIDs of the device.
Fact<bool> HasVerbsProvider(const std::string& device, const absl::Status& port, const absl::Status& gids);

}  // namespace rdmaready
