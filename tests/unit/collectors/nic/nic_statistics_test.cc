// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/nic_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStatisticsNic = "eth0";

FakeHost HostWith(const std::vector<std::string>& names, const std::vector<std::uint64_t>& values) {
  FakeHost host;
  host.ethtool[{kStatisticsNic, ETHTOOL_GSSET_INFO}] =
      wire::StatisticsCount(static_cast<std::uint32_t>(names.size()));
  host.ethtool[{kStatisticsNic, ETHTOOL_GSTRINGS}] = wire::StatisticNames(names);
  host.ethtool[{kStatisticsNic, ETHTOOL_GSTATS}] = wire::StatisticValues(values);
  return host;
}

Fact<std::vector<NicStatistic>> Read(FakeHost& host, const std::string& driver,
                                     const std::string& version = "") {
  return ReadNicStatistics(host, kStatisticsNic, "", DriverInfo{.driver = driver, .version = version});
}

NicMeaning MeaningOf(std::string_view driver, const std::string& name) {
  const NicNames* names = NamesOfDriver(driver);
  if (names == nullptr) return {};
  const auto found = names->find(name);
  return found == names->end() ? NicMeaning{} : found->second;
}

TEST(NicNames, AreOfTheDriverAndItsPriority) {
  EXPECT_EQ(MeaningOf("mlx5_core", "rx_prio3_pause"), (NicMeaning{NicCounter::kPauseReceived, 3}));
  EXPECT_EQ(MeaningOf("mlx5_core", "rx_prio7_cong_discard"), (NicMeaning{NicCounter::kDropReceived, 7}));
  EXPECT_EQ(MeaningOf("mlx5_core", "outbound_pci_stalled_rd"), NicMeaning{});  // a percentage
  EXPECT_EQ(MeaningOf("mlx4_en", "tx_pause_duration_prio_0"), (NicMeaning{NicCounter::kPauseSentUs, 0}));
  EXPECT_EQ(MeaningOf("mlx4_core", "rx_crc_errors"), (NicMeaning{NicCounter::kCrcErrors, {}}));
  EXPECT_EQ(MeaningOf("bnxt_en", "pfc_pri5_rx_duration_us"), (NicMeaning{NicCounter::kPauseReceivedUs, 5}));
  EXPECT_EQ(MeaningOf("bnxt_en", "rx_discard_packets_cos5"), (NicMeaning{NicCounter::kDropReceived, {}}));
  // RoCE's queue lost its PFC: the NIC gave it up. An idle ring that pauses is only a sign of it.
  EXPECT_EQ(MeaningOf("bnxt_en", "continuous_roce_pause_events"),
            (NicMeaning{NicCounter::kPauseStormError, {}}));
  EXPECT_EQ(MeaningOf("bnxt_en", "continuous_pause_events"), (NicMeaning{NicCounter::kPauseStormWarning, {}}));
  EXPECT_EQ(MeaningOf("bnxt_en", "rx_pfc_frames"), (NicMeaning{NicCounter::kPauseReceived, {}}));
  EXPECT_EQ(MeaningOf("bnxt_en", "rx_total_discard_pkts"), MeaningOf("bnxt_en", "rx_total_ring_discards"));
  EXPECT_EQ(MeaningOf("mlx5_core", "rx_global_pause_duration"), (NicMeaning{NicCounter::kPauseReceivedUs, {}}));
  EXPECT_EQ(MeaningOf("ice", "rx_dropped"), (NicMeaning{NicCounter::kNoReceiveBuffer, {}}));
  EXPECT_EQ(MeaningOf("ice", "rx_dropped.nic"), (NicMeaning{NicCounter::kDropReceived, {}}));
  EXPECT_EQ(MeaningOf("ice", "tx_priority_4_xoff.nic"), (NicMeaning{NicCounter::kPauseSent, 4}));
  EXPECT_EQ(MeaningOf("ice", "rx_priority_4_xon.nic"), NicMeaning{});
  EXPECT_EQ(MeaningOf("i40e", "port.rx_priority_2_xoff_rx"), (NicMeaning{NicCounter::kPauseReceived, 2}));
  EXPECT_EQ(MeaningOf("qede", "rx_pfc_frames"), (NicMeaning{NicCounter::kPauseReceived, {}}));
  EXPECT_EQ(MeaningOf("cxgb4", "tx_ppp6_frames"), (NicMeaning{NicCounter::kPauseSent, 6}));
  EXPECT_EQ(MeaningOf("ice", "rx_prio3_pause"), NicMeaning{});  // another driver's
  EXPECT_EQ(MeaningOf("mlx5_core", "rx_prio8_pause"), NicMeaning{});
  EXPECT_EQ(NamesOfDriver(""), nullptr);
}

