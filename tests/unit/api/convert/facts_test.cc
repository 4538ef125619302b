// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

LldpNeighbour FullNeighbour() {
  LldpNeighbour agent;
  agent.source_mac = "02:00:00:00:00:02";
  agent.destination_mac = "01:80:c2:00:00:0e";
  agent.frames = 3;
  agent.first_ms = 100;
  agent.last_ms = 30'100;
  agent.chassis = {4, "02:00:00:00:00:02"};
  agent.port = {5, "Ethernet1/1"};
  agent.ttl_s = 120;
  agent.port_description = "to storage1";
  agent.system_name = "leaf1";
  agent.system_description = "a switch";
  agent.capabilities = 0x14;
  agent.capabilities_enabled = 0x04;
  agent.management = {{"10.0.0.1", 1001}};
  agent.port_vlan_id = std::uint16_t{711};
  agent.vlans = {{711, "storage"}};
  agent.aggregation = LldpAggregation{true, false, 9};
  agent.congestion = LldpCongestion{8, 4};
  agent.mac_phy = LldpMacPhy{true, false, 0x6c11, 30};
  agent.max_frame_bytes = std::uint16_t{9216};
  agent.dialects = {.ieee = true, .cee = true, .cin = false};
  agent.ets = LldpEts{.willing = true,
                      .credit_based_shaper = false,
                      .traffic_classes = 8,
                      .prio_tc = {0, 0, 0, 1},
                      .percent = {50, 50},
                      .tsa = {Tsa::kEts, Tsa::kEts, Tsa::kVendor}};
  agent.ets_recommended = LldpEts{.credit_based_shaper = true, .prio_tc = {1}};
  agent.pfc = LldpPfc{.willing = false, .macsec_bypass = true, .capability = 8, .enabled = 8};
  agent.app = std::vector<AppEntry>{{AppSelector::kDgram, 3, 4791}};
  agent.cee = LldpCee{.control = CeeControl{0, 1, 7, 6},
                      .groups = CeeGroups{{true, false, true}, {0, 0, 0, 15}, {50, 50}, 8},
                      .pfc = CeePfc{{false, true, false}, 8, 8},
                      .app = CeeApp{{true, true, true}, {{1, 3260, 16}}}};
  agent.unknown_tlvs = 2;
  agent.oddities = {"PFC configuration at byte 71: 1 bytes, not 2"};
  return agent;
}

constexpr Ipv4Settings kSettings{
    .arp_ignore = 1, .arp_announce = 2, .rp_filter = 2, .accept_local = true, .arp_filter = true};

EthernetLink FullLink() {
  EthernetLink link;
  link.modes = LinkModes{.autoneg = true,
                         .supported = {"25000baseCR/Full", "FEC_RS"},
                         .advertised = {"25000baseCR/Full"},
                         .peer = {"10000baseT/Full"},
                         .lanes = 4};
  link.fec = Fec{.automatic = true,
                 .configured = {"RS", "BASER"},
                 .active = "RS",
                 .corrected_blocks = 7,
                 .uncorrectable_blocks = 0};
  link.pause_frames = PauseFrames{.sent = 1, .received = 2};
  link.eee = Eee{.enabled = true, .active = true};
  link.rings = Rings{.rx = 1, .rx_max = 2, .tx = 3, .tx_max = 4};
  link.channels = Channels{.rx = 1, .tx = 2, .combined = 3, .combined_max = 4};
  link.private_flags = std::vector<PrivateFlag>{{"fw-lldp-agent", true}, {"link-down-on-close", false}};
  link.fcs_errors = std::uint64_t{5};
  link.symbol_errors = std::uint64_t{6};
  link.down_reason = DownReason{.state = 4, .substate = 1};
  link.temperatures = std::vector<Temperature>{
      {.label = "asic", .now_mc = 60'000, .warn_mc = 90'000, .critical_mc = 105'000}, {.now_mc = -5'000}};
  return link;
}

std::vector<NicStatistic> SomeStatistics() {
  return {{.counter = NicCounter::kPauseReceived, .priority = 3, .name = "rx_prio3_pause", .value = 7},
          {.counter = NicCounter::kLast, .name = "outbound_pci_buffer_overflow", .value = 1}};
}

