// SPDX-License-Identifier: Apache-2.0
#include "agent/port/host_cpu.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <utility>
#include <vector>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

CpuReading At(int second, std::uint64_t all, std::uint64_t idle, std::uint64_t stolen = 0) {
  return {.ticks = CpuTicks{.all = all, .idle = idle, .stolen = stolen},
          .when = Clock::TimePoint() + seconds(second)};
}

TEST(HostCpu, ReadsTheSumOfAllCpus) {
  FakeHost host;
  EXPECT_FALSE(ReadCpuTicks(host));
  host.files["/proc/stat"] = "cpu  10 1 20 300 40 5 6 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
  const std::optional<CpuTicks> ticks = ReadCpuTicks(host);
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->all, 389U);
  EXPECT_EQ(ticks->idle, 340U);
  EXPECT_EQ(ticks->stolen, 7U);
}

TEST(HostCpu, LeavesOutIdleAndStolenTime) {
  const std::optional<HostCpu> cpu =
      CpuBetween(At(0, 1'000, 900), At(2, 1'400, 1'290), At(5, 2'000, 1'500), At(8, 2'600, 1'700, 150));
  ASSERT_TRUE(cpu);
  EXPECT_EQ(*cpu, (HostCpu{.busy_ns = 2'500'000'000,
                           .measured_ns = 3'000'000'000,
                           .idle_busy_ns = 100'000'000,
                           .idle_ns = 2'000'000'000}));
}

TEST(HostCpu, IsNotKnownWhereAReadingIsMissingOrWentBack) {
  const CpuReading early = At(0, 1'000, 900);
  const CpuReading late = At(2, 1'400, 1'290);
  EXPECT_TRUE(CpuBetween(early, late, early, late));
  EXPECT_FALSE(CpuBetween({}, late, early, late));
  EXPECT_FALSE(CpuBetween(early, late, early, {}));
  EXPECT_FALSE(CpuBetween(early, late, late, early));
  // The time of waiting for disks went back.
  EXPECT_EQ(CpuBetween(early, At(2, 1'000, 910), early, late)->idle_busy_ns, 0);
}

TEST(HostCpu, BeginsWithTheFirstOfTheLanes) {
  std::vector<CpuReading> readings{At(0, 0, 0), At(1, 100, 90), At(2, 200, 180), At(4, 400, 200)};
  std::size_t next = 0;
  CpuWatch watch([&] {
    std::promise<absl::StatusOr<CpuReading>> made;
    made.set_value(readings[next++]);
    return made.get_future();
  });
  EXPECT_TRUE(watch.wanted());
  watch.Idle();
  watch.EndOfIdle();
  watch.Begin();
  watch.Begin();
  const std::optional<HostCpu> cpu = watch.End();
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->measured_ns, 2'000'000'000);
  EXPECT_EQ(cpu->busy_ns, 1'800'000'000);
  EXPECT_EQ(cpu->idle_busy_ns, 100'000'000);
}

TEST(HostCpu, IsNotMeasuredWhereNobodyAsksOrTheTestNeverBegan) {
  CpuWatch unasked({});
  EXPECT_FALSE(unasked.wanted());
  unasked.Idle();
  unasked.EndOfIdle();
  unasked.Begin();
  EXPECT_FALSE(unasked.End());
  CpuWatch never([] {
    std::promise<absl::StatusOr<CpuReading>> refused;
    refused.set_value(absl::UnavailableError("the worker was stopped"));
    return refused.get_future();
  });
  never.Idle();
  EXPECT_FALSE(never.End());
  never.Begin();
  EXPECT_FALSE(never.End());
}

}  // namespace
}  // namespace rdmaready
