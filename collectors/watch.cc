// SPDX-License-Identifier: Apache-2.0
#include "collectors/watch.h"

#include <algorithm>
#include <utility>

namespace rdmaready {
namespace {

NetdevReading WhatCountsOn(const Netdev& netdev) {
  return {.netdev = netdev.name,
          .statistics = netdev.statistics,
          .pfc = netdev.dcb.pfc,
          .pause_frames = netdev.link.pause_frames,
          .fec = netdev.link.fec,
          .fcs_errors = netdev.link.fcs_errors,
          .carrier_changes = netdev.carrier_changes};
}

bool SameDevice(const Port& a, const Port& b) {
  const bool other_card = a.node_guid && b.node_guid && *a.node_guid != *b.node_guid;
  return a.device == b.device && a.number == b.number && !other_card;
}

}  // namespace

EarlierReading WhatCounts(const Port& port) {
  EarlierReading reading{.hw_counters = port.hw_counters,
                         .port_counters = port.port_counters,
                         .pma_counters = port.ib.pma_counters};
  if (port.netdev) reading.netdevs.push_back(WhatCountsOn(*port.netdev));
  if (!port.lowers) return reading;
  for (const Netdev& lower : *port.lowers) reading.netdevs.push_back(WhatCountsOn(lower));
  return reading;
}

void KeepEarlier(const Facts& before, std::uint32_t before_ms, Facts& after) {
  if (!after.ports) return;
  std::vector<Port> ports = *after.ports;
  for (Port& port : ports) {
    port.earlier = Missing{Missing::Kind::kFailed, "the port was not there when the watch began"};
    if (!before.ports) {
      port.earlier = before.ports.missing();
      continue;
    }
    const auto then =
        std::ranges::find_if(*before.ports, [&port](const Port& one) { return SameDevice(one, port); });
    if (then == before.ports->end()) continue;
    EarlierReading reading = WhatCounts(*then);
    reading.before_ms = before_ms;
    port.earlier = std::move(reading);
  }
  after.ports = std::move(ports);
}

}  // namespace rdmaready
