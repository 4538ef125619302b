// SPDX-License-Identifier: Apache-2.0
#include "agent/port/pressure_meter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rdmaready/v1/facts.pb.h"  // before <linux/ethtool.h>, whose macros have names of the wire
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

void CountNic(FakeHost& host, const std::vector<std::string>& names, const std::vector<std::uint64_t>& values) {
  host.ethtool[{"eth0", ETHTOOL_GSSET_INFO}] = wire::StatisticsCount(static_cast<std::uint32_t>(names.size()));
  host.ethtool[{"eth0", ETHTOOL_GSTRINGS}] = wire::StatisticNames(names);
  host.ethtool[{"eth0", ETHTOOL_GSTATS}] = wire::StatisticValues(values);
}

void CountRdma(FakeHost& host, const std::vector<std::string>& names) {
  const std::string folder = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters";
  host.directories[folder] = names;
  for (const std::string& name : names) host.files[folder + "/" + name] = "100\n";
}

Fact<std::vector<EthernetNic>> OneNic() {
  return std::vector<EthernetNic>{{"eth0", "mlx5_core", DriverInfo{.driver = "mlx5_core"}}};
}

TEST(Pressure, IsWhatGrewAndTheShareOfIdleTime) {
  const PressureReading before{.pauses = 10, .marks = 5, .drops = 1, .cpu_ticks = 1000, .idle_ticks = 400};
  const PressureReading after{.pauses = 14, .marks = 5, .drops = 3, .cpu_ticks = 1200, .idle_ticks = 450};
  EXPECT_EQ(PressureBetween(before, after),
            (PressureSample{.pauses = 4, .marks = 0, .drops = 2, .idle_permille = 250}));
}

TEST(Pressure, IsNotKnownWhereACounterWasSetBack) {
  const PressureReading before{.pauses = 14, .marks = 5, .drops = 3, .cpu_ticks = 1200, .idle_ticks = 450};
  const PressureReading after{.pauses = 10, .marks = 5, .drops = 1, .cpu_ticks = 1000, .idle_ticks = 400};
  EXPECT_EQ(PressureBetween(before, after), PressureSample{.marks = 0});
}

TEST(Pressure, DiffersOnlyWhereBothReadingsHaveTheNumber) {
  const PressureReading all{.pauses = 9'000'000, .marks = 7, .drops = 3, .cpu_ticks = 10, .idle_ticks = 5};
  EXPECT_EQ(PressureBetween({}, all), PressureSample{});
  EXPECT_EQ(PressureBetween(all, {}), PressureSample{});
  EXPECT_EQ(PressureBetween({.marks = 4}, all), PressureSample{.marks = 3});
}

TEST(Pressure, HasNoIdleTimeWhereTheTimeOfWaitingWentBack) {
  const PressureReading before{.cpu_ticks = 1000, .idle_ticks = 400};
  const PressureReading after{.cpu_ticks = 1100, .idle_ticks = 399};
  EXPECT_EQ(PressureBetween(before, after).idle_permille, 0U);
}

TEST(Pressure, ReadsTheTimesOfAllCpus) {
  FakeHost host;
  host.files["/proc/stat"] = "cpu  10 1 20 300 40 5 6 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
  const PressureReading reading = ReadPressure(host, Missing{Missing::Kind::kFailed, "no netdev"}, "mlx5_0", 1);
  EXPECT_EQ(reading.cpu_ticks, 389U);
  EXPECT_EQ(reading.idle_ticks, 340U);
  host.files["/proc/stat"] = "cpu  10 x 20 300 40 5 6 7\n";
  const PressureReading broken = ReadPressure(host, Missing{Missing::Kind::kFailed, "no netdev"}, "mlx5_0", 1);
  EXPECT_EQ(broken.cpu_ticks, std::nullopt);
  EXPECT_EQ(broken.idle_ticks, std::nullopt);
}

