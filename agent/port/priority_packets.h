// SPDX-License-Identifier: Apache-2.0
// The counters of the Ethernet ports under an RDMA port, read before and after a live test: packets by
// priority, losses, pauses and congestion marks.
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

// One Ethernet port, since its driver was loaded.
struct NicReading {
  std::string netdev{};
  std::vector<NicStatistic> statistics{};
};

Fact<std::vector<NicReading>> ReadNics(HostReader& host, const Fact<std::vector<EthernetNic>>& nics);

// All of them together. Missing, kUnsupported: one of them counts no packets of priorities.
Fact<PriorityPackets> PacketsIn(const Fact<std::vector<NicReading>>& nics);

// The counters of IsAboutLoss(). A NIC that only one reading has is left out.
NicChanges LossesBetween(const Fact<std::vector<NicReading>>& before,
                         const Fact<std::vector<NicReading>>& after);

// The bytes that each of several NICs counted. Empty: there is one, or one of them counts no bytes of
// priorities, or was set back.
std::vector<MemberBytes> BytesByMember(const Fact<std::vector<NicReading>>& before,
                                       const Fact<std::vector<NicReading>>& after);

// Missing when either reading is, and when a counter went backwards: somebody set it to 0 meanwhile.
Fact<PriorityPackets> PacketsBetween(const Fact<PriorityPackets>& before, const Fact<PriorityPackets>& after);

// Leaves the counters that grew, or cannot be compared: what is kept of a test.
void DropUnchanged(NicChanges& changes);

struct PacketReading {
  Fact<std::vector<NicReading>> nics{};
  Fact<PriorityPackets> packets{};  // in them
  Clock::TimePoint when{};
};

// How long to count the packets of others before a test: as long as the measured part lasts, and no longer than
// 1 s. Zero where the packets cannot prove the class: `read` is missing, or the test is not one that
// ShowsClass() (checks/live/effective_class.h) takes.
std::chrono::milliseconds IdleBefore(const TransferCase& test, const TransferOptions& options,
                                     const Fact<PriorityPackets>& read);

// The two Facts of a reading, which was made at `when`.
PacketReading ReadPackets(HostReader& host, const Fact<std::vector<EthernetNic>>& nics, Clock& clock);

// Writes the packets and losses of the test and the packets of others before it into `result`. `idle` and
// `before` are the same reading where no idle interval was measured.
void NotePackets(const PacketReading& idle, const PacketReading& before, const PacketReading& after,
                 TransferResult& result);

}  // namespace rdmaready
