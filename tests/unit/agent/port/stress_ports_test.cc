// SPDX-License-Identifier: Apache-2.0
#include "agent/port/stress_ports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace rdmaready {
namespace {

class StressPortsTest : public ::testing::Test {
 protected:
  StressPortsTest() { std::filesystem::create_directory(place_.directory); }
  ~StressPortsTest() override { std::filesystem::remove_all(place_.directory); }

  absl::StatusOr<std::shared_ptr<const PortLock>> Join(const std::string& run, std::uint32_t most = 8) {
    return ports_.Join("mlx5_0/1", run, most, [&] {
      return PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "holder");
    });
  }
  bool AnotherMayTake() const { return PortLock::TakeIn(place_, {"mlx5_0/1", "mlx5_0/1"}, "another").ok(); }

  const LockPlace place_{.directory = std::filesystem::path(::testing::TempDir()) /
                                      ("stress ports " + std::to_string(::getpid()))};
  StressPorts ports_;
};

TEST_F(StressPortsTest, LetTransfersOfOneRunShareThePortUntilTheLastGivesItBack) {
  auto first = Join("run");
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = Join("run");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE(AnotherMayTake());
  first->reset();
  EXPECT_FALSE(AnotherMayTake());
  second->reset();
  EXPECT_TRUE(AnotherMayTake());
}

TEST_F(StressPortsTest, KeepAnotherRunOut) {
  const auto first = Join("run");
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(Join("another").ok());
}

TEST_F(StressPortsTest, LimitTheTransfersOfARun) {
  auto first = Join("run", 2);
  const auto second = Join("run", 2);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(Join("run", 2).status().code(), absl::StatusCode::kResourceExhausted);
  first->reset();
  EXPECT_TRUE(Join("run", 2).ok());
}

}  // namespace
}  // namespace rdmaready
