// SPDX-License-Identifier: Apache-2.0
// A readable listing of what is known of a host, and why the rest is not.
#include <fmt/format.h>

#include <utility>

#include "api/base/text.h"
#include "checks/dcb/drift.h"
#include "checks/device/link_modes.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/text.h"
#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kFactsLabelWidth = 18;

class Listing {
 public:
  Listing(const Style& style, bool lldp_asked) : style_(style), lldp_asked_(lldp_asked) {}

  bool lldp_asked() const { return lldp_asked_; }

  void Heading(std::size_t indent, std::string_view text) {
    Flush();
    text_ += std::string(indent, ' ') + style_.Paint(Tone::kStrong, Printable(text)) + "\n";
  }

  void Line(std::size_t indent, std::string_view label, std::string_view value) {
    text_ += std::string(indent, ' ') + Column(label, kFactsLabelWidth) + Printable(value) + "\n";
  }

  // The value by `write`, or why there is none.
  template <class T, class Write>
  void Line(std::size_t indent, std::string_view label, const Fact<T>& fact, Write write) {
    if (fact) return Line(indent, label, write(*fact));
    text_ += std::string(indent, ' ') + Column(label, kFactsLabelWidth) +
             style_.Paint(Tone::kFaint, Printable(MissingText(fact.missing()))) + "\n";
  }

  // As Line; what is not offered at all shares one line with the others of its section. The reasons are in
  // the JSON.
  template <class T, class Write>
  void Offered(std::size_t indent, std::string_view label, const Fact<T>& fact, Write write) {
    if (fact || fact.missing().kind != Missing::Kind::kUnsupported) return Line(indent, label, fact, write);
    not_offered_ += (not_offered_.empty() ? "" : ", ") + std::string(label);
    indent_ = indent;
  }

  // Ends a section.
  void Flush() {
    if (not_offered_.empty()) return;
    Line(indent_, "not offered", std::exchange(not_offered_, {}));
  }

  std::string Take() {
    Flush();
    return std::move(text_);
  }

  // Only when it is known.
  template <class T, class Write>
  void KnownLine(std::size_t indent, std::string_view label, const Fact<T>& fact, Write write) {
    if (fact) Line(indent, label, write(*fact));
  }

 private:
  const Style& style_;
  const bool lldp_asked_;
  std::string text_;
  std::string not_offered_;
  std::size_t indent_ = 0;
};

std::string Itself(const std::string& text) { return text; }

std::string Bytes(std::uint32_t bytes) { return fmt::format("{} B", bytes); }

// All three or why not: they come from one place.
Fact<std::string> PciErrors(const PciFunction& pci) {
  for (const Fact<std::uint64_t>* total : {&pci.aer_fatal, &pci.aer_nonfatal, &pci.aer_correctable}) {
    if (!*total) return total->missing();
  }
  return fmt::format("fatal {}, nonfatal {}, correctable {}", *pci.aer_fatal, *pci.aer_nonfatal,
                     *pci.aer_correctable);
}

// Why there is no DCB at all, when one reason stands for every part of it.
const Missing* NoDcb(const Dcb& dcb) {
  if (dcb.ets) return nullptr;
  const Missing& why = dcb.ets.missing();
  const auto likewise = [&why](const auto&... facts) { return ((!facts && facts.missing() == why) && ...); };
  return likewise(dcb.pfc, dcb.app, dcb.app_trust, dcb.dcbx, dcb.buffer, dcb.max_rate_kbps) ? &why : nullptr;
}

void ListDcb(Listing& out, const Dcb& dcb) {
  if (const Missing* why = NoDcb(dcb)) return out.Line(4, "DCB", Fact<std::string>(*why), Itself);
  out.Offered(4, "PFC", dcb.pfc, PfcFactText);
  out.Offered(4, "ETS", dcb.ets, EtsText);
  out.Offered(4, "APP", dcb.app, AppText);
  out.Offered(4, "trust", dcb.app_trust, TrustText);
  out.KnownLine(4, "trust of the NIC", dcb.nic_trust, NicTrustText);
  out.KnownLine(4, "DSCPs of the NIC", dcb.nic_dscp_map, DscpMapText);
  out.Offered(4, "DCBX", dcb.dcbx, DcbxText);
  out.Offered(4, "buffers", dcb.buffer, BufferText);
  if (dcb.thresholds || dcb.thresholds.missing().kind != Missing::Kind::kUnsupported)
    out.Line(4, "pauses", dcb.thresholds, ThresholdsText);
  out.Offered(4, "maximum rates", dcb.max_rate_kbps, MaxRatesText);
  if (dcb.rewrite && !dcb.rewrite->empty()) out.Line(4, "rewrite", AppText(*dcb.rewrite));
  out.KnownLine(4, "peer's PFC", dcb.peer.pfc, PfcFactText);
  out.KnownLine(4, "peer's ETS", dcb.peer.ets, EtsText);
  out.KnownLine(4, "peer's APP", dcb.peer.app, AppText);
  out.KnownLine(4, "CEE", dcb.cee, CeeSettingsText);
}

