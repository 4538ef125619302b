// SPDX-License-Identifier: Apache-2.0
// Hosts that hear a switch, or nobody, by LLDP.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {

inline LldpNeighbour GoodSwitch() {
  LldpNeighbour agent{.source_mac = "02:00:00:00:00:99",
                      .destination_mac = "01:80:c2:00:00:0e",
                      .frames = 2,
                      .first_ms = 1000,
                      .last_ms = 31'000,
                      .chassis = {.subtype = 4, .text = "02:00:00:00:00:99"},
                      .port = {.subtype = 5, .text = "Ethernet1/1"},
                      .ttl_s = 120,
                      .system_name = "sw1"};
  agent.port_vlan_id = std::uint16_t{1};
  agent.vlans = {{.id = 711, .name = "storage1"}, {.id = 712, .name = "storage2"}};
  agent.aggregation = LldpAggregation{};
  agent.max_frame_bytes = std::uint16_t{9216};
  agent.dialects.ieee = true;
  LldpEts ets{.traffic_classes = 8};
  ets.prio_tc[3] = 3;
  ets.percent = {50, 0, 0, 50};
  ets.tsa[0] = Tsa::kEts;
  ets.tsa[3] = Tsa::kEts;
  agent.ets = ets;
  agent.ets_recommended = ets;
  agent.pfc = LldpPfc{.capability = 8, .enabled = 1U << 3};
  agent.app = std::vector<AppEntry>{{.selector = AppSelector::kDgram, .priority = 3, .protocol = 4791}};
  return agent;
}

inline Facts Hearing(std::vector<LldpNeighbour> peers, Facts host = GoodHost(),
                     std::uint32_t listened_ms = 35'000) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.lldp = LldpHeard{.listened_ms = listened_ms, .peers = std::move(peers)};
  ports.front().netdev = netdev;
  host.ports = ports;
  return host;
}

template <class Change>
Facts Switch(Change change, Facts host = GoodHost()) {
  LldpNeighbour agent = GoodSwitch();
  change(agent);
  return Hearing({agent}, std::move(host));
}

inline Facts Good() {
  return Switch([](LldpNeighbour&) {});
}

inline Facts Deaf() {
  return WithNetdev([](Netdev& netdev) { netdev.lldp = Denied(); });
}

// As lldpad keeps it.
template <class Change>
Facts Lldpad(Change change) {
  return WithNetdev([&change](Netdev& netdev) {
    LldpHeard kept{.listened_ms = 600'000, .peers = {GoodSwitch()}, .own = {GoodSwitch()}};
    change(kept);
    netdev.lldp_agent = kept;
  });
}

}  // namespace rdmaready
