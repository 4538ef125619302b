// SPDX-License-Identifier: Apache-2.0
// Pause, room for the cable, the classes beside RDMA's, and rows that only some drivers take.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

template <class Change>
Facts On(std::string_view driver, Change change) {
  return WithNetdev([&](Netdev& netdev) {
    netdev.driver = driver;
    change(netdev);
  });
}

void AddPause(std::vector<CheckCase>& cases) {
  const Profile open = Asking([](Profile& profile) { profile.pfc.reset(); });
  const Profile lossy = Asking([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{}; });
  const auto none = [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8}; };
  const auto paused = [&none](Netdev& netdev) {
    none(netdev);
    netdev.pause = Pause{.rx = true, .tx = true};
  };
  const auto denied = [](Netdev& netdev) {
    netdev.dcb.pfc = Denied();
    netdev.pause = Denied();
  };
  const auto negotiated = [](Netdev& netdev) { netdev.pause = Pause{.autoneg = true}; };
  cases.insert(
      cases.end(),
      {{"pause.none", "PFC", GoodHost(), kPass, "PFC on 3"},
       {"pause.none", "link-level pause", WithNetdev(paused), kPass, "link-level pause is on"},
       {"pause.none", "neither", WithNetdev(none), kFail, "neither",
        "dcb pfc set dev dcb0 prio-pfc all:off 3:on"},
       {"pause.none", "neither, on ice, nothing asked", On("ice", none), kFail, "neither", "", open},
       {"pause.none", "denied", WithNetdev(denied), kUnknown, "not permitted"},
       {"pause.none", "nothing asked", WithNetdev(none), kNotApplicable, "does not ask", "", open},
       {"pause.none", "off on purpose", On("ice", none), kNotApplicable, "wants PFC to be off", "", lossy},
       {"pause.autoneg", "not", GoodHost(), kPass, "is not negotiated"},
       {"pause.autoneg", "negotiated", WithNetdev(negotiated), kFail, "is negotiated",
        "ethtool -A dcb0 autoneg off rx off tx off"},
       {"pause.autoneg", "denied", WithNetdev([](Netdev& netdev) { netdev.pause = Denied(); }), kUnknown,
        "not permitted"},
       {"pause.autoneg", "mlx5", On("mlx5_core", negotiated), kNotApplicable, "negotiates no pause"},
       {"pause.autoneg", "ice", On("ice", negotiated), kNotApplicable, "the link's autonegotiation"}});
}

void AddDelay(std::vector<CheckCase>& cases) {
  const auto counted = [](std::uint64_t dropped, std::uint64_t pauses) {
    return On("mlx5_core", [=](Netdev& netdev) {
      Pfc pfc = *netdev.dcb.pfc;
      pfc.delay = 7;
      netdev.dcb.pfc = pfc;
      netdev.statistics = std::vector<NicStatistic>{
          {.counter = NicCounter::kDropReceived, .priority = 3, .name = "rx_prio3_discards", .value = dropped},
          {.counter = NicCounter::kPauseSent, .priority = 3, .name = "tx_prio3_pause", .value = pauses}};
    });
  };
  const auto denied = [](Netdev& netdev) { netdev.statistics = Denied(); };
  cases.insert(cases.end(),
               {{"pfc.delay", "nothing lost", counted(0, 9), kPass, "reckons with 7 m"},
                {"pfc.delay", "lost without a pause", counted(9, 0), kPass, "nothing was lost after a pause"},
                {"pfc.delay", "lost after pauses", counted(12, 9), kFail,
                 "priority 3 lost 12 frames though it sent 9 pauses", "dcb pfc set dev dcb0 delay METRES"},
                {"pfc.delay", "lost frames not counted", On("mlx5_core", [](Netdev&) {}), kNotApplicable,
                 "does not count what it drops"},
                {"pfc.delay", "denied", On("mlx5_core", denied), kUnknown, "not permitted"},
                {"pfc.delay", "another driver", GoodHost(), kNotApplicable, "driver dcbnic"}});
}

// A profile that names every class, and a host that has them; then a change.
Profile Classes() {
  return Asking([](Profile& profile) {
    profile.ets_classes = {{.priorities = {0, 1, 2, 4, 5, 7}, .percent = 50},
                           {.priorities = {3}, .percent = 50},
                           {.priorities = {6}}};
  });
}

template <class Change>
Facts Classed(Change change) {
  return WithEts([&change](Ets& ets) {
    ets.prio_tc[6] = 6;
    change(ets);
  });
}

