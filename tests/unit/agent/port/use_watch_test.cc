// SPDX-License-Identifier: Apache-2.0
#include "agent/port/use_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using Kind = PortUse::Kind;

class UseWatchTest : public testing::Test {
 protected:
  std::function<PortUse()> Look() {
    return [this] {
      ++looks_;
      const std::lock_guard lock(mutex_);
      return use_;
    };
  }
  void See(PortUse use) {
    const std::lock_guard lock(mutex_);
    use_ = std::move(use);
  }
  // The watch has looked so often.
  void Pass(int looks, std::chrono::milliseconds apart = kLookDuringTest) {
    for (int i = 0; i < looks; ++i) {
      EXPECT_EQ(clock_.AwaitSleeper(), apart);
      clock_.Advance(apart);
      EXPECT_TRUE(Eventually([&, seen = i + 1 + before_] { return looks_ == seen; }));
    }
    before_ += looks;
  }

  FakeClock clock_;
  std::atomic<int> looks_ = 0;
  int before_ = 0;
  std::mutex mutex_;
  PortUse use_{.kind = Kind::kFree, .port = "rxe0/1"};
};

TEST_F(UseWatchTest, LooksEveryHalfSecondAndLetsAnIdlePortGoOn) {
  const UseWatch watch(Look(), clock_, {});
  Pass(5);
  EXPECT_FALSE(watch.token().stop_requested());
  EXPECT_EQ(watch.reason(), "");
}

TEST_F(UseWatchTest, StopsAtTheSecondLookThatSeesAUserAndNamesIt) {
  const UseWatch watch(Look(), clock_, {});
  Pass(2);
  See({.kind = Kind::kUsed, .text = "rping (pid 7)", .port = "rxe0/1"});
  Pass(1);
  EXPECT_FALSE(watch.token().stop_requested());
  Pass(1, kSecondLook);
  EXPECT_TRUE(Eventually([&] { return watch.token().stop_requested(); }));
  EXPECT_EQ(watch.reason(), "RDMA port rxe0/1 came into use by rping (pid 7): the test was stopped");
}

TEST_F(UseWatchTest, StopsWhenTheTimeOfTheTestIsOver) {
  const WatchEnd end{clock_.Now() + std::chrono::milliseconds(700), "the time is over"};
  const UseWatch watch(Look(), clock_, {}, end);
  Pass(1);
  EXPECT_FALSE(watch.token().stop_requested());
  EXPECT_EQ(clock_.AwaitSleeper(), std::chrono::milliseconds(200));
  clock_.Advance(std::chrono::milliseconds(200));
  EXPECT_TRUE(Eventually([&] { return watch.token().stop_requested(); }));
  EXPECT_EQ(watch.reason(), "the time is over");
}

TEST_F(UseWatchTest, StopsAtTheEndWhereNobodyIsLookedFor) {
  const UseWatch watch({}, clock_, {}, WatchEnd{clock_.Now() + std::chrono::seconds(9), "the time is over"});
  EXPECT_EQ(clock_.AwaitSleeper(), std::chrono::seconds(9));
  clock_.Advance(std::chrono::seconds(9));
  EXPECT_TRUE(Eventually([&] { return watch.token().stop_requested(); }));
  EXPECT_EQ(looks_, 0);
}

TEST_F(UseWatchTest, ForgivesAUserThatIsGoneAtTheSecondLook) {
  const UseWatch watch(Look(), clock_, {});
  See({.kind = Kind::kUsed, .text = "pid 7", .port = "rxe0/1"});
  Pass(1);
  See({.kind = Kind::kFree});
  Pass(1, kSecondLook);
  Pass(2);
  EXPECT_FALSE(watch.token().stop_requested());
  EXPECT_EQ(watch.reason(), "");
}

TEST_F(UseWatchTest, ForgivesOneLookThatCannotTellAndStopsAtTheSecondInARow) {
  const UseWatch watch(Look(), clock_, {});
  const PortUse unknown{.kind = Kind::kUnknown, .text = "no answer", .port = "rxe0/1"};
  See(unknown);
  Pass(1);
  See({.kind = Kind::kFree});
  Pass(1, kSecondLook);
  See(unknown);
  Pass(1);
  clock_.AwaitSleeper();
  EXPECT_FALSE(watch.token().stop_requested());
  Pass(1, kSecondLook);
  EXPECT_TRUE(Eventually([&] { return watch.token().stop_requested(); }));
  EXPECT_THAT(watch.reason(), HasSubstr("no longer known: no answer"));
}

TEST_F(UseWatchTest, PassesTheCallersStopOnWithoutAReason) {
  std::stop_source caller;
  const UseWatch watch(Look(), clock_, caller.get_token());
  caller.request_stop();
  EXPECT_TRUE(watch.token().stop_requested());
  EXPECT_EQ(watch.reason(), "");
}

TEST_F(UseWatchTest, WithoutALookNothingIsWatched) {
  std::stop_source caller;
  const UseWatch watch({}, clock_, caller.get_token());
  EXPECT_FALSE(watch.token().stop_requested());
  caller.request_stop();
  EXPECT_TRUE(watch.token().stop_requested());
}

}  // namespace
}  // namespace rdmaready
