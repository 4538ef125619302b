// SPDX-License-Identifier: Apache-2.0
#include "agent/port/priority_packets.h"

#include <algorithm>
#include <numeric>

#include "checks/counted/counters.h"
#include "checks/words/ethernet.h"
#include "collectors/nic/nic_statistics.h"

namespace rdmaready {
namespace {

using ByPriority = std::array<std::uint64_t, kPriorities>;

// Adds to the sums what the NIC has counted; false when it counts none.
bool Add(const std::vector<NicStatistic>& statistics, NicCounter counter, ByPriority& sums) {
  bool counted = false;
  for (const NicStatistic& one : statistics) {
    if (one.counter != counter || !one.priority || *one.priority >= kPriorities) continue;
    sums[*one.priority] += one.value;
    counted = true;
  }
  return counted;
}

// Makes `after` the growth since; false when a counter was set back.
bool Subtract(const ByPriority& before, ByPriority& after) {
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (after[i] < before[i]) return false;
    after[i] -= before[i];
  }
  return true;
}

}  // namespace

Fact<std::vector<EthernetNic>> EthernetNicsOf(const Port& port) {
  std::vector<EthernetNic> nics;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev) return netdev.missing();
    nics.push_back({netdev->name, netdev->driver, netdev->driver_info});
  }
  return nics;
}

Fact<std::vector<NicReading>> ReadNics(HostReader& host, const Fact<std::vector<EthernetNic>>& nics) {
  if (!nics) return nics.missing();
  std::vector<NicReading> readings;
  for (const EthernetNic& nic : *nics) {
    Fact<std::vector<NicStatistic>> statistics = ReadNicStatistics(host, nic.netdev, nic.driver, nic.info);
    if (!statistics) return statistics.missing();
    readings.push_back({nic.netdev, *std::move(statistics)});
  }
  return readings;
}

Fact<PriorityPackets> PacketsIn(const Fact<std::vector<NicReading>>& nics) {
  if (!nics) return nics.missing();
  PriorityPackets sums;
  for (const NicReading& nic : *nics) {
    const bool sent = Add(nic.statistics, NicCounter::kPacketsSent, sums.sent);
    const bool received = Add(nic.statistics, NicCounter::kPacketsReceived, sums.received);
    if (!sent && !received)
      return Missing{Missing::Kind::kUnsupported, nic.netdev + " counts no packets by priority"};
  }
  return sums;
}

Fact<PriorityPackets> PacketsBetween(const Fact<PriorityPackets>& before, const Fact<PriorityPackets>& after) {
  if (!before) return before.missing();
  if (!after) return after.missing();
  PriorityPackets grown = *after;
  if (!Subtract(before->sent, grown.sent) || !Subtract(before->received, grown.received))
    return Missing{Missing::Kind::kFailed, "the NIC's counters were set back during the test"};
  return grown;
}

std::vector<MemberBytes> BytesByMember(const Fact<std::vector<NicReading>>& before,
                                       const Fact<std::vector<NicReading>>& after) {
  if (!before || !after || after->size() < 2) return {};
  std::vector<MemberBytes> members;
  for (const NicReading& nic : *after) {
    const auto old = std::ranges::find(*before, nic.netdev, &NicReading::netdev);
    if (old == before->end()) return {};
    ByPriority sent_before{}, sent{}, received_before{}, received{};
    const bool counted = Add(old->statistics, NicCounter::kBytesSent, sent_before) &&
                         Add(nic.statistics, NicCounter::kBytesSent, sent) &&
                         Add(old->statistics, NicCounter::kBytesReceived, received_before) &&
                         Add(nic.statistics, NicCounter::kBytesReceived, received);
    if (!counted || !Subtract(sent_before, sent) || !Subtract(received_before, received)) return {};
    members.push_back({.netdev = nic.netdev,
                       .sent = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}),
                       .received = std::accumulate(received.begin(), received.end(), std::uint64_t{0})});
  }
  return members;
}

NicChanges LossesBetween(const Fact<std::vector<NicReading>>& before,
                         const Fact<std::vector<NicReading>>& after) {
  if (!before) return before.missing();
  if (!after) return after.missing();
  std::vector<NicChange> changes;
  for (const NicReading& nic : *after) {
    const auto old = std::ranges::find(*before, nic.netdev, &NicReading::netdev);
    if (old == before->end()) continue;
    for (const NicStatistic& now : nic.statistics) {
      const auto then = std::ranges::find(old->statistics, now.name, &NicStatistic::name);
      if (!IsAboutLoss(now.counter) || then == old->statistics.end()) continue;
      changes.push_back({.netdev = nic.netdev,
                         .counter = now.counter,
                         .priority = now.priority,
                         .change = Difference({now.name, then->value}, {now.name, now.value}, std::nullopt)});
    }
  }
  return changes;
}

void DropUnchanged(NicChanges& changes) {
  if (!changes) return;
  std::vector<NicChange> left = *changes;
  std::erase_if(left, [](const NicChange& one) { return one.change.kind == CounterChange::Kind::kUnchanged; });
  changes = std::move(left);
}

PacketReading ReadPackets(HostReader& host, const Fact<std::vector<EthernetNic>>& nics, Clock& clock) {
  PacketReading reading{.nics = ReadNics(host, nics)};
  reading.packets = PacketsIn(reading.nics);
  reading.when = clock.Now();
  return reading;
}

std::chrono::milliseconds IdleBefore(const TransferCase& test, const TransferOptions& options,
                                     const Fact<PriorityPackets>& read) {
  constexpr std::chrono::milliseconds kLongest{1'000};
  const bool one_way = test.operation == Operation::kWrite || test.operation == Operation::kRead;
  if (!read || !one_way || test.wrapping != Wrapping::kNone || options.bidirectional || options.numbered)
    return {};
  return std::min(test.duration, kLongest);
}

void NotePackets(const PacketReading& idle, const PacketReading& before, const PacketReading& after,
                 TransferResult& result) {
  const auto between = [](const PacketReading& from, const PacketReading& to) {
    return std::chrono::nanoseconds(to.when - from.when).count();
  };
  result.priority_packets = PacketsBetween(before.packets, after.packets);
  result.nic_counters = LossesBetween(before.nics, after.nics);
  result.members = BytesByMember(before.nics, after.nics);
  result.counted_ns = between(before, after);
  result.idle_packets = {};
  result.idle_ns.reset();
  if (idle.when == before.when) return;
  result.idle_packets = PacketsBetween(idle.packets, before.packets);
  result.idle_ns = between(idle, before);
}

}  // namespace rdmaready
