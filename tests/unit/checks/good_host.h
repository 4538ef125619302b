// SPDX-License-Identifier: Apache-2.0
// A host on which everything is right under VirtualFabricProfile(). Tests break one thing of it.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline Profile VirtualFabricProfile() {
  Profile profile;
  profile.name = "virtual-fabric";
  profile.transport = Profile::Transport::kRoceV2;
  profile.rdma_priority = 3;
  profile.trust = Profile::Trust::kDscp;
  profile.dscp = 26;
  profile.tos = 106;
  profile.pfc = std::vector<std::uint8_t>{3};
  profile.ets_rdma_percent = 50;
  profile.dcbx = Profile::Dcbx::kStatic;
  profile.mtu_bytes = 9000;
  profile.roce_mtu_bytes = 4096;
  profile.min_speed_mbps = 25'000;
  profile.min_memlock_bytes = 64ULL * 1024 * 1024;
  return profile;
}

inline Profile PcpProfile() {
  Profile profile = VirtualFabricProfile();
  profile.name = "pcp";
  profile.trust = Profile::Trust::kPcp;
  profile.dscp.reset();
  profile.tos.reset();
  return profile;
}

inline Dcb GoodDcb() {
  Ets ets;
  ets.traffic_classes = 8;
  ets.tsa[0] = Tsa::kEts;
  ets.tsa[3] = Tsa::kEts;
  ets.tx_percent[0] = 50;
  ets.tx_percent[3] = 50;
  ets.prio_tc[3] = 3;
  Pfc pfc;
  pfc.capability = 8;
  pfc.enabled = 1U << 3;
  Dcb dcb;
  dcb.ets = ets;
  dcb.pfc = pfc;
  dcb.app = std::vector<AppEntry>{{.selector = AppSelector::kDscp, .priority = 3, .protocol = 26}};
  dcb.app_trust = Missing{.kind = Missing::Kind::kUnsupported, .detail = "driver does not report APP trust"};
  dcb.dcbx = Dcbx{.host = true, .ieee = true};
  PortBuffer buffer;
  buffer.prio_buffer[3] = 1;
  buffer.size_bytes = {131'072, 131'072};
  buffer.total_bytes = 262'144;
  dcb.buffer = buffer;
  dcb.max_rate_kbps = MaxRatesKbps{};
  dcb.rewrite = std::vector<AppEntry>{};
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};
  dcb.peer = {.ets = none, .pfc = none, .app = none};
  dcb.cee = none;
  dcb.thresholds = none;
  dcb.nic_trust = none;
  dcb.nic_dscp_map = none;
  return dcb;
}

// As the virtual fabric's NIC answers: FEC, and nothing else of its own.
inline EthernetLink GoodLink() {
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};
  EthernetLink link;
  link.modes = LinkModes{};
  link.fec = Fec{.configured = {"RS"}, .active = "RS", .corrected_blocks = 0, .uncorrectable_blocks = 0};
  link.pause_frames = PauseFrames{};
  link.eee = none;
  link.rings = none;
  link.channels = none;
  link.private_flags = none;
  link.fcs_errors = none;
  link.symbol_errors = none;
  link.down_reason = none;
  link.temperatures = none;
  return link;
}

inline Netdev GoodNetdev() {
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.ifindex = 3;
  netdev.driver = "dcbnic";
  netdev.driver_info = DriverInfo{.bus = "dcbnic0"};
  netdev.admin_up = true;
  netdev.carrier = true;
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25'000;
  netdev.vlan_id = Missing{.kind = Missing::Kind::kUnsupported, .detail = "not a VLAN device"};
  netdev.addresses = std::vector<IpAddress>{{.address = "10.0.0.1", .prefix_length = 24}};
  netdev.dcb = GoodDcb();
  netdev.max_mtu_bytes = 9000;
  netdev.duplex = Duplex::kFull;
  netdev.pause = Pause{};
  netdev.ipv4 = Ipv4Settings{};
  netdev.link = GoodLink();
  netdev.carrier_changes = std::uint64_t{2};
  netdev.statistics = std::vector<NicStatistic>{};
  netdev.mqprio = Missing{.kind = Missing::Kind::kUnsupported, .detail = "another queueing discipline"};
  netdev.lldp_agent = Missing{.kind = Missing::Kind::kUnsupported, .detail = "lldpad does not run"};
  netdev.vlan_reorder = Missing{.kind = Missing::Kind::kUnsupported, .detail = "not a VLAN device"};
  netdev.pfc_storm_timeout_ms = Missing{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};
  return netdev;
}

