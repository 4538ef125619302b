// SPDX-License-Identifier: Apache-2.0
// In which priorities the Ethernet ports under an RDMA port count packets, read before and after a live test.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "api/base/clock.h"
#include "api/model/cases.h"
#include "api/model/counter_change.h"
#include "api/model/facts.h"
#include "api/model/transfer.h"
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

// When a reading of the packets was made.
struct PacketReading {
  Fact<PriorityPackets> packets{};
  Clock::TimePoint when{};
};

// How long to count the packets of others before a test: as long as the measured part lasts, and no longer than
// 1 s. Zero where the packets cannot prove the class: `read` is missing, or the test is not one that
// ShowsClass() (checks/live/effective_class.h) takes.
std::chrono::milliseconds IdleBefore(const TransferCase& test, const TransferOptions& options,
                                     const Fact<PriorityPackets>& read);

// Writes the packets of the test and those of others before it into `result`. `idle` and `before` are the same
// reading where no idle interval was measured.
void NotePackets(const PacketReading& idle, const PacketReading& before, const PacketReading& after,
                 TransferResult& result);

}  // namespace rdmaready
