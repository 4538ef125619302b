// SPDX-License-Identifier: Apache-2.0
#include "agent/server/aside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "tests/unit/no_threads.h"

namespace rdmaready {
namespace {

TEST(Aside, WhoOnlyLooksLeavesPlacesForWhatSettlesAChange) {
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  Aside aside;
  const auto wait = [gate] { gate.wait(); };
  int looks = 0;
  while (looks < 100 && aside.Run(wait, Aside::Kind::kLooks)) ++looks;
  EXPECT_LT(looks, 100);
  int settles = 0;
  while (settles < 100 && aside.Run(wait, Aside::Kind::kSettles)) ++settles;
  EXPECT_GT(settles, 0);
  EXPECT_LT(settles, 100);
  open.set_value();
}

TEST(Aside, WithoutAThreadItSaysSoAndDoesNotWaitForWhatNeverBegan) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        EndThreads();
        bool ran = false;
        {
          Aside aside;
          ran = aside.Run([] {});
        }
        std::_Exit(ran ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Aside, WhatTheWorkHoldsIsGoneBeforeItEnds) {
  struct Slow {
    explicit Slow(bool& is_gone) : gone(is_gone) {}
    ~Slow() {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gone = true;
    }
    bool& gone;
  };
  bool gone = false;
  {
    Aside aside;
    ASSERT_TRUE(aside.Run([held = std::make_shared<Slow>(gone)] {}));
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace rdmaready