inline DeviceLimits GoodLimits() {
  return {.max_qp_wr = 1'048'576,
          .max_cqe = 32'767,
          .max_sge = 32,
          .max_sge_rd = 32,
          .max_qp_rd_atom = 128,
          .max_qp_init_rd_atom = 128,
          .max_qp = 1'048'560,
          .max_mr = 524'287,
          .max_mw = 524'287,
          .fast_registration = true,
          .mw_type_2b = true};
}

// Every module installed, SMB with SMB Direct, and nothing loaded but an SMB client.
inline std::vector<KernelModule> GoodModules() {
  std::vector<KernelModule> modules;
  for (const std::string_view name : kStorageModules) {
    const ModuleState state = name == "cifs" ? ModuleState::kLoaded : ModuleState::kInstalled;
    modules.push_back({.name = std::string(name), .state = state, .uses_rdma = name != "nfsd"});
  }
  return modules;
}

inline Port GoodPort() {
  Port port;
  port.device = "rxe0";
  port.node_guid = std::uint64_t{0x505400fffe000001};
  port.number = 1;
  port.transport = Transport::kRoce;
  port.software = true;
  port.state = PortState::kActive;
  port.phys_state = std::uint8_t{5};
  port.active_mtu_bytes = 4096;
  port.max_mtu_bytes = 4096;
  port.gids = std::vector<Gid>{
      {.index = 0,
       .raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
       .type = GidType::kRoceV2,
       .netdev = "dcb0"},
      {.index = 1,
       .raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1},
       .type = GidType::kRoceV2,
       .netdev = "dcb0"},
  };
  port.cm_default_mode = GidType::kRoceV2;
  port.cm_default_tos = std::uint8_t{106};
  port.netdev = GoodNetdev();
  port.lowers = std::vector<Netdev>{};
  port.uppers = std::vector<UpperNetdev>{};
  const Missing soft{.kind = Missing::Kind::kUnsupported, .detail = "a software device has none"};
  port.firmware = soft;
  port.board = soft;
  port.pci = soft;
  port.port_counters = soft;
  port.devlink = {.versions = soft, .parameters = soft, .health = soft, .eswitch_mode = soft};
  port.congestion = soft;
  port.verbs_traffic_class = soft;
  port.verbs_provider = true;
  port.out_of_tree = false;
  port.ib = {
      .lid = soft, .sm_lid = soft, .pkeys = soft, .pkey_slots = soft, .link = soft, .pma_counters = soft};
  port.limits = GoodLimits();
  port.listeners = std::vector<RdmaListener>{};
  port.rate_mbps = 25'000;
  port.subnets = std::vector<Subnet>{{.netdev = "dcb0",
                                      .own = {.address = "10.0.0.1", .prefix_length = 24},
                                      .probe = "10.0.0.2",
                                      .route = IpRoute{.netdev = "dcb0"}}};
  port.neighbours = std::vector<Neighbour>{{.netdev = "dcb0",
                                            .address = "10.0.0.2",
                                            .mac = "02:00:00:00:00:02",
                                            .state = NeighbourState::kStale,
                                            .age_s = 900}};
  return port;
}

