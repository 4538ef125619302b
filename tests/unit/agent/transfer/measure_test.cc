// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "agent/transfer/histogram.h"
#include "agent/transfer/interval_meter.h"

namespace rdmaready {
namespace {

TEST(Histogram, IsZeroWhenEmpty) { EXPECT_EQ(Histogram{}.Summary(), LatencySummary{}); }

TEST(Histogram, IsExactBelow128) {
  Histogram histogram;
  for (int i = 0; i < 128; ++i) histogram.Record(i);
  EXPECT_EQ(histogram.Quantile(0.5), 63);
  EXPECT_EQ(histogram.Quantile(1.0), 127);
  EXPECT_EQ(histogram.Quantile(0.0), 0);
}

TEST(Histogram, KeepsItsErrorBoundForEveryQuantile) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> latencies(10, 2);
  std::vector<std::int64_t> values(20'000);
  Histogram histogram;
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(latencies(random));
    histogram.Record(value);
  }
  std::ranges::sort(values);
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))) - 1;
    const auto exact = static_cast<double>(values[rank]);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(q)), exact, exact / 128 + 0.5) << q;
  }
  EXPECT_EQ(histogram.Summary().max_ns, values.back());
}

TEST(Histogram, HoldsItsBoundAtEveryPowerOfTwo) {
  for (unsigned bit = 0; bit < 42; ++bit) {
    for (const std::int64_t value :
         {std::int64_t{1} << bit, (std::int64_t{1} << bit) - 1, (std::int64_t{1} << bit) + 1}) {
      Histogram histogram;
      histogram.Record(value);
      histogram.Record((std::int64_t{1} << 42) - 1);
      EXPECT_NEAR(static_cast<double>(histogram.Quantile(0.5)), static_cast<double>(value),
                  static_cast<double>(value) / 128);
    }
  }
}

TEST(Histogram, TakesNegativeAndHugeValuesAsItsLimits) {
  Histogram histogram;
  histogram.Record(-5);
  histogram.Record(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.Quantile(0.5), 0);
  EXPECT_EQ(histogram.Summary().max_ns, (std::int64_t{1} << 42) - 1);
}

constexpr std::int64_t kMs = 1'000'000;

TEST(IntervalMeter, FindsTheWorstWholeInterval) {
  IntervalMeter meter(0);
  meter.Add(10 * kMs, 1000);
  meter.Add(150 * kMs, 200);
  meter.Add(250 * kMs, 700);
  EXPECT_EQ(WorstBytesPerSecond(meter.Take(310 * kMs)), 2000u);
}

TEST(IntervalMeter, LeavesOutTheLastPartOfAnInterval) {
  IntervalMeter meter(0);
  meter.Add(50 * kMs, 1000);
  meter.Add(150 * kMs, 1);
  EXPECT_EQ(WorstBytesPerSecond(meter.Take(199 * kMs)), 10'000u);
}

TEST(IntervalMeter, CountsAGapAsZero) {
  IntervalMeter meter(0);
  meter.Add(50 * kMs, 1000);
  meter.Add(350 * kMs, 1000);
  EXPECT_EQ(WorstBytesPerSecond(meter.Take(400 * kMs)), 0u);
}

TEST(IntervalMeter, IsZeroWhenShorterThanOneInterval) {
  IntervalMeter meter(0);
  meter.Add(50 * kMs, 1000);
  EXPECT_EQ(WorstBytesPerSecond(meter.Take(99 * kMs)), 0u);
}

TEST(IntervalMeter, FindsTheWorst100MsOfShorterIntervals) {
  IntervalMeter meter(0, 20);
  meter.Add(10 * kMs, 1000);
  meter.Add(90 * kMs, 1000);
  meter.Add(150 * kMs, 200);
  meter.Add(210 * kMs, 1);
  const std::vector<std::uint64_t> bytes = meter.Take(290 * kMs);
  EXPECT_EQ(bytes.size(), 14U);
  EXPECT_EQ(bytes[0], 1000U);
  EXPECT_EQ(bytes[1], 0U);
  EXPECT_EQ(bytes[4], 1000U);
  EXPECT_EQ(WorstBytesPerSecond(bytes, 20), 2000U) << "the third 100 ms are not whole";
}

}  // namespace
}  // namespace rdmaready
