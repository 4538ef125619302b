// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "checks/live/incast.h"
#include "tests/unit/checks/live/incast_run.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

// The switch loses frames and counts nothing: all queue pairs of all senders wait for their timeouts after a
// second.
IncastRun WaitingRun() {
  IncastRun run = LossyIncast();
  for (StressFlow& flow : run.senders) {
    flow.result.throughput_bytes_per_s = 1'000'000;
    flow.result.interval_bytes.assign(50, 0);
    for (std::size_t i = 0; i < 10; ++i) flow.result.interval_bytes[i] = 100'000;
    for (EndCounters& end : flow.counters)
      for (std::size_t i = 4; i < kStressSamples; ++i) end.pressure[i].pauses = 0;
  }
  return run;
}

TEST(IncastSamples, CountsThePressureOfBothEnds) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders) {
    flow.counters[0].pressure = StressSamples(kFreeSample);
    flow.counters[1].pressure = StressSamples({.marks = 3, .idle_permille = 600});
  }
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 1000U) << "the receiver's NIC marked frames";
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless);
  for (StressFlow& flow : run.senders) {
    flow.counters[0].pressure = StressSamples({.pauses = 0, .marks = 0, .drops = 3, .idle_permille = 600});
    flow.counters[1].pressure = StressSamples(kFreeSample);
  }
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 0U) << "a sender's NIC drops what others send";
}

TEST(IncastSamples, NeedsPressureWhereNoNicCountedADrop) {
  IncastRun run = LossyIncast();
  FreeOfPressure(run);
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s = 1'000'000;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << JudgeIncastRun(run).text;
  EXPECT_THAT(JudgeIncastRun(run).text,
              HasSubstr("the machine limits: the network held the senders back in 0.0 %"));
  run.senders[0].counters[1] = IncastEnd("d", {.drops = 1}, 7);
  run.senders[0].counters[1].pressure = StressSamples(kFreeSample);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "its class lost a frame";
}

TEST(IncastSamples, NamesTheWireOfARunWithoutPressure) {
  IncastRun run = RightIncast();
  FreeOfPressure(run);
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s = 10'000'000;
  AddTo(run.senders[0].counters[0], IncastChange("packet_seq_err", 1));
  AddTo(run.senders[0].counters[1], IncastNic(NicCounter::kCrcErrors, std::nullopt, "rx_crc_errors_phy", 1));
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("on the wire to d's NIC dcb0"));
}

TEST(IncastSamples, LeavesOutTheTimeInWhichEachQueuePairWaitsForItsTimeout) {
  IncastRun run = WaitingRun();
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 1000U);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << JudgeIncastRun(run).text;
  for (StressFlow& flow : run.senders) flow.counters[1] = IncastEnd("d", {});
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters)
      for (std::size_t i = 4; i < kStressSamples; ++i) end.pressure[i].pauses = 0;
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 200U) << "no packet was missing";
  run = WaitingRun();
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters)
      for (std::size_t i = 2; i < 4; ++i) end.pressure[i].pauses = 0;
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 100U) << "two intervals are not several";
  run = WaitingRun();
  run.senders[1].result.interval_bytes.assign(50, 100'000);
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 200U) << "a sender went on";
}

TEST(IncastSamples, WeighsDropsWithoutAPriorityByTheirIntervals) {
  IncastRun run = LossyIncast();
  FreeOfPressure(run);
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s = 1'000'000;
  EndCounters& receiver = run.senders[0].counters[1];
  AddTo(receiver, IncastNic(NicCounter::kDropReceived, std::nullopt, "rx_dropped.nic", 4));
  receiver.pressure[0].drops = 4;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << JudgeIncastRun(run).text;
  receiver.pressure[1].drops = receiver.pressure[2].drops = 4;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << JudgeIncastRun(run).text;
  for (StressFlow& flow : run.senders)
    for (PressureSample& sample : flow.counters[1].pressure) sample.drops.reset();
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing) << "nobody sampled them";
}

TEST(IncastSamples, LeavesOutTheTimeBehindATransfer) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders) {
    for (EndCounters& end : flow.counters) {
      std::vector<PressureSample> longer = StressSamples({.pauses = 0, .marks = 0, .idle_permille = 0}, 60);
      std::ranges::copy(end.pressure, longer.begin());
      end.pressure = longer;
    }
  }
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << JudgeIncastRun(run).text;
}

TEST(IncastSamples, WeighsIdleTimeByTheLengthOfSamples) {
  IncastRun run = RightIncast();
  // Two thirds of the time without idle CPUs, in a sample of its own length: a mean of both would be 30 %.
  std::vector<PressureSample>& samples = run.senders[0].counters[1].pressure;
  samples = {{.begin_ms = 0, .length_ms = 500, .pauses = 9, .idle_permille = 600},
             {.begin_ms = 500, .length_ms = 4500, .pauses = 9, .idle_permille = 0}};
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("CPUs of d were idle for 6.0 %"));
  samples[1].idle_permille.reset();
  EXPECT_THAT(JudgeIncastRun(run).text,
              HasSubstr("d did not report for half of the time how busy its CPUs were"));
}

TEST(IncastSamples, CountsNoMoreIntervalsOfPressureThanEvents) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters)
      end.pressure = StressSamples({.pauses = 2, .marks = 0, .idle_permille = 600}, 5, 1000);
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 500U);
  for (StressFlow& flow : run.senders) flow.counters[0].pressure = StressSamples(kPausedSample, 17, 290);
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 986U) << "somewhat longer than an interval: 4930 of 5000 ms";
}

TEST(IncastSamples, CutsNumbersOfAnySizeToTheTransfer) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t kMostEvents = std::numeric_limits<std::uint64_t>::max();
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters)
      end.pressure.assign(1000, {.begin_ms = 0,
                                 .length_ms = kMost,
                                 .pauses = kMostEvents,
                                 .marks = kMostEvents,
                                 .drops = kMostEvents,
                                 .idle_permille = kMost});
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 1000U);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << JudgeIncastRun(run).text;
  run.senders[0].result.elapsed_ns = std::numeric_limits<std::int64_t>::max();
  run.senders[1].result.elapsed_ns = -1;
  EXPECT_EQ(JudgeIncastRun(run).pressure_permille, 1000U);
}

TEST(IncastSamples, NamesNicsThatCountNoPausesOrMarks) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters) end.pressure = StressSamples({.idle_permille = 900});
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("unknown: the NICs of a and b count no pauses or marks"));
}

TEST(IncastSamples, IsUnknownWhereTheMachineLimits) {
  IncastRun busy = RightIncast();
  for (PressureSample& sample : busy.senders[1].counters[0].pressure) sample.idle_permille = 249;
  EXPECT_EQ(JudgeIncastRun(busy).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(busy).text,
              HasSubstr("the machine limits: CPUs of b were idle for 24.9 % of the time, wanted 25.0 %"));
  IncastRun idle = RightIncast();
  for (StressFlow& flow : idle.senders)
    for (EndCounters& end : flow.counters)
      for (std::size_t i = 0; i < 3; ++i) end.pressure[i].pauses = 0;
  EXPECT_EQ(JudgeIncastRun(idle).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(idle).text, HasSubstr("held the senders back in 85.0 %"));
  IncastRun silent = RightIncast();
  silent.senders[0].counters[1].pressure.resize(4);
  EXPECT_EQ(JudgeIncastRun(silent).verdict, IncastVerdict::kUnknown);
  silent.senders[0].counters.pop_back();
  EXPECT_EQ(JudgeIncastRun(silent).verdict, IncastVerdict::kUnknown);
}

}  // namespace
}  // namespace rdmaready
