// SPDX-License-Identifier: Apache-2.0
#include "collectors/ports.h"

#include <algorithm>
#include <utility>

#include "api/base/status.h"
#include "api/model/fields.h"
#include "collectors/net/ipv4_settings.h"
#include "collectors/net/stack.h"
#include "collectors/net/subnets.h"
#include "collectors/nic/congestion.h"
#include "collectors/nic/pci.h"
#include "collectors/rdma/counters.h"
#include "collectors/rdma/gids.h"
#include "collectors/rdma/infiniband.h"
#include "collectors/rdma/ipoib.h"
#include "collectors/rdma/rdma_cm.h"
#include "collectors/rdma/resources.h"
#include "collectors/rdma/verbs_status.h"
#include "collectors/system/storage.h"

namespace rdmaready {
namespace {

using GidTable = absl::StatusOr<std::vector<VerbsGid>>;

// What is the same for every port of a device.
Port ReadDevice(HostReader& host, const RdmaDevice& device, const absl::Status& verbs) {
  Port port;
  port.device = device.name;
  port.software = ReadSoftware(host, device);
  port.node_guid = device.node_guid;
  port.board = ReadBoard(host, device, port.software);
  port.pci = ReadPci(host, device.name, port.software);
  port.resources = ReadResources(host, device);
  port.limits = ReadLimits(host, device, verbs);
  port.listeners = ReadListeners(host, device);
  return port;
}

Fact<Netdev> ReadNetdevOf(HostReader& host, const Network& network, const RdmaPort& link,
                          const Fact<Transport>& transport) {
  if (link.ifindex) return ReadNetdev(host, network, *link.ifindex);
  if (transport && *transport == Transport::kInfiniBand) {
    return Missing{Missing::Kind::kUnsupported, "an InfiniBand port has no Ethernet netdev"};
  }
  return Missing{Missing::Kind::kUnsupported, "port has no netdev in this network namespace"};
}

void ReadState(HostReader& host, const Network& network, const RdmaDevice& device, Port& port) {
  const absl::StatusOr<RdmaPort> link = ReadRdmaPort(host, device, port.number);
  if (link.ok()) {
    port.state = PortStateOf(link->state);
    port.phys_state = link->phys_state;
    port.netdev = ReadNetdevOf(host, network, *link, port.transport);
  } else {
    const Missing why = MissingFrom(link.status());
    port.state = why;
    port.phys_state = why;
    port.netdev = why;
  }
}

Fact<std::vector<Netdev>> ReadNetdevs(HostReader& host, const Network& network,
                                      const std::vector<std::uint32_t>& indexes) {
  std::vector<Netdev> netdevs;
  for (const std::uint32_t ifindex : indexes) {
    Fact<Netdev> netdev = ReadNetdev(host, network, ifindex);
    if (!netdev) return netdev.missing();
    netdevs.push_back(*netdev);
  }
  return netdevs;
}

// What the port's netdev stands on, and what stands on either.
void ReadStack(HostReader& host, const Network& network, Port& port) {
  if (port.transport && *port.transport == Transport::kInfiniBand) {
    port.lowers = port.netdev ? Missing() : port.netdev.missing();
    port.uppers = ReadIpoib(host, network, port);
    return;
  }
  if (!port.netdev || !network.links.ok()) {
    const Missing why = port.netdev ? MissingFrom(network.links.status()) : port.netdev.missing();
    port.lowers = why;
    port.uppers = why;
    return;
  }
  const std::uint32_t own = port.netdev->ifindex;
  const Fact<std::vector<std::uint32_t>> lowers = LowersOf(*network.links, own);
  std::vector<std::uint32_t> bases{own};
  if (lowers) {
    port.lowers = ReadNetdevs(host, network, *lowers);
    bases.insert(bases.end(), lowers->begin(), lowers->end());
  } else {
    port.lowers = lowers.missing();
  }
  port.uppers = network.links->Find(own) != nullptr ? ReadUppers(host, network, bases)
                                                    : Fact<std::vector<UpperNetdev>>(lowers.missing());
}

void ReadVerbs(HostReader& host, const Network& network, const absl::Status& there, const GidTable& gids,
               Port& port) {
  const absl::StatusOr<VerbsPortAnswer> verbs =
      there.ok() ? host.Ask(VerbsPortQuestion{port.device, port.number}) : there;
  if (verbs.ok()) {
    port.active_mtu_bytes = MtuBytesOf(verbs->active_mtu);
    port.max_mtu_bytes = MtuBytesOf(verbs->max_mtu);
  } else {
    port.active_mtu_bytes = MissingFrom(verbs.status());
    port.max_mtu_bytes = MissingFrom(verbs.status());
  }
  port.gids = ReadGids(host, network, port.device, port.number, port.transport, gids);
  port.verbs_provider = HasVerbsProvider(port.device, verbs.status(), gids.status());
}

void ReadVendorExtras(HostReader& host, Port& port) {
  port.congestion = ReadCongestion(host, port);
  port.verbs_traffic_class = ReadVerbsTrafficClass(host, port);
  port.out_of_tree = ReadOutOfTree(host, port);
}

void ReadRest(HostReader& host, const RdmaDevice& device, Port& port) {
  RdmaCmDefaults defaults = ReadRdmaCmDefaults(host, device.name, port.number, port.transport);
  port.cm_default_mode = std::move(defaults.mode);
  port.cm_default_tos = std::move(defaults.tos);
  HwCounters counters = ReadHwCounters(host, device, port.number);
  if (counters.counters) {
    std::vector<Counter> all = *counters.counters;
    const std::vector<Counter> retries = ReadCmRetries(host, device, port.number);
    all.insert(all.end(), retries.begin(), retries.end());
    counters.counters = std::move(all);
  }
  port.hw_counters = std::move(counters.counters);
  port.hw_counters_lifespan_ms = std::move(counters.lifespan_ms);
  port.port_counters = ReadPortCounters(host, device, port.number);
  port.rate_mbps = ReadRate(host, device, port.number);
  port.ib = ReadInfiniband(host, device, port.number, port.transport);
}

// A port of which nothing can be believed.
Port LostPort(const RdmaDevice& device, std::uint32_t number, const Missing& why) {
  Port port;
  port.device = device.name;
  port.number = number;
  SetAllMissing(port, why);
  port.earlier = Missing();  // nobody has watched it yet
  return port;
}

// nldev answers by index, verbs, sysfs and configfs by name: they were about one device only if the index still
// has the name afterwards.
absl::Status StillTheSame(HostReader& host, const RdmaDevice& device) {
  const absl::StatusOr<RdmaDevice> after = ReadRdmaDevice(host, device.index);
  // A kernel that does not answer says nothing against it, and what it did answer is worth having.
  if (absl::IsDeadlineExceeded(after.status())) return absl::OkStatus();
  if (!after.ok()) {
    return absl::FailedPreconditionError("read " + device.name + ": it went away while it was read (" +
                                         Message(after.status()) + ")");
  }
  if (after->name == device.name && after->node_guid == device.node_guid) return absl::OkStatus();
  return absl::FailedPreconditionError("read " + device.name + ": it was renamed to " + after->name +
                                       " while it was read");
}

// What is known of it, changed.
template <class T>
void ChangeKnown(Fact<T>& fact, const auto& change) {
  if (!fact) return;
  T value = *fact;
  change(value);
  fact = std::move(value);
}

}  // namespace

void RefreshLinksOf(HostReader& host, const Network& network, Port& port) {
  const Fact<Netdev> netdev = port.netdev;
  const Fact<std::vector<Netdev>> lowers = port.lowers;
  if (port.netdev) port.netdev = ReadNetdev(host, network, port.netdev->ifindex);
  ReadStack(host, network, port);
  port.subnets = ReadSubnets(host, network, port);
  // lldpad's word on a netdev is of the host, and stays.
  const auto keep = [&](Netdev& now) {
    if (netdev && netdev->name == now.name) now.lldp_agent = netdev->lldp_agent;
    if (!lowers) return;
    const auto old = std::ranges::find(*lowers, now.name, &Netdev::name);
    if (old != lowers->end()) now.lldp_agent = old->lldp_agent;
  };
  ChangeKnown(port.netdev, keep);
  ChangeKnown(port.lowers, [&](std::vector<Netdev>& all) { std::ranges::for_each(all, keep); });
}

Fact<std::vector<UpperNetdev>> ReadUppers(HostReader& host, const Network& network,
                                          const std::vector<std::uint32_t>& bases) {
  const Fact<std::vector<UpperNetdev>> known = UppersOf(*network.links, bases, network.addresses);
  if (!known) return known;
  std::vector<UpperNetdev> uppers = *known;
  for (UpperNetdev& upper : uppers)
    upper.ipv4 = EffectiveIpv4(network.ipv4_of_all, ReadIpv4Conf(host, upper.name));
  return uppers;
}

Fact<bool> HasVerbsProvider(const std::string& device, const absl::Status& port, const absl::Status& gids) {
  if (port.ok() || gids.ok()) return true;
  if (port == VerbsDeviceNotListed(device)) return false;
  return MissingFrom(port);
}

std::vector<Port> ReadPortsOf(HostReader& host, const Network& network, const RdmaDevice& device,
                              const absl::Status& verbs) {
  const Port shared = ReadDevice(host, device, verbs);
  const GidTable gids = verbs.ok() ? host.Ask(VerbsGidTableQuestion{device.name}) : verbs;
  std::vector<Port> ports;
  for (std::uint32_t number = 1; number <= device.port_count; ++number) {
    Port& port = ports.emplace_back(shared);
    port.number = number;
    port.transport = ReadTransport(host, device, number);
    ReadState(host, network, device, port);
    ReadStack(host, network, port);
    port.subnets = ReadSubnets(host, network, port);
    port.neighbours = NeighboursOf(network, port);
    ReadVerbs(host, network, verbs, gids, port);
    ReadRest(host, device, port);
    ReadVendorExtras(host, port);
    port.firmware = FirmwareOf(device, port.software, port.netdev);
  }
  const absl::Status same = StillTheSame(host, device);
  if (same.ok()) return ports;
  for (Port& port : ports) port = LostPort(device, port.number, MissingFrom(same));
  return ports;
}

}  // namespace rdmaready
