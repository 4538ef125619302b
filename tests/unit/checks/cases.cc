// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

Facts NoPorts(RdmaStack stack) {
  Facts host = GoodHost();
  host.rdma_stack = stack;
  host.ports = std::vector<Port>{};
  return host;
}

Facts NoAnswerAboutPorts() {
  Facts host = GoodHost();
  host.ports = Denied();
  return host;
}

Facts WithMemlock(Fact<Memlock> memlock) {
  Facts host = GoodHost();
  host.memlock = std::move(memlock);
  return host;
}

Profile Without(void (*change)(Profile&)) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

void AddInventory(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"inv.rdma-present", "good", GoodHost(), kPass, "rxe0/1: RoCE, software device"},
       {"inv.rdma-present", "kernel without InfiniBand", NoPorts(RdmaStack::kAbsent), kFail,
        "without InfiniBand", "apt-get install linux-image-amd64 && reboot  # "},
       {"inv.rdma-present", "ib_core not loaded", NoPorts(RdmaStack::kNotLoaded), kFail, "not loaded",
        "modprobe -a ib_uverbs rdma_ucm"},
       {"inv.rdma-present", "no device", NoPorts(RdmaStack::kLoaded), kFail, "no driver made a device",
        "rdma link add rxe0 type rxe netdev"},
       {"inv.rdma-present", "stack not known", NoPorts(RdmaStack::kUnknown), kFail, "no RDMA device"},
       {"inv.rdma-present", "ports denied", NoAnswerAboutPorts(), kUnknown, "not permitted", "root"},
       {"inv.netdev-mapping", "good", GoodHost(), kPass, "dcb0"},
       {"inv.netdev-mapping", "no netdev", WithPort([](Port& port) { port.netdev = kUnsupported; }), kFail,
        "no Ethernet interface", "rdma link show rxe0/1"},
       {"inv.netdev-mapping", "netdev denied", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown,
        "not permitted"},
       {"inv.netdev-mapping", "InfiniBand",
        WithPort([](Port& port) { port.transport = Transport::kInfiniBand; }), kNotApplicable, "InfiniBand"},
       {"inv.transport", "good", GoodHost(), kPass, "RoCE"},
       {"inv.transport", "iWARP port", WithPort([](Port& port) { port.transport = Transport::kIwarp; }), kFail,
        "iWARP", "rdma link show rxe0/1"},
       {"inv.transport", "transport denied", WithPort([](Port& port) { port.transport = Denied(); }), kUnknown,
        "not permitted"},
       {"inv.transport", "device does not say",
        WithPort([](Port& port) { port.transport = Transport::kUnknown; }), kUnknown, "does not say"}});
}

