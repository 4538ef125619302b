// SPDX-License-Identifier: Apache-2.0
#include "agent/port/stress_ports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace rdmaready {
namespace {

class StressPortsTest : public ::testing::Test {
 protected:
  StressPortsTest() { std::filesystem::create_directory(place_.directory); }
  ~StressPortsTest() override { std::filesystem::remove_all(place_.directory); }

  absl::StatusOr<std::shared_ptr<const PortLock>> Join(const StressPart& part, Clock::TimePoint now = {}) {
    return ports_.Join("mlx5_0/1", part, limits_, now, [&] {
      return PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "holder");
    });
  }
  absl::StatusOr<std::shared_ptr<const PortLock>> JoinRun(const std::string& run) {
    return Join(StressPart{.who = "me", .run_id = run, .duration = std::chrono::seconds(10)});
  }
  bool AnotherMayTake() const { return PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "another").ok(); }

  const LockPlace place_{.directory = std::filesystem::path(::testing::TempDir()) /
                                      ("stress ports " + std::to_string(::getpid()))};
  StressLimits limits_{.allowed = true};
  StressPorts ports_;
};

TEST_F(StressPortsTest, LetTransfersOfOneRunShareThePortUntilTheLastGivesItBack) {
  auto first = JoinRun("run");
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = JoinRun("run");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE(AnotherMayTake());
  first->reset();
  EXPECT_FALSE(AnotherMayTake());
  second->reset();
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, KeepAnotherRunOut) {
  const auto first = JoinRun("run");
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(JoinRun("another").ok());
}

TEST_F(StressPortsTest, KeepARunOfAnotherCallerOutWhateverItsNames) {
  const auto first = Join({.who = "a b", .run_id = "c"});
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(Join({.who = "a", .run_id = "b c"}).ok());
}

TEST_F(StressPortsTest, LimitTheTransfersOfARun) {
  limits_.senders = 2;
  auto first = JoinRun("run");
  const auto second = JoinRun("run");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(JoinRun("run").status().code(), absl::StatusCode::kResourceExhausted);
  first->reset();
  EXPECT_TRUE(JoinRun("run").ok());
}

TEST_F(StressPortsTest, LimitTheTimeOfEachTransfer) {
  limits_.duration = std::chrono::seconds(9);
  EXPECT_EQ(JoinRun("run").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, LimitTheTimeOfARunHoweverItsTransfersOverlap) {
  limits_.run = std::chrono::seconds(25);
  const StressPart part{.who = "me", .run_id = "run", .duration = std::chrono::seconds(10)};
  const Clock::TimePoint start{std::chrono::hours(2)};
  auto first = Join(part, start);
  ASSERT_TRUE(first.ok());
  auto second = Join(part, start + std::chrono::seconds(9));
  ASSERT_TRUE(second.ok());
  first->reset();
  EXPECT_EQ(Join(part, start + std::chrono::seconds(18)).status().code(), absl::StatusCode::kResourceExhausted);
  second->reset();
  EXPECT_FALSE(Join(part, start + std::chrono::minutes(5)).ok()) << "its time does not begin again";
  EXPECT_TRUE(AnotherMayTake());
  EXPECT_TRUE(Join(part, start + std::chrono::minutes(61)).ok());
}

TEST_F(StressPortsTest, LimitWhatTheTransfersOfARunMoveTogether) {
  limits_.bytes_per_s = 1000;
  EXPECT_EQ(Join({.run_id = "run"}).status().code(), absl::StatusCode::kInvalidArgument) << "at full speed";
  EXPECT_EQ(Join({.run_id = "run", .bytes_per_s = 1001}).status().code(), absl::StatusCode::kInvalidArgument);
  auto first = Join({.run_id = "run", .bytes_per_s = 600});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(Join({.run_id = "run", .bytes_per_s = 500}).status().code(), absl::StatusCode::kResourceExhausted);
  const auto second = Join({.run_id = "run", .bytes_per_s = 400});
  ASSERT_TRUE(second.ok()) << second.status();
  first->reset();
  EXPECT_TRUE(Join({.run_id = "run", .bytes_per_s = 600}).ok());
}

TEST_F(StressPortsTest, GiveThePortBackAfterARefusal) {
  limits_.senders = 0;
  { const auto only = JoinRun("run"); }
  EXPECT_TRUE(AnotherMayTake());
}

}  // namespace
}  // namespace rdmaready
