// SPDX-License-Identifier: Apache-2.0
#include "agent/server/aside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

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
