// SPDX-License-Identifier: Apache-2.0
#include "checks/live/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;

// Two seconds of which each host's CPUs worked for `busy_ms`, after an idle second in which they worked for 100
// ms.
HostCpu Cpu(std::int64_t busy_ms) {
  return {.busy_ns = busy_ms * 1'000'000,
          .measured_ns = 2 * kSecond,
          .idle_busy_ns = 100'000'000,
          .idle_ns = kSecond};
}

StressFlow Moved(std::uint64_t megabytes_per_s, std::int64_t busy_ms = 700) {
  StressFlow flow{
      .from = "a",
      .to = "b",
      .result = {.messages = 1'000,
                 .bytes = 1'000ULL << 20,
                 .throughput_bytes_per_s = megabytes_per_s * 1'000'000,
                 .operations_per_s = megabytes_per_s * 100,
                 .latency = {.p50_ns = 1'000'000'000 / static_cast<std::int64_t>(megabytes_per_s)}}};
  flow.counters = {{.host = "a", .host_cpu = Cpu(busy_ms)}, {.host = "b", .host_cpu = Cpu(busy_ms + 500)}};
  return flow;
}

ComparedCase Judged(CompareCase made) {
  CompareRun run{.from = "a", .to = "b", .cases = {std::move(made)}};
  return JudgeCompare(run).cases.at(0);
}

TEST(Compare, SaysWhoIsAheadOnlyBeyondTheSpread) {
  const auto verdict = [](std::vector<StressFlow> rdma, std::vector<StressFlow> tcp) {
    return Judged({"write-512k", std::move(rdma), std::move(tcp)}).verdict;
  };
  EXPECT_EQ(verdict({Moved(200), Moved(210)}, {Moved(100), Moved(105)}), CompareVerdict::kRdmaAhead);
  EXPECT_EQ(verdict({Moved(100), Moved(105)}, {Moved(200), Moved(210)}), CompareVerdict::kTcpAhead);
  EXPECT_EQ(verdict({Moved(110), Moved(130)}, {Moved(100), Moved(105)}), CompareVerdict::kNoDifference)
      << "1.17 is less than what two transfers over RDMA differ by";
  EXPECT_EQ(verdict({Moved(110), Moved(112)}, {Moved(90), Moved(120)}), CompareVerdict::kNoDifference);
}

TEST(Compare, SaysWhereTcpComesNearerThanTheProfileAllows) {
  CompareRun run{.cases = {{"write-512k", {Moved(100), Moved(100)}, {Moved(79), Moved(79)}},
                           {"write-512k", {Moved(100), Moved(100)}, {Moved(81), Moved(81)}},
                           {"write-512k", {Moved(100), Moved(110)}, {Moved(81), Moved(85)}}}};
  Profile profile;
  EXPECT_THAT(JudgeCompare(run, profile).cases[1].too_near, IsEmpty());
  profile.max_tcp_percent = 80;
  const CompareJudgement judged = JudgeCompare(run, profile);
  EXPECT_THAT(judged.cases[0].too_near, IsEmpty());
  EXPECT_EQ(judged.cases[0].verdict, CompareVerdict::kRdmaAhead);
  EXPECT_EQ(judged.cases[1].too_near, "TCP reaches 81 % of RDMA, wanted at most 80 % (max_tcp_percent)");
  EXPECT_EQ(judged.cases[2].verdict, CompareVerdict::kUnknown) << "79.05 %, and 1.1 between two transfers";
  EXPECT_THAT(judged.cases[2].why_unknown, HasSubstr("differ by more than that"));
  EXPECT_THAT(judged.text, HasSubstr("too little ahead for the profile in 1"));
  run.software = true;
  EXPECT_THAT(JudgeCompare(run, profile).cases[1].too_near, IsEmpty()) << "the CPU does the NIC's work";
  EXPECT_THAT(JudgeCompare(run, profile).text, HasSubstr("not judged of a software device"));
}

TEST(Compare, ComparesByTheMainFigureOfTheCase) {
  const std::vector<StressFlow> rdma{Moved(200), Moved(200)};
  const std::vector<StressFlow> tcp{Moved(100), Moved(100)};
  for (const char* name : {"write-512k", "write-4k", "send-1k"}) {
    const ComparedCase one = Judged({name, rdma, tcp});
    ASSERT_TRUE(one.ratio) << name;
    EXPECT_DOUBLE_EQ(*one.ratio, 2.0) << name;
    EXPECT_EQ(one.verdict, CompareVerdict::kRdmaAhead) << name;
  }
}

TEST(Compare, TakesTheMedianOfAllTransfers) {
  const ComparedCase one = Judged(
      {"write-512k", {Moved(100), Moved(900), Moved(110)}, {Moved(50), Moved(60), Moved(70), Moved(80)}});
  EXPECT_EQ(one.rdma.throughput_bytes_per_s, 110'000'000U);
  EXPECT_EQ(one.tcp.throughput_bytes_per_s, 65'000'000U);
  EXPECT_EQ(one.rdma.transfers, 3U);
  EXPECT_DOUBLE_EQ(*one.rdma.spread, 9.0);
}

TEST(Compare, TakesTheIdleTimeFromTheTimeOfTheCpus) {
  const ComparedCase one =
      Judged({"write-512k", {Moved(200), Moved(200)}, {Moved(100, 1'200), Moved(100, 1'200)}});
  EXPECT_EQ(one.rdma.from_cpu_permille, 250U) << "700 ms of 2 s, less 200 ms";
  EXPECT_EQ(one.rdma.to_cpu_permille, 500U);
  EXPECT_EQ(one.rdma.cpu_ns_per_operation, 1'500'000U);
  EXPECT_EQ(one.rdma.cpu_ns_per_mib, 1'500'000U);
  EXPECT_EQ(one.tcp.from_cpu_permille, 500U);
  // Less busy than before the test.
  EXPECT_EQ(Judged({"write-512k", {Moved(200, 100)}, {Moved(100)}}).rdma.from_cpu_permille, 0U);
}

TEST(Compare, DoesNotKnowTheTimeOfCpusThatOneHostDoesNotSay) {
  StressFlow silent = Moved(200);
  silent.counters[1].host_cpu.reset();
  const ComparedCase one = Judged({"write-512k", {Moved(200), silent}, {Moved(100), Moved(100)}});
  EXPECT_EQ(one.rdma.from_cpu_permille, 250U);
  EXPECT_FALSE(one.rdma.to_cpu_permille);
  EXPECT_FALSE(one.rdma.cpu_ns_per_operation);
  EXPECT_EQ(one.verdict, CompareVerdict::kRdmaAhead);
  silent.counters.clear();
  EXPECT_FALSE(Judged({"write-512k", {silent}, {Moved(100)}}).rdma.from_cpu_permille);
}

TEST(Compare, IsUnknownWhereATransferFailed) {
  StressFlow failed = Moved(200);
  failed.result.failure = {FailureKind::kCompletion, "retry\texceeded"};
  ComparedCase one = Judged({"write-512k", {Moved(200), failed}, {Moved(100), Moved(100)}});
  EXPECT_EQ(one.verdict, CompareVerdict::kUnknown);
  EXPECT_TRUE(one.rdma_failed);
  EXPECT_THAT(one.why_unknown, HasSubstr("over RDMA: retry"));
  EXPECT_DOUBLE_EQ(*one.ratio, 2.0) << "of those that came to their end";
  one = Judged({"write-512k", {Moved(200), Moved(200)}, {failed, failed}});
  EXPECT_FALSE(one.rdma_failed);
  EXPECT_FALSE(one.ratio);
  EXPECT_THAT(one.why_unknown, HasSubstr("over TCP: retry"));
  StressFlow wrong = Moved(200);
  wrong.result.bytes_wrong = 1;
  EXPECT_THAT(Judged({"write-512k", {wrong}, {Moved(100)}}).why_unknown, HasSubstr("bytes arrived wrong"));
}

TEST(Compare, DoesNotTakeATransferThatWasGivenUpForAFault) {
  for (const FailureKind kind : {FailureKind::kCancelled, FailureKind::kUnknown}) {
    StressFlow given_up = Moved(200);
    given_up.result.failure = {kind, "the port came into use"};
    const ComparedCase one = Judged({"write-512k", {Moved(200), given_up}, {Moved(100), Moved(100)}});
    EXPECT_EQ(one.verdict, CompareVerdict::kUnknown);
    EXPECT_THAT(one.why_unknown, HasSubstr("over RDMA: the port came into use"));
    EXPECT_FALSE(one.rdma_failed);
  }
}

TEST(Compare, IsUnknownAfterOneTransferOverEach) {
  const ComparedCase one = Judged({"write-512k", {Moved(200)}, {Moved(100)}});
  EXPECT_EQ(one.verdict, CompareVerdict::kUnknown);
  EXPECT_THAT(one.why_unknown, HasSubstr("one transfer"));
  EXPECT_EQ(Judged({"write-512k", {}, {}}).verdict, CompareVerdict::kUnknown);
}

TEST(Compare, CountsTheCasesInItsFirstLine) {
  CompareRun run{.cases = {{"send-1k", {Moved(200), Moved(200)}, {Moved(100), Moved(100)}},
                           {"write-4k", {Moved(100), Moved(100)}, {Moved(200), Moved(200)}},
                           {"write-8k", {Moved(100), Moved(100)}, {Moved(100), Moved(100)}},
                           {"write-512k", {}, {}}}};
  EXPECT_EQ(JudgeCompare(run).text,
            "RDMA is ahead of TCP in 1 of 4 cases, behind in 1, no difference in 1, unknown in 1");
  EXPECT_EQ(JudgeCompare({.cases = {run.cases[0]}}).text, "RDMA is ahead of TCP in 1 of 1 case");
}

TEST(Compare, TakesNumbersOfAnySize) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  StressFlow large = Moved(100);
  large.result.throughput_bytes_per_s = std::numeric_limits<std::uint64_t>::max();
  large.result.latency = {kMost, kMost, kMost, kMost};
  large.counters[0].host_cpu = HostCpu{kMost, 1, kMost, 1};
  large.counters[1].host_cpu = HostCpu{-kMost, -1, -kMost, 0};
  const ComparedCase one = Judged({"write-512k", {large, large}, {Moved(100), Moved(100)}});
  EXPECT_EQ(one.verdict, CompareVerdict::kRdmaAhead);
  EXPECT_FALSE(one.rdma.to_cpu_permille);
  EXPECT_THAT(one.why_unknown, IsEmpty());
}

}  // namespace
}  // namespace rdmaready
