// SPDX-License-Identifier: Apache-2.0
#include "agent/port/priority_packets.h"

#include "rdmaready/v1/facts.pb.h"  // before <linux/ethtool.h>, whose macros have names of the wire

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void Count(FakeHost& host, const std::string& netdev, const std::vector<std::string>& names,
           const std::vector<std::uint64_t>& values) {
  host.ethtool[{netdev, ETHTOOL_GSSET_INFO}] = wire::StatisticsCount(static_cast<std::uint32_t>(names.size()));
  host.ethtool[{netdev, ETHTOOL_GSTRINGS}] = wire::StatisticNames(names);
  host.ethtool[{netdev, ETHTOOL_GSTATS}] = wire::StatisticValues(values);
}

Fact<std::vector<EthernetNic>> Nics(const std::vector<std::string>& netdevs) {
  std::vector<EthernetNic> nics;
  for (const std::string& netdev : netdevs)
    nics.push_back({netdev, "mlx5_core", DriverInfo{.driver = "mlx5_core"}});
  return nics;
}

TEST(PriorityPackets, AreThoseOfAllEthernetPorts) {
  FakeHost host;
  const std::vector<std::string> names{"rx_prio3_packets", "tx_prio3_packets", "rx_prio0_packets",
                                       "rx_prio3_bytes"};
  Count(host, "eth0", names, {1, 2, 3, 1000});
  Count(host, "eth1", names, {10, 20, 30, 1000});
  const Fact<PriorityPackets> packets = PacketsIn(ReadNics(host, Nics({"eth0", "eth1"})));
  ASSERT_TRUE(packets);
  EXPECT_THAT(packets->received, ElementsAre(33, 0, 0, 11, 0, 0, 0, 0));
  EXPECT_THAT(packets->sent, ElementsAre(0, 0, 0, 22, 0, 0, 0, 0));
}

TEST(PriorityPackets, ANicThatCountsNoneIsNotOneThatCountsZero) {
  FakeHost host;
  Count(host, "eth0", {"rx_prio3_pause"}, {1});
  const Fact<PriorityPackets> packets = PacketsIn(ReadNics(host, Nics({"eth0"})));
  ASSERT_FALSE(packets);
  EXPECT_EQ(packets.missing(), (Missing{Missing::Kind::kUnsupported, "eth0 counts no packets by priority"}));
  EXPECT_FALSE(ReadNics(host, Missing{Missing::Kind::kFailed, "no netdev"}));
  host.ethtool[{"eth0", ETHTOOL_GSTATS}] = ErrnoStatus(EPERM, "ask ethtool");
  EXPECT_EQ(PacketsIn(ReadNics(host, Nics({"eth0"}))).missing().kind, Missing::Kind::kDenied);
}

TEST(PriorityPackets, BetweenTwoReadingsAreTheDifference) {
  const PriorityPackets before{.sent = {1, 2}, .received = {3, 4}};
  const PriorityPackets after{.sent = {11, 2}, .received = {3, 44}};
  const PriorityPackets grown{.sent = {10}, .received = {0, 40}};
  EXPECT_EQ(PacketsBetween(before, after), Fact<PriorityPackets>(grown));
  EXPECT_EQ(PacketsBetween(after, before).missing().kind, Missing::Kind::kFailed) << "set back";
  const Missing denied{Missing::Kind::kDenied, "no"};
  EXPECT_EQ(PacketsBetween(denied, after).missing(), denied);
  EXPECT_EQ(PacketsBetween(before, denied).missing(), denied);
}