TEST(NicNames, HaveTheDropsInTransmitOfTheDriversThatCountThem) {
  for (const auto& [driver, name] : {std::pair{"mlx5_core", "tx_discards_phy"},
                                     {"mlx4_en", "tx_dropped"},
                                     {"bnxt_en", "tx_stat_discard"},
                                     {"cxgb4", "tx_frames_dropped"}})
    EXPECT_EQ(MeaningOf(driver, name), (NicMeaning{NicCounter::kDropSent, {}})) << driver;
  // Frames of a link that is down, of a switch inside the NIC, and of the Ethernet queues alone.
  for (const auto& [driver, name] : {std::pair{"ice", "tx_dropped_link_down.nic"},
                                     {"i40e", "port.tx_dropped_link_down"},
                                     {"i40e", "veb.tx_discards"},
                                     {"qede", "tx_err_drop_pkts"}})
    EXPECT_EQ(MeaningOf(driver, name), NicMeaning{}) << driver;
}

TEST(NicNames, AreShortEnoughEachOnceAndMeanSomething) {
  EXPECT_EQ(NicNameTables().size(), 7U);
  for (const NicNameTable& table : NicNameTables()) {
    std::set<std::string_view> patterns;
    EXPECT_FALSE(table.rows.empty()) << table.drivers[0];
    for (const NicNameRow& row : table.rows) {
      EXPECT_TRUE(patterns.insert(row.pattern).second) << row.pattern;
      EXPECT_LT(row.pattern.size(), 32U) << row.pattern;
      EXPECT_NE(row.counter, NicCounter::kUnknown) << row.pattern;
    }
  }
}

TEST(NicStatistics, AreThoseThatAreKnownInTheDriversOrder) {
  FakeHost host =
      HostWith({"rx_packets", "rx_prio3_pause", "tx_pause_storm_error_events", "ch0_poll"}, {1, 2, 3, 4});
  const auto statistics = Read(host, "mlx5_core");
  ASSERT_TRUE(statistics) << statistics.missing().detail;
  EXPECT_THAT(*statistics,
              ElementsAre(NicStatistic{NicCounter::kPauseReceived, 3, "rx_prio3_pause", 2},
                          NicStatistic{NicCounter::kPauseStormError, {}, "tx_pause_storm_error_events", 3}));
}

TEST(NicStatistics, NamesAreTakenWithoutTheBlanksThatFillThem) {
  FakeHost host = HostWith({"rx_ppp3_frames         ", "rx_bg0_frames_dropped  "}, {5, 6});
  EXPECT_THAT(*Read(host, "cxgb4"),
              ElementsAre(NicStatistic{NicCounter::kPauseReceived, 3, "rx_ppp3_frames", 5},
                          NicStatistic{NicCounter::kDropReceived, {}, "rx_bg0_frames_dropped", 6}));
}

TEST(NicStatistics, OfTheVirtualNicAreThoseOfTheDriverItActs) {
  for (const auto& [version, name] : {std::pair{"personality plain", "rx_prio3_pause"},
                                      {"personality mlx5-dscp", "rx_prio3_pause"},
                                      {"personality bnxt", "rx_pfc_ena_frames_pri3"},
                                      {"personality ice", "rx_priority_3_xoff.nic"}}) {
    FakeHost host = HostWith({name}, {9});
    EXPECT_THAT(*Read(host, "dcbnic", version),
                ElementsAre(NicStatistic{NicCounter::kPauseReceived, 3, name, 9}))
        << version;
  }
  FakeHost host;
  EXPECT_FALSE(Read(host, "dcbnic", "personality mlx4000"));
  EXPECT_FALSE(Read(host, "dcbnic", "1.0"));
  EXPECT_THAT(host.asked, IsEmpty());
}

