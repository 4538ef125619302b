// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/cut_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/eventually.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

absl::Status RunShell(const std::string& script) {
  const absl::StatusOr<std::string> path = CutRunner::Find("sh");
  if (!path.ok()) return path.status();
  return CutRunner(*path, {"sh", "-c", script}).Run();
}

TEST(CutPrograms, RunFromPathOrByTheirOwnName) {
  EXPECT_EQ(CutRunner::Find("/bin/sh").value_or(""), "/bin/sh");
  EXPECT_THAT(CutRunner::Find("sh").value_or(""), HasSubstr("/sh"));
  for (const char* none : {"no-such-program-here", "/bin", "./none", "", "/etc/passwd"})
    EXPECT_EQ(CutRunner::Find(none).status().code(), absl::StatusCode::kNotFound) << none;
}

TEST(CutPrograms, GetTheirArgumentsAsTheyAre) {
  const std::string file = testing::TempDir() + "/cut arguments";
  const absl::Status ran =
      CutRunner("/bin/sh", {"sh", "-c", "printf '%s|' \"$0\" \"$1\" > '" + file + "'", "a b", "$(x)"}).Run();
  EXPECT_TRUE(ran.ok()) << ran;
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "a b|$(x)|");
  std::filesystem::remove(file);
}

TEST(CutPrograms, FailWithTheirStatusOrSignal) {
  EXPECT_TRUE(RunShell("exit 0").ok());
  EXPECT_EQ(RunShell("exit 7").message(), "sh ended with status 7");
  EXPECT_EQ(RunShell("kill -9 $$").message(), "sh was ended by signal 9");
}

TEST(CutPrograms, HaveNoInputAndLeaveBehindWhatTheyStarted) {
  EXPECT_TRUE(RunShell("! read line").ok()) << "nothing to read";
  const std::string file = testing::TempDir() + "/cut later";
  std::filesystem::remove(file);
  EXPECT_TRUE(RunShell("(sleep 0.3; : > '" + file + "') &").ok());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(Eventually([&] { return std::filesystem::exists(file); })) << "a path is brought back later";
  std::filesystem::remove(file);
}

TEST(CutPrograms, MayPutRightWhatTheyCutWhenTheCommandIsGivenUp) {
  const std::string file = testing::TempDir() + "/cut trap";
  std::filesystem::remove(file);
  CutRunner runner("/bin/sh", {"sh", "-c",
                               "trap 'echo right > \"" + file + "\"; exit 0' TERM; : > '" + file +
                                   ".ready'; sleep 60 & wait"});
  {
    const std::jthread runs([&] { EXPECT_TRUE(runner.Run().ok()); });
    EXPECT_TRUE(Eventually([&] { return std::filesystem::exists(file + ".ready"); }));
    runner.Stop();
  }
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".ready");
}

TEST(CutPrograms, EndWithAllThatTheyStartedWhenTheCommandIsGivenUp) {
  const std::string file = testing::TempDir() + "/cut group";
  std::filesystem::remove(file);
  CutRunner runner("/bin/sh", {"sh", "-c", "sleep 60 & echo $! > '" + file + "'; wait"});
  absl::Status ended;
  {
    const std::jthread runs([&] { ended = runner.Run(); });
    EXPECT_TRUE(
        Eventually([&] { return std::filesystem::exists(file) && std::filesystem::file_size(file) > 1; }));
    runner.Stop();
  }
  EXPECT_EQ(ended.message(), "sh was ended by signal 15");
  std::string child;
  std::getline(std::ifstream(file), child);
  EXPECT_TRUE(Eventually([&] {
    std::string state;
    std::getline(std::ifstream("/proc/" + child + "/stat"), state);
    return state.empty() || state.find(") Z ") != std::string::npos;
  })) << child;
  EXPECT_EQ(runner.Run().code(), absl::StatusCode::kCancelled);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace rdmaready
