// SPDX-License-Identifier: Apache-2.0
#include "collectors/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/lldp/lldp.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

Netdev Counting(const std::string& name, std::uint64_t value) {
  Netdev netdev{.name = name, .admin_up = true, .carrier = true};
  netdev.statistics =
      std::vector<NicStatistic>{{.counter = NicCounter::kCrcErrors, .name = "crc", .value = value}};
  netdev.dcb.pfc = Pfc{.enabled = 8, .pauses_sent = {value}};
  netdev.link.pause_frames = PauseFrames{.sent = value};
  netdev.link.fec = Fec{.uncorrectable_blocks = value};
  netdev.link.fcs_errors = value;
  netdev.carrier_changes = value;
  return netdev;
}

Facts Host(std::uint64_t value) {
  Port port{.device = "mlx5_0", .number = 1};
  port.node_guid = 7;
  port.hw_counters = std::vector<Counter>{{"out_of_sequence", value}};
  port.port_counters = std::vector<Counter>{{"symbol_error", value}};
  port.ib.pma_counters = std::vector<Counter>{{"port_xmit_wait", value}};
  port.netdev = Counting("eth0", value);
  port.lowers = std::vector<Netdev>{};
  Facts facts;
  facts.ports = std::vector<Port>{port};
  return facts;
}

Facts With(Facts facts, void (*change)(Port&)) {
  std::vector<Port> ports = *facts.ports;
  change(ports.front());
  facts.ports = ports;
  return facts;
}

const Fact<EarlierReading>& EarlierOf(const Facts& facts) { return facts.ports->front().earlier; }

TEST(Watch, KeepsEverythingThatCountsOfTheEarlierReading) {
  Facts after = Host(9);
  KeepEarlier(Host(4), 3000, after);
  const Fact<EarlierReading>& earlier = EarlierOf(after);
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->before_ms, 3000);
  EXPECT_EQ(earlier->hw_counters->front(), (Counter{"out_of_sequence", 4}));
  EXPECT_EQ(earlier->port_counters->front(), (Counter{"symbol_error", 4}));
  EXPECT_EQ(earlier->pma_counters->front(), (Counter{"port_xmit_wait", 4}));
  ASSERT_EQ(earlier->netdevs.size(), 1);
  const NetdevReading& netdev = earlier->netdevs.front();
  EXPECT_EQ(netdev.netdev, "eth0");
  EXPECT_EQ(netdev.statistics->front().value, 4);
  EXPECT_EQ(netdev.pfc->pauses_sent[0], 4);
  EXPECT_EQ(netdev.pause_frames->sent, 4);
  EXPECT_EQ(*netdev.fec->uncorrectable_blocks, 4);
  EXPECT_EQ(*netdev.fcs_errors, 4);
  EXPECT_EQ(*netdev.carrier_changes, 4);
  EXPECT_EQ(after.ports->front().hw_counters->front().value, 9);
}

TEST(Watch, KeepsTheEthernetPortsBelowABondToo) {
  Port port{.device = "mlx5_bond_0", .number = 1};
  port.netdev = Counting("bond0", 1);
  port.lowers = std::vector<Netdev>{Counting("eth0", 2), Counting("eth1", 3)};
  const EarlierReading reading = WhatCounts(port);
  ASSERT_EQ(reading.netdevs.size(), 3);
  EXPECT_EQ(reading.netdevs[1].netdev, "eth0");
  EXPECT_EQ(*reading.netdevs[2].carrier_changes, 3);
}

TEST(Watch, SaysWhyThereIsNoEarlierReading) {
  Facts came = Host(9);
  KeepEarlier(With(Host(4), [](Port& port) { port.device = "mlx5_1"; }), 3000, came);
  EXPECT_EQ(EarlierOf(came).missing().detail, "the port was not there when the watch began");
  Facts exchanged = Host(9);
  KeepEarlier(With(Host(4), [](Port& port) { port.node_guid = 8; }), 3000, exchanged);
  EXPECT_EQ(EarlierOf(exchanged).missing().kind, Missing::Kind::kFailed);
  Facts before;
  before.ports = Missing{Missing::Kind::kDenied, "no"};
  Facts after = Host(9);
  KeepEarlier(before, 3000, after);
  EXPECT_EQ(EarlierOf(after).missing().kind, Missing::Kind::kDenied);
}

TEST(Watch, WhatWasHeardIsKeptInNewerFacts) {
  FakeHost host;
  host.lldp["eth0"] = LldpFrames{.listened_ms = 2000};
  const LldpByNetdev heard = ListenOnPorts(host, {}, Host(1));
  Facts later = Host(2);
  KeepLldp(heard, later);
  ASSERT_TRUE(later.ports->front().netdev->lldp);
  EXPECT_EQ(later.ports->front().netdev->lldp->listened_ms, 2000);
  Facts renamed = With(Host(3), [](Port& port) { port.netdev = Counting("eth7", 3); });
  KeepLldp(heard, renamed);
  EXPECT_EQ(renamed.ports->front().netdev->lldp.missing().kind, Missing::Kind::kFailed);
}

}  // namespace
}  // namespace rdmaready
