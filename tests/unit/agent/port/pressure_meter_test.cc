// SPDX-License-Identifier: Apache-2.0
#include "agent/port/pressure_meter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

TEST(Pressure, IsWhatGrewAndTheShareOfIdleTime) {
  const PressureReading before{.pauses = 10, .marks = 5, .drops = 1, .cpu_ticks = 1000, .idle_ticks = 400};
  const PressureReading after{.pauses = 14, .marks = 5, .drops = 3, .cpu_ticks = 1200, .idle_ticks = 450};
  EXPECT_EQ(PressureBetween(before, after),
            (PressureSample{.pauses = 4, .marks = 0, .drops = 2, .idle_permille = 250}));
  EXPECT_EQ(PressureBetween(after, before), PressureSample{}) << "set back";
}

TEST(Pressure, HasNoIdleTimeWhereTheCpusAreNotKnown) {
  FakeHost host;
  const PressureReading unknown = ReadPressure(host, Missing{Missing::Kind::kFailed, "no netdev"}, "mlx5_0", 1);
  EXPECT_EQ(PressureBetween(unknown, unknown).idle_permille, 0U);
}

TEST(Pressure, ReadsTheTimesOfAllCpus) {
  FakeHost host;
  host.files["/proc/stat"] = "cpu  10 1 20 300 40 5 6 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
  const PressureReading reading = ReadPressure(host, Missing{Missing::Kind::kFailed, "no netdev"}, "mlx5_0", 1);
  EXPECT_EQ(reading.cpu_ticks, 389U);
  EXPECT_EQ(reading.idle_ticks, 340U);
  host.files["/proc/stat"] = "cpu  10 x 20\n";
  EXPECT_EQ(ReadPressure(host, Missing{Missing::Kind::kFailed, "no netdev"}, "mlx5_0", 1).idle_ticks, 0U);
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
  EXPECT_EQ(samples, std::vector<PressureSample>(2));
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
