// SPDX-License-Identifier: Apache-2.0
// agree.*: the host beside a good one.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kNone{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

// Two of a kind, to differ from.
Facts OtherHardware() {
  return WithHardware([](Port& port, PciFunction&) {
    port.congestion = CongestionControl{.cnp_dscp = std::uint8_t{48}, .cnp_priority = std::uint8_t{6}};
  });
}

template <class Change>
Facts HardwareWith(Change change) {
  Facts host = OtherHardware();
  std::vector<Port> ports = *host.ports;
  change(ports.front());
  host.ports = ports;
  return host;
}

Facts Routed() {
  return WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "10.9.9.1", .prefix_length = 31}};
    netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 1U << 4};
    port.netdev = netdev;
  });
}

Facts WithSpeed(Fact<std::uint32_t> speed_mbps) {
  return WithNetdev([&](Netdev& netdev) { netdev.speed_mbps = speed_mbps; });
}

void AddOfHardware(std::vector<CheckCase>& cases) {
  const auto add = [&cases](std::string_view id, std::string_view name, Facts host, Outcome outcome,
                            std::string observed) {
    cases.push_back({id, name, std::move(host), outcome, std::move(observed), "", VirtualFabricProfile(), 0,
                     OtherHardware});
  };
  add("agree.adapter", "good", OtherHardware(), kPass, "MT_0000000080, like all 2 ports of 2 hosts");
  add("agree.adapter", "another model", HardwareWith([](Port& port) { port.board = std::string("MT_9"); }),
      kFail, "MT_9; MT_0000000080 at b rxe0/1");
  add("agree.adapter", "denied", HardwareWith([](Port& port) { port.board = Denied(); }), kUnknown,
      "not permitted");
  add("agree.adapter", "software", GoodHost(), kNotApplicable, "software");
  add("agree.firmware", "good", OtherHardware(), kPass, "firmware 16.35.4030");
  add("agree.firmware", "older", HardwareWith([](Port& port) { port.firmware = std::string("16.1"); }), kFail,
      "firmware 16.1; firmware 16.35.4030 at b rxe0/1");
  add("agree.firmware", "of another model", HardwareWith([](Port& port) {
        port.board = std::string("MT_9");
        port.firmware = std::string("16.1");
      }),
      kNotApplicable, "no port of another host");
  add("agree.firmware", "denied", HardwareWith([](Port& port) { port.firmware = Denied(); }), kUnknown,
      "not permitted");
  add("agree.congestion", "good", OtherHardware(), kPass, "CNP DSCP 48, priority 6");
  add("agree.congestion", "another priority", HardwareWith([](Port& port) {
        port.congestion = CongestionControl{.cnp_dscp = std::uint8_t{48}, .cnp_priority = std::uint8_t{7}};
      }),
      kFail, "priority 7");
  add("agree.congestion", "denied", HardwareWith([](Port& port) { port.congestion = Denied(); }), kUnknown,
      "not permitted");
  add("agree.congestion", "not offered", GoodHost(), kNotApplicable, "a software device");
}

