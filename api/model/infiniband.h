// SPDX-License-Identifier: Apache-2.0
// What only an InfiniBand port has: its place in the subnet, its link as PortInfo tells it, the counters of its
// performance management agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// A reading, never a difference: whether two readings can be subtracted is decided
// in checks/counted/counters.h.
struct Counter {
  std::string name{};  // as the driver, or the specification, calls it
  std::uint64_t value = 0;

  void Fields(auto& list) {
    list.Setting("name", name);
    list.Reading("value", value);
  }

  bool operator==(const Counter&) const = default;
};

// PortInfo (InfiniBand Architecture Specification 1, section 14.2.5.6).
struct IbLink {
  std::uint8_t lanes = 0;            // in use: 1, 2, 4, 8, 12; 0: not told
  std::uint8_t lanes_supported = 0;  // at most
  std::uint8_t lanes_enabled = 0;    // at most
  std::uint32_t lane_mbps = 0;       // in use: 2500, 5000, 10000, 10312 (FDR10), 14062, 25781, 53125, 106250
  std::uint32_t lane_mbps_supported = 0;  // at most
  std::uint32_t lane_mbps_enabled = 0;    // at most
  std::uint32_t mtu_bytes = 0;            // in use
  std::uint32_t mtu_bytes_supported = 0;  // at most

  void Fields(auto& list) {
    list.Setting("lanes_supported", lanes_supported, "lanes_enabled", lanes_enabled, "lane_mbps_supported",
                 lane_mbps_supported, "lane_mbps_enabled", lane_mbps_enabled, "mtu_bytes_supported",
                 mtu_bytes_supported);
    list.State("lanes", lanes, "lane_mbps", lane_mbps, "mtu_bytes", mtu_bytes);
  }

  bool operator==(const IbLink&) const = default;
};

struct Infiniband {
  Fact<std::uint16_t> lid{};                      // 0, 0xffff: none
  Fact<std::uint16_t> sm_lid{};                   // of the subnet manager; 0: none
  Fact<std::vector<std::uint16_t>> pkeys{};       // filled slots; bit 15 is full membership
  Fact<std::vector<std::uint16_t>> pkey_slots{};  // the index in the port's table of each of `pkeys`
  Fact<IbLink> link{};
  Fact<std::vector<Counter>> pma_counters{};  // by MAD, where sysfs has none or not all

  void Fields(auto& list) {
    list.Setting("pkeys", pkeys, "pkey_slots", pkey_slots, "link", link);
    list.State("lid", lid, "sm_lid", sm_lid);
    list.Reading("pma_counters", pma_counters);
  }

  bool operator==(const Infiniband&) const = default;
};

}  // namespace rdmaready
