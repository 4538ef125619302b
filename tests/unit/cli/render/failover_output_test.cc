// SPDX-License-Identifier: Apache-2.0
#include "cli/render/failover_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/picture/failover_picture.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;

JudgedFailover LostRail(std::int64_t worst_ms) {
  const NumberedIo io{.issued = 1'000,
                      .answered = 1'000,
                      .reissued = 8,
                      .worst_answer_ns = 300'000'000,
                      .complete = true,
                      .log = {.arrived = 1'000,
                              .looked = 1'000,
                              .worst_stall_ns = worst_ms * 1'000'000,
                              .stalls = {{.begin_ns = 2'100'000'000, .length_ns = worst_ms * 1'000'000}}}};
  JudgedFailover failover;
  failover.run = {.run_id = "r",
                  .from = "node1",
                  .to = "<script>",
                  .case_name = "write-8k",
                  .duration_ms = 10'000,
                  .without = {{"node2", "rxe2/1", "no port of node1 in its subnet"}},
                  .cut = CutProgram{.command = {"./cut", "2"}, .begin_ms = 2'000, .end_ms = 2'200}};
  failover.run.paths = {
      {.subject = "rxe0/1 -> rxe0/1",
       .uses = {{.end_ms = 10'000, .result = {.messages = 700, .numbered = io}}}},
      {.subject = "rxe1/1 -> rxe1/1",
       .uses = {{.end_ms = 2'800,
                 .result = {.messages = 300, .failure = {FailureKind::kStalled, "nothing for 500 ms"}}}},
       .attempts = 1,
       .last_failure = "no route"}};
  failover.judged = JudgeFailover(failover.run, 1'000);
  return failover;
}

TEST(FailoverOutput, BeginsWithTheVerdictAndNamesTheLostPath) {
  const std::string text = FailoverText(LostRail(600), Style());
  EXPECT_EQ(text.find("fails over: no write was missing or not answered for longer than 600.0 ms"), 0U) << text;
  EXPECT_THAT(text, HasSubstr("rxe1/1 -> rxe1/1 was lost: nothing for 500 ms"));
  EXPECT_THAT(text, HasSubstr("rxe1/1 -> rxe1/1 did not come back: no route"));
  EXPECT_THAT(text, HasSubstr("stall     600.0 ms long, at 2.1 s"));
  EXPECT_THAT(text, HasSubstr("program   ./cut, from 2.0 s to 2.2 s"));
  EXPECT_THAT(text, HasSubstr("rxe2/1 of node2 is on no path: no port of node1 in its subnet"));
}

TEST(FailoverOutput, EndsWithAStatusForEachVerdict) {
  EXPECT_EQ(StatusOf(LostRail(600)), ExitStatus::kOk);
  EXPECT_EQ(StatusOf(LostRail(1'600)), ExitStatus::kNotReady);
  JudgedFailover late = LostRail(600);
  late.judged.verdict = FailoverVerdict::kLosesWrites;
  EXPECT_EQ(StatusOf(late), ExitStatus::kNotReady);
  late.judged.verdict = FailoverVerdict::kUnknown;
  EXPECT_EQ(StatusOf(late), ExitStatus::kOwnFailure);
}

TEST(FailoverOutput, HasTheLogAndEachUseInJson) {
  const auto json = nlohmann::json::parse(FailoverJson(LostRail(1'600)));
  EXPECT_EQ(json["verdict"], "too-long");
  EXPECT_EQ(json["outage_ns"], 1'600'000'000);
  EXPECT_EQ(json["writes"]["log"]["stalls"][0]["length_ns"], 1'600'000'000);
  EXPECT_EQ(json["paths"][1]["first_lost_ms"], 2'800);
  EXPECT_TRUE(json["paths"][1]["used_again_ms"].is_null());
  EXPECT_EQ(json["uses"][0]["uses"][0]["writes"], 700);
  EXPECT_EQ(json["cut"]["command"][1], "2");
}

TEST(FailoverPictures, DrawEachUseAndEachStall) {
  const JudgedFailover failover = LostRail(600);
  const std::string svg = FailoverPicture(failover.run, failover.judged);
  EXPECT_THAT(svg, HasSubstr("rxe1/1 -&gt; rxe1/1"));
  EXPECT_THAT(svg, HasSubstr("600.0 ms"));
  EXPECT_THAT(svg, HasSubstr("10.0 s"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

// A line that runs out of the picture may say the opposite: "of 1000 n | lost".
TEST(FailoverPictures, WrapTheVerdictWithinThePicture) {
  const JudgedFailover failover = LostRail(600);
  const std::string svg = FailoverPicture(failover.run, failover.judged);
  std::string words;
  const std::string before = "class=\"title\" text-anchor=\"start\">";
  for (std::size_t at = svg.find(before); at != std::string::npos; at = svg.find(before, at)) {
    at += before.size();
    const std::string line = svg.substr(at, svg.find('<', at) - at);
    EXPECT_LE(line.size(), 90U) << line;
    words += (words.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(words, failover.judged.text);
}

}  // namespace
}  // namespace rdmaready