// What ethtool's netlink family tells; why it does not at all, when one reason stands for every part.
void ListLink(Listing& out, const EthernetLink& link) {
  const auto number = [](std::uint64_t count) { return std::to_string(count); };
  if (!link.modes && !link.fec && link.modes.missing() == link.fec.missing()) {
    return out.Line(4, "link by ethtool", link.modes, LinkModesText);
  }
  out.Offered(4, "link modes", link.modes, LinkModesText);
  out.Offered(4, "FEC", link.fec, FecText);
  out.Offered(4, "pause frames", link.pause_frames, PauseFramesText);
  out.Offered(4, "EEE", link.eee, EeeText);
  out.Offered(4, "rings", link.rings, RingsText);
  out.Offered(4, "channels", link.channels, ChannelsText);
  out.Offered(4, "driver's flags", link.private_flags, PrivateFlagsText);
  out.Offered(4, "FCS errors", link.fcs_errors, number);
  out.Offered(4, "symbol errors", link.symbol_errors, number);
  if (link.down_reason) out.Line(4, "down because", DownReasonText(*link.down_reason));
  out.Offered(4, "temperatures", link.temperatures, TemperaturesText);
}

std::string LinkState(const Netdev& netdev) {
  std::string text = fmt::format("{}, {}", netdev.admin_up ? "up" : "administratively down",
                                 netdev.carrier ? "carrier" : "no carrier");
  if (netdev.duplex) text += ", " + DuplexText(*netdev.duplex);
  if (netdev.carrier_changes) text += fmt::format(", carrier changes {}", *netdev.carrier_changes);
  return text;
}

// Agents of other hosts, then those of this one.
void ListLldp(Listing& out, const Fact<LldpHeard>& heard) {
  if (!heard && !out.lldp_asked()) return;
  out.Line(4, "LLDP", heard, LldpTimeText);
  if (!heard) return;
  for (const LldpNeighbour& agent : heard->peers) out.Line(6, "neighbour", LldpAgentText(agent));
  for (const LldpNeighbour& agent : heard->own) out.Line(6, "sent from here", LldpAgentText(agent));
  for (const std::string& note : heard->notes) out.Line(6, "noted", note);
}

// What lldpad of the host has, where it runs.
void ListLldpad(Listing& out, const Fact<LldpHeard>& kept) {
  const bool nothing_to_say =
      !kept && (kept.missing().kind == Missing::Kind::kUnsupported || kept.missing().detail.empty());
  if (!nothing_to_say) out.Line(4, "lldpad", kept, LldpadText);
}

// `place` says how it lies to the port's own netdev; empty for that one.
void ListNetdev(Listing& out, const Netdev& netdev, const std::string& place) {
  out.Heading(2, "interface " + netdev.name + place);
  if (netdev.driver_info) {
    out.Line(4, "driver", DriverText(*netdev.driver_info));
  } else {
    out.Line(4, "driver", netdev.driver.empty() ? "(not named)" : netdev.driver);
    out.Line(4, "firmware", netdev.driver_info, DriverText);
  }
  out.Line(4, "link", LinkState(netdev) + ", MAC " + (netdev.mac.empty() ? "(none)" : netdev.mac));
  if (netdev.permanent_mac && *netdev.permanent_mac != netdev.mac)
    out.Line(4, "permanent MAC", *netdev.permanent_mac);
  if (!netdev.master.empty()) out.Line(4, "member of", netdev.master);
  out.Line(4, "MTU",
           Bytes(netdev.mtu_bytes) +
               (netdev.max_mtu_bytes ? ", at most " + Bytes(*netdev.max_mtu_bytes) : std::string()));
  out.Line(4, "speed", netdev.speed_mbps, SpeedText);
  if (netdev.vlan_id || netdev.vlan_id.missing().kind != Missing::Kind::kUnsupported) {
    out.Line(4, "VLAN", netdev.vlan_id, [](std::uint16_t id) { return std::to_string(id); });
  }
  if (netdev.vlan_egress) out.Line(4, "priority to PCP", EgressText(*netdev.vlan_egress));
  if (netdev.vlan_reorder && !*netdev.vlan_reorder) out.Line(4, "reorder_hdr", "off");
  out.KnownLine(4, "mqprio", netdev.mqprio, MqprioText);
  out.Line(4, "addresses", netdev.addresses, AddressesText);
  ListDcb(out, netdev.dcb);
  out.Offered(4, "pause (802.3x)", netdev.pause, PauseText);
  out.Offered(4, "PFC storm limit", netdev.pfc_storm_timeout_ms, StormTimeoutText);
  ListLldp(out, netdev.lldp);
  ListLldpad(out, netdev.lldp_agent);
  out.KnownLine(4, "DCB writes", netdev.dcb_writes, DcbWritesText);
  out.Line(4, "IPv4 settings", netdev.ipv4, Ipv4Text);
  ListLink(out, netdev.link);
  out.Flush();
  out.KnownLine(4, "statistics", netdev.statistics, StatisticsText);
}