void AddOfDcb(std::vector<CheckCase>& cases) {
  const Profile profile = VirtualFabricProfile();
  cases.insert(
      cases.end(),
      {{"agree.pfc", "good", GoodHost(), kPass, "PFC on 3, like all 2 ports of 2 hosts"},
       {"agree.pfc", "another priority", WithPfc(1U << 4), kFail, "PFC on 4; PFC on 3 at b rxe0/1"},
       {"agree.pfc", "routed: each port has a subnet of its own", Routed(), kFail, "PFC on 4; PFC on 3 at b"},
       {"agree.pfc", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), kUnknown, "not permitted"},
       {"agree.pfc", "no DCB", WithDcb([](Dcb& dcb) { dcb.pfc = kNone; }), kNotApplicable, "not offered"},
       {"agree.ets", "good", GoodHost(), kPass, "priority 0, 1, 2, 4, 5, 6 and 7 50 %, priority 3 50 %"},
       {"agree.ets", "a smaller share", WithEts([](Ets& ets) {
          ets.tx_percent = {70, 0, 0, 30};
        }),
        kFail, "priority 3 30 %; "},
       {"agree.ets", "the same by other numbers", WithEts([](Ets& ets) {
          ets.prio_tc[3] = 1;
          ets.tsa[1] = Tsa::kEts;
          ets.tx_percent = {50, 50};
        }),
        kPass, "priority 3 50 %"},
       {"agree.ets", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), kUnknown, "not permitted"},
       {"agree.dscp", "good", GoodHost(), kPass, "DSCP 26 to priority 3"},
       {"agree.dscp", "no row", WithApp({}), kFail, "no row for DSCP 26; DSCP 26 to priority 3 at b"},
       {"agree.dscp", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), kUnknown, "not permitted"},
       {"agree.dscp", "by PCP", GoodHost(), kNotApplicable, "does not ask for a DSCP", "", PcpProfile()},
       {"agree.marking", "good", GoodHost(), kPass, "RDMA-CM marks ToS 106"},
       {"agree.marking", "without ECN", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{104}; }),
        kFail, "ToS 104; RDMA-CM marks ToS 106 at b"},
       {"agree.marking", "denied", WithPort([](Port& port) { port.cm_default_tos = Denied(); }), kUnknown,
        "not permitted"}});
}

void AddOfPorts(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"agree.transport", "good", GoodHost(), kPass, "RoCE, like all 2 ports"},
       {"agree.transport", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }), kFail,
        "iWARP; RoCE at b rxe0/1"},
       {"agree.transport", "not said", WithPort([](Port& port) { port.transport = Transport::kUnknown; }),
        kUnknown, "does not say"},
       {"agree.gid", "good", GoodHost(), kPass, "RoCE v2 GID at index 1"},
       {"agree.gid", "another index", WithPort([](Port& port) {
          std::vector<Gid> gids = *port.gids;
          gids.back().index = 3;
          port.gids = gids;
        }),
        kFail, "RoCE v2 GID at index 3; RoCE v2 GID at index 1 at b"},
       {"agree.gid", "v1 only", WithPort([](Port& port) {
          std::vector<Gid> gids = *port.gids;
          gids.back().type = GidType::kRoceV1;
          port.gids = gids;
        }),
        kFail, "RoCE v1 GID at index 1; "},
       {"agree.gid", "denied", WithPort([](Port& port) { port.gids = Denied(); }), kUnknown, "not permitted"},
       {"agree.mtu", "good", GoodHost(), kPass, "RDMA MTU 4096"},
       {"agree.mtu", "smaller", WithPort([](Port& port) { port.active_mtu_bytes = 1024; }), kFail,
        "RDMA MTU 1024; RDMA MTU 4096 at b"},
       {"agree.mtu", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }), kUnknown,
        "not permitted"},
       {"agree.mtu", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }), kNotApplicable,
        "iWARP"},
       {"agree.netdev-mtu", "good", GoodHost(), kPass, "MTU 9000"},
       {"agree.netdev-mtu", "smaller", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 4200; }), kFail,
        "MTU 4200; MTU 9000 at b"},
       {"agree.netdev-mtu", "denied", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown,
        "not permitted"},
       {"agree.speed", "good", GoodHost(), kPass, "25 Gb/s"},
       {"agree.speed", "slower", WithSpeed(2500), kFail, "2.5 Gb/s; 25 Gb/s at b"},
       {"agree.speed", "denied", WithSpeed(Denied()), kUnknown, "not permitted"}});
}

}  // namespace

void AddAgreementCases(std::vector<CheckCase>& cases) {
  AddOfPorts(cases);
  AddOfDcb(cases);
  AddOfHardware(cases);
}

}  // namespace rdmaready
