// SPDX-License-Identifier: Apache-2.0
// Reading again a part of what is known of a host: what was named as changed, and nothing else.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// What is to be read again. A wider one includes the narrower.
struct RefreshOrder {
  std::set<std::uint32_t> netdevs{};  // by ifindex: with what is below and above them
  bool every_netdev = false;
  bool devices = false;     // which RDMA devices there are, and what their netdevs are: all, when that changed
  bool everything = false;  // CollectFacts

  bool empty() const { return netdevs.empty() && !every_netdev && !devices && !everything; }
  bool operator==(const RefreshOrder&) const = default;
};

// The netdevs that the ports stand on, or that stand on them, by ifindex.
std::set<std::uint32_t> NetdevsOfPorts(const Facts& facts);

// Reads netdevs again, and what of their ports follows from them: lowers, uppers, subnets. Not again: what RDMA
// makes of them (GIDs, active MTU), counters of the device, the host. Costs four listings (links, addresses,
// queueing disciplines, families) and some thirty questions for each netdev of the ports that are touched.
void RefreshNetdevs(HostReader& host, const std::set<std::uint32_t>& netdevs, Facts& facts);

// `facts` as the order says; what is not named in it stays as it was.
Facts Refresh(HostReader& host, const RefreshOrder& order, const Facts& facts);

}  // namespace rdmaready