void AddLink(std::vector<CheckCase>& cases) {
  const auto no_speed = [](Netdev& netdev) { netdev.speed_mbps = kUnsupported; };
  Facts hardware = WithNetdev(no_speed);
  hardware.ports = [&hardware] {
    std::vector<Port> ports = *hardware.ports;
    ports.front().software = false;
    return ports;
  }();
  const auto modes = [](std::vector<std::string> supported, std::uint32_t speed_mbps) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes = LinkModes{.supported = supported};
    });
  };
  // Both ends have a mode of 50 Gb/s.
  const auto both = [](std::uint32_t speed_mbps, std::uint32_t lanes, const char* mode = "50000baseCR/Full") {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes =
          LinkModes{.autoneg = true, .supported = {"Autoneg", mode}, .peer = {mode}, .lanes = lanes};
    });
  };
  cases.insert(cases.end(),
               {{"link.state", "good", GoodHost(), kPass, "rxe0/1 active, dcb0 up at 25 Gb/s"},
                {"link.state", "port down", WithPort([](Port& port) { port.state = PortState::kDown; }), kFail,
                 "rxe0/1 down", "ip link set dev dcb0 down && ip link set dev dcb0 up"},
                {"link.state", "admin down",
                 WithNetdev([](Netdev& netdev) { netdev.admin_up = netdev.carrier = false; }), kFail,
                 "administratively down", "ip link set dev dcb0 up"},
                {"link.state", "no carrier", WithNetdev([](Netdev& netdev) { netdev.carrier = false; }), kFail,
                 "no carrier", "check the cable"},
                {"link.state", "state denied", WithPort([](Port& port) { port.state = Denied(); }), kUnknown,
                 "not permitted"},
                {"link.state", "state of a newer kernel",
                 WithPort([](Port& port) { port.state = PortState::kUnknown; }), kUnknown, "do not know"},
                {"link.speed", "good", GoodHost(), kPass, "25 Gb/s"},
                {"link.speed", "too slow", WithNetdev([](Netdev& netdev) { netdev.speed_mbps = 10'000; }),
                 kFail, "10 Gb/s", "ethtool -s dcb0 speed 25000"},
                {"link.speed", "too slow, and it negotiates", modes({"Autoneg", "25000baseCR/Full"}, 10'000),
                 kFail, "10 Gb/s", "ethtool -s dcb0 autoneg on"},
                {"link.speed", "too slow for a fast link", modes({"100000baseCR4/Full"}, 10'000), kFail,
                 "10 Gb/s", "ethtool -s dcb0 speed 100000 duplex full autoneg off"},
                {"link.speed", "both ends have more", both(25'000, 1), kWarn, "25 Gb/s, both ends have 50 Gb/s",
                 "ethtool -s dcb0 autoneg on"},
                {"link.speed", "both ends have no more", both(50'000, 1), kPass, "50 Gb/s"},
                {"link.speed", "it lost lanes", both(25'000, 1, "50000baseCR2/Full"), kPass, "25 Gb/s"},
                {"link.speed", "both ends have more, nothing asked", both(25'000, 1), kWarn, "both ends have",
                 "", Without([](Profile& profile) { profile.min_speed_mbps.reset(); })},
                {"link.speed", "speed denied", WithNetdev([](Netdev& netdev) { netdev.speed_mbps = Denied(); }),
                 kUnknown, "not permitted"},
                {"link.speed", "software device without a speed", WithNetdev(no_speed), kNotApplicable,
                 "functional verdict only"},
                {"link.speed", "hardware without a speed", hardware, kUnknown, "not offered"},
                {"link.speed", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
                 Without([](Profile& profile) { profile.min_speed_mbps.reset(); })}});
}

void AddMtu(std::vector<CheckCase>& cases) {
  const Facts smaller = WithPort([](Port& port) { port.active_mtu_bytes = 1024; });
  cases.insert(cases.end(),
               {{"mtu.ethernet", "good", GoodHost(), kPass, "MTU 9000"},
                {"mtu.ethernet", "1500", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; }), kFail,
                 "MTU 1500", "ip link set dev dcb0 mtu 9000"},
                {"mtu.ethernet", "not filled in", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 0; }),
                 kUnknown, "not collected"},
                {"mtu.ethernet", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
                 Without([](Profile& profile) { profile.mtu_bytes.reset(); })},
                {"mtu.roce-active", "good", GoodHost(), kPass, "RoCE MTU 4096"},
                {"mtu.roce-active", "1024 in spite of a large MTU", smaller, kFail, "RoCE MTU 1024",
                 "ip link set dev dcb0 mtu 1500 && ip link set dev dcb0 mtu 9000"},
                {"mtu.roce-active", "1500 where only the RoCE MTU is asked for",
                 WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; }), kPass, "RoCE MTU 4096", "",
                 Without([](Profile& profile) { profile.mtu_bytes.reset(); })},
                {"mtu.roce-active", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }),
                 kUnknown, "not permitted"},
                {"mtu.roce-active", "larger than wanted", GoodHost(), kFail, "RoCE MTU 4096",
                 "correct roce_mtu_bytes", Without([](Profile& profile) { profile.roce_mtu_bytes = 1024; })}});
}

void AddGid(std::vector<CheckCase>& cases) {
  const auto only_link_local = [](Port& port) { port.gids = std::vector<Gid>{port.gids->front()}; };
  const auto without_address = [&only_link_local](Port& port) {
    only_link_local(port);
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "fe80::1", .prefix_length = 64}};
    port.netdev = netdev;
  };
  const auto only_v1 = [](Port& port) {
    std::vector<Gid> gids = *port.gids;
    for (Gid& gid : gids) gid.type = GidType::kRoceV1;
    port.gids = gids;
  };
  cases.insert(
      cases.end(),
      {{"gid.v2-present", "good", GoodHost(), kPass, "10.0.0.1 at index 1"},
       {"gid.v2-present", "address removed", WithPort(without_address), kFail, "only link-local",
        "ip address add ADDRESS dev dcb0"},
       {"gid.v2-present", "address without GID", WithPort(only_link_local), kFail, "only link-local",
        "ip link set dev dcb0 down && ip link set dev dcb0 up  # the interface has an address, the GID table "
        "missed "
        "it; then set its IPv6 addresses and static routes again"},
       {"gid.v2-present", "RoCE v1 only", WithPort(only_v1), kFail, "only RoCE v1: 10.0.0.1",
        "ethtool -i dcb0"},
       {"gid.v2-present", "empty table", WithPort([](Port& port) { port.gids = std::vector<Gid>{}; }), kFail,
        "no RoCE v2 GID"},
       {"gid.v2-present", "denied", WithPort([](Port& port) { port.gids = Denied(); }), kUnknown,
        "not permitted"},
       {"gid.default-mode", "good", GoodHost(), kPass, "RoCE v2"},
       {"gid.default-mode", "v1", WithPort([](Port& port) { port.cm_default_mode = GidType::kRoceV1; }), kFail,
        "RoCE v1",
        "mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 'RoCE v2' > "
        "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"},
       {"gid.default-mode", "no configfs", WithPort([](Port& port) { port.cm_default_mode = kUnsupported; }),
        kUnknown, "not offered", "modprobe rdma_cm"},
       {"roce.tos", "good", GoodHost(), kPass, "ToS 106 (DSCP 26)"},
       {"roce.tos", "not set", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), kFail,
        "not set",
        "mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 106 > "
        "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"},
       {"roce.tos", "other DSCP", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{96}; }), kFail,
        "ToS 96 (DSCP 24)"},
       {"roce.tos", "other ECN bits", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{104}; }),
        kWarn, "ECN bits differ"},
       {"roce.tos", "denied", WithPort([](Port& port) { port.cm_default_tos = Denied(); }), kUnknown,
        "not permitted"},
       {"roce.tos", "DSCP without a ToS", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }),
        kFail, "not set", "echo 104 >", Without([](Profile& profile) { profile.tos.reset(); })},
       {"roce.tos", "DSCP without a ToS, and marks of switches asked for",
        WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), kFail, "not set", "echo 106 >",
        Without([](Profile& profile) {
          profile.tos.reset();
          profile.ecn = Profile::Ecn{};
        })},
       {"roce.tos", "not asked", GoodHost(), kNotApplicable, "does not ask", "", PcpProfile()}});
}