TEST(Pressure, CountsPausesAndDropsOfTheTestsPriorityAndDropsWithoutOne) {
  FakeHost host;
  CountNic(host,
           {"rx_prio3_pause", "tx_prio3_pause", "rx_prio4_pause", "rx_prio3_discards", "rx_prio4_discards",
            "rx_discards_phy", "rx_prio3_marked", "rx_prio4_marked"},
           {1, 2, 30, 4, 50, 600, 7, 80});
  const PressureReading of_three = ReadPressure(host, OneNic(), "mlx5_0", 1, 3);
  EXPECT_EQ(of_three.pauses, 3U);
  EXPECT_EQ(of_three.drops, 604U);
  EXPECT_EQ(of_three.marks, 87U);
  const PressureReading of_all = ReadPressure(host, OneNic(), "mlx5_0", 1);
  EXPECT_EQ(of_all.pauses, 33U);
  EXPECT_EQ(of_all.drops, 654U);
}

TEST(Pressure, IsAbsentWhereNothingCountsIt) {
  FakeHost host;
  CountNic(host, {"rx_prio4_pause"}, {30});
  const PressureReading reading = ReadPressure(host, OneNic(), "mlx5_0", 1, 3);
  EXPECT_EQ(reading.pauses, std::nullopt);
  EXPECT_EQ(reading.marks, std::nullopt);
  EXPECT_EQ(reading.drops, std::nullopt);
  EXPECT_EQ(reading.cpu_ticks, std::nullopt);
}

TEST(Pressure, CountsMarksOfTheRdmaPortAndReadsNothingElseOfIt) {
  FakeHost host;
  CountRdma(host, {"np_cnp_sent", "rp_cnp_handled", "np_ecn_marked_roce_packets", "packet_seq_err"});
  host.ethtool[{"eth0", ETHTOOL_GSSET_INFO}] = ErrnoStatus(EBUSY, "ask ethtool");
  const PressureReading reading = ReadPressure(host, OneNic(), "mlx5_0", 1, 3);
  EXPECT_EQ(reading.marks, std::nullopt) << "the NIC's own marks were not read";
  CountNic(host, {"rx_prio3_marked"}, {7});
  const PressureReading both = ReadPressure(host, OneNic(), "mlx5_0", 1, 3);
  EXPECT_EQ(both.marks, 307U);
  EXPECT_EQ(both.drops, std::nullopt) << "the NIC did not drop a packet that was sent again";
  for (const std::string& asked : host.asked) EXPECT_EQ(asked.find("ports/1/counters"), std::string::npos);
}

TEST(Pressure, CountsTheFramesThatANicDroppedBothWays) {
  FakeHost host;
  const std::vector<std::string> names{"rx_prio3_discards", "tx_discards_phy", "rx_out_of_buffer",
                                       "link_down_events_phy"};
  host.ethtool[{"eth0", ETHTOOL_GSSET_INFO}] = wire::StatisticsCount(static_cast<std::uint32_t>(names.size()));
  host.ethtool[{"eth0", ETHTOOL_GSTRINGS}] = wire::StatisticNames(names);
  host.ethtool[{"eth0", ETHTOOL_GSTATS}] = wire::StatisticValues({3, 40, 500, 6000});
  const std::vector<EthernetNic> nics{{"eth0", "mlx5_core", DriverInfo{.driver = "mlx5_core"}}};
  EXPECT_EQ(ReadPressure(host, nics, "mlx5_0", 1).drops, 43U);
}

constexpr std::chrono::milliseconds kInterval{kPressureIntervalMs};

// A meter by a clock that the test moves. Each reading counts two pauses more, and may take time.
class PressureMeterTest : public testing::Test {
 protected:
  std::optional<PressureReading> Read() {
    const std::uint64_t number = ++readings_;
    clock_.Advance(takes_);
    while (blocked_) std::this_thread::yield();
    if (number == fails_) return std::nullopt;
    return PressureReading{.pauses = 2 * number};
  }
  std::shared_ptr<PressureMeter> Meter() {
    return std::make_shared<PressureMeter>([this] { return Read(); }, clock_);
  }
  // Lets so many intervals pass, each of which ends with a reading.
  void Pass(std::uint64_t intervals, std::chrono::milliseconds apart = kInterval) {
    for (std::uint64_t i = 0; i < intervals; ++i) {
      EXPECT_EQ(clock_.AwaitSleeper(), apart);
      const std::uint64_t before = readings_;
      clock_.Advance(apart);
      ASSERT_TRUE(Eventually([&] { return readings_ > before; }));
    }
    clock_.AwaitSleeper();
  }