TEST(MemberBytes, CountsEachOfSeveralEthernetPorts) {
  FakeHost host;
  const std::vector<std::string> names{"rx_prio3_bytes", "tx_prio3_bytes", "tx_prio0_bytes"};
  const auto read = [&host](const std::vector<std::string>& netdevs) { return ReadNics(host, Nics(netdevs)); };
  Count(host, "eth0", names, {1, 2, 3});
  Count(host, "eth1", names, {10, 20, 30});
  const auto before = read({"eth0", "eth1"});
  Count(host, "eth0", names, {101, 202, 303});
  EXPECT_THAT(BytesByMember(before, read({"eth0", "eth1"})),
              ElementsAre(MemberBytes{"eth0", 500, 100}, MemberBytes{"eth1", 0, 0}));
  EXPECT_THAT(BytesByMember(before, read({"eth0"})), IsEmpty()) << "one port has no shares";
  EXPECT_THAT(BytesByMember(read({"eth0", "eth1"}), before), IsEmpty()) << "set back";
  Count(host, "eth1", {"rx_prio3_packets", "tx_prio3_packets"}, {1, 1});
  EXPECT_THAT(BytesByMember(before, read({"eth0", "eth1"})), IsEmpty()) << "eth1 counts no bytes";
  EXPECT_THAT(BytesByMember(Missing{Missing::Kind::kDenied, "no"}, before), IsEmpty());
}

TEST(NicLosses, CountEachEthernetPortByPriority) {
  FakeHost host;
  const std::vector<std::string> names{"rx_prio3_discards", "rx_prio3_packets", "rx_prio3_pause"};
  Count(host, "eth0", names, {1, 1, 1});
  Count(host, "eth1", names, {2, 2, 2});
  const Fact<std::vector<NicReading>> before = ReadNics(host, Nics({"eth0", "eth1"}));
  Count(host, "eth0", names, {5, 9, 1});
  const NicChanges changes = LossesBetween(before, ReadNics(host, Nics({"eth0", "eth1"})));
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 4U) << "packets are not among them";
  EXPECT_EQ((*changes)[0], (NicChange{.netdev = "eth0",
                                      .counter = NicCounter::kDropReceived,
                                      .priority = 3,
                                      .change = {"rx_prio3_discards", CounterChange::Kind::kGrew, 4}}));
  EXPECT_EQ((*changes)[1].change.kind, CounterChange::Kind::kUnchanged);
  EXPECT_EQ((*changes)[2].netdev, "eth1");
}

TEST(NicLosses, CountDropsInTransmitBesideTheLinksThatWentDown) {
  FakeHost host;
  const std::vector<std::string> names{"tx_discards_phy", "link_down_events_phy", "rx_out_of_buffer"};
  Count(host, "eth0", names, {1, 1, 1});
  const Fact<std::vector<NicReading>> before = ReadNics(host, Nics({"eth0"}));
  Count(host, "eth0", names, {8, 2, 3});
  const NicChanges changes = LossesBetween(before, ReadNics(host, Nics({"eth0"})));
  ASSERT_TRUE(changes);
  EXPECT_THAT(*changes,
              ElementsAre(NicChange{.netdev = "eth0",
                                    .counter = NicCounter::kDropSent,
                                    .change = {"tx_discards_phy", CounterChange::Kind::kGrew, 7}},
                          NicChange{.netdev = "eth0",
                                    .counter = NicCounter::kLinkDown,
                                    .change = {"link_down_events_phy", CounterChange::Kind::kGrew, 1}}));
}

TEST(NicLosses, LeaveOutANicThatCameDuringTheTestAndSayWhyNoneIsKnown) {
  const std::vector<NicStatistic> one{
      {.counter = NicCounter::kDropReceived, .priority = 3, .name = "rx_prio3_discards", .value = 7}};
  const Fact<std::vector<NicReading>> before = std::vector<NicReading>{{"eth0", one}};
  const Fact<std::vector<NicReading>> after = std::vector<NicReading>{{"eth0", one}, {"eth1", one}};
  ASSERT_TRUE(LossesBetween(before, after));
  EXPECT_EQ(LossesBetween(before, after)->size(), 1U);
  const Missing denied{Missing::Kind::kDenied, "no"};
  EXPECT_EQ(LossesBetween(denied, after).missing(), denied);
  EXPECT_EQ(LossesBetween(before, denied).missing(), denied);
}