// Without PFC.
Facts OfDriver(const char* driver) {
  return WithNetdev([driver](Netdev& netdev) {
    netdev.driver = driver;
    netdev.dcb.pfc = Pfc{.capability = 8};
  });
}

void AddDcb(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"drv.dcb-capable", "good", GoodHost(), kPass, "PFC, ETS, APP"},
       {"drv.dcb-capable", "driver without DCB", WithDcb([](Dcb& dcb) {
          dcb.pfc = Missing(kUnsupported);
          dcb.ets = Missing(kUnsupported);
          dcb.app = Missing(kUnsupported);
          dcb.dcbx = Missing(kUnsupported);
        }),
        kFail, "no PFC, ETS, APP (driver dcbnic): not offered", "ethtool -i dcb0"},
       {"drv.dcb-capable", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), kUnknown, "not permitted"},
       {"drv.dcb-capable", "nothing asked", GoodHost(), kNotApplicable, "does not ask", "",
        Profile{.name = "any"}},
       {"dcbx.mode", "good", GoodHost(), kPass, "host, IEEE"},
       {"dcbx.mode", "firmware", WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }),
        kFail, "firmware", "dcb dcbx set dev dcb0 host ieee"},
       {"dcbx.mode", "CEE", WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.host = true, .cee = true}; }), kWarn,
        "CEE"},
       {"dcbx.mode", "denied", WithDcb([](Dcb& dcb) { dcb.dcbx = Denied(); }), kUnknown, "not permitted"},
       {"dcbx.mode", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.dcbx = Profile::Dcbx::kAny; })},
       {"dcbx.willing", "good", GoodHost(), kPass, "willing off"},
       {"dcbx.willing", "willing", WithEts([](Ets& ets) { ets.willing = true; }), kFail, "willing on",
        "dcb ets set dev dcb0 willing off"},
       {"dcbx.willing", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), kUnknown, "not permitted"},
       {"dcbx.willing", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.dcbx = Profile::Dcbx::kAny; })},
       {"pfc.lossless-priority", "good", GoodHost(), kPass, "PFC on 3"},
       {"pfc.lossless-priority", "moved to 4", WithPfc(1U << 4), kFail, "PFC on 4",
        "dcb pfc set dev dcb0 prio-pfc all:off 3:on"},
       {"pfc.lossless-priority", "off", WithPfc(0), kFail, "PFC off",
        "dcb pfc set dev dcb0 prio-pfc all:off 3:on"},
       {"pfc.lossless-priority", "off, of a driver that toggles the link", OfDriver("mlx5_core"), kFail,
        "PFC off", "prio-pfc all:off 3:on  # the link goes down for a moment"},
       {"pfc.lossless-priority", "off, of a driver that stops its queues", OfDriver("ice"), kFail, "PFC off",
        "prio-pfc all:off 3:on  # the driver stops the port for a moment"},
       {"pfc.lossless-priority", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), kUnknown,
        "not permitted"},
       {"pfc.lossless-priority", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.pfc.reset(); })},
       {"pfc.only-one", "good", GoodHost(), kPass, "PFC on 3"},
       {"pfc.only-one", "two", WithPfc(0x18), kWarn, "PFC on 3 and 4", "prio-pfc all:off 3:on"},
       {"pfc.only-one", "all eight", WithPfc(0xff), kFail, "all eight"},
       {"pfc.only-one", "must be off: see pfc.off-when-lossy", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.pfc.emplace(); })},
       {"pfc.only-one", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), kUnknown, "not permitted"}});
}

