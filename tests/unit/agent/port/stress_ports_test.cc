// SPDX-License-Identifier: Apache-2.0
#include "agent/port/stress_ports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "api/base/status.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

class StressPortsTest : public ::testing::Test {
 protected:
  StressPortsTest() { std::filesystem::create_directory(place_.directory); }
  ~StressPortsTest() override { std::filesystem::remove_all(place_.directory); }

  absl::StatusOr<StressHold> Take() {
    RR_ASSIGN_OR_RETURN(PortLock lock, PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "holder"));
    const auto read = [this]() -> std::optional<PressureReading> {
      ++readings_;
      while (blocked_) std::this_thread::yield();
      return PressureReading{};
    };
    return StressHold{std::move(lock), std::make_shared<PressureMeter>(read, clock_)};
  }
  absl::StatusOr<PortShare> Join(const StressPart& part, const std::string& port = "mlx5_0/1") {
    return ports_.Join(port, part, limits_, [this] { return Take(); });
  }
  absl::StatusOr<PortShare> JoinRun(const std::string& run) {
    return Join(StressPart{.who = "me", .run_id = run, .duration = std::chrono::seconds(10)});
  }
  absl::StatusOr<PortShare> Hold(const std::string& who, const std::string& run) {
    return ports_.Hold("mlx5_0/1", who, run, limits_);
  }
  bool AnotherMayTake() const { return PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "another").ok(); }

  const LockPlace place_{.directory = std::filesystem::path(::testing::TempDir()) /
                                      ("stress ports " + std::to_string(::getpid()))};
  FakeClock clock_;
  std::atomic<int> readings_ = 0;
  std::atomic<bool> blocked_ = false;
  StressLimits limits_{.allowed = true};
  StressPorts ports_{clock_};
};

TEST_F(StressPortsTest, LetTransfersOfOneRunShareThePortUntilTheLastGivesItBack) {
  auto first = JoinRun("run");
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = JoinRun("run");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE(AnotherMayTake());
  *first = {};
  EXPECT_FALSE(AnotherMayTake());
  *second = {};
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, GiveTheTransfersOfOneRunOneMeter) {
  const auto first = JoinRun("run");
  const auto second = JoinRun("run");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->meter, nullptr);
  EXPECT_EQ(first->meter, second->meter);
}

TEST_F(StressPortsTest, GiveThePortBackWhileAReadingDoesNotReturn) {
  auto only = JoinRun("run");
  ASSERT_TRUE(only.ok());
  blocked_ = true;
  only->meter->Begin();
  ASSERT_TRUE(Eventually([this] { return readings_ == 1; }));
  const std::jthread ends([&only] { *only = PortShare{}; });
  EXPECT_TRUE(Eventually([this] { return AnotherMayTake(); }));
  EXPECT_TRUE(JoinRun("another").ok()) << "nor does it keep the next run waiting";
  blocked_ = false;
}