void AddEts(std::vector<CheckCase>& cases) {
  const Facts denied = WithDcb([](Dcb& dcb) { dcb.ets = Denied(); });
  const auto starving = [](Ets& ets) { ets.tx_percent = {0, 0, 0, 100, 0, 0, 0, 0}; };
  const auto contiguous = [](Netdev& netdev) {
    Ets ets = *netdev.dcb.ets;
    ets.prio_tc[3] = 1;
    netdev.dcb.ets = ets;
  };
  const auto nothing = [](Netdev&) {};
  const Facts ice_denied = On("ice", [](Netdev& netdev) { netdev.dcb.ets = Denied(); });
  const Profile more = Asking([](Profile& profile) { profile.ets_at_least = true; });
  constexpr std::string_view kWhole =
      "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3 6:6";
  cases.insert(
      cases.end(),
      {{"ets.rdma-share", "more than at least", WithEts([](Ets& ets) { ets.tx_percent[3] = 80; }), kPass,
        "ETS 80 %", "", more},
       {"ets.rdma-share", "less than at least", WithEts([](Ets& ets) { ets.tx_percent[3] = 20; }), kFail,
        "ETS 20 %", "", more},
       {"ets.min-default", "half", GoodHost(), kPass, "TC 0: ETS 50 %"},
       {"ets.min-default", "nothing", WithEts(starving), kFail, "TC 0: ETS 0 %", "dcb ets set dev dcb0"},
       {"ets.min-default", "strict", WithEts([](Ets& ets) { ets.tsa[0] = Tsa::kStrict; }), kPass,
        "has no share"},
       {"ets.min-default", "in no class", WithEts([](Ets& ets) { ets.prio_tc[0] = 15; }), kUnknown,
        "in no class"},
       {"ets.min-default", "denied", denied, kUnknown, "not permitted"},
       {"ets.map-contiguous", "0 and 1", On("ice", contiguous), kPass, "TC 0 and 1"},
       {"ets.map-contiguous", "0 and 3", On("ice", nothing), kFail, "TC 0 and 3", "dcb ets set dev dcb0"},
       {"ets.map-contiguous", "denied", ice_denied, kUnknown, "not permitted"},
       {"ets.map-contiguous", "another driver", GoodHost(), kNotApplicable, "any number"},
       {"ets.classes", "all three", Classed([](Ets&) {}), kPass, "3 classes", "", Classes()},
       {"ets.classes", "one is not apart", GoodHost(), kFail, "together with 6", std::string(kWhole),
        Classes()},
       {"ets.classes", "torn", Classed([](Ets& ets) { ets.prio_tc[7] = 7; }), kFail, "are not in one class", "",
        Classes()},
       {"ets.classes", "not strict", Classed([](Ets& ets) { ets.tsa[6] = Tsa::kVendor; }), kFail,
        "vendor, not strict", "", Classes()},
       {"ets.classes", "another share", Classed([](Ets& ets) { ets.tx_percent[0] = 30; }), kFail,
        "TC 0: ETS 30 %", "", Classes()},
       {"ets.classes", "denied", denied, kUnknown, "not permitted", "", Classes()},
       {"ets.classes", "not asked", GoodHost(), kNotApplicable, "does not ask"}});
}

AppEntry Row(AppSelector selector, std::uint16_t protocol, std::uint8_t priority) {
  return {.selector = selector, .priority = priority, .protocol = protocol};
}

// With these rows, making RoCE v1 connections.
Facts V1(Fact<std::vector<AppEntry>> rows, std::string_view driver = "bnxt_en") {
  Facts host = On(driver, [&rows](Netdev& netdev) { netdev.dcb.app = rows; });
  std::vector<Port> ports = *host.ports;
  ports.front().cm_default_mode = GidType::kRoceV1;
  host.ports = ports;
  return host;
}