// The port's netdev, what it stands on, and what stands on them.
void ListStack(Listing& out, const Port& port) {
  if (!port.netdev) {
    return out.Line(2, "interface", port.netdev, [](const Netdev& netdev) { return netdev.name; });
  }
  ListNetdev(out, *port.netdev, "");
  if (!port.lowers) {
    out.Line(2, "ports under it", port.lowers, [](const std::vector<Netdev>&) { return std::string(); });
  } else {
    for (const Netdev& lower : *port.lowers) ListNetdev(out, lower, ", under " + port.netdev->name);
  }
  if (!port.uppers) {
    out.Line(2, "on top", port.uppers, [](const std::vector<UpperNetdev>&) { return std::string(); });
  } else {
    for (const UpperNetdev& upper : *port.uppers) out.Line(2, "on top", UpperText(upper));
  }
}

void ListGids(Listing& out, const Fact<std::vector<Gid>>& gids) {
  if (!gids) return out.Line(2, "GIDs", gids, [](const std::vector<Gid>&) { return std::string(); });
  if (gids->empty()) out.Line(2, "GIDs", "none");
  for (const Gid& gid : *gids) out.Line(2, fmt::format("GID {}", gid.index), GidText(gid));
}

void ListDevice(Listing& out, const Port& port) {
  out.Offered(2, "firmware", port.firmware, Itself);
  out.Offered(2, "board", port.board, Itself);
  out.Line(2, "node GUID", port.node_guid, GuidText);
  out.Offered(2, "PCI", port.pci, PciText);
  if (!port.pci) return;
  out.Line(2, "PCIe links", port.pci->path, PciPathText);
  out.Line(2, "PCIe errors", PciErrors(*port.pci), Itself);
  out.Line(2, "NUMA node", port.pci->numa_node,
           [](std::int32_t node) { return node < 0 ? "not told" : std::to_string(node); });
  out.Line(2, "interrupts", port.pci->interrupts, InterruptsText);
  out.KnownLine(2, "IOMMU domain", port.pci->iommu_domain, Itself);
  out.KnownLine(2, "versions", port.devlink.versions, VersionsText);
  out.KnownLine(2, "devlink", port.devlink.parameters, DevlinkParametersText);
  out.KnownLine(2, "health", port.devlink.health, HealthText);
  out.KnownLine(2, "eswitch", port.devlink.eswitch_mode, Itself);
  out.KnownLine(2, "driver", port.out_of_tree, [](bool foreign) {
    return std::string(foreign ? "not of the kernel's own source" : "of the kernel's own source");
  });
}

// What only some vendors' drivers have, and what makes verbs work at all.
void ListMarking(Listing& out, const Port& port) {
  out.KnownLine(2, "verbs class", port.verbs_traffic_class,
                [](std::uint8_t value) { return value == 0 ? std::string("none forced") : TosText(value); });
  out.KnownLine(2, "congestion", port.congestion, CongestionText);
  if (port.verbs_provider && !*port.verbs_provider) out.Line(2, "libibverbs", "has no driver for it");
}

void ListPaths(Listing& out, const Port& port) {
  if (!port.subnets) out.Line(2, "subnets", port.subnets, [](const auto&) { return std::string(); });
  if (port.subnets && port.subnets->empty()) out.Line(2, "subnets", "none");
  if (port.subnets) {
    for (const Subnet& subnet : *port.subnets) out.Line(2, "subnet", SubnetText(subnet));
  }
  out.Line(2, "neighbours", port.neighbours, NeighboursText);
}

