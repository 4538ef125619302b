// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

const Missing kNone{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

// Two of a kind, to differ from.
Facts AgreementOtherHardware() {
  return WithHardware([](Port& port, PciFunction&) {
    port.congestion = CongestionControl{.cnp_dscp = std::uint8_t{48}, .cnp_priority = std::uint8_t{6}};
  });
}

template <class Change>
Facts HardwareWith(Change change) {
  Facts host = AgreementOtherHardware();
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

std::vector<CheckCase> AgreementOfHardwareRows() {
  const CaseExtra against{.other = AgreementOtherHardware};
  return {
      Passes("agree.adapter", "good", AgreementOtherHardware(), "MT_0000000080, like all 2 ports of 2 hosts",
             against),
      Fails("agree.adapter", "another model",
            HardwareWith([](Port& port) { port.board = std::string("MT_9"); }),
            "MT_9; MT_0000000080 at b rxe0/1", against),
      IsUnknown("agree.adapter", "denied", HardwareWith([](Port& port) { port.board = Denied(); }),
                "not permitted", against),
      DoesNotApply("agree.adapter", "software", GoodHost(), "software", against),
      Passes("agree.firmware", "good", AgreementOtherHardware(), "firmware 16.35.4030", against),
      Fails("agree.firmware", "older", HardwareWith([](Port& port) { port.firmware = std::string("16.1"); }),
            "firmware 16.1; firmware 16.35.4030 at b rxe0/1", against),
      DoesNotApply("agree.firmware", "of another model", HardwareWith([](Port& port) {
                     port.board = std::string("MT_9");
                     port.firmware = std::string("16.1");
                   }),
                   "no port of another host", against),
      IsUnknown("agree.firmware", "denied", HardwareWith([](Port& port) { port.firmware = Denied(); }),
                "not permitted", against),
      Passes("agree.congestion", "good", AgreementOtherHardware(), "CNP DSCP 48, priority 6", against),
      Fails("agree.congestion", "another priority", HardwareWith([](Port& port) {
              port.congestion =
                  CongestionControl{.cnp_dscp = std::uint8_t{48}, .cnp_priority = std::uint8_t{7}};
            }),
            "priority 7", against),
      IsUnknown("agree.congestion", "denied", HardwareWith([](Port& port) { port.congestion = Denied(); }),
                "not permitted", against),
      DoesNotApply("agree.congestion", "not offered", GoodHost(), "a software device", against)};
}

std::vector<CheckCase> AgreementOfDcbRows() {
  const Profile profile = VirtualFabricProfile();
  return {
      Passes("agree.pfc", "good", GoodHost(), "PFC on 3, like all 2 ports of 2 hosts"),
      Fails("agree.pfc", "another priority", WithPfc(1U << 4), "PFC on 4; PFC on 3 at b rxe0/1"),
      Fails("agree.pfc", "routed: each port has a subnet of its own", Routed(), "PFC on 4; PFC on 3 at b"),
      IsUnknown("agree.pfc", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), "not permitted"),
      DoesNotApply("agree.pfc", "no DCB", WithDcb([](Dcb& dcb) { dcb.pfc = kNone; }), "not offered"),
      Passes("agree.ets", "good", GoodHost(), "priority 0, 1, 2, 4, 5, 6 and 7 50 %, priority 3 50 %"),
      Fails("agree.ets", "a smaller share", WithEts([](Ets& ets) {
              ets.tx_percent = {70, 0, 0, 30};
            }),
            "priority 3 30 %; "),
      Passes("agree.ets", "the same by other numbers", WithEts([](Ets& ets) {
               ets.prio_tc[3] = 1;
               ets.tsa[1] = Tsa::kEts;
               ets.tx_percent = {50, 50};
             }),
             "priority 3 50 %"),
      IsUnknown("agree.ets", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), "not permitted"),
      Passes("agree.dscp", "good", GoodHost(), "DSCP 26 to priority 3"),
      Fails("agree.dscp", "no row", WithApp({}), "no row for DSCP 26; DSCP 26 to priority 3 at b"),
      IsUnknown("agree.dscp", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), "not permitted"),
      DoesNotApply("agree.dscp", "by PCP", GoodHost(), "does not ask for a DSCP", {.profile = PcpProfile()}),
      Passes("agree.marking", "good", GoodHost(), "RDMA-CM marks ToS 106"),
      Fails("agree.marking", "without ECN",
            WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{104}; }),
            "ToS 104; RDMA-CM marks ToS 106 at b"),
      IsUnknown("agree.marking", "denied", WithPort([](Port& port) { port.cm_default_tos = Denied(); }),
                "not permitted")};
}

std::vector<CheckCase> AgreementOfPortsRows() {
  return {Passes("agree.transport", "good", GoodHost(), "RoCE, like all 2 ports"),
          Fails("agree.transport", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                "iWARP; RoCE at b rxe0/1"),
          IsUnknown("agree.transport", "not said",
                    WithPort([](Port& port) { port.transport = Transport::kUnknown; }), "does not say"),
          Passes("agree.gid", "good", GoodHost(), "RoCE v2 GID at index 1"),
          Fails("agree.gid", "another index", WithPort([](Port& port) {
                  std::vector<Gid> gids = *port.gids;
                  gids.back().index = 3;
                  port.gids = gids;
                }),
                "RoCE v2 GID at index 3; RoCE v2 GID at index 1 at b"),
          Fails("agree.gid", "v1 only", WithPort([](Port& port) {
                  std::vector<Gid> gids = *port.gids;
                  gids.back().type = GidType::kRoceV1;
                  port.gids = gids;
                }),
                "RoCE v1 GID at index 1; "),
          IsUnknown("agree.gid", "denied", WithPort([](Port& port) { port.gids = Denied(); }), "not permitted"),
          Passes("agree.mtu", "good", GoodHost(), "RDMA MTU 4096"),
          Fails("agree.mtu", "smaller", WithPort([](Port& port) { port.active_mtu_bytes = 1024; }),
                "RDMA MTU 1024; RDMA MTU 4096 at b"),
          IsUnknown("agree.mtu", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }),
                    "not permitted"),
          DoesNotApply("agree.mtu", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                       "iWARP"),
          Passes("agree.netdev-mtu", "good", GoodHost(), "MTU 9000"),
          Fails("agree.netdev-mtu", "smaller", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 4200; }),
                "MTU 4200; MTU 9000 at b"),
          IsUnknown("agree.netdev-mtu", "denied", WithPort([](Port& port) { port.netdev = Denied(); }),
                    "not permitted"),
          Passes("agree.speed", "good", GoodHost(), "25 Gb/s"),
          Fails("agree.speed", "slower", WithSpeed(2500), "2.5 Gb/s; 25 Gb/s at b"),
          IsUnknown("agree.speed", "denied", WithSpeed(Denied()), "not permitted")};
}

}  // namespace

std::vector<CheckCase> AgreementCases() {
  return Joined({AgreementOfHardwareRows(), AgreementOfDcbRows(), AgreementOfPortsRows()});
}

}  // namespace rdmaready
