// SPDX-License-Identifier: Apache-2.0
// Hosts that were watched: what counted when the watch began, and at its end.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {

inline constexpr std::uint32_t kWindowMs = 10'000;

// Reads as much when the watch begins as the good host does, and more at its end.
template <class Change>
Facts Watched(Change change) {
  return WithPort([&change](Port& port) {
    Netdev netdev = *port.netdev;
    EarlierReading earlier{.before_ms = kWindowMs, .hw_counters = port.hw_counters};
    NetdevReading reading{.netdev = netdev.name};
    reading.statistics = std::vector<NicStatistic>{};
    reading.pfc = netdev.dcb.pfc;
    reading.pause_frames = netdev.link.pause_frames;
    change(port, netdev, earlier, reading);
    earlier.netdevs = {reading};
    port.netdev = netdev;
    port.earlier = earlier;
  });
}

inline Facts EarlierDenied(Facts host) {
  std::vector<Port> ports = *host.ports;
  ports.front().earlier = Denied();
  host.ports = ports;
  return host;
}

struct Growth {
  std::string name;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// Of RDMA's own counters.
inline Facts Counting(const std::vector<Growth>& counters, Transport transport = Transport::kRoce) {
  return Watched([&](Port& port, Netdev&, EarlierReading& earlier, NetdevReading&) {
    std::vector<Counter> before;
    std::vector<Counter> after;
    for (const Growth& growth : counters) {
      before.push_back({growth.name, growth.before});
      after.push_back({growth.name, growth.after});
    }
    port.transport = transport;
    port.hw_counters = after;
    earlier.hw_counters = before;
  });
}

struct NicGrowth {
  NicCounter counter = NicCounter::kUnknown;
  std::string name;
  std::uint64_t by = 0;
  std::optional<std::uint8_t> priority{};
};

// Of the NIC's statistics, each at 1000 when the watch began.
inline Facts CountedNic(const std::vector<NicGrowth>& growths) {
  return Watched([&](Port&, Netdev& netdev, EarlierReading&, NetdevReading& reading) {
    std::vector<NicStatistic> before;
    std::vector<NicStatistic> after;
    for (const NicGrowth& growth : growths) {
      before.push_back(
          {.counter = growth.counter, .priority = growth.priority, .name = growth.name, .value = 1000});
      after.push_back(before.back());
      after.back().value += growth.by;
    }
    reading.statistics = before;
    netdev.statistics = after;
  });
}

}  // namespace rdmaready
