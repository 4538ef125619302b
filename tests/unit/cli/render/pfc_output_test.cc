// SPDX-License-Identifier: Apache-2.0
#include "cli/render/pfc_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/picture/pfc_picture.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

JudgedPfc Obeys() {
  JudgedPfc pfc{
      .run = {.run_id = "r",
              .pauser = "a",
              .judged = "b",
              .priority = 3,
              .link = "by profile direct, the link is direct",
              .burst_ns = 100'000'000,
              .gap_ns = 200'000'000,
              .bursts = {{60, 99'500'000, true}, {61, 99'000'000, true}}},
      .judged = {.verdict = PfcVerdict::kObeys, .text = "obeys PFC: stopped in 2 of 2 pauses", .stops = 2}};
  pfc.run.paused.sender_has_pfc = true;
  pfc.run.paused.result.interval_bytes = {100, 0};
  pfc.run.paused.result.interval_ms = 20;
  return pfc;
}

TEST(PfcJson, HasTheVerdictTheBurstsAndTheIntervals) {
  const nlohmann::json json = nlohmann::json::parse(PfcJson(Obeys()));
  EXPECT_EQ(json["verdict"], "obeys");
  EXPECT_EQ(json["judged"], "b");
  EXPECT_EQ(json["gap_ns"], 200'000'000);
  EXPECT_EQ(json["bursts"][1]["frames"], 61);
  EXPECT_EQ(json["bursts"][0]["paused_ns"], 99'500'000);
  EXPECT_EQ(json["paused"]["sender_has_pfc"], true);
  EXPECT_EQ(json["paused"]["interval_ms"], 20);
  EXPECT_EQ(json["paused"]["interval_bytes"][0], 100);
  EXPECT_TRUE(json["beside"]["interval_ms"].is_null());
  EXPECT_TRUE(json["pauses_counted"].is_null());
}

TEST(PfcText, ShowsTheVerdictFirstAndThenThePauses) {
  const std::string text = PfcResultText(Obeys(), Style{});
  EXPECT_THAT(text, StartsWith("obeys PFC: stopped in 2 of 2 pauses\n\na pauses priority 3 of b\n"));
  EXPECT_THAT(text, HasSubstr("by profile direct, the link is direct"));
  EXPECT_THAT(text, HasSubstr("PFC     of priority 3 at b: on"));
  EXPECT_THAT(text, HasSubstr("2 of 100 ms each, 198 ms in all"));
}

TEST(PfcText, ShowsTheCulpritAndItsRepair) {
  JudgedPfc pfc = Obeys();
  pfc.judged = {.verdict = PfcVerdict::kGoesOn,
                .text = "does not obey PFC",
                .culprit = "PFC of priority 3 is off at b",
                .fix = Fix("rdmaready plan b").Do("enable PFC of that priority")};
  const std::string text = PfcResultText(pfc, Style{});
  EXPECT_THAT(text, StartsWith("does not obey PFC\n  PFC of priority 3 is off at b\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready plan b"));
}

TEST(PfcText, ShowsWhatToDoAboutAVerdictThatIsUnknown) {
  JudgedPfc pfc = Obeys();
  pfc.judged = {.text = "unknown: no pause reached b", .fix = Fix().Do("swap the two hosts")};
  EXPECT_THAT(PfcResultText(pfc, Style{}), HasSubstr("swap the two hosts"));
}

TEST(PfcText, ShowsBurstsThatTheirSenderDidNotEnd) {
  JudgedPfc pfc = Obeys();
  EXPECT_THAT(PfcResultText(pfc, Style{}), Not(HasSubstr("zero quanta")));
  pfc.run.bursts[1].ended = false;
  EXPECT_THAT(PfcResultText(pfc, Style{}),
              HasSubstr("; 1 not ended by a frame of zero quanta: the partner went on by itself\n"));
}

TEST(PfcText, CutsTimesThatAnAgentMadeUp) {
  JudgedPfc pfc = Obeys();
  for (PauseBurst& burst : pfc.run.bursts) burst.paused_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(PfcResultText(pfc, Style{}), HasSubstr("2 of 100 ms each, 200 ms in all"));
}

TEST(PfcText, KeepsHostsFromWritingToTheTerminal) {
  JudgedPfc pfc = Obeys();
  pfc.run.judged = "b\x1b[2J";
  pfc.run.link = "x\ny";
  pfc.run.paused.result.failure = {FailureKind::kLost, "z\x1b[2J"};
  EXPECT_THAT(PfcResultText(pfc, Style{}), Not(HasSubstr("\x1b")));
}

TEST(PfcPicture, HasBothTransfersAndTheTimeOfThePauses) {
  JudgedPfc pfc = Obeys();
  pfc.run.paused.result.interval_bytes.assign(200, 1'000);
  pfc.run.beside.result.interval_bytes.assign(200, 1'000);
  pfc.run.paused.result.interval_ms = pfc.run.beside.result.interval_ms = 20;
  pfc.run.pauses_from_ns = 1'000'000'000;
  pfc.run.pauses_until_ns = 3'000'000'000;
  const std::string svg = PfcPicture(pfc.run, pfc.judged);
  for (const char* part :
       {"obeys PFC: stopped in 2 of 2 pauses", "class=\"s0\"", "class=\"s1\"", "priority 3, paused: b -&gt; a",
        ">2 pauses of 100 ms, 200 ms between two of them<", "4.0 s", "50.0 kB/s"})
    EXPECT_THAT(svg, HasSubstr(part));
  // A quarter of 800 pixels after the left edge of the plot, and half of them wide.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"280\" y=\"60\" width=\"400\" height=\"260\" class=\"paused\""));
}

TEST(PfcPicture, HasNoTimeOfPausesThatNobodySent) {
  JudgedPfc pfc = Obeys();
  pfc.run.bursts.clear();
  EXPECT_THAT(PfcPicture(pfc.run, pfc.judged), Not(HasSubstr("class=\"paused\"")));
}

TEST(PfcPicture, DrawsNumbersOfAnySizeWithinThePlot) {
  JudgedPfc pfc = Obeys();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (StressFlow* const flow : {&pfc.run.paused, &pfc.run.beside}) {
    flow->result.interval_bytes.assign(1'000, std::numeric_limits<std::uint64_t>::max());
    flow->result.interval_ms = std::numeric_limits<std::uint32_t>::max();
  }
  pfc.run.pauses_from_ns = std::numeric_limits<std::int64_t>::min();
  pfc.run.pauses_until_ns = kMost;
  pfc.run.judged = "<script>";
  const std::string svg = PfcPicture(pfc.run, pfc.judged);
  for (const char* part : {"x=\"-", "points=\"-", "width=\"-", "<script"})
    EXPECT_THAT(svg, Not(HasSubstr(part)));
}

TEST(PfcStatus, IsOkOnlyWhereTheNicObeys) {
  JudgedPfc pfc = Obeys();
  EXPECT_EQ(StatusOf(pfc), ExitStatus::kOk);
  for (const PfcVerdict verdict : {PfcVerdict::kGoesOn, PfcVerdict::kStopsAll}) {
    pfc.judged.verdict = verdict;
    EXPECT_EQ(StatusOf(pfc), ExitStatus::kNotReady);
  }
  pfc.judged.verdict = PfcVerdict::kUnknown;
  EXPECT_EQ(StatusOf(pfc), ExitStatus::kOwnFailure);
}

}  // namespace
}  // namespace rdmaready