TEST(NicStatistics, OfAnUnknownDriverAreNotAskedFor) {
  FakeHost host;
  EXPECT_EQ(Read(host, "virtio_net").missing(),
            (Missing{Missing::Kind::kUnsupported, "statistics of virtio_net are not known"}));
  const Missing silent{Missing::Kind::kDenied, ""};
  EXPECT_EQ(ReadNicStatistics(host, kStatisticsNic, "veth", silent).missing().detail,
            "statistics of veth are not known");
  EXPECT_EQ(ReadNicStatistics(host, kStatisticsNic, "", silent).missing().detail,
            "statistics of a driver without a name are not known");
  EXPECT_THAT(host.asked, IsEmpty());
  // Who does not tell its name is known by sysfs.
  host = HostWith({"rx_crc_errors.nic"}, {1});
  EXPECT_TRUE(ReadNicStatistics(host, kStatisticsNic, "ice", silent));
}

TEST(NicStatistics, NoneAtAllIsAnAnswerAndADriverWithoutThemIsUnsupported) {
  FakeHost host = HostWith({}, {});
  EXPECT_THAT(*Read(host, "ice"), IsEmpty());
  host.ethtool.clear();
  const Missing none{Missing::Kind::kUnsupported, "driver has no statistics (get_ethtool_stats)"};
  EXPECT_EQ(Read(host, "ice").missing(), none);
  auto emptied = wire::StatisticsCount(1);
  emptied[8] = std::byte{0};  // the kernel takes what the driver has not out of the mask
  host.ethtool[{kStatisticsNic, ETHTOOL_GSSET_INFO}] = emptied;
  EXPECT_EQ(Read(host, "ice").missing(), none);
}

TEST(NicStatistics, WhoseNumberChangesAllTheTimeAreAFailureAfterAFewAttempts) {
  FakeHost host = HostWith({"rx_crc_errors.nic"}, {1});
  auto names = wire::StatisticNames({"rx_crc_errors.nic"});
  names[8] = std::byte{0};  // the kernel's answer to another number than the driver's
  host.ethtool[{kStatisticsNic, ETHTOOL_GSTRINGS}] = names;
  EXPECT_THAT(Read(host, "ice").missing().detail, HasSubstr("changed meanwhile"));
  EXPECT_EQ(host.asked.size(), 6U);
}

TEST(NicStatistics, AHugeNumberIsNotBelieved) {
  FakeHost host = HostWith({"rx_crc_errors.nic"}, {1});
  host.ethtool[{kStatisticsNic, ETHTOOL_GSSET_INFO}] = wire::StatisticsCount(0xffffffff);
  EXPECT_EQ(Read(host, "ice").missing(),
            (Missing{Missing::Kind::kFailed, "decode statistics: 4294967295 of them"}));
  EXPECT_EQ(host.asked.size(), 1U);
}

TEST(NicStatistics, AnswersOfAnotherLengthSetOrCommandAreErrors) {
  EXPECT_FALSE(DecodeStatisticNames(wire::StatisticNames({"a"}), 2).ok());
  EXPECT_FALSE(DecodeStatisticValues(wire::StatisticValues({1}), 2).ok());
  EXPECT_FALSE(DecodeStatisticValues(wire::StatisticNames({}), 0).ok());
  auto names = wire::StatisticNames({"a"});
  names[4] = std::byte{9};
  EXPECT_THAT(Message(DecodeStatisticNames(names, 1).status()), HasSubstr("another set"));
  auto count = wire::StatisticsCount(1);
  count[8] = std::byte{4};
  EXPECT_THAT(Message(DecodeStatisticsCount(count).status()), HasSubstr("another set"));
}

TEST(NicStatistics, ANameNeedNotEndInNul) {
  const std::string whole(32, 'x');
  EXPECT_THAT(*DecodeStatisticNames(wire::StatisticNames({whole, "b"}), 2), ElementsAre(whole, "b"));
}

}  // namespace
}  // namespace rdmaready