// What a port of hardware has and a software device has not.
void FillHardware(Port& port) {
  port.devlink.versions =
      std::vector<FirmwareVersion>{{"fw", "28.39", "28.40", false}, {"fw.psid", "", "", true}};
  port.devlink.parameters = std::vector<DevlinkParameter>{{"enable_roce", "true", "false", "1"}};
  port.devlink.health = std::vector<HealthReporter>{{"fw", true, 2, 1}};
  port.devlink.eswitch_mode = std::string("legacy");
  port.congestion = CongestionControl{.source = "/sys/class/net/eth0/ecn",
                                      .notifies = std::uint8_t{8},
                                      .slows_down = std::uint8_t{0},
                                      .cnp_dscp = std::uint8_t{48},
                                      .cnp_priority = std::uint8_t{6},
                                      .parameters = {{"rp_ai_rate", 5}}};
  port.verbs_traffic_class = std::uint8_t{106};
  port.verbs_provider = true;
  port.out_of_tree = true;
  port.ib.lid = std::uint16_t{3};
  port.ib.sm_lid = std::uint16_t{1};
  port.ib.pkeys = std::vector<std::uint16_t>{0xffff, 0x7fff};
  port.ib.link = IbLink{.lanes = 4,
                        .lanes_supported = 8,
                        .lanes_enabled = 12,
                        .lane_mbps = 25'781,
                        .lane_mbps_supported = 53'125,
                        .lane_mbps_enabled = 106'250,
                        .mtu_bytes = 2048,
                        .mtu_bytes_supported = 4096};
  port.ib.pma_counters = std::vector<Counter>{{"PortXmitWait", 9}};
  port.earlier = EarlierReading{.before_ms = 30'000,
                                .hw_counters = std::vector<Counter>{{"out_of_sequence", 6}},
                                .port_counters = std::vector<Counter>{{"link_downed", 254}},
                                .pma_counters = std::vector<Counter>{{"PortXmitWait", 8}},
                                .netdevs = {{.netdev = "dcb0",
                                             .statistics = SomeStatistics(),
                                             .pfc = Pfc{.enabled = 8},
                                             .pause_frames = PauseFrames{1, 2},
                                             .fec = Fec{.active = "RS"},
                                             .fcs_errors = std::uint64_t{4},
                                             .carrier_changes = std::uint64_t{2}}}};
}

