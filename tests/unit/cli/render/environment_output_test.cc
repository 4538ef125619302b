// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/render/environment_run.h"
#include "tests/unit/cli/golden.h"

namespace rdmaready {
namespace {

using Json = nlohmann::json;

EnvironmentRun TwoRails() {
  EnvironmentRun run{.host = "gpu1", .consumer = Consumer::kNccl, .profiles = {{"nvidia-lossless", "ab"}}};
  run.environment = {
      .state = Readiness::kReady,
      .variables = {{"NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1",
                     "2 ports ready for it: mlx5_0/1 ens1f0, mlx5_1/1 ens2f0; = takes exact names"},
                    {"NCCL_IB_GID_INDEX", "-1",
                     "no GID index is right on every port (mlx5_0/1 3, mlx5_1/1 5)"}},
      .notes = {"before version 2.21 it does not choose a GID by itself: name ports with --port"},
      .left_out = {{"mlx5_2/1 ens3", "link.state: down, wanted active"}}};
  return run;
}

TEST(EnvironmentText, IsWhatAShellReads) {
  const std::string text = EnvironmentText(TwoRails());
  EXPECT_EQ(text, Golden("env_nccl.txt", text));
}

TEST(EnvironmentText, HasNothingOfANameThatAShellReads) {
  EnvironmentRun run = TwoRails();
  const std::string name = "a$(id)`id`'\"\\\n\r\x1b[31m*?!&|<>{}~#\xe2\x80\xa8";
  run.host = name;
  run.profiles[0].name = name;
  run.environment.variables[0].why = name;
  run.environment.notes[0] = name;
  run.environment.left_out[0] = {name, name};
  const std::string text = EnvironmentText(run);
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
  EXPECT_EQ(text.find_first_of("$`\"\\\r\x1b*!&|<>{}~"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\''), 4);
}

TEST(EnvironmentJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(EnvironmentJson(TwoRails()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Environment");
  EXPECT_EQ(json["host"], "gpu1");
  EXPECT_EQ(json["consumer"], "nccl");
  EXPECT_EQ(json["profiles"][0]["name"], "nvidia-lossless");
  EXPECT_EQ(json["variables"][0]["name"], "NCCL_IB_HCA");
  EXPECT_EQ(json["variables"][0]["value"], "=mlx5_0:1,mlx5_1:1");
  EXPECT_FALSE(json["variables"][0]["why"].get<std::string>().empty());
  EXPECT_EQ(json["left_out"][0]["port"], "mlx5_2/1 ens3");
  EXPECT_EQ(json["notes"].size(), 1U);
}

}  // namespace
}  // namespace rdmaready
