// SPDX-License-Identifier: Apache-2.0
#include "collectors/refresh.h"

#include <algorithm>
#include <utility>

#include "collectors/collect.h"
#include "collectors/lag.h"
#include "collectors/netdev.h"
#include "collectors/ports.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {
namespace {

std::set<std::uint32_t> NetdevsOf(const Port& port) {
  std::set<std::uint32_t> netdevs;
  if (port.netdev) netdevs.insert(port.netdev->ifindex);
  if (port.lowers) {
    for (const Netdev& lower : *port.lowers) netdevs.insert(lower.ifindex);
  }
  if (port.uppers) {
    for (const UpperNetdev& upper : *port.uppers) netdevs.insert(upper.ifindex);
  }
  return netdevs;
}

bool Meet(const std::set<std::uint32_t>& some, const std::set<std::uint32_t>& others) {
  return std::ranges::any_of(some, [&](std::uint32_t ifindex) { return others.contains(ifindex); });
}

// What was above or below may have come: the named netdev is not known yet, and stands beside one that is.
std::set<std::uint32_t> WithNeighbours(const Network& network, const std::set<std::uint32_t>& netdevs) {
  std::set<std::uint32_t> all = netdevs;
  if (!network.links.ok()) return all;
  for (const std::uint32_t ifindex : netdevs) {
    for (const std::uint32_t near : network.links->Below(ifindex)) all.insert(near);
    for (const std::uint32_t near : network.links->Above(ifindex)) all.insert(near);
  }
  return all;
}

// The devices by their names and GUIDs, and the netdev of each port.
bool SameDevices(HostReader& host, const Facts& facts) {
  const absl::StatusOr<std::vector<RdmaDevice>> devices = ReadRdmaDevices(host);
  if (!devices.ok() || !facts.ports) return false;
  std::size_t ports = 0;
  for (const RdmaDevice& device : *devices) {
    for (std::uint32_t number = 1; number <= device.port_count; ++number, ++ports) {
      const auto known = std::ranges::find_if(*facts.ports, [&](const Port& port) {
        return port.device == device.name && port.number == number && port.node_guid == device.node_guid;
      });
      if (known == facts.ports->end()) return false;
      const absl::StatusOr<RdmaPort> now = ReadRdmaPort(host, device, number);
      if (!now.ok()) return false;
      const bool has_netdev = static_cast<bool>(known->netdev);
      if (now->ifindex.has_value() != has_netdev) return false;
      if (has_netdev && *now->ifindex != known->netdev->ifindex) return false;
    }
  }
  return ports == facts.ports->size();
}

}  // namespace

std::set<std::uint32_t> NetdevsOfPorts(const Facts& facts) {
  std::set<std::uint32_t> all;
  if (!facts.ports) return all;
  for (const Port& port : *facts.ports) all.merge(NetdevsOf(port));
  return all;
}

void RefreshNetdevs(HostReader& host, const std::set<std::uint32_t>& netdevs, Facts& facts) {
  if (!facts.ports || netdevs.empty()) return;
  const Network network = ReadNetwork(host, NetworkPart::kLinks);
  const std::set<std::uint32_t> near = WithNeighbours(network, netdevs);
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) {
    if (Meet(NetdevsOf(port), near)) RefreshLinksOf(host, network, port);
  }
  FindLags(host, network, ports);
  facts.ports = std::move(ports);
}

Facts Refresh(HostReader& host, const RefreshOrder& order, const Facts& facts) {
  if (order.everything || (order.devices && !SameDevices(host, facts))) return CollectFacts(host);
  Facts now = facts;
  RefreshNetdevs(host, order.every_netdev ? NetdevsOfPorts(facts) : order.netdevs, now);
  return now;
}

}  // namespace rdmaready
