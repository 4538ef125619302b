// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/render/text.h"
#include "cli/render/text_facts_words.h"
#include "tests/unit/cli/golden.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Missing Unsupported(std::string detail) { return {Missing::Kind::kUnsupported, std::move(detail)}; }

Dcb SomeDcb() {
  Ets ets{.traffic_classes = 8};
  ets.tsa[3] = Tsa::kEts;
  ets.tx_percent[3] = 50;
  ets.prio_tc[3] = 3;
  Dcb dcb;
  dcb.ets = ets;
  dcb.pfc = Pfc{.capability = 8, .enabled = 1U << 3};
  dcb.app = std::vector<AppEntry>{{AppSelector::kDscp, 3, 26}};
  dcb.app_trust = Unsupported("driver does not report APP trust (dcbnl_getapptrust, kernel 6.2)");
  dcb.dcbx = Dcbx{.host = true, .ieee = true};
  dcb.buffer = Unsupported("driver does not report port buffers (dcbnl_getbuffer)");
  dcb.thresholds = Unsupported("only mlx5 of MLNX_OFED tells them (qos/buffer_size in sysfs)");
  dcb.max_rate_kbps = Unsupported("driver does not report maximum rates (ieee_getmaxrate)");
  return dcb;
}

Netdev SomeNetdev(std::string name) {
  Netdev netdev;
  netdev.name = std::move(name);
  netdev.driver = "dcbnic";
  netdev.admin_up = true;
  netdev.carrier = true;
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25'000;
  netdev.vlan_id = Unsupported("not a VLAN device");
  netdev.vlan_egress = Unsupported("not a VLAN device");
  netdev.addresses = std::vector<IpAddress>{{"10.0.0.1", 24}};
  netdev.dcb = SomeDcb();
  netdev.mac = "52:54:00:00:00:01";
  netdev.max_mtu_bytes = 9000;
  netdev.carrier_changes = 1;
  netdev.duplex = Duplex::kFull;
  netdev.driver_info = DriverInfo{.driver = "dcbnic", .version = "6.12.117"};
  netdev.pause = Unsupported("driver reports no pause parameters (get_pauseparam)");
  netdev.ipv4 = Ipv4Settings{.rp_filter = 2};
  netdev.link.modes = LinkModes{.advertised = {"25000baseCR/Full", "FEC_RS"}};
  netdev.link.fec = Fec{.configured = {"RS"}, .active = "RS", .corrected_blocks = 7};
  netdev.link.pause_frames = PauseFrames{.sent = 1, .received = 2};
  netdev.link.eee = Unsupported("the driver has no EEE");
  netdev.link.rings = Unsupported("rings");
  netdev.link.channels = Unsupported("channels");
  netdev.link.private_flags = Unsupported("flags");
  netdev.link.fcs_errors = 0;
  netdev.link.symbol_errors = Unsupported("the driver does not count it");
  netdev.link.down_reason = Unsupported("the link is up, or the driver gives no reason");
  netdev.link.temperatures = Unsupported("no sensors");
  netdev.pfc_storm_timeout_ms = Unsupported("driver has no PFC storm prevention (ETHTOOL_PFC_PREVENTION_TOUT)");
  return netdev;
}

// What only hardware has.
void AddHardware(Netdev& netdev) {
  netdev.link.rings = Rings{.rx = 1024, .rx_max = 8192, .tx = 512, .tx_max = 4096};
  netdev.link.channels = Channels{.combined = 8, .combined_max = 63};
  netdev.link.private_flags = std::vector<PrivateFlag>{{"fw-lldp-agent", false}, {"rx_striding_rq", true}};
  netdev.link.temperatures =
      std::vector<Temperature>{{.label = "asic", .now_mc = 61'000, .critical_mc = 105'000}};
}