Port FullPort() {
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.transport = Transport::kRoce;
  port.software = true;
  port.firmware = Missing{Missing::Kind::kUnsupported, "a software device has no firmware"};
  port.state = PortState::kActive;
  port.phys_state = std::uint8_t{5};
  port.active_mtu_bytes = 4096u;
  port.max_mtu_bytes = 4096u;
  Gid gid{.index = 1, .raw = {}, .type = GidType::kRoceV2, .netdev = "dcb0"};
  gid.raw[15] = 7;
  port.gids = std::vector<Gid>{gid};
  port.cm_default_mode = GidType::kRoceV2;
  port.cm_default_tos = std::uint8_t{106};
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.ifindex = 4;
  netdev.driver = "dcbnic";
  netdev.admin_up = netdev.carrier = true;
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25000u;
  netdev.vlan_id = std::uint16_t{711};
  netdev.addresses = std::vector<IpAddress>{{"10.0.0.1", 24}};
  netdev.dcb.ets = Ets{.willing = true,
                       .traffic_classes = 8,
                       .tx_percent = {50, 0, 0, 50},
                       .tsa = {Tsa::kEts, Tsa::kStrict, Tsa::kVendor, Tsa::kEts},
                       .prio_tc = {0, 0, 0, 3}};
  netdev.dcb.pfc =
      Pfc{.capability = 8, .enabled = 8, .delay = 7, .pauses_sent = {1, 2}, .pauses_received = {3}};
  netdev.dcb.app = std::vector<AppEntry>{{AppSelector::kDscp, 3, 26}, {AppSelector::kPcp, 3, 11}};
  netdev.dcb.app_trust = std::vector<AppSelector>{AppSelector::kDscp, AppSelector::kPcp};
  netdev.dcb.dcbx = Dcbx{.host = true, .lld_managed = false, .cee = false, .ieee = true, .static_mode = true};
  netdev.dcb.buffer =
      PortBuffer{.prio_buffer = {0, 0, 0, 1}, .size_bytes = {20016, 200016}, .total_bytes = 262144};
  netdev.dcb.thresholds = PauseThresholds{.xoff_bytes = {0, 150'000}, .xon_bytes = {0, 141'000}};
  netdev.dcb.max_rate_kbps = MaxRatesKbps{0, 1'000'000};
  netdev.dcb.rewrite = std::vector<AppEntry>{{AppSelector::kDscp, 3, 26}};
  netdev.dcb.peer = {.ets = Ets{.willing = true, .traffic_classes = 3},
                     .pfc = Pfc{.enabled = 16},
                     .app = std::vector<AppEntry>{{AppSelector::kDgram, 3, 4791}}};
  netdev.dcb.cee = CeeSettings{.prio_group = {0, 0, 0, 1}, .group_percent = {50, 50}, .pfc_enabled = 8};
  netdev.statistics = SomeStatistics();
  netdev.mqprio = Mqprio{.traffic_classes = 3, .priority_class = {0, 0, 0, 1}, .offloaded = true};
  netdev.lldp_agent = LldpHeard{.own = {FullNeighbour()}};
  netdev.dcb_writes = DcbWrites{.listened_ms = 35'000,
                                .lost = true,
                                .writes = {{.writer = DcbWriter::kProcess,
                                            .suspects = {"lldpad (process 612)"},
                                            .changed = {"PFC 3 -> 4", "ETS"},
                                            .times = 3,
                                            .first_ms = 100,
                                            .last_ms = 200}},
                                .unannounced = {"APP"}};
  netdev.mac = "02:00:00:00:00:01";
  netdev.master = "bond0";
  netdev.max_mtu_bytes = 9978u;
  netdev.carrier_changes = std::uint64_t{3};
  netdev.duplex = Duplex::kFull;
  netdev.driver_info = DriverInfo{"mlx5_core", "6.12", "28.39.1002", "0000:3b:00.0"};
  netdev.pause = Pause{.autoneg = true, .rx = false, .tx = true};
  netdev.pfc_storm_timeout_ms = std::uint16_t{8000};
  netdev.vlan_egress = std::vector<VlanPriority>{{0, 3}};
  LldpNeighbour bare;  // an agent that sends what it has to, and nothing else
  bare.chassis.text = "b";
  netdev.lldp =
      LldpHeard{.listened_ms = 35'000, .peers = {FullNeighbour(), bare}, .own = {bare}, .notes = {"a note"}};
  netdev.ipv4 = kSettings;
  netdev.link = FullLink();
  port.netdev = netdev;
  port.lowers = std::vector<Netdev>{netdev};
  port.uppers = std::vector<UpperNetdev>{{.name = "bond0.711",
                                          .ifindex = 9,
                                          .kind = "vlan",
                                          .over = {"bond0"},
                                          .admin_up = true,
                                          .carrier = true,
                                          .mtu_bytes = 9000,
                                          .vlan_id = std::uint16_t{711},
                                          .vlan_egress = std::vector<VlanPriority>{{0, 3}, {4, 5}},
                                          .bond_mode = std::string("802.3ad"),
                                          .addresses = std::vector<IpAddress>{{"10.0.7.1", 24}},
                                          .ipv4 = kSettings}};
  port.node_guid = std::uint64_t{0xfedcba9876543210};
  port.board = std::string("MT_0000000008");
  const PciLink slow{8000, 8};
  const PciLink fast{16000, 16};
  port.pci = PciFunction{
      .address = "0000:3b:00.0",
      .vendor_id = 0x15b3,
      .device_id = 0x101d,
      .virtual_function = true,
      .path =
          std::vector<PciHop>{{.address = "0000:3b:00.0",
                               .current = slow,
                               .max = fast,
                               .max_payload_bytes = 256u,
                               .max_read_request_bytes = 4096u},
                              {.address = "0000:3a:00.0", .current = fast, .max = fast, .acs_redirect = true}},
      .numa_node = std::int32_t{-1},
      .aer_fatal = std::uint64_t{1},
      .aer_nonfatal = std::uint64_t{2},
      .aer_correctable = std::uint64_t{3},
      .interrupts = Interrupts{.count = 8, .local = 4, .cpus = 2},
      .iommu_domain = std::string("DMA-FQ")};
  port.hw_counters = std::vector<Counter>{{"out_of_sequence", 7}};
  port.hw_counters_lifespan_ms = 12u;
  port.port_counters = std::vector<Counter>{{"link_downed", 255}};
  port.resources = RdmaResources{.qp = 1, .cq = 2, .mr = 3, .pd = 4, .cm_id = 5, .ctx = 6};
  port.limits = DeviceLimits{.max_qp_wr = 1,
                             .max_cqe = 2,
                             .max_sge = 3,
                             .max_sge_rd = 4,
                             .max_qp_rd_atom = 5,
                             .max_qp_init_rd_atom = 6,
                             .max_qp = 7,
                             .max_mr = 8,
                             .max_mw = 9,
                             .fast_registration = true,
                             .mw_type_2a = true,
                             .mw_type_2b = true};
  port.listeners = std::vector<RdmaListener>{{.port = 445, .kernel_name = "ksmbd"}, {.port = 7471, .pid = 42}};
  port.rate_mbps = 25'000u;
  port.subnets = std::vector<Subnet>{{.netdev = "dcb0",
                                      .own = {"10.0.0.1", 24},
                                      .shared_with = {{"eth0", "10.0.0.9", kSettings}},
                                      .probe = "10.0.0.2",
                                      .route = IpRoute{.netdev = "eth0", .gateway = "10.0.0.254"}}};
  port.neighbours = std::vector<Neighbour>{{.netdev = "dcb0",
                                            .address = "10.0.0.2",
                                            .mac = "02:00:00:00:00:02",
                                            .state = NeighbourState::kPermanent,
                                            .age_s = 7}};
  FillHardware(port);
  return port;
}

Firewall FullFirewall() {
  const FirewallRule drop{.netdev = "eth0",
                          .protocol = std::uint8_t{6},
                          .ports = {{445, 445}, {5000, 6000}},
                          .negated_ports = true,
                          .established_only = true,
                          .other_conditions = true,
                          .action = FirewallAction::kDrop,
                          .handle = 4};
  const FirewallRule jump{.action = FirewallAction::kJump, .target = "storage"};
  return {.chains = {{.family = "inet",
                      .table = "filter",
                      .name = "input",
                      .input_hook = true,
                      .priority = -10,
                      .policy = FirewallAction::kDrop,
                      .netdev = "eth0",
                      .rules = {drop, jump}}},
          .legacy_tables = true};
}

Facts FullFacts() {
  Facts facts;
  facts.hostname = "storage1";
  facts.machine_id = "cafe";
  facts.kernel = Kernel{"6.12"};
  facts.rdma_stack = RdmaStack::kLoaded;
  facts.memlock = Memlock{Memlock::kUnlimited, true, 7};
  facts.rdma_nodes = std::vector<std::string>{"rdma_cm", "uverbs0"};
  facts.rdma_netns_shared = true;
  facts.numa_nodes = 2u;
  facts.modules = std::vector<KernelModule>{
      {.name = "ksmbd", .state = ModuleState::kLoaded, .uses_rdma = true},
      {.name = "cifs", .state = ModuleState::kInstalled, .uses_rdma = Missing{Missing::Kind::kDenied, "no"}},
      {.name = "siw", .state = ModuleState::kAbsent},
      {.name = "nfsd", .state = ModuleState::kBuiltIn, .uses_rdma = false}};
  facts.options = std::vector<KernelOption>{{.name = "CONFIG_CIFS", .value = "m"}};
  facts.ksmbd = KsmbdConfig{.path = "/etc/ksmbd/ksmbd.conf",
                            .multichannel = false,
                            .interfaces = {"dcb0", "dcb1"},
                            .signing = "auto",
                            .encryption = "mandatory"};
  facts.tcp_listeners = std::vector<std::uint16_t>{22, 445};
  facts.open_files = OpenFiles{.soft = 1024, .hard = OpenFiles::kUnlimited};
  facts.uptime_s = std::uint64_t{3600};
  facts.ports = std::vector<Port>{FullPort()};
  facts.firewall = FullFirewall();
  facts.routing_rules = std::vector<RoutingRule>{{true, 100, "from fd00::1", "lookup 1000"}};
  facts.device_nodes = std::vector<DeviceNode>{{"uverbs0", 0666}};
  facts.agent_capabilities = std::uint64_t{0x7000};
  facts.agent_process = std::string("rdmaready-agent");
  facts.tos_keepers = std::vector<std::string>{"/etc/systemd/system/tos.service"};
  facts.boot_targets = std::vector<BootTarget>{{"iBFT", "02:00:00:00:00:01", "10.0.0.1", "iqn.2026-01.a:b"}};
  facts.markings = std::vector<ConsumerMarking>{
      {MarkingConsumer::kNccl, "/etc/nccl.conf", std::uint8_t{106}, 3u}, {MarkingConsumer::kNvme, "a"}};
  facts.lldp_agents = std::vector<std::string>{"lldpad"};
  facts.cpu_governors = std::vector<std::string>{"powersave"};
  facts.irqbalance = true;
  return facts;
}

TEST(FactsConversion, KeepsEveryFieldOfAHostThatAnswers) {
  EXPECT_EQ(FromProto(ToProto(FullFacts())), FullFacts());
}

TEST(FactsConversion, KeepsEveryReasonOfAHostThatDoesNot) {
  Facts facts;
  facts.kernel = Missing{Missing::Kind::kFailed, "a"};
  facts.rdma_stack = Missing{Missing::Kind::kDenied, "b"};
  facts.memlock = Missing{Missing::Kind::kUnsupported, "c"};
  facts.ports = Missing{Missing::Kind::kDenied, "d"};
  EXPECT_EQ(FromProto(ToProto(facts)), facts);
}

TEST(FactsConversion, ReadsAnEmptyMessageAsNotCollected) { EXPECT_EQ(FromProto(v1::Facts()), Facts()); }

TEST(FactsConversion, ReadsAnEmptyPortAsNotCollected) {
  v1::Facts message;
  message.mutable_ports()->mutable_value()->add_ports();
  const Facts facts = FromProto(message);
  ASSERT_TRUE(facts.ports);
  EXPECT_EQ(facts.ports->front(), Port());
}

TEST(FactsConversion, TakesNoShortEtsList) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()
      ->mutable_value()
      ->mutable_ports(0)
      ->mutable_netdev()
      ->mutable_value()
      ->mutable_dcb()
      ->mutable_ets()
      ->mutable_value()
      ->clear_prio_tc();
  const Facts facts = FromProto(message);
  const Fact<Ets>& ets = facts.ports->front().netdev->dcb.ets;
  ASSERT_FALSE(ets);
  EXPECT_EQ(ets.missing().kind, Missing::Kind::kFailed);
}