void AddEts(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"ets.map", "good", GoodHost(), kPass, "priority 3 is in TC 3"},
       {"ets.map", "in the default class", WithEts([](Ets& ets) { ets.prio_tc[3] = 0; }), kFail,
        "priority 3 shares TC 0",
        "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3"},
       {"ets.map", "more classes than there are", WithEts([](Ets& ets) {
          ets.traffic_classes = 2;
          ets.prio_tc[3] = 3;
        }),
        kFail, "the NIC has 2 classes", "prio-tc all:0 3:1"},
       {"ets.map", "shared with 4", WithEts([](Ets& ets) { ets.prio_tc[4] = 3; }), kWarn, "together with 4",
        "prio-tc all:0 3:3"},
       {"ets.map", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), kUnknown, "not permitted"},
       {"ets.map", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.ets_rdma_percent.reset(); })},
       {"ets.rdma-share", "good", GoodHost(), kPass, "ETS 50 %"},
       {"ets.rdma-share", "share moved", WithEts([](Ets& ets) {
          ets.tx_percent[0] = 90;
          ets.tx_percent[3] = 10;
        }),
        kFail, "priority 3 in TC 3: ETS 10 %",
        "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3"},
       {"ets.rdma-share", "strict", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kStrict; }), kNotApplicable,
        "strict, see ets.tsa"},
       {"ets.rdma-share", "vendor", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kVendor; }), kFail, "vendor"},
       {"ets.rdma-share", "within tolerance", WithEts([](Ets& ets) { ets.tx_percent[3] = 45; }), kPass,
        "ETS 45 %"},
       {"ets.rdma-share", "too much", WithEts([](Ets& ets) { ets.tx_percent[3] = 80; }), kWarn, "ETS 80 %"},
       {"ets.rdma-share", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), kUnknown, "not permitted"}});
}

void AddClassification(std::vector<CheckCase>& cases) {
  const AppEntry right{.selector = AppSelector::kDscp, .priority = 3, .protocol = 26};
  const AppEntry wrong{.selector = AppSelector::kDscp, .priority = 0, .protocol = 26};
  const auto trust = [](std::vector<AppSelector> table) {
    return WithDcb([&table](Dcb& dcb) { dcb.app_trust = table; });
  };
  const auto other_driver = WithNetdev([](Netdev& netdev) { netdev.driver = "qede"; });
  cases.insert(
      cases.end(),
      {{"map.dscp", "good", GoodHost(), kPass, "DSCP 26 to priority 3"},
       {"map.dscp", "no row", WithApp({}), kFail, "no row for DSCP 26",
        "dcb app replace dev dcb0 dscp-prio 26:3"},
       {"map.dscp", "other priority", WithApp({wrong}), kFail, "DSCP 26 to priority 0"},
       {"map.dscp", "two priorities", WithApp({right, wrong}), kFail, "to priorities 0 and 3"},
       {"map.dscp", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), kUnknown, "not permitted"},
       {"map.dscp", "PCP profile", GoodHost(), kNotApplicable, "classifies by PCP", "", PcpProfile()},
       {"trust.mode", "good", GoodHost(), kPass, "dscp, by the DSCP rows"},
       {"trust.mode", "PCP profile, DSCP rows", GoodHost(), kFail, "dscp", "dcb app flush dev dcb0 dscp-prio",
        PcpProfile()},
       {"trust.mode", "PCP profile, no rows", WithApp({}), kPass, "pcp", "", PcpProfile()},
       {"trust.mode", "table without DSCP", trust({AppSelector::kPcp}), kFail, "pcp",
        "dcb apptrust set dev dcb0"},
       {"trust.mode", "empty table", trust({}), kFail, "nothing"},
       {"trust.mode", "DSCP first", trust({AppSelector::kDscp, AppSelector::kPcp}), kPass, "dscp, then pcp"},
       {"trust.mode", "PCP first", trust({AppSelector::kPcp, AppSelector::kDscp}), kPass, "pcp, then dscp"},
       {"trust.mode", "driver whose rule is not known", other_driver, kUnknown, "driver qede has no APP trust"},
       {"trust.mode", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Without([](Profile& profile) { profile.trust = Profile::Trust::kAny; })}});
}