inline Facts GoodHost() {
  Facts host;
  host.hostname = "a";
  host.kernel = Kernel{.release = "7.0.3+deb14-amd64"};
  host.distribution = Distribution{.id = "debian", .version = "14"};
  host.rdma_stack = RdmaStack::kLoaded;
  host.memlock = Memlock{.limit_bytes = Memlock::kUnlimited, .cap_ipc_lock = true, .pid = 4711};
  host.open_files = OpenFiles{.soft = 1024, .hard = 524'288};
  host.uptime_s = std::uint64_t{86'400};
  host.rdma_nodes = std::vector<std::string>{"rdma_cm", "uverbs0"};
  host.rdma_netns_shared = true;
  host.numa_nodes = 1;
  host.modules = GoodModules();
  host.options = std::vector<KernelOption>{{"CONFIG_CIFS_SMB_DIRECT", "y"}};
  host.ksmbd = Missing{.kind = Missing::Kind::kUnsupported, .detail = "there is no ksmbd.conf"};
  host.tcp_listeners = std::vector<std::uint16_t>{22};
  host.ports = std::vector<Port>{GoodPort()};
  host.firewall = Firewall{};
  host.device_nodes = std::vector<DeviceNode>{{"rdma_cm", 0666}, {"uverbs0", 0660}};
  host.agent_capabilities = std::uint64_t{0};
  host.agent_process = std::string("rdmaready-agent");
  host.agent_user = std::uint32_t{998};
  host.tos_keepers = std::vector<std::string>{"/etc/systemd/system/rdma-tos.service"};
  host.dcb_keepers = std::vector<std::string>{"/etc/systemd/system/dcb.service"};
  host.boot_writes = std::vector<BootWrite>{};
  host.cluster_agents = std::vector<ClusterAgent>{};
  host.default_routes = std::vector<std::string>{"eth0"};
  host.boot_targets = std::vector<BootTarget>{};
  host.markings = std::vector<ConsumerMarking>{};
  host.lldp_agents = std::vector<std::string>{};
  host.cpu_governors = std::vector<std::string>{"performance"};
  host.irqbalance = false;
  host.memlock_grants = std::vector<MemlockGrant>{};
  host.pci_devices = std::vector<PciDevice>{};
  host.privileged_qkey = false;
  host.gpu = Missing{.kind = Missing::Kind::kUnsupported, .detail = "there is no GPU on the PCI bus"};
  host.named_devices = std::vector<NamedDevice>{};
  host.managed_interfaces = std::vector<NamedDevice>{};
  host.agent_group = ControlGroup{.memory_max_bytes = Memlock::kUnlimited};
  host.cma = CmaMemory{.total_bytes = 33'554'432, .free_bytes = 31'850'496};
  host.nvmet_ports = Missing{.kind = Missing::Kind::kUnsupported, .detail = "the kernel shows no NVMe target"};
  host.iscsi_portals =
      Missing{.kind = Missing::Kind::kUnsupported, .detail = "the kernel shows no iSCSI target"};
  host.fabric_managers = std::vector<FabricManager>{};
  host.sysctls =
      std::vector<Sysctl>{{"net.ipv4.conf.all.accept_local", 0},  {"net.ipv4.conf.all.arp_announce", 0},
                          {"net.ipv4.conf.all.arp_ignore", 0},    {"net.ipv4.conf.all.rp_filter", 0},
                          {"net.ipv4.conf.dcb0.accept_local", 0}, {"net.ipv4.conf.dcb0.arp_announce", 0},
                          {"net.ipv4.conf.dcb0.arp_ignore", 0},   {"net.ipv4.conf.dcb0.rp_filter", 0}};
  host.apply_state = ApplyState{};
  host.clock = KernelClock{.max_error_us = 51'000, .estimated_error_us = 300};
  return host;
}

// The same host with its only port changed: WithPort([](Port& port) { port.state = PortState::kDown; }).
template <class Change>
Facts WithPort(Change change) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  change(ports.front());
  host.ports = ports;
  return host;
}

// The good host with a change of what is known of one module.
template <class Change>
Facts WithModule(Facts host, std::string_view name, Change change) {
  std::vector<KernelModule> modules = *host.modules;
  change(*std::ranges::find(modules, name, &KernelModule::name));
  host.modules = modules;
  return host;
}

inline Facts Loaded(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.state = ModuleState::kLoaded; });
}