TEST(FactsConversion, TakesNoShortListOfANeighbour) {
  v1::Facts message = ToProto(FullFacts());
  v1::LldpNeighbour& agent = *message.mutable_ports()
                                  ->mutable_value()
                                  ->mutable_ports(0)
                                  ->mutable_netdev()
                                  ->mutable_value()
                                  ->mutable_lldp()
                                  ->mutable_value()
                                  ->mutable_peers(0);
  agent.mutable_ets()->clear_tsa();
  agent.mutable_cee()->mutable_groups()->add_percent(1);
  const Facts facts = FromProto(message);
  const LldpNeighbour& read = facts.ports->front().netdev->lldp->peers.front();
  EXPECT_FALSE(read.ets);
  EXPECT_FALSE(read.cee->groups);
  EXPECT_EQ(read.pfc, FullNeighbour().pfc);
}

TEST(FactsConversion, TakesNoGidOfAnotherLength) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()
      ->mutable_value()
      ->mutable_ports(0)
      ->mutable_gids()
      ->mutable_value()
      ->mutable_gids(0)
      ->set_raw("short");
  EXPECT_FALSE(FromProto(message).ports->front().gids);
}

TEST(FactsConversion, TakesNoNumberThatDoesNotFit) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()->mutable_value()->mutable_ports(0)->mutable_cm_default_tos()->set_value(300);
  EXPECT_FALSE(FromProto(message).ports->front().cm_default_tos);
}

TEST(FactsConversion, ReadsAnUnknownEnumeratorAsUnknown) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()->mutable_value()->mutable_ports(0)->mutable_state()->set_value(
      static_cast<v1::PortState>(99));
  EXPECT_EQ(*FromProto(message).ports->front().state, PortState::kUnknown);
}

}  // namespace
}  // namespace rdmaready