TEST(NicLosses, KeepWhatGrewAlone) {
  NicChanges changes = std::vector<NicChange>{
      {.netdev = "eth0", .change = {"rx_prio3_discards", CounterChange::Kind::kUnchanged, 0}},
      {.netdev = "eth0", .change = {"rx_prio3_pause", CounterChange::Kind::kGrew, 3}}};
  DropUnchanged(changes);
  ASSERT_EQ(changes->size(), 1U);
  EXPECT_EQ((*changes)[0].change.name, "rx_prio3_pause");
  NicChanges missing = Missing{Missing::Kind::kDenied, "no"};
  DropUnchanged(missing);
  EXPECT_FALSE(missing);
}

PacketReading At(int milliseconds, std::uint64_t sent) {
  return {.packets = PriorityPackets{.sent = {sent}},
          .when = Clock::TimePoint(std::chrono::milliseconds(milliseconds))};
}

TEST(PriorityPackets, KeepTheIdleIntervalBesideTheTest) {
  TransferResult result;
  NotePackets(At(100, 5), At(600, 7), At(1'700, 100), result);
  EXPECT_EQ(result.priority_packets, Fact<PriorityPackets>(PriorityPackets{.sent = {93}}));
  EXPECT_EQ(result.counted_ns, 1'100'000'000);
  EXPECT_EQ(result.idle_packets, Fact<PriorityPackets>(PriorityPackets{.sent = {2}}));
  EXPECT_EQ(result.idle_ns, 500'000'000);
}

TEST(PriorityPackets, LackTheIdleIntervalWhereNoneWasMeasured) {
  TransferResult result;
  result.idle_ns = 1;  // of whoever made the result
  NotePackets(At(100, 5), At(100, 5), At(1'700, 100), result);
  EXPECT_TRUE(result.priority_packets);
  EXPECT_EQ(result.idle_packets, Fact<PriorityPackets>{});
  EXPECT_FALSE(result.idle_ns);
}

TEST(PriorityPackets, WaitAsLongAsTheTestLastsAndUpToASecond) {
  const Fact<PriorityPackets> read = PriorityPackets{};
  const auto idle_of = [&](std::string_view name, const TransferOptions& options = {}) {
    return IdleBefore(*FindCase(name), options, read).count();
  };
  EXPECT_EQ(idle_of("write-512k"), 500);
  EXPECT_EQ(idle_of("read-8k"), 500);
  TransferCase longer = *FindCase("write-8k");
  longer.duration = std::chrono::seconds(30);
  EXPECT_EQ(IdleBefore(longer, {}, read).count(), 1'000);
  EXPECT_EQ(idle_of("send-1k"), 0) << "its payload goes both ways";
  EXPECT_EQ(idle_of("smbd-8k"), 0);
  EXPECT_EQ(idle_of("write-8k", {.bidirectional = true}), 0);
  EXPECT_EQ(IdleBefore(longer, {}, Missing{}).count(), 0) << "the NIC counts no priorities";
}

TEST(PriorityPackets, AreCountedWhereDcbIs) {
  Port port{.device = "mlx5_bond_0", .number = 1};
  port.netdev = Netdev{.name = "bond0"};
  port.lowers =
      std::vector<Netdev>{{.name = "eth0", .driver = "mlx5_core"}, {.name = "eth1", .driver = "mlx5_core"}};
  const Fact<std::vector<EthernetNic>> nics = EthernetNicsOf(port);
  ASSERT_TRUE(nics);
  ASSERT_EQ(nics->size(), 2U);
  EXPECT_EQ((*nics)[1].netdev, "eth1");
  port.netdev = Missing{Missing::Kind::kFailed, "gone"};
  port.lowers = Missing{Missing::Kind::kFailed, "gone"};
  EXPECT_FALSE(EthernetNicsOf(port));
}

}  // namespace
}  // namespace rdmaready