Facts SoftHost() {
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.transport = Transport::kRoce;
  port.software = true;
  port.firmware = Unsupported("a software device has no firmware");
  port.state = PortState::kActive;
  port.phys_state = 5;
  port.active_mtu_bytes = 4096;
  port.max_mtu_bytes = 4096;
  port.gids = std::vector<Gid>{{.index = 1, .type = GidType::kRoceV2, .netdev = "dcb0"}};
  port.cm_default_mode = GidType::kRoceV2;
  port.cm_default_tos = 106;
  port.netdev = SomeNetdev("dcb0");
  port.lowers = std::vector<Netdev>{};
  port.uppers = std::vector<UpperNetdev>{};
  port.node_guid = 0x505400fffe000001;
  port.board = Unsupported("a software device has no board");
  port.pci = Unsupported("a software device has no PCIe");
  port.hw_counters = std::vector<Counter>{{"rcvd_pkts", 12}, {"rcvd_seq_err", 0}, {"sent_pkts", 4711}};
  port.port_counters = Unsupported("the driver has no port counters (InfiniBand PMA)");
  port.resources = RdmaResources{.qp = 1, .cq = 1, .pd = 1};
  port.limits = DeviceLimits{.max_qp_wr = 1'048'576,
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
  port.listeners = std::vector<RdmaListener>{{.port = 445, .kernel_name = "ksmbd"}, {.port = 7471, .pid = 42}};
  port.rate_mbps = 25'000;
  port.subnets = std::vector<Subnet>{{.netdev = "dcb0",
                                      .own = {"10.0.0.1", 24},
                                      .shared_with = {{.netdev = "eth0", .address = "10.0.0.9"}},
                                      .probe = "10.0.0.2",
                                      .route = IpRoute{.netdev = "eth0"}}};
  port.neighbours = std::vector<Neighbour>{
      {.netdev = "dcb0", .address = "10.0.0.2", .mac = "52:54:00:00:00:02", .state = NeighbourState::kStale},
      {.netdev = "dcb0", .address = "10.0.0.7", .state = NeighbourState::kFailed}};
  Facts facts;
  facts.hostname = "guest1";
  facts.kernel = Kernel{"6.12.117+deb12-amd64"};
  facts.rdma_stack = RdmaStack::kLoaded;
  facts.memlock = Memlock{.limit_bytes = Memlock::kUnlimited, .cap_ipc_lock = true, .pid = 238};
  facts.open_files = OpenFiles{.soft = 1024, .hard = 524'288};
  facts.uptime_s = 3600;
  facts.rdma_nodes = std::vector<std::string>{"rdma_cm", "uverbs0"};
  facts.rdma_netns_shared = true;
  facts.numa_nodes = 1;
  facts.modules = std::vector<KernelModule>{
      {.name = "cifs", .state = ModuleState::kLoaded, .uses_rdma = false},
      {.name = "ksmbd", .state = ModuleState::kInstalled, .uses_rdma = true},
      {.name = "siw", .state = ModuleState::kAbsent},
      {.name = "nfsd", .state = Missing{Missing::Kind::kDenied, "list /sys/module: Permission denied"}}};
  facts.options = std::vector<KernelOption>{{"CONFIG_CIFS", "m"}, {"CONFIG_CIFS_SMB_DIRECT", "n"}};
  facts.ksmbd = KsmbdConfig{.path = "/etc/ksmbd/ksmbd.conf",
                            .multichannel = true,
                            .interfaces = {"dcb0", "dcb1"},
                            .signing = "auto",
                            .encryption = "mandatory"};
  facts.tcp_listeners = std::vector<std::uint16_t>{22, 445};
  facts.ports = std::vector{port};
  return facts;
}

Devlink SomeDevlink() {
  return {std::vector<FirmwareVersion>{{"fw.psid", "MT_0000000012", "", true},
                                       {"fw", "16.35.3006", "16.35.4030", false}},
          std::vector<DevlinkParameter>{{"enable_roce", "", "true", ""}, {"enable_sriov", "", "", "false"}},
          std::vector<HealthReporter>{{"fw", true, 0, 0}, {"tx", false, 3, 2}}, std::string("legacy")};
}

// A NIC in a narrow slot, its port on a bond of two, a VLAN and a bridge on that.
Facts HardHost() {
  Facts facts = SoftHost();
  Port port = facts.ports->front();
  port.device = "mlx5_0";
  port.software = false;
  port.firmware = std::string("16.35.3006");
  port.board = std::string("MT_0000000012");
  PciFunction pci{.address = "0000:3b:00.0", .vendor_id = 0x15b3, .device_id = 0x1017};
  const Missing denied{Missing::Kind::kDenied, "only root"};
  pci.path = std::vector<PciHop>{{"0000:3b:00.0", {8000, 8}, {16000, 16}, 256U, 512U, true},
                                 {"0000:3a:00.0", {8000, 8}, {8000, 8}, denied, denied, denied}};
  pci.iommu_domain = std::string("DMA-FQ");
  pci.numa_node = -1;
  pci.aer_fatal = 0;
  pci.aer_nonfatal = 0;
  pci.aer_correctable = 7;
  pci.interrupts = Interrupts{.count = 64, .local = 16, .cpus = 32};
  port.pci = pci;
  port.port_counters = std::vector<Counter>{{"link_downed", 0}};
  port.devlink = SomeDevlink();
  port.out_of_tree = true;
  port.verbs_traffic_class = 106;
  port.verbs_provider = false;
  port.congestion = CongestionControl{.source = "/sys/class/net/ens1f0/ecn",
                                      .notifies = 1U << 3,
                                      .slows_down = 0,
                                      .cnp_dscp = 48,
                                      .cnp_priority = 6,
                                      .parameters = {{"rp_ai_rate", 5}}};
  Netdev bond = SomeNetdev("bond0");
  bond.driver_info = Missing{Missing::Kind::kFailed, "ask ethtool about bond0: No such device"};
  const Missing no_dcb = Unsupported("driver has no DCB (no dcbnl_ops)");
  bond.dcb = {no_dcb, no_dcb, no_dcb, no_dcb, no_dcb, no_dcb, no_dcb};
  Netdev lower = SomeNetdev("ens1f0");
  lower.driver_info = DriverInfo{"mlx5_core", "6.12.117", "16.35.3006 (MT_0000000012)", "0000:3b:00.0"};
  lower.master = "bond0";
  AddHardware(lower);
  lower.pause = Pause{.autoneg = true, .tx = true};
  lower.pfc_storm_timeout_ms = 100;
  PortBuffer buffer{.total_bytes = 256 << 10};
  buffer.prio_buffer[3] = 1;
  buffer.size_bytes = {128 << 10, 128 << 10};
  lower.dcb.buffer = buffer;
  lower.dcb.thresholds = PauseThresholds{.xoff_bytes = {0, 100 << 10}, .xon_bytes = {0, 91 << 10}};
  lower.dcb.max_rate_kbps = MaxRatesKbps{0, 0, 0, 10'000'000};
  lower.dcb.rewrite = std::vector<AppEntry>{{AppSelector::kPcp, 3, 3}};
  lower.dcb.peer = {Unsupported("none heard"), Pfc{.capability = 8, .enabled = 1U << 3}, lower.dcb.app};
  lower.dcb.cee = CeeSettings{.prio_group = {0, 0, 0, 1}, .group_percent = {50, 50}, .pfc_enabled = 1U << 3};
  lower.mqprio = Mqprio{.traffic_classes = 2, .priority_class = {0, 0, 0, 1}, .offloaded = true};
  lower.statistics = std::vector<NicStatistic>{{NicCounter::kPauseReceived, 3, "rx_prio3_pause", 12},
                                               {NicCounter::kPauseReceived, 4, "rx_prio4_pause", 0}};
  port.netdev = bond;
  port.lowers = std::vector{lower};
  UpperNetdev vlan{.name = "bond0.711", .kind = "vlan", .over = {"bond0"}, .admin_up = true, .mtu_bytes = 9000};
  vlan.vlan_id = 711;
  vlan.vlan_egress = std::vector<VlanPriority>{{4, 3}};
  vlan.bond_mode = Unsupported("not a bond");
  vlan.addresses = std::vector<IpAddress>{{"10.7.11.1", 24}};
  port.uppers = std::vector{vlan};
  facts.ports = std::vector{port};
  return facts;
}

std::string TextOf(Facts facts) { return FactsText({.hosts = {{.host = "a", .facts = std::move(facts)}}}, {}); }

TEST(FactsText, OfASoftHostIsAboutOneScreen) {
  const std::string text = TextOf(SoftHost());
  EXPECT_EQ(text, Golden("facts_soft_host.txt", text));
  EXPECT_LE(std::ranges::count(text, '\n'), 48);
}

TEST(FactsText, ShowsTheWholeStackAndTheHardware) {
  const std::string text = TextOf(HardHost());
  EXPECT_EQ(text, Golden("facts_hard_host.txt", text));
}

TEST(FactsText, SaysWhyAStackIsNotKnown) {
  Facts facts = SoftHost();
  Port port = facts.ports->front();
  port.lowers = Unsupported("what dcb0 stands on is in another network namespace");
  port.uppers = Missing{Missing::Kind::kFailed, "list by rtnetlink GETLINK: Interrupted system call"};
  facts.ports = std::vector{port};
  const std::string text = TextOf(facts);
  EXPECT_THAT(text, HasSubstr("(unsupported: what dcb0 stands on is in another network namespace)"));
  EXPECT_THAT(text, HasSubstr("(failed: list by rtnetlink GETLINK: Interrupted system call)"));
}

TEST(FactsText, ANameFromAHostCannotDriveATerminal) {
  Facts facts = SoftHost();
  Port port = facts.ports->front();
  port.uppers = std::vector<UpperNetdev>{{.name = "\x1b[2J\nvlan", .kind = "\x1b[31m"}};
  facts.ports = std::vector{port};
  EXPECT_THAT(TextOf(facts), Not(HasSubstr("\x1b")));
}

TEST(FactWords, OfValuesWithMarks) {
  EXPECT_EQ(StormTimeoutText(0), "off");
  EXPECT_EQ(StormTimeoutText(0xffff), "the driver's own");
  EXPECT_EQ(MaxRatesText({}), "no limits");
  EXPECT_EQ(MaxRatesText({1, 0, 2500}), "0:1 kb/s 2:2500 kb/s");
  EXPECT_EQ(CountersText({}), "0, all 0");
  EXPECT_EQ(PciText({.address = "0000:3b:00.2", .virtual_function = true}),
            "0000:3b:00.2, 0000:0000, virtual function");
  EXPECT_EQ(DuplexText(Duplex::kHalf), "half duplex");
  EXPECT_EQ(EgressText({}), "empty");
  EXPECT_EQ(ListenersText({}), "nobody");
  EXPECT_EQ(ModulesText({}), "none");
  EXPECT_EQ(OptionsText({}), "none");
  EXPECT_EQ(TcpPortsText({}), "none");
  EXPECT_EQ(KsmbdText({.path = "/x", .multichannel = false}), "/x, no multichannel");
}

LldpNeighbour SomeAgent() {
  LldpNeighbour agent;
  agent.chassis = {4, "02:00:00:00:00:02"};
  agent.port = {5, "Ethernet1/1"};
  return agent;
}

TEST(FactWords, OfAnLldpAgent) {
  LldpNeighbour agent = SomeAgent();
  EXPECT_EQ(LldpAgentText(agent), "02:00:00:00:00:02 port Ethernet1/1, no DCBX");
  agent.system_name = "leaf1";
  agent.max_frame_bytes = std::uint16_t{9216};
  agent.port_vlan_id = std::uint16_t{711};
  agent.dialects.ieee = true;
  agent.pfc = LldpPfc{.willing = true, .enabled = 8};
  agent.ets = LldpEts{.prio_tc = {0, 0, 0, 1}, .percent = {50, 50}};
  agent.app = std::vector<AppEntry>{{AppSelector::kDscp, 3, 26}};
  agent.oddities = {"maximum frame size at byte 41: 1 bytes, not 2"};
  EXPECT_EQ(
      LldpAgentText(agent),
      "leaf1 port Ethernet1/1, chassis 02:00:00:00:00:02, frames up to 9216 B, VLAN 711, DCBX IEEE, PFC on 3 "
      "willing, ETS, classes 0 0 0 1 0 0 0 0 of 50 50 0 0 0 0 0 0 %, APP dscp 26:3, "
      "wrong: maximum frame size at byte 41: 1 bytes, not 2");
}

TEST(FactWords, OfTheOlderDialects) {
  LldpNeighbour agent = SomeAgent();
  agent.dialects = {.cee = true, .cin = true};
  agent.cee = LldpCee{.groups = CeeGroups{.prio_group = {0, 0, 0, 15}, .percent = {100}},
                      .pfc = CeePfc{.feature = {.enabled = false, .willing = true}, .enabled = 8},
                      .app = CeeApp{.entries = {{1, 3260, 16}}}};
  EXPECT_EQ(LldpAgentText(agent),
            "02:00:00:00:00:02 port Ethernet1/1, DCBX CEE, PFC on 3 willing (off), groups 0 0 0 15 0 0 0 0 of "
            "100 0 0 "
            "0 0 0 0 0 %, 1 applications, DCBX CIN");
}

TEST(FactsText, ShowsLldpWhenItWasListenedForOrAskedFor) {
  const auto text_of = [](const Fact<LldpHeard>& heard, bool asked) {
    Netdev netdev = SomeNetdev("dcb0");
    netdev.lldp = heard;
    Port port;
    port.netdev = netdev;
    Facts facts;
    facts.ports = std::vector{port};
    return FactsText({.lldp_asked = asked, .hosts = {{.host = "a", .facts = facts}}}, {});
  };
  const Missing denied{Missing::Kind::kDenied, "listen for LLDP on dcb0: Operation not permitted"};
  EXPECT_THAT(text_of(denied, false), Not(HasSubstr("LLDP")));
  EXPECT_THAT(text_of(denied, true), HasSubstr("(denied: listen for LLDP on dcb0: Operation not permitted)"));
  EXPECT_THAT(text_of(LldpHeard{.listened_ms = 35'000}, true),
              HasSubstr("    LLDP              nobody in 35 s\n"));
  const std::string heard = text_of(
      LldpHeard{.listened_ms = 2'900, .peers = {SomeAgent()}, .own = {SomeAgent()}, .notes = {"a note"}}, true);
  EXPECT_THAT(heard, HasSubstr("    LLDP              1 heard in 2 s\n"
                               "      neighbour         02:00:00:00:00:02 port Ethernet1/1, no DCBX\n"
                               "      sent from here    02:00:00:00:00:02 port Ethernet1/1, no DCBX\n"
                               "      noted             a note\n"));
}

TEST(FactsText, ShowsWhoWroteDcbSettingsWhereItWasListenedFor) {
  const auto text_of = [](const Fact<DcbWrites>& writes) {
    Netdev netdev = SomeNetdev("dcb0");
    netdev.dcb_writes = writes;
    Port port;
    port.netdev = netdev;
    Facts facts;
    facts.ports = std::vector{port};
    return FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  };
  EXPECT_THAT(text_of(Missing{}), Not(HasSubstr("DCB writes")));
  EXPECT_THAT(text_of(DcbWrites{.listened_ms = 35'000}),
              HasSubstr("    DCB writes        nobody wrote in 35 s\n"));
  EXPECT_THAT(text_of(DcbWrites{.writes = {{.writer = DcbWriter::kDriver, .changed = {"ETS"}}}}),
              HasSubstr("    DCB writes        ETS by the NIC's driver, for its firmware\n"));
}

TEST(FactsText, ShowsWhatLldpadHasInOneLine) {
  const auto text_of = [](const Fact<LldpHeard>& kept) {
    Netdev netdev = SomeNetdev("dcb0");
    netdev.lldp_agent = kept;
    Port port;
    port.netdev = netdev;
    Facts facts;
    facts.ports = std::vector{port};
    return FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  };
  EXPECT_THAT(text_of(Missing{}), Not(HasSubstr("lldpad")));
  EXPECT_THAT(text_of(Missing{Missing::Kind::kUnsupported, "lldpad does not run"}), Not(HasSubstr("lldpad")));
  EXPECT_THAT(text_of(Missing{Missing::Kind::kDenied, "it answers root only"}),
              HasSubstr("    lldpad            (denied: it answers root only)\n"));
  EXPECT_THAT(text_of(LldpHeard{.own = {SomeAgent()}}), HasSubstr("    lldpad            hears nobody\n"));
  EXPECT_THAT(text_of(LldpHeard{.peers = {SomeAgent()}, .notes = {"a note"}}),
              HasSubstr("    lldpad            hears 02:00:00:00:00:02 port Ethernet1/1, no DCBX, a note\n"));
}

TEST(FactsText, SaysWhyAFactIsMissing) {
  Facts facts;
  facts.ports = Missing{.kind = Missing::Kind::kDenied, .detail = "RDMA netlink: Operation not permitted"};
  const std::string text = FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  EXPECT_THAT(text, HasSubstr("(denied: RDMA netlink: Operation not permitted)"));
  EXPECT_THAT(text, HasSubstr("(not-collected)"));
}

TEST(FactsText, WritesUnits) {
  Facts facts;
  facts.memlock = Memlock{.limit_bytes = 65'536, .pid = 7};
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.active_mtu_bytes = 4096;
  port.cm_default_tos = std::uint8_t{106};
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25'000;
  netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 1U << 3};
  port.netdev = netdev;
  facts.ports = std::vector<Port>{port};
  const std::string text = FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  for (const char* part :
       {"64 KiB", "4096 B", "106 (DSCP 26)", "9000 B", "25 Gb/s", "PFC on 3", "port rxe0/1"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace rdmaready
