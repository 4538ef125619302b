// SPDX-License-Identifier: Apache-2.0
#include "collectors/unread.h"

namespace rdmaready {
namespace {

template <class... Facts>
void Mark(Facts&... facts) {
  const Missing why{Missing::Kind::kUnsupported, "this version does not read it"};
  const auto mark = [&why](auto& fact) {
    if (!fact && fact.missing().kind == Missing::Kind::kNotCollected) fact = why;
  };
  (mark(facts), ...);
}

void MarkNetdev(Netdev& netdev) {
  Mark(netdev.statistics, netdev.mqprio, netdev.lldp_agent, netdev.dcb.rewrite, netdev.dcb.cee,
       netdev.dcb.peer.ets, netdev.dcb.peer.pfc, netdev.dcb.peer.app);
}

void MarkPci(PciFunction& pci) {
  Mark(pci.iommu_domain);
  if (!pci.path) return;
  std::vector<PciHop> path = *pci.path;
  for (PciHop& hop : path) Mark(hop.max_payload_bytes, hop.max_read_request_bytes, hop.acs_redirect);
  pci.path = path;
}

void MarkPort(Port& port) {
  Mark(port.devlink.versions, port.devlink.parameters, port.devlink.health, port.devlink.eswitch_mode,
       port.congestion, port.verbs_traffic_class, port.ib.lid, port.ib.sm_lid, port.ib.pkeys, port.ib.link,
       port.ib.pma_counters, port.verbs_provider, port.out_of_tree, port.earlier);
  if (port.netdev) {
    Netdev netdev = *port.netdev;
    MarkNetdev(netdev);
    port.netdev = netdev;
  }
  if (port.lowers) {
    std::vector<Netdev> lowers = *port.lowers;
    for (Netdev& lower : lowers) MarkNetdev(lower);
    port.lowers = lowers;
  }
  if (port.pci) {
    PciFunction pci = *port.pci;
    MarkPci(pci);
    port.pci = pci;
  }
}

}  // namespace

void MarkUnread(Facts& facts) {
  Mark(facts.firewall, facts.device_nodes, facts.agent_capabilities, facts.tos_keepers, facts.boot_targets,
       facts.markings, facts.lldp_agents, facts.cpu_governors, facts.irqbalance);
  if (!facts.ports) return;
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) MarkPort(port);
  facts.ports = ports;
}

}  // namespace rdmaready
