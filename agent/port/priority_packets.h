// SPDX-License-Identifier: Apache-2.0
// In which priorities the Ethernet ports under an RDMA port count packets, read before and after a live test.
#pragma once

#include <string>
#include <vector>

#include "api/model/counter_change.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// What must be known of an Ethernet port to read its statistics.
struct EthernetNic {
  std::string netdev{};
  std::string driver{};
  Fact<DriverInfo> info{};
};

// Missing where the port's netdevs are.
Fact<std::vector<EthernetNic>> EthernetNicsOf(const Port& port);

// Since the driver was loaded, all of them together. Missing, kUnsupported: one of them counts no packets
// of priorities.
Fact<PriorityPackets> ReadPriorityPackets(HostReader& host, const Fact<std::vector<EthernetNic>>& nics);

// Missing when either reading is, and when a counter went backwards: somebody set it to 0 meanwhile.
Fact<PriorityPackets> PacketsBetween(const Fact<PriorityPackets>& before, const Fact<PriorityPackets>& after);

}  // namespace rdmaready
