// SPDX-License-Identifier: Apache-2.0
#include "agent/port/pressure_meter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rdmaready/v1/facts.pb.h"  // before <linux/ethtool.h>, whose macros have names of the wire
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

TEST(PressureMeter, SamplesNothingBeforeItBeginsAndWithoutAReader) {
  std::atomic<int> readings = 0;
  PressureMeter meter([&readings] { return PressureReading{.pauses = static_cast<std::uint64_t>(++readings)}; },
                      RealClock());
  EXPECT_TRUE(meter.Take().empty());
  EXPECT_EQ(readings, 0);
  PressureMeter none({}, RealClock());
  none.Begin();
  EXPECT_TRUE(none.Take().empty());
}

TEST(PressureMeter, HasAnEmptySampleWhereTheHostDidNotAnswer) {
  FakeClock clock;
  std::atomic<int> readings = 0;
  PressureMeter meter(
      [&readings]() -> std::optional<PressureReading> {
        if (++readings == 2) return std::nullopt;
        return PressureReading{.pauses = 5, .cpu_ticks = static_cast<std::uint64_t>(10 * readings)};
      },
      clock);
  meter.Begin();
  while (readings < 1) std::this_thread::yield();
  for (int expected = 2; expected <= 3; ++expected) {
    clock.AwaitSleeper();
    clock.Advance(std::chrono::milliseconds(kPressureIntervalMs));
    while (readings < expected) std::this_thread::yield();
  }
  const std::vector<PressureSample> samples = meter.Take();
  EXPECT_EQ(samples, std::vector<PressureSample>(2));  // the second began with the reading that failed
}

TEST(PressureMeter, SamplesWholeIntervalsOnceItHasBegun) {
  FakeClock clock;
  std::atomic<std::uint64_t> readings = 0;
  PressureMeter meter([&readings] { return PressureReading{.pauses = 2 * ++readings}; }, clock);
  meter.Begin();
  meter.Begin();
  while (readings < 1) std::this_thread::yield();
  for (std::uint64_t expected = 2; expected <= 4; ++expected) {
    clock.AwaitSleeper();
    clock.Advance(std::chrono::milliseconds(kPressureIntervalMs));
    while (readings < expected) std::this_thread::yield();
  }
  clock.AwaitSleeper();
  const std::vector<PressureSample> samples = meter.Take();
  ASSERT_EQ(samples.size(), 3U);
  for (const PressureSample& sample : samples) EXPECT_EQ(sample.pauses, 2U);
}

}  // namespace
}  // namespace rdmaready
