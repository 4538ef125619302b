// SPDX-License-Identifier: Apache-2.0
#include "cli/render/incast_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/picture/incast_picture.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

IncastFlow Flow(const std::string& from) {
  IncastFlow flow{.from = from, .to = "d"};
  flow.result.case_name = "write-8k";
  flow.result.throughput_bytes_per_s = 1'000'000;
  flow.result.latency.p99_ns = 2'000'000;
  flow.result.interval_bytes = {100'000, 90'000};
  flow.counters = {{.host = from, .pressure = {{.pauses = 2}}}, {.host = "d", .pressure = {{.drops = 3}}}};
  return flow;
}

JudgedIncast TwoSenders() {
  return {.run = {.run_id = "r", .senders = {Flow("a"), Flow("b")}, .victim = Flow("e")},
          .judged = {.verdict = IncastVerdict::kCollapsing, .text = "collapsing: frames were lost"}};
}

TEST(IncastJson, HasTheVerdictAndBothEndsOfEachFlow) {
  const nlohmann::json json = nlohmann::json::parse(IncastJson(TwoSenders()));
  EXPECT_EQ(json["verdict"], "collapsing");
  EXPECT_TRUE(json["victim_growth_percent"].is_null());
  EXPECT_EQ(json["senders"][1]["ends"][0]["pressure"][0]["pauses"], 2);
  EXPECT_EQ(json["senders"][1]["ends"][1]["pressure"][0]["drops"], 3);
  EXPECT_EQ(json["victim"]["from"], "e");
  EXPECT_TRUE(json["victim_alone"].is_null());
  EXPECT_TRUE(json["second_victim"].is_null());
}

TEST(IncastJson, CutsRatiosThatNoNumberHolds) {
  JudgedIncast incast = TwoSenders();
  incast.judged.victim_growth = 1e300;
  const nlohmann::json json = nlohmann::json::parse(IncastJson(incast));
  EXPECT_EQ(json["victim_growth_percent"], 1'000'000'000);
}

TEST(IncastStatus, IsOkOnlyWhereTheClassHolds) {
  JudgedIncast incast = TwoSenders();
  EXPECT_EQ(StatusOf(incast), ExitStatus::kNotReady);
  incast.judged.verdict = IncastVerdict::kControlled;
  EXPECT_EQ(StatusOf(incast), ExitStatus::kOk);
  incast.judged.verdict = IncastVerdict::kUnknown;
  EXPECT_EQ(StatusOf(incast), ExitStatus::kOwnFailure);
}

TEST(IncastPicture, HasACurveOfEachSenderAndOfTheVictim) {
  const JudgedIncast incast = TwoSenders();
  const std::string svg = IncastPicture(incast.run, incast.judged);
  for (const char* part : {"class=\"s0\"", "class=\"s1\"", "class=\"victim\"", "a -&gt; d", "class=\"pauses\""})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(IncastPicture, DrawsNumbersOfAnySizeWithinThePlot) {
  JudgedIncast incast = TwoSenders();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  incast.run.senders[0].result.interval_bytes.assign(100'000, kMost);
  for (EndCounters& end : incast.run.senders[0].counters)
    end.pressure.assign(100'000, {.pauses = kMost, .marks = kMost, .drops = kMost});
  const std::string svg = IncastPicture(incast.run, incast.judged);
  EXPECT_THAT(svg, HasSubstr("10000.0 s"));
  EXPECT_EQ(svg.find("points=\"-"), std::string::npos);
  EXPECT_EQ(svg.find("x=\"-"), std::string::npos);
}

}  // namespace
}  // namespace rdmaready