  FakeClock clock_;
  std::atomic<std::uint64_t> readings_ = 0;
  std::atomic<bool> blocked_ = false;
  std::uint64_t fails_ = 0;  // the number of the reading that fails
  std::chrono::milliseconds takes_{0};
};

TEST_F(PressureMeterTest, SamplesNothingBeforeItBegins) {
  const std::shared_ptr<PressureMeter> meter = Meter();
  EXPECT_TRUE(PressureWatch(meter).Take().empty());
  EXPECT_EQ(readings_, 0U);
}

TEST_F(PressureMeterTest, SamplesNothingWithoutAMeter) {
  PressureWatch watch(nullptr);
  watch.Begin();
  EXPECT_TRUE(watch.Take().empty());
}

TEST_F(PressureMeterTest, SaysWhenEachIntervalBeganAndHowLongItWas) {
  PressureWatch watch(Meter());
  watch.Begin();
  watch.Begin();
  Pass(3);
  EXPECT_EQ(watch.Take(), (std::vector<PressureSample>{{.begin_ms = 0, .length_ms = 250, .pauses = 2},
                                                       {.begin_ms = 250, .length_ms = 250, .pauses = 2},
                                                       {.begin_ms = 500, .length_ms = 250, .pauses = 2}}));
}

TEST_F(PressureMeterTest, KeepsItsPeriodWhereAReadingTakesAPartOfIt) {
  takes_ = std::chrono::milliseconds(40);
  PressureWatch watch(Meter());
  watch.Begin();
  Pass(2, kInterval - takes_);
  EXPECT_EQ(watch.Take(), (std::vector<PressureSample>{{.begin_ms = 0, .length_ms = 250, .pauses = 2},
                                                       {.begin_ms = 250, .length_ms = 250, .pauses = 2}}));
}

TEST_F(PressureMeterTest, HasALongerIntervalWhereAReadingOutlastsIt) {
  takes_ = std::chrono::milliseconds(300);
  PressureWatch watch(Meter());
  watch.Begin();
  ASSERT_TRUE(Eventually([&] { return watch.Take().size() >= 2; }));
  const std::vector<PressureSample> samples = watch.Take();
  EXPECT_EQ(samples[0].length_ms, 300U);
  EXPECT_EQ(samples[1].begin_ms, 300U);
}

TEST_F(PressureMeterTest, HasOneIntervalInsteadOfTwoWhereTheHostDidNotAnswer) {
  fails_ = 2;
  PressureWatch watch(Meter());
  watch.Begin();
  Pass(3);
  EXPECT_EQ(watch.Take(), (std::vector<PressureSample>{{.begin_ms = 0, .length_ms = 500, .pauses = 4},
                                                       {.begin_ms = 500, .length_ms = 250, .pauses = 2}}));
}

TEST_F(PressureMeterTest, BeginsWithTheFirstReadingThatTheHostAnswers) {
  fails_ = 1;
  PressureWatch watch(Meter());
  watch.Begin();
  Pass(2);
  EXPECT_EQ(watch.Take(), (std::vector<PressureSample>{{.begin_ms = 250, .length_ms = 250, .pauses = 2}}));
}

TEST_F(PressureMeterTest, ReadsOnceForAllTransfersOfARun) {
  const std::shared_ptr<PressureMeter> meter = Meter();
  PressureWatch first(meter);
  PressureWatch second(meter);
  first.Begin();
  clock_.AwaitSleeper();
  clock_.Advance(std::chrono::milliseconds(100));
  second.Begin();
  Pass(1, std::chrono::milliseconds(150));
  Pass(1);
  EXPECT_EQ(readings_, 3U);
  EXPECT_EQ(first.Take().size(), 2U);
  EXPECT_EQ(second.Take(), (std::vector<PressureSample>{{.begin_ms = 150, .length_ms = 250, .pauses = 2}}))
      << "the interval that had begun before it is not its own";
}

TEST_F(PressureMeterTest, GivesItsSamplesWhileAReadingDoesNotReturn) {
  PressureWatch watch(Meter());
  watch.Begin();
  Pass(1);
  blocked_ = true;
  clock_.AwaitSleeper();
  clock_.Advance(kInterval);
  EXPECT_TRUE(Eventually([&] { return readings_ == 3; }));
  EXPECT_EQ(watch.Take().size(), 1U);
  blocked_ = false;
}

}  // namespace
}  // namespace rdmaready
