// SPDX-License-Identifier: Apache-2.0
// What must hold of all facts, whatever the answers were.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready::fuzz {

inline void Demand(bool holds) {
  if (!holds) std::abort();
}

inline void DemandSane(const Dcb& dcb) {
  for (const Fact<Ets>* ets : {&dcb.ets, &dcb.peer.ets}) {
    if (!*ets) continue;
    for (const std::uint8_t one : (*ets)->prio_tc) Demand(one < kPriorities);
  }
  for (const Fact<std::vector<AppEntry>>* table : {&dcb.app, &dcb.rewrite, &dcb.peer.app}) {
    if (!*table) continue;
    for (const AppEntry& entry : **table) Demand(entry.priority < kPriorities);
  }
  if (!dcb.cee) return;
  for (const std::uint8_t group : dcb.cee->prio_group) Demand(group <= 15);
  for (const std::uint8_t percent : dcb.cee->group_percent) Demand(percent <= 100);
}

inline void DemandSane(const Netdev& netdev) {
  Demand(netdev.name.find('/') == std::string::npos && !netdev.name.empty());
  DemandSane(netdev.dcb);
  if (netdev.statistics) {
    Demand(netdev.statistics->size() <= 65536);
    for (const NicStatistic& one : *netdev.statistics) {
      Demand(one.counter != NicCounter::kUnknown && !one.name.empty() && one.name.size() <= 32);
      Demand(!one.priority || *one.priority < kPriorities);
    }
  }
  if (netdev.mqprio) {
    for (const std::uint8_t one : netdev.mqprio->priority_class) Demand(one < 16);
  }
}

inline void DemandSane(const Port& port) {
  Demand(port.number >= 1 && port.number <= 255 && port.device.find('/') == std::string::npos);
  if (port.netdev) DemandSane(*port.netdev);
  if (port.lowers) {
    for (const Netdev& lower : *port.lowers) DemandSane(lower);
  }
  if (port.pci && port.pci->path) {
    for (const PciHop& hop : *port.pci->path) {
      Demand(hop.current.width > 0 && hop.current.width <= 32);
      Demand(!hop.max_payload_bytes || *hop.max_payload_bytes <= 4096);
      Demand(!hop.max_read_request_bytes || *hop.max_read_request_bytes <= 4096);
    }
  }
  if (port.devlink.versions) {
    for (const FirmwareVersion& version : *port.devlink.versions)
      Demand(version.name.size() <= 64 && version.running.size() <= 64);
  }
  if (port.congestion) {
    Demand(port.congestion->cnp_dscp.value_or(0) < 64 && port.congestion->cnp_priority.value_or(0) < 8);
    Demand(port.congestion->parameters.size() <= 128);
  }
}

inline void DemandSane(const Facts& facts) {
  if (!facts.ports) return;
  for (const Port& port : *facts.ports) DemandSane(port);
}

}  // namespace rdmaready::fuzz
