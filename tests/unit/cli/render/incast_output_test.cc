// SPDX-License-Identifier: Apache-2.0
#include "cli/render/incast_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/render/picture/incast_picture.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

StressFlow Flow(const std::string& from) {
  StressFlow flow{.from = from, .to = "d"};
  flow.result.case_name = "write-8k";
  flow.result.throughput_bytes_per_s = 1'000'000;
  flow.result.latency.p99_ns = 2'000'000;
  flow.result.interval_bytes = {100'000, 90'000};
  flow.counters = {{.host = from, .pressure = {{.begin_ms = 0, .length_ms = 250, .pauses = 2}}},
                   {.host = "d", .pressure = {{.begin_ms = 0, .length_ms = 250, .drops = 3}}}};
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
  EXPECT_EQ(json["senders"][1]["ends"][1]["pressure"][0]["length_ms"], 250);
  EXPECT_TRUE(json["senders"][1]["ends"][1]["pressure"][0]["pauses"].is_null()) << "nothing counts them";
  EXPECT_FALSE(json["profile_wants_lossless"]);
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
  incast.judged.wants_lossless = true;
  EXPECT_EQ(StatusOf(incast), ExitStatus::kNotReady) << "the profile asks for more";
  incast.judged.verdict = IncastVerdict::kLossless;
  EXPECT_EQ(StatusOf(incast), ExitStatus::kOk);
  incast.judged.verdict = IncastVerdict::kUnknown;
  EXPECT_EQ(StatusOf(incast), ExitStatus::kOwnFailure);
}

TEST(IncastText, BeginsWithTheVerdictAndItsCulprit) {
  JudgedIncast incast = TwoSenders();
  incast.judged.culprit = "first lost in d's NIC dcb0";
  const std::string text = IncastText(incast, Style());
  EXPECT_THAT(text, StartsWith("collapsing: frames were lost\n  first lost in d's NIC dcb0\n"));
  for (const char* part : {"incast to d\n", "sender", "a -> d", "b -> d", "victim", "e -> d"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(IncastText, HasNoLatencyWhereNothingWasCompleted) {
  JudgedIncast incast = TwoSenders();
  EXPECT_THAT(IncastText(incast, Style()), HasSubstr("2.0 ms"));
  for (StressFlow* flow : {&incast.run.senders[0], &incast.run.senders[1], &*incast.run.victim})
    flow->result.latency.p99_ns = 0;
  EXPECT_THAT(IncastText(incast, Style()), testing::Not(HasSubstr("0 ns")));
  EXPECT_THAT(IncastPicture(incast.run, incast.judged), testing::Not(HasSubstr("p99")));
  EXPECT_TRUE(nlohmann::json::parse(IncastJson(incast))["senders"][0]["latency_p99_ns"].is_null());
}

TEST(IncastText, HasEachVerdict) {
  for (const auto& [verdict, words] : {std::pair(IncastVerdict::kUnknown, "unknown: why"),
                                       std::pair(IncastVerdict::kLossless, "lossless works"),
                                       std::pair(IncastVerdict::kControlled, "lossy but controlled"),
                                       std::pair(IncastVerdict::kCollapsing, "collapsing")}) {
    JudgedIncast incast = TwoSenders();
    incast.judged.verdict = verdict;
    incast.judged.text = words;
    incast.judged.wants_lossless = true;
    EXPECT_THAT(IncastText(incast, Style()), StartsWith(words));
    EXPECT_EQ(IncastText(incast, Style()).find("the profile wants a lossless class") != std::string::npos,
              verdict == IncastVerdict::kControlled);
    EXPECT_THAT(IncastPicture(incast.run, incast.judged), HasSubstr(words));
  }
}

// The text of each line of the title.
std::vector<std::string> TitleOf(const std::string& svg) {
  std::vector<std::string> lines;
  constexpr std::string_view kBegin = "class=\"title\"";
  for (std::size_t at = svg.find(kBegin); at != std::string::npos; at = svg.find(kBegin, at + 1)) {
    const std::size_t begin = svg.find('>', at) + 1;
    lines.push_back(svg.substr(begin, svg.find('<', begin) - begin));
  }
  return lines;
}

TEST(IncastPicture, WrapsATitleThatIsTooLong) {
  JudgedIncast incast = TwoSenders();
  EXPECT_EQ(TitleOf(IncastPicture(incast.run, incast.judged)).size(), 1);
  incast.judged.text = "collapsing: " + std::string(60, 'a') + " and " + std::string(60, 'b') + ".";
  EXPECT_THAT(TitleOf(IncastPicture(incast.run, incast.judged)),
              testing::ElementsAre("collapsing: " + std::string(60, 'a') + " and", std::string(60, 'b') + "."));
  incast.judged.text = std::string(10'000, 'c');
  for (const std::string& line : TitleOf(IncastPicture(incast.run, incast.judged))) EXPECT_LE(line.size(), 84);
}

TEST(IncastPicture, AddsTheCountersOfAHostOnce) {
  JudgedIncast incast = TwoSenders();
  for (StressFlow& flow : incast.run.senders) flow.result.interval_bytes.assign(10, 1);
  const std::string svg = IncastPicture(incast.run, incast.judged);
  EXPECT_THAT(svg, HasSubstr(">4 pauses<")) << "two of each sender";
  EXPECT_THAT(svg, HasSubstr(">3 drops<")) << "d is the receiver of two flows";
}

TEST(IncastPicture, HasEachSampleAtItsTime) {
  JudgedIncast incast = TwoSenders();
  for (StressFlow& flow : incast.run.senders) {
    flow.result.interval_bytes.assign(10, 1);
    flow.counters[0].pressure = {{.begin_ms = 500, .length_ms = 500, .pauses = 8}};
  }
  const std::string svg = IncastPicture(incast.run, incast.judged);
  EXPECT_THAT(svg, HasSubstr(">8 pauses<")) << "half of 16 in each interval";
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
    end.pressure.assign(100'000, {.begin_ms = 0,
                                  .length_ms = std::numeric_limits<std::uint32_t>::max(),
                                  .pauses = kMost,
                                  .marks = kMost,
                                  .drops = kMost});
  const std::string svg = IncastPicture(incast.run, incast.judged);
  EXPECT_THAT(svg, HasSubstr("10000.0 s"));
  EXPECT_EQ(svg.find("points=\"-"), std::string::npos);
  EXPECT_EQ(svg.find("x=\"-"), std::string::npos);
}

}  // namespace
}  // namespace rdmaready