// A host that is an SMB Direct server, and a good one.
inline Facts SmbServer() {
  Facts host = Loaded(WithPort([](Port& port) {
                        port.listeners = std::vector<RdmaListener>{{.port = 445, .kernel_name = "ksmbd"}};
                        Netdev netdev = *port.netdev;
                        std::vector<AppEntry> rows = *netdev.dcb.app;
                        for (const std::uint16_t tcp : std::vector<std::uint16_t>{445, 5445})
                          rows.push_back({AppSelector::kStream, 3, tcp});
                        netdev.dcb.app = rows;
                        port.netdev = netdev;
                      }),
                      "ksmbd");
  host.ksmbd = KsmbdConfig{.path = "/etc/ksmbd/ksmbd.conf", .multichannel = true};
  host.tcp_listeners = std::vector<std::uint16_t>{22, 445};
  return host;
}

template <class Change>
Facts SmbServerWith(Change change) {
  Facts host = SmbServer();
  std::vector<Port> ports = *host.ports;
  change(host, ports.front());
  host.ports = ports;
  return host;
}

template <class Change>
Facts WithNetdev(Change change) {
  return WithPort([&change](Port& port) {
    Netdev netdev = *port.netdev;
    change(netdev);
    port.netdev = netdev;
  });
}

template <class Change>
Facts WithDcb(Change change) {
  return WithNetdev([&change](Netdev& netdev) { change(netdev.dcb); });
}

template <class Change>
Facts WithEts(Change change) {
  return WithDcb([&change](Dcb& dcb) {
    Ets ets = *dcb.ets;
    change(ets);
    dcb.ets = ets;
  });
}

inline Facts WithPfc(std::uint8_t enabled) {
  return WithDcb([enabled](Dcb& dcb) {
    Pfc pfc = *dcb.pfc;
    pfc.enabled = enabled;
    dcb.pfc = pfc;
  });
}

inline Facts WithApp(std::vector<AppEntry> rows) {
  return WithDcb([&rows](Dcb& dcb) { dcb.app = rows; });
}

// The good host with its address on VLAN 711, as a profile that tells RDMA by the priority in the tag wants it.
template <class Change>
Facts WithVlan(Change change) {
  return WithPort([&change](Port& port) {
    UpperNetdev vlan{
        .name = "dcb0.711", .ifindex = 7, .kind = "vlan", .over = {"dcb0"}, .admin_up = true, .carrier = true};
    vlan.mtu_bytes = 9000;
    vlan.vlan_id = std::uint16_t{711};
    vlan.vlan_egress = std::vector<VlanPriority>{{.from = 0, .pcp = 3}};
    vlan.vlan_reorder = true;
    vlan.addresses = port.netdev->addresses;
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{};
    netdev.dcb.app = std::vector<AppEntry>{};
    port.netdev = netdev;
    port.cm_default_tos = std::uint8_t{0};
    std::vector<Gid> gids = *port.gids;
    gids.back().netdev = vlan.name;
    port.gids = gids;
    change(port, vlan);
    port.uppers = std::vector<UpperNetdev>{vlan};
  });
}

inline Facts OnVlan() {
  return WithVlan([](Port&, UpperNetdev&) {});
}

// The host with a second port, which is like the first but for its names, its address and a change.
template <class Change>
Facts WithSecond(Facts host, Change change) {
  std::vector<Port> ports = *host.ports;
  Port second = ports.front();
  second.device = "rxe1";
  Netdev netdev = *second.netdev;
  netdev.name = "dcb1";
  netdev.addresses = std::vector<IpAddress>{{.address = "10.0.1.1", .prefix_length = 24}};
  second.netdev = netdev;
  change(second);
  ports.push_back(second);
  host.ports = ports;
  return host;
}

inline Missing Denied() { return {.kind = Missing::Kind::kDenied, .detail = "Operation not permitted"}; }

// All of what a finding says is to be done, in a line.
inline std::string WhatToDo(const Finding& finding) { return finding.remedy ? OneLine(*finding.remedy) : ""; }

// The finding of that id, or a default one (unknown, empty id) when there is none.
inline Finding Of(std::span<const Finding> findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  return found == findings.end() ? Finding{} : *found;
}

inline std::vector<std::string> IdsWith(std::span<const Finding> findings, Outcome outcome) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    if (finding.outcome == outcome) ids.push_back(finding.id);
  }
  return ids;
}

}  // namespace rdmaready
