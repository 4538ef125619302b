// SPDX-License-Identifier: Apache-2.0
#include "cli/render/paths_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace rdmaready {
namespace {

using testing::HasSubstr;

StressFlow CarriedAt(std::uint64_t megabytes_per_s) {
  return {.from = "node1",
          .to = "node2",
          .result = {.messages = 1'000, .throughput_bytes_per_s = megabytes_per_s * 1'000'000}};
}

JudgedPaths TwoPaths(std::uint64_t together) {
  JudgedPaths paths{
      .run = {.run_id = "r",
              .from = "node1",
              .to = "node2",
              .case_name = "write-512k",
              .paths = {{"rxe0/1 -> rxe0/1", CarriedAt(100), CarriedAt(together), CarriedAt(104)},
                        {"rxe1/1 -> rxe1/1", CarriedAt(100), CarriedAt(together), CarriedAt(100)}},
              .without = {{"node2", "rxe2/1", "no port of node1 in its subnet"}}}};
  paths.run.paths[0].together.counters = {
      {.host = "node1", .members = {{.netdev = "eth0", .sent = 100}, {.netdev = "eth1"}}}};
  paths.judged = JudgePaths(paths.run);
  return paths;
}

TEST(PathsOutput, BeginsWithTheVerdictAndNamesEachPath) {
  const std::string text = PathsText(TwoPaths(95), Style());
  EXPECT_EQ(text.find("2 paths add up: 190 MB/s at once, 202 MB/s as the sum of each path alone\n"), 0U)
      << text;
  EXPECT_THAT(text, HasSubstr("rxe1/1 -> rxe1/1"));
  EXPECT_THAT(text, HasSubstr("rxe2/1 of node2 is on no path: no port of node1 in its subnet"));
  EXPECT_THAT(text, HasSubstr("node1 sent 100.0 % through eth0, 0.0 % through eth1: one member carries all"));
}

TEST(PathsOutput, EndsWithAStatusForEachVerdict) {
  EXPECT_EQ(StatusOf(TwoPaths(95)), ExitStatus::kOk);
  EXPECT_EQ(StatusOf(TwoPaths(60)), ExitStatus::kNotReady);
  JudgedPaths one = TwoPaths(95);
  one.run.paths.pop_back();
  one.judged = JudgePaths(one.run);
  EXPECT_EQ(StatusOf(one), ExitStatus::kOwnFailure);
  one.run.paths[0].after.result.failure = {FailureKind::kStalled, "nothing came back"};
  one.judged = JudgePaths(one.run);
  EXPECT_EQ(StatusOf(one), ExitStatus::kNotReady);
}

TEST(PathsOutput, HasEachTransferInJson) {
  const auto json = nlohmann::json::parse(PathsJson(TwoPaths(60)));
  EXPECT_EQ(json["verdict"], "fall-short");
  EXPECT_EQ(json["paths"][0]["share_permille"], 500);
  EXPECT_EQ(json["paths"][0]["spread_permille"], 1040);
  EXPECT_EQ(json["paths"][0]["bonds"][0]["members"][0]["share_permille"], 1000);
  EXPECT_EQ(json["without_path"][0]["port"], "rxe2/1");
  EXPECT_EQ(json["transfers"][1]["before"]["throughput_bytes_per_s"], 100'000'000);
}

}  // namespace
}  // namespace rdmaready
