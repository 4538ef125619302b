// SPDX-License-Identifier: Apache-2.0
// One host with NICs of four vendors: each port is judged by the rules of its own driver, and by no other's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of hardware, at 10.0.`net`.1; then what its driver is like.
template <class Change>
Port Nic(std::uint8_t net, std::string device, std::string driver, Change change) {
  Port port = Hardware().ports->front();
  port.device = std::move(device);
  const std::string name = "eth" + std::to_string(net);
  const std::string address = "10.0." + std::to_string(net) + ".1";
  Netdev netdev = *port.netdev;
  netdev.name = name;
  netdev.driver = std::move(driver);
  netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
  std::vector<Gid> gids = *port.gids;
  for (Gid& gid : gids) gid.netdev = name;
  gids.back().raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, net, 1};
  port.gids = gids;
  port.subnets = std::vector<Subnet>{{.netdev = name,
                                      .own = {.address = address, .prefix_length = 24},
                                      .probe = "10.0." + std::to_string(net) + ".2",
                                      .route = IpRoute{.netdev = name}}};
  port.neighbours = std::vector<Neighbour>{};
  change(port, netdev);
  port.netdev = netdev;
  return port;
}

constexpr AppEntry kDscpRow{.selector = AppSelector::kDscp, .priority = 3, .protocol = 26};
constexpr AppEntry kUdpRow{.selector = AppSelector::kDgram, .priority = 3, .protocol = 4791};

Port Mlx5() {
  return Nic(1, "mlx5_0", "mlx5_core", [](Port&, Netdev& netdev) {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.delay = 7;  // metres
    netdev.dcb.pfc = pfc;
  });
}

Port Bnxt() {
  return Nic(2, "bnxt_re0", "bnxt_en", [](Port&, Netdev& netdev) {
    netdev.dcb.app = std::vector<AppEntry>{kDscpRow, kUdpRow};
    netdev.dcb.buffer = Missing{.kind = Missing::Kind::kUnsupported, .detail = "no buffers"};
  });
}

// Classes from 0 on, without a gap.
Port Ice() {
  return Nic(3, "irdma0", "ice", [](Port&, Netdev& netdev) {
    Ets ets = *netdev.dcb.ets;
    ets.prio_tc[3] = 1;
    ets.tsa = {Tsa::kEts, Tsa::kEts};
    ets.tx_percent = {50, 50};
    netdev.dcb.ets = ets;
  });
}

// iWARP, and not a word of DCB.
Port Cxgb4() {
  return Nic(4, "cxgb4_0", "cxgb4", [](Port& port, Netdev& netdev) {
    const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "no DCB"};
    port.transport = Transport::kIwarp;
    port.gids = std::vector<Gid>{port.gids->front()};
    netdev.dcb = {.ets = none,
                  .pfc = none,
                  .app = none,
                  .app_trust = none,
                  .dcbx = none,
                  .buffer = none,
                  .max_rate_kbps = none,
                  .rewrite = none,
                  .peer = {.ets = none, .pfc = none, .app = none},
                  .cee = none};
  });
}

Facts Host(std::vector<Port> ports) {
  Facts host = Hardware();
  host.ports = std::move(ports);
  return host;
}

// The DSCP profile of the fabric, for whatever transport a port speaks.
Profile Any() {
  Profile profile = VirtualFabricProfile();
  profile.transport = Profile::Transport::kAny;
  return profile;
}

// What is said of ports. That a host has NICs of several makes is said of the host (inv.symmetry).
std::vector<std::string> SaidOfPorts(const Facts& host) {
  const std::vector<Finding> findings = JudgeHost(host, Any());
  std::vector<std::string> said;
  for (const Finding* finding : WorthSaying(findings)) {
    if (finding->scope == Scope::kPort) said.push_back(finding->id + " of " + finding->subject);
  }
  return said;
}

template <class Change>
Port Changed(Port port, Change change) {
  Netdev netdev = *port.netdev;
  change(port, netdev);
  port.netdev = netdev;
  return port;
}

TEST(Vendors, ThatAreRightByTheirOwnRulesAreNotSpokenOf) {
  EXPECT_THAT(SaidOfPorts(Host({Mlx5(), Bnxt(), Ice(), Cxgb4()})), IsEmpty());
}

