// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/bursts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <vector>

#include "api/base/octets.h"
#include "tests/unit/agent/helper/pauser/stepping_clock.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::Each;
using testing::Field;
using testing::SizeIs;

struct SentFrame {
  Clock::TimePoint at{};
  std::uint16_t quanta = 0;
};

// The looks at the clock add so much to a burst at most.
constexpr std::chrono::microseconds kLooks{10};

class BurstsTest : public testing::Test {
 protected:
  BurstsTest() { clock.look = nanoseconds(50); }

  BurstsSent Send(const BurstPlan& plan) {
    return SendBursts(
        plan,
        [this](const PauseFrame& frame) {
          ++tries;
          if (refuse > 0 && tries >= fails_from && refuse-- > 0)
            return absl::UnavailableError("no buffer space");
          frames.push_back({clock.now, GetBig<std::uint16_t>(frame, 18 + 2 * 3)});
          if (after_frame) after_frame();
          return absl::OkStatus();
        },
        clock, stop.get_token(), [this](const Burst& burst) { done.push_back(burst); });
  }

  static BurstPlan Plan() {
    return {
        .priority = 3, .burst = milliseconds(100), .bursts = 1, .gap = milliseconds(200), .speed_mbps = 10'000};
  }

  SteppingClock clock{};
  std::stop_source stop{};
  std::vector<SentFrame> frames{};
  std::vector<Burst> done{};
  std::function<void()> after_frame{};
  int tries = 0;
  int fails_from = 0;
  int refuse = 0;
};

TEST_F(BurstsTest, KeepsThePartnerPausedForTheWholeBurst) {
  const BurstsSent sent = Send(Plan());
  EXPECT_TRUE(sent.end.ok()) << sent.end;
  ASSERT_THAT(sent.bursts, SizeIs(1));
  const nanoseconds missing = milliseconds(100) - sent.bursts[0].paused;
  EXPECT_GE(missing.count(), 0);
  EXPECT_LT(missing, TimeOfQuanta(2, 10'000) + kLooks);
  EXPECT_EQ(frames.size(), sent.bursts[0].frames + 1);
  EXPECT_EQ(frames.back().quanta, 0);
  EXPECT_TRUE(sent.bursts[0].ended);
}

TEST_F(BurstsTest, RenewsEachFrameBeforeItsTimeIsOver) {
  Send(Plan());
  for (std::size_t i = 1; i + 1 < frames.size(); ++i)
    EXPECT_LT(frames[i].at - frames[i - 1].at, TimeOfQuanta(frames[i - 1].quanta, 10'000));
}

// A sleep ends 60 us late: 50 us of the default timer slack, and what a CPU takes to wake.
TEST_F(BurstsTest, LeavesNoGapAtTheSpeedsOfFastLinks) {
  clock.late = std::chrono::microseconds(60);
  for (const std::uint32_t speed : {25'000U, 50'000U, 100'000U, 200'000U, 400'000U, 800'000U}) {
    frames.clear();
    BurstPlan plan = Plan();
    plan.speed_mbps = speed;
    const BurstsSent sent = Send(plan);
    ASSERT_THAT(sent.bursts, SizeIs(1)) << speed;
    for (std::size_t i = 1; i + 1 < frames.size(); ++i)
      ASSERT_LT(frames[i].at - frames[i - 1].at, TimeOfQuanta(frames[i - 1].quanta, speed)) << speed;
    EXPECT_LT(milliseconds(100) - sent.bursts[0].paused, kLooks) << speed;
  }
}

TEST_F(BurstsTest, AsksForExactSleepsWhileItSends) {
  const int before = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  int meanwhile = 0;
  after_frame = [&] { meanwhile = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); };
  Send(Plan());
  EXPECT_EQ(meanwhile, 1);
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), before);
}

// At 800 Gb/s the thread never sleeps within a burst.
TEST_F(BurstsTest, EndsABurstOfAFastLinkWhenItIsStopped) {
  after_frame = [this] {
    if (frames.size() == 5) stop.request_stop();
  };
  BurstPlan plan = Plan();
  plan.speed_mbps = 800'000;
  const BurstsSent sent = Send(plan);
  EXPECT_TRUE(absl::IsCancelled(sent.end)) << sent.end;
  EXPECT_THAT(frames, SizeIs(6));
  EXPECT_EQ(frames.back().quanta, 0);
}

TEST_F(BurstsTest, NeverAsksForMoreThanWhatIsLeftOfTheBurst) {
  for (const std::uint32_t speed : {100U, 1'000U, 10'000U, 400'000U}) {
    frames.clear();
    const Clock::TimePoint end = clock.now + milliseconds(100);
    BurstPlan plan = Plan();
    plan.speed_mbps = speed;
    Send(plan);
    for (const SentFrame& frame : frames) {
      EXPECT_LE(frame.at + TimeOfQuanta(frame.quanta, speed), end + kLooks) << speed;
      EXPECT_LE(TimeOfQuanta(frame.quanta, speed), kMostPauseOfFrame) << speed;
    }
    EXPECT_LT(frames.back().at - end, kLooks) << speed;
    EXPECT_GE(frames.back().at, end - TimeOfQuanta(2, speed)) << speed;
  }
}

TEST_F(BurstsTest, WaitsBetweenBurstsAndEndsEach) {
  BurstPlan plan = Plan();
  plan.burst = milliseconds(50);
  plan.bursts = 3;
  const Clock::TimePoint begin = clock.now;
  const BurstsSent sent = Send(plan);
  EXPECT_THAT(sent.bursts, SizeIs(3));
  EXPECT_THAT(sent.bursts, Each(Field(&Burst::ended, true)));
  EXPECT_THAT(done, SizeIs(3));
  EXPECT_EQ(std::ranges::count(frames, 0, &SentFrame::quanta), 3);
  EXPECT_GE(clock.now - begin, milliseconds(3 * 50 + 2 * 200));
  EXPECT_LT(clock.now - begin, milliseconds(3 * 50 + 2 * 200) + 5 * kLooks);
}

TEST_F(BurstsTest, CountsNoPauseInTheGapsOfFramesThatCameLate) {
  clock.late = milliseconds(10);  // of a frame of 3.4 ms, which is renewed after half of that
  const BurstsSent sent = Send(Plan());
  ASSERT_THAT(sent.bursts, SizeIs(1));
  EXPECT_LE(sent.bursts[0].paused, sent.bursts[0].frames * TimeOfQuanta(kMostQuanta, 10'000));
  EXPECT_LT(sent.bursts[0].paused, milliseconds(40));
}

TEST_F(BurstsTest, EndsThePauseWhenItIsStopped) {
  after_frame = [this] {
    if (frames.size() == 5) stop.request_stop();
  };
  BurstPlan plan = Plan();
  plan.bursts = 4;
  const BurstsSent sent = Send(plan);
  EXPECT_TRUE(absl::IsCancelled(sent.end)) << sent.end;
  EXPECT_THAT(sent.bursts, SizeIs(1));
  EXPECT_THAT(frames, SizeIs(6));
  EXPECT_EQ(frames.back().quanta, 0);
  EXPECT_LT(frames.back().at - frames[4].at, kLooks);
}

TEST_F(BurstsTest, BeginsNoBurstAfterAStopInTheGap) {
  BurstPlan plan = Plan();
  plan.bursts = 2;
  clock.before_sleep = [this](Clock::TimePoint) {
    if (done.size() == 1) stop.request_stop();
  };
  const BurstsSent sent = Send(plan);
  EXPECT_TRUE(absl::IsCancelled(sent.end));
  EXPECT_THAT(sent.bursts, SizeIs(1));
  EXPECT_EQ(frames.back().quanta, 0);
}

TEST_F(BurstsTest, SendsNothingWhenItWasStoppedBefore) {
  stop.request_stop();
  const BurstsSent sent = Send(Plan());
  EXPECT_TRUE(absl::IsCancelled(sent.end));
  EXPECT_THAT(sent.bursts, SizeIs(0));
  EXPECT_THAT(frames, SizeIs(0));
}

TEST_F(BurstsTest, EndsThePauseAfterAFrameThatFailed) {
  fails_from = 4;
  refuse = 3;  // the fourth frame, and two tries to end the pause
  BurstPlan plan = Plan();
  plan.bursts = 2;
  const BurstsSent sent = Send(plan);
  EXPECT_TRUE(absl::IsUnavailable(sent.end)) << sent.end;
  ASSERT_THAT(sent.bursts, SizeIs(1));
  EXPECT_EQ(sent.bursts[0].frames, 3U);
  EXPECT_TRUE(sent.bursts[0].ended);
  EXPECT_EQ(frames.back().quanta, 0);
}

TEST_F(BurstsTest, SaysWhenThePauseCouldNotBeEnded) {
  fails_from = 2;
  refuse = 1'000;
  const BurstsSent sent = Send(Plan());
  EXPECT_TRUE(absl::IsUnavailable(sent.end));
  ASSERT_THAT(sent.bursts, SizeIs(1));
  EXPECT_FALSE(sent.bursts[0].ended);
  EXPECT_EQ(sent.bursts[0].paused, TimeOfQuanta(frames[0].quanta, 10'000));
  EXPECT_LT(tries, 20);
}

}  // namespace
}  // namespace rdmaready::helper
