// SPDX-License-Identifier: Apache-2.0
#include "cli/render/compare_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/picture/compare_picture.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

StressFlow CompareFlow(std::uint64_t bytes_per_s) {
  StressFlow flow{.from = "a",
                  .to = "b",
                  .result = {.case_name = "write-512k",
                             .messages = 10,
                             .bytes = 10ULL << 20,
                             .throughput_bytes_per_s = bytes_per_s,
                             .operations_per_s = bytes_per_s / 1'000,
                             .latency = {.p50_ns = 2'000, .p99_ns = 3'000, .p999_ns = 4'000, .max_ns = 5'000}}};
  const HostCpu cpu{
      .busy_ns = 500'000'000, .measured_ns = 1'000'000'000, .idle_busy_ns = 0, .idle_ns = 1'000'000'000};
  flow.counters = {{.host = "a", .host_cpu = cpu}, {.host = "b", .host_cpu = cpu}};
  return flow;
}

JudgedCompare Compared(std::uint64_t rdma, std::uint64_t tcp) {
  JudgedCompare compare{.run = {.run_id = "r",
                                .from = "a",
                                .to = "<b>",
                                .subject = "rxe0/1 -> rxe0/1",
                                .cases = {{.case_name = "write-512k",
                                           .rdma = {CompareFlow(rdma), CompareFlow(rdma)},
                                           .tcp = {CompareFlow(tcp), CompareFlow(tcp)}}}}};
  compare.judged = JudgeCompare(compare.run);
  return compare;
}

TEST(CompareJson, HasFiguresOfBothTransportsAndEachTransfer) {
  const nlohmann::json json = nlohmann::json::parse(CompareJson(Compared(2'000'000, 1'000'000)));
  const nlohmann::json& one = json["cases"][0];
  EXPECT_EQ(one["case"], "write-512k");
  EXPECT_EQ(one["verdict"], "rdma-ahead");
  EXPECT_EQ(one["ratio_permille"], 2000);
  EXPECT_EQ(one["rdma"]["throughput_bytes_per_s"], 2'000'000);
  EXPECT_EQ(one["rdma"]["spread_permille"], 1000);
  EXPECT_EQ(one["tcp"]["latency_ns"]["p999"], 4'000);
  EXPECT_EQ(one["tcp"]["from_cpu_permille"], 500);
  EXPECT_EQ(one["tcp"]["cpu_ns_per_operation"], 100'000'000);
  EXPECT_EQ(json["transfers"][0]["tcp"].size(), 2);
  EXPECT_EQ(json["to"], "<b>");
}

TEST(CompareText, HasARowOfEachTransport) {
  const std::string text = CompareText(Compared(2'000'000, 1'000'000), Style());
  EXPECT_THAT(text,
              StartsWith("RDMA is ahead of TCP in 1 of 1 case\n  write-512k: RDMA is ahead, ratio 2.00\n"));
  for (const char* part : {"a -> <b>, rxe0/1 -> rxe0/1", "2.00 MB/s", "1.00 MB/s", "50.0 % + 50.0 %"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(CompareText, SaysWhyACaseIsUnknown) {
  JudgedCompare compare = Compared(2'000'000, 1'000'000);
  compare.run.cases[0].tcp.clear();
  compare.judged = JudgeCompare(compare.run);
  const std::string text = CompareText(compare, Style());
  EXPECT_THAT(text, HasSubstr("write-512k: unknown: nothing was measured"));
}

TEST(CompareStatus, IsNotReadyOnlyWhereRdmaFailed) {
  JudgedCompare compare = Compared(1'000'000, 2'000'000);
  EXPECT_EQ(StatusOf(compare), ExitStatus::kOk) << "TCP may be ahead";
  compare.run.cases[0].tcp[0].result.failure = {FailureKind::kStalled, "no progress"};
  compare.judged = JudgeCompare(compare.run);
  EXPECT_EQ(StatusOf(compare), ExitStatus::kOwnFailure);
  compare.run.cases[0].rdma[0].result.failure = {FailureKind::kStalled, "no progress"};
  compare.judged = JudgeCompare(compare.run);
  EXPECT_EQ(StatusOf(compare), ExitStatus::kNotReady);
  EXPECT_EQ(StatusOf(JudgedCompare()), ExitStatus::kOwnFailure);
}

TEST(ComparePicture, HasBarsInProportion) {
  const JudgedCompare compare = Compared(2'000'000, 1'000'000);
  const std::string svg = ComparePicture(compare.run, compare.judged);
  for (const char* part :
       {"width=\"200\" height=\"16\" class=\"rdma\"", "width=\"100\" height=\"16\" class=\"tcp\"",
        "a -&gt; &lt;b&gt;", "ratio 2.00", "100.0 ms"})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(ComparePicture, IsDrawnOfNothingToo) {
  EXPECT_THAT(ComparePicture({}, JudgeCompare({})), HasSubstr("</svg>"));
  JudgedCompare compare = Compared(2'000'000, 1'000'000);
  for (StressFlow& flow : compare.run.cases[0].rdma) flow.counters.clear();
  compare.run.cases[0].tcp.clear();
  EXPECT_THAT(ComparePicture(compare.run, JudgeCompare(compare.run)), HasSubstr("not known"));
}

}  // namespace
}  // namespace rdmaready