TEST_F(StressPortsTest, RefuseAnotherPriorityInOneRun) {
  const auto first = Join({.run_id = "run", .priority = 3});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(Join({.run_id = "run", .priority = 3}).ok());
  EXPECT_EQ(Join({.run_id = "run", .priority = 4}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Join({.run_id = "another", .priority = 8}).status().code(), absl::StatusCode::kInvalidArgument);
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

TEST_F(StressPortsTest, HoldThePortForARunThatHasIt) {
  EXPECT_EQ(Hold("me", "run").status().code(), absl::StatusCode::kFailedPrecondition);
  auto transfer = JoinRun("run");
  ASSERT_TRUE(transfer.ok());
  for (const auto& [who, run] : {std::pair("another", "run"), std::pair("me", "another"), std::pair("", "")})
    EXPECT_EQ(Hold(who, run).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(ports_.Hold("mlx5_0/2", "me", "run", limits_).ok());
  auto held = Hold("me", "run");
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(held->meter, transfer->meter);
  *transfer = {};
  EXPECT_FALSE(AnotherMayTake());
  *held = {};
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, HoldThePortNoLongerThanTheRunAndItsCallerMay) {
  limits_.run = std::chrono::seconds(25);
  limits_.hour = std::chrono::seconds(40);
  const Clock::TimePoint start = clock_.Now();
  auto transfer = JoinRun("run");
  ASSERT_TRUE(transfer.ok());
  clock_.Advance(std::chrono::seconds(9));
  const auto held = Hold("me", "run");
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(held->until, start + limits_.run);
  limits_.hour = std::chrono::seconds(20);
  EXPECT_EQ(Hold("me", "run")->until, start + limits_.hour);
  clock_.Advance(std::chrono::seconds(12));
  EXPECT_EQ(Hold("me", "run").status().code(), absl::StatusCode::kResourceExhausted);
  limits_.hour = std::chrono::seconds(40);
  EXPECT_TRUE(Hold("me", "run").ok());
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(Hold("me", "run").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(StressPortsTest, LimitTheTransfersOfARun) {
  limits_.senders = 2;
  auto first = JoinRun("run");
  const auto second = JoinRun("run");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(JoinRun("run").status().code(), absl::StatusCode::kResourceExhausted);
  *first = {};
  EXPECT_TRUE(JoinRun("run").ok());
}

TEST_F(StressPortsTest, LimitTheTimeOfEachTransfer) {
  limits_.duration = std::chrono::seconds(9);
  EXPECT_EQ(JoinRun("run").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, LimitTheTimeOfARunHoweverItsTransfersOverlap) {
  limits_.run = std::chrono::seconds(25);
  const Clock::TimePoint start = clock_.Now();
  auto first = JoinRun("run");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->until, start + limits_.run);
  clock_.Advance(std::chrono::seconds(9));
  auto second = JoinRun("run");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->until, start + limits_.run) << "that of the run, whose first transfer began sooner";
  *first = {};
  clock_.Advance(std::chrono::seconds(9));
  EXPECT_EQ(JoinRun("run").status().code(), absl::StatusCode::kResourceExhausted);
  *second = {};
  clock_.Advance(std::chrono::minutes(5));
  EXPECT_FALSE(JoinRun("run").ok()) << "its time does not begin again";
  EXPECT_TRUE(AnotherMayTake());
  clock_.Advance(std::chrono::minutes(61));
  EXPECT_TRUE(JoinRun("run").ok());
}

TEST_F(StressPortsTest, LimitTheHourOfACallerHoweverManyRunsItHas) {
  limits_.hour = std::chrono::seconds(30);
  for (const char* run : {"first", "second"}) {
    const auto share = JoinRun(run);
    ASSERT_TRUE(share.ok()) << share.status();
    clock_.Advance(std::chrono::seconds(12));
  }
  const absl::Status refused = JoinRun("third").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "the stress tests of this caller had this port for 24 s within an hour (limit 30 s, "
            "--stress-max-hour)");
  const StressPart of_another{.who = "another", .run_id = "third", .duration = std::chrono::seconds(10)};
  EXPECT_TRUE(Join(of_another).ok());
  const auto shorter = Join({.who = "me", .run_id = "third", .duration = std::chrono::seconds(5)});
  ASSERT_TRUE(shorter.ok()) << shorter.status();
  EXPECT_EQ(shorter->until, clock_.Now() + std::chrono::seconds(6)) << "what is left of the hour";
}

TEST_F(StressPortsTest, GiveTheHourBackAnHourLater) {
  limits_.hour = std::chrono::seconds(30);
  {
    const auto share = JoinRun("first");
    clock_.Advance(std::chrono::seconds(25));
  }
  clock_.Advance(std::chrono::minutes(59));
  EXPECT_FALSE(JoinRun("second").ok());
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_TRUE(JoinRun("second").ok());
}

TEST_F(StressPortsTest, CountTheHourOfEachPortByItself) {
  limits_.hour = std::chrono::seconds(30);
  {
    const auto share = JoinRun("first");
    clock_.Advance(std::chrono::seconds(25));
  }
  const StressPart next{.who = "me", .run_id = "second", .duration = std::chrono::seconds(10)};
  EXPECT_FALSE(Join(next).ok());
  EXPECT_TRUE(Join(next, "mlx5_1/1").ok());
}

TEST_F(StressPortsTest, CountTheHourOfManyShortRuns) {
  limits_.hour = std::chrono::seconds(200);
  for (int run = 0; run < 195; ++run) {
    const auto share = Join({.who = "me", .run_id = std::to_string(run), .duration = std::chrono::seconds(1)});
    ASSERT_TRUE(share.ok()) << share.status();
    clock_.Advance(std::chrono::seconds(1));
  }
  EXPECT_FALSE(JoinRun("last").ok());
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
  *first = {};
  EXPECT_TRUE(Join({.run_id = "run", .bytes_per_s = 600}).ok());
}

TEST_F(StressPortsTest, GiveThePortBackAfterARefusal) {
  limits_.senders = 0;
  { const auto only = JoinRun("run"); }
  EXPECT_TRUE(AnotherMayTake());
}

}  // namespace
}  // namespace rdmaready