void AddRows(std::vector<CheckCase>& cases) {
  using Rows = std::vector<AppEntry>;
  const Profile smb = Asking([](Profile& profile) { profile.roles = {Profile::Role::kSmbServer}; });
  const AppEntry tcp = Row(AppSelector::kStream, 445, 3);
  const AppEntry direct = Row(AppSelector::kAny, 5445, 3);
  const auto table = [](Fact<std::vector<AppSelector>> order) {
    return WithDcb([&order](Dcb& dcb) { dcb.app_trust = order; });
  };
  const auto rewriting = [](Fact<Rows> rows) { return WithDcb([&rows](Dcb& dcb) { dcb.rewrite = rows; }); };
  cases.insert(
      cases.end(),
      {{"app.roce-ethertype", "its row", V1(Rows{Row(AppSelector::kEthertype, 0x8915, 3)}), kPass,
        "0x8915 to priority 3"},
       {"app.roce-ethertype", "none", V1(Rows{}), kFail, "no row for its EtherType",
        "dcb app replace dev dcb0 ethtype-prio 0x8915:3"},
       {"app.roce-ethertype", "qede without", V1(Rows{}, "qede"), kUnknown,
        "does not show those of its firmware"},
       {"app.roce-ethertype", "denied", V1(Denied()), kUnknown, "not permitted"},
       {"app.roce-ethertype", "RoCE v2", GoodHost(), kNotApplicable, "RoCE v2 connections"},
       {"app.smb-port", "both", WithApp({tcp, direct}), kPass, "both to priority 3", "", smb},
       {"app.smb-port", "one", WithApp({tcp}), kFail, "TCP port 5445", "stream-port-prio 5445:3", smb},
       {"app.smb-port", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), kUnknown, "not permitted", "",
        smb},
       {"app.smb-port", "mlx5", On("mlx5_core", [](Netdev&) {}), kNotApplicable, "DSCP only", "", smb},
       {"app.smb-port", "no role", GoodHost(), kNotApplicable, "does not ask"},
       {"trust.apptrust-order", "dscp first",
        table(std::vector<AppSelector>{AppSelector::kDscp, AppSelector::kPcp}), kPass, "dscp, then pcp"},
       {"trust.apptrust-order", "pcp first",
        table(std::vector<AppSelector>{AppSelector::kPcp, AppSelector::kDscp}), kFail, "pcp, then dscp",
        "dcb apptrust set dev dcb0 order dscp pcp"},
       {"trust.apptrust-order", "denied", table(Denied()), kUnknown, "not permitted"},
       {"trust.apptrust-order", "no table", GoodHost(), kNotApplicable, "no APP trust table"},
       {"trust.mode", "bnxt with a DSCP row", On("bnxt_en", [](Netdev&) {}), kPass, "dscp, by the DSCP rows"},
       {"trust.mode", "bnxt without", On("bnxt_en", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }), kUnknown,
        "driver bnxt_en does not tell what it trusts without DSCP rows"},
       {"trust.mode", "mlx4 by PCP", On("mlx4_en", [](Netdev&) {}), kPass, "pcp, as mlx4_en has no map of DSCP",
        "", PcpProfile()},
       {"trust.mode", "ice whose firmware runs DCBX",
        On("ice", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }), kFail,
        "pcp, as its firmware runs DCBX", "dcb dcbx set dev dcb0 host ieee"},
       {"trust.mode", "ice of the host", On("ice", [](Netdev&) {}), kPass, "dscp, by the DSCP rows"},
       {"trust.mode", "qede by PCP", On("qede", [](Netdev&) {}), kUnknown, "its rule is not known", "",
        PcpProfile()},
       {"map.dscp", "mlx4 with a row", On("mlx4_en", [](Netdev&) {}), kFail,
        "driver mlx4_en maps no DSCP; the row is the kernel's only", "or another NIC"},
       {"map.dscp", "qede without", On("qede", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }), kFail,
        "driver qede maps no DSCP", "or another NIC"},
       {"dcbx.mode", "qede", On("qede", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.ieee = true}; }), kFail,
        "not the host: firmware decides, IEEE", "set dcbx: any in the profile"},
       {"rewr.consistent", "none", GoodHost(), kPass, "nothing changes"},
       {"rewr.consistent", "the same",
        rewriting(Rows{Row(AppSelector::kDscp, 26, 3), Row(AppSelector::kPcp, 0, 0)}), kPass,
        "nothing changes"},
       {"rewr.consistent", "another DSCP", rewriting(Rows{Row(AppSelector::kDscp, 0, 3)}), kFail,
        "priority 3 leaves with DSCP 0", "dcb rewr del dev dcb0 prio-dscp 3:0"},
       {"rewr.consistent", "another PCP", rewriting(Rows{Row(AppSelector::kPcp, 5, 3)}), kFail,
        "leaves with PCP 5", "prio-pcp 3:5"},
       {"rewr.consistent", "denied", rewriting(Denied()), kUnknown, "not permitted"}});
}

}  // namespace

void AddDcbCases(std::vector<CheckCase>& cases) {
  AddPause(cases);
  AddDelay(cases);
  AddEts(cases);
  AddRows(cases);
}

}  // namespace rdmaready