void ListInfiniband(Listing& out, const Port& port) {
  if (!port.transport || *port.transport != Transport::kInfiniBand) return;
  const auto lid = [](std::uint16_t number) { return number == 0 ? "none" : std::to_string(number); };
  out.Line(2, "LID", port.ib.lid, lid);
  out.Line(2, "subnet manager", port.ib.sm_lid, lid);
  out.Line(2, "P_Keys", port.ib.pkeys, PkeysText);
  out.Line(2, "InfiniBand link", port.ib.link, IbLinkText);
  out.Line(2, "PMA counters", port.ib.pma_counters, CountersText);
}

void ListPort(Listing& out, const Port& port) {
  const auto name = [](auto value) { return std::string(Name(value)); };
  out.Heading(0, "port " + PortName(port));
  out.Line(2, "transport", port.transport, name);
  out.Line(2, "device", port.software,
           [](bool software) { return std::string(software ? "software" : "hardware"); });
  ListDevice(out, port);
  out.Line(2, "state", port.state, [&](PortState state) {
    return std::string(Name(state)) +
           (port.phys_state ? fmt::format(", physical state {}", *port.phys_state) : "");
  });
  out.Line(2, "active MTU", port.active_mtu_bytes, [&](std::uint32_t bytes) {
    return Bytes(bytes) + (port.max_mtu_bytes ? ", at most " + Bytes(*port.max_mtu_bytes) : "");
  });
  out.Line(2, "RDMA-CM mode", port.cm_default_mode, name);
  out.Line(2, "RDMA-CM ToS", port.cm_default_tos, TosText);
  ListMarking(out, port);
  ListGids(out, port.gids);
  out.Line(2, "in use", port.resources, ResourcesText);
  out.Line(2, "limits", port.limits, LimitsText);
  out.Line(2, "listening", port.listeners, ListenersText);
  out.Offered(2, "hw counters", port.hw_counters, CountersText);
  out.Offered(2, "port counters", port.port_counters, CountersText);
  out.Line(2, "rate", port.rate_mbps, SpeedText);
  ListInfiniband(out, port);
  ListStack(out, port);
  ListPaths(out, port);
}

void ListStorage(Listing& out, const Facts& facts) {
  out.Line(2, "storage modules", facts.modules, ModulesText);
  out.Line(2, "kernel options", facts.options, OptionsText);
  out.Line(2, "ksmbd", facts.ksmbd, KsmbdText);
  out.Line(2, "TCP listeners", facts.tcp_listeners, TcpPortsText);
}

void ListHost(Listing& out, const HostFacts& host) {
  out.Heading(0, host.host);
  if (!host.error.empty()) return out.Line(2, "error", host.error);
  const Facts& facts = host.facts;
  out.Line(2, "host name", facts.hostname.empty() ? "(none)" : facts.hostname);
  out.Line(2, "kernel", facts.kernel, [](const Kernel& kernel) { return "Linux " + kernel.release; });
  out.Line(2, "NUMA nodes", facts.numa_nodes, [](std::uint32_t nodes) { return std::to_string(nodes); });
  out.Line(2, "lockable memory", facts.memlock, MemlockText);
  out.Line(2, "open files", facts.open_files, OpenFilesText);
  out.Line(2, "up", facts.uptime_s, [](std::uint64_t seconds) { return fmt::format("{} s", seconds); });
  out.Line(2, "RDMA stack", facts.rdma_stack, [](RdmaStack stack) { return std::string(Name(stack)); });
  out.Line(2, "RDMA nodes", facts.rdma_nodes, ListWords);
  out.Line(2, "RDMA namespaces", facts.rdma_netns_shared,
           [](bool shared) { return std::string(shared ? "shared" : "exclusive"); });
  for (const auto& [label, value] : HostSettingLines(facts)) out.Line(2, label, value);
  ListStorage(out, facts);
  if (!facts.ports) {
    return out.Line(2, "RDMA ports", facts.ports, [](const std::vector<Port>&) { return std::string(); });
  }
  out.Line(2, "RDMA ports", facts.ports->empty() ? "none" : std::to_string(facts.ports->size()));
  for (const Port& port : *facts.ports) ListPort(out, port);
}

}  // namespace

std::string FactsText(const FactsRun& run, const Style& style) {
  std::string text;
  for (const HostFacts& host : run.hosts) {
    Listing out(style, run.lldp_asked);
    ListHost(out, host);
    text += (text.empty() ? "" : "\n") + out.Take();
  }
  return text;
}

}  // namespace rdmaready