TEST(Vendors, HaveTheirOwnFaultsAndNoneOfTheOthers) {
  // mlx5 trusts DSCP by having a row of it.
  const Port mlx5 = Changed(Mlx5(), [](Port&, Netdev& netdev) { netdev.dcb.app = std::vector<AppEntry>{}; });
  EXPECT_THAT(SaidOfPorts(Host({mlx5, Bnxt(), Ice(), Cxgb4()})), ElementsAre("map.dscp of mlx5_0/1 eth1"));
  // Its classes are the vendor's own until somebody sets them.
  const Port fresh = Changed(Mlx5(), [](Port&, Netdev& netdev) {
    Ets ets = *netdev.dcb.ets;
    ets.tsa.fill(Tsa::kVendor);
    netdev.dcb.ets = ets;
  });
  EXPECT_THAT(SaidOfPorts(Host({fresh, Bnxt(), Ice(), Cxgb4()})), ElementsAre("ets.tsa of mlx5_0/1 eth1"));
  // bnxt takes RoCE's priority from the row of its UDP port.
  const Port bnxt =
      Changed(Bnxt(), [](Port&, Netdev& netdev) { netdev.dcb.app = std::vector<AppEntry>{kDscpRow}; });
  EXPECT_THAT(SaidOfPorts(Host({Mlx5(), bnxt, Ice(), Cxgb4()})),
              ElementsAre("app.roce-udp of bnxt_re0/1 eth2"));
  // ice wants its classes without a gap.
  const Port ice = Changed(Ice(), [](Port&, Netdev& netdev) { netdev.dcb.ets = GoodDcb().ets; });
  EXPECT_THAT(SaidOfPorts(Host({Mlx5(), Bnxt(), ice, Cxgb4()})),
              ElementsAre("ets.map-contiguous of irdma0/1 eth3"));
  // iWARP needs room for RDMA reads, and has no use for the rest.
  const Port cxgb4 = Changed(Cxgb4(), [](Port& port, Netdev&) {
    DeviceLimits limits = *port.limits;
    limits.max_qp_rd_atom = 0;
    port.limits = limits;
  });
  EXPECT_THAT(SaidOfPorts(Host({Mlx5(), Bnxt(), Ice(), cxgb4})), ElementsAre("iw.ird-ord of cxgb4_0/1 eth4"));
}

TEST(Vendors, InABondAreJudgedByTheirDriver) {
  const auto bonded = [](Port port) {
    return Changed(std::move(port), [](Port& changed, Netdev& netdev) {
      netdev.master = "bond0";
      UpperNetdev bond{.name = "bond0",
                       .ifindex = 9,
                       .kind = "bond",
                       .over = {netdev.name},
                       .admin_up = true,
                       .carrier = true,
                       .mtu_bytes = 9000};
      bond.bond_mode = std::string("active-backup");
      bond.addresses = std::vector<IpAddress>{};
      changed.uppers = std::vector<UpperNetdev>{bond};
    });
  };
  EXPECT_THAT(SaidOfPorts(Host({Mlx5(), bonded(Ice())})), ElementsAre("inv.bond of irdma0/1 eth3"));
  EXPECT_THAT(SaidOfPorts(Host({bonded(Mlx5()), Ice()})), IsEmpty());
}

// qede has its settings from the firmware's DCBX, and shows what that heard. It maps no DSCP.
TEST(Vendors, WithFirmwareThatHeardTheSwitchSayWhatItSaid) {
  Profile by_rows = Any();
  by_rows.trust = Profile::Trust::kAny;
  by_rows.dscp.reset();
  const auto qede = [](std::uint8_t pfc) {
    return Nic(1, "qedr0", "qede", [pfc](Port&, Netdev& netdev) {
      netdev.dcb.app = std::vector<AppEntry>{kUdpRow};
      netdev.dcb.peer.pfc = Pfc{.capability = 8, .enabled = pfc};
    });
  };
  const Finding heard = Of(JudgeHost(Host({qede(8)}), by_rows), "chain.rdma-cm");
  EXPECT_EQ(heard.outcome, Outcome::kPass) << heard.observed;
  EXPECT_THAT(heard.observed, testing::HasSubstr("switch: PFC on 3"));
  EXPECT_THAT(SaidOfPorts(Host({qede(0)})), testing::Contains("pfc.switch-agrees of qedr0/1 eth1"));
}

}  // namespace
}  // namespace rdmaready
