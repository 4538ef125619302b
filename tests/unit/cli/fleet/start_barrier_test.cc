// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/start_barrier.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace rdmaready {
namespace {

using Time = std::chrono::steady_clock;

std::vector<bool> ArriveAll(StartBarrier& barrier, std::size_t parties, Time::time_point deadline) {
  std::vector<char> began(parties);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < parties; ++i)
      threads.emplace_back([&, i] { began[i] = barrier.Arrive(deadline) ? 1 : 0; });
  }
  return {began.begin(), began.end()};
}

TEST(StartBarrier, LetsAllPartiesBeginTogether) {
  StartBarrier barrier(3);
  EXPECT_EQ(ArriveAll(barrier, 3, Time::now() + std::chrono::minutes(1)), std::vector<bool>(3, true));
}

TEST(StartBarrier, LetsNobodyBeginWhereOneNeverComes) {
  StartBarrier late(3);
  EXPECT_EQ(ArriveAll(late, 2, Time::now() + std::chrono::milliseconds(20)), std::vector<bool>(2, false));
  EXPECT_FALSE(late.Arrive(Time::now() + std::chrono::minutes(1))) << "the others have gone";
  StartBarrier broken(2);
  const std::jthread other([&broken] { broken.Break(); });
  EXPECT_FALSE(broken.Arrive(Time::now() + std::chrono::minutes(1)));
}

TEST(StartBarrier, IsLateOnlyWhereTheTimeEndedIt) {
  StartBarrier late(2);
  EXPECT_FALSE(late.Arrive(Time::now()));
  EXPECT_TRUE(late.late());
  StartBarrier broken(2);
  broken.Break();
  EXPECT_FALSE(broken.Arrive(Time::now()));
  EXPECT_FALSE(broken.late());
}

TEST(StartBarrier, StaysOpenOnceAllHaveArrived) {
  StartBarrier barrier(1);
  EXPECT_TRUE(barrier.Arrive(Time::now()));
  barrier.Break();
  EXPECT_TRUE(barrier.Arrive(Time::now()));
}

TEST(StartBarrier, HasBegunWhereAllArrivedBeforeOneGaveUp) {
  StartBarrier one(1);
  EXPECT_FALSE(one.begun());
  EXPECT_TRUE(one.Arrive(std::chrono::steady_clock::now() + std::chrono::seconds(10)));
  one.Break();
  EXPECT_TRUE(one.begun());
  StartBarrier broken(1);
  broken.Break();
  EXPECT_FALSE(broken.Arrive(std::chrono::steady_clock::now() + std::chrono::seconds(10)));
  EXPECT_FALSE(broken.begun());
}

}  // namespace
}  // namespace rdmaready