void AddHost(std::vector<CheckCase>& cases) {
  constexpr std::uint64_t kKiB = 1024;
  const auto small = WithMemlock(Memlock{.limit_bytes = 64 * kKiB, .cap_ipc_lock = false, .pid = 4711});
  const auto ignored = WithMemlock(Memlock{.limit_bytes = 64 * kKiB, .cap_ipc_lock = true, .pid = 4711});
  const auto enough = WithMemlock(Memlock{.limit_bytes = 64 * kKiB * kKiB, .cap_ipc_lock = false, .pid = 4711});
  cases.insert(
      cases.end(),
      {{"host.memlock", "unlimited", GoodHost(), kPass, "unlimited"},
       {"host.memlock", "finite and enough", enough, kPass, "64 MiB"},
       {"host.memlock", "64 KiB", small, kFail, "64 KiB", "prlimit --pid 4711 --memlock=unlimited:unlimited"},
       {"host.memlock", "64 KiB, not enforced on us", ignored, kFail, "CAP_IPC_LOCK"},
       {"host.memlock", "64 KiB, silent profile", small, kFail, "64 KiB", "",
        Without([](Profile& profile) { profile.min_memlock_bytes.reset(); })},
       {"host.memlock", "denied", WithMemlock(Denied()), kUnknown, "not permitted", "root"}});
}

void AddPair(std::vector<CheckCase>& cases) {
  const Profile silent = Without([](Profile& profile) {
    profile.mtu_bytes.reset();
    profile.roce_mtu_bytes.reset();
  });
  const Profile two = Without([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{3}; });
  cases.insert(cases.end(),
               {{"mtu.pair", "good", GoodHost(), kPass, "RoCE MTU 4096 on both"},
                {"mtu.pair", "other MTU", WithPort([](Port& port) { port.active_mtu_bytes = 1024; }), kFail,
                 "RoCE MTU 1024 on a, 4096 on b", "ip link set dev dcb0 mtu 9000  # on a", silent},
                {"mtu.pair", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }), kUnknown,
                 "not permitted", "", silent},
                {"pfc.both-directions", "good", GoodHost(), kPass, "PFC on 3 on both"},
                // A host that lacks the priority fails by itself; only the pair's own rule is looked at here.
                {"pfc.both-directions", "moved to 4", WithPfc(1U << 4), kFail, "PFC on 4 at a, PFC on 3 at b",
                 "# on a", two},
                {"pfc.both-directions", "one more", WithPfc(0x18), kWarn, "PFC on 3 and 4 at a", "", two},
                {"pfc.both-directions", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), kUnknown,
                 "not permitted"}});
}

}  // namespace

std::vector<CheckCase> AllCheckCases() {
  std::vector<CheckCase> cases;
  AddInventory(cases);
  AddLink(cases);
  AddMtu(cases);
  AddGid(cases);
  AddDcb(cases);
  AddEts(cases);
  AddClassification(cases);
  AddHost(cases);
  AddPair(cases);
  AddEquipmentCases(cases);
  AddBusCases(cases);
  AddNetCases(cases);
  AddPathCases(cases);
  AddFirewallCases(cases);
  AddSecurityCases(cases);
  AddLinkCases(cases);
  AddInfinibandCases(cases);
  AddPfcCases(cases);
  AddNicCases(cases);
  AddMarkCases(cases);
  AddDcbCases(cases);
  AddChainCases(cases);
  AddEtsCases(cases);
  AddAppCases(cases);
  AddSmbCases(cases);
  AddStorageCases(cases);
  AddAgreementCases(cases);
  AddPeerCases(cases);
  AddWindowCases(cases);
  AddDriftCases(cases);
  for (CheckCase& row : cases) {
    if (row.profile == Profile{}) row.profile = VirtualFabricProfile();
  }
  return cases;
}

}  // namespace rdmaready
