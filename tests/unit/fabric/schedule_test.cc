// SPDX-License-Identifier: Apache-2.0
// The order in which priorities send, and how fast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Bytes FrameOf(int priority, std::size_t bytes) {
  return Ipv4Frame(2, 1, priority * kDscpsOfAPriority, 0, bytes);
}

// Bytes by priority that port 2 sends while each of `wanting` always has frames, of any size, that wait.
std::vector<double> Saturated(Rig& rig, const std::vector<int>& wanting, std::mt19937& random, int frames) {
  std::vector<double> sent(kPriorities);
  std::uniform_int_distribution<std::size_t> size(64, 9014);
  for (int i = 0; i < frames; i++) {
    for (const int priority : wanting) {
      while (rig.At(2).queues[priority].frames < 2) rig.Receive(1, FrameOf(priority, size(random)));
    }
    const Bytes frame = rig.Transmit(2);
    sent[static_cast<std::size_t>(PriorityOf(frame))] += static_cast<double>(frame.size());
  }
  return sent;
}

TEST(Ets, KeepsSharesOfSaturatedClassesWithinFivePoints) {
  std::mt19937 random(32);
  for (int round = 0; round < 60; round++) {
    Rig rig(2);
    rig.Introduce();
    std::uniform_int_distribution<int> any_weight(1, 50), any_count(2, kPriorities);
    const int classes = any_count(random);
    std::vector<int> weights, wanting;
    std::string ets;
    for (int i = 0; i < classes; i++) {
      wanting.push_back(i);
      weights.push_back(any_weight(random));
      ets += (i ? "," : "") + std::to_string(i) + ":" + std::to_string(weights.back());
    }
    rig.Set("2 ets " + ets);
    const std::vector<double> sent = Saturated(rig, wanting, random, 3000);
    const double all = std::accumulate(sent.begin(), sent.end(), 0.0);
    const double of = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); i++) {
      EXPECT_NEAR(100 * sent[i] / all, 100 * weights[i] / of, 5) << "round " << round << ": " << ets;
    }
  }
}

TEST(Ets, LetsBothPrioritiesOfAClassSend) {
  std::mt19937 random(1);
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 class 0:0,1:1,2:1,3:3");
  rig.Set("2 ets 0:50,1:50");
  const std::vector<double> sent = Saturated(rig, {0, 1, 2}, random, 4000);
  const double all = sent[0] + sent[1] + sent[2];
  EXPECT_NEAR(sent[0] / all, 0.5, 0.05);
  EXPECT_NEAR(sent[1] / all, 0.25, 0.05);
  EXPECT_NEAR(sent[2] / all, 0.25, 0.05);
}

TEST(Ets, AnIdleClassLeavesItsShareToTheOthers) {
  std::mt19937 random(2);
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 ets 0:10,3:80,4:10");
  const std::vector<double> sent = Saturated(rig, {0, 4}, random, 2000);
  EXPECT_NEAR(sent[0] / (sent[0] + sent[4]), 0.5, 0.05);
}

TEST(Ets, AClassWithoutAShareSendsWhereNoOtherCan) {
  std::mt19937 random(3);
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 ets 0:100");
  EXPECT_EQ(Saturated(rig, {0, 5}, random, 500)[5], 0);
  rig.Drain(2);
  const std::vector<double> sent = Saturated(rig, {5, 6}, random, 1000);
  EXPECT_NEAR(sent[5] / (sent[5] + sent[6]), 0.5, 0.05);
}

TEST(StrictPriority, GoesBeforeAllThatShare) {
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 ets 0:50,3:50,6:strict,7:strict");
  for (const int priority : {0, 3, 6, 7}) {
    for (int i = 0; i < 2; i++) rig.Receive(1, FrameOf(priority, 500));
  }
  std::vector<int> order;
  for (const Bytes& frame : rig.Drain(2)) order.push_back(PriorityOf(frame));
  EXPECT_THAT(std::vector<int>(order.begin(), order.begin() + 4), testing::ElementsAre(7, 7, 6, 6));
  EXPECT_THAT(order, SizeIs(8));
}

TEST(Priority, KeepsTheOrderOfItsFrames) {
  Rig rig(2);
  rig.Introduce();
  for (std::size_t bytes = 100; bytes < 200; bytes++)
    rig.Receive(1, FrameOf(static_cast<int>(bytes % 8), bytes));
  std::size_t last[kPriorities] = {};
  for (const Bytes& frame : rig.Drain(2)) {
    EXPECT_GT(frame.size(), last[PriorityOf(frame)]);
    last[PriorityOf(frame)] = frame.size();
  }
}

TEST(Rate, IsKept) {
  Rig rig(2);
  rig.Introduce();
  for (const int mbps : {8, 20, 40}) {
    rig.Set("2 rate_mbps " + std::to_string(mbps));
    for (int i = 0; i < 2000; i++) rig.Receive(1, FrameOf(0, 1500));
    double bytes = 0;
    for (const Bytes& frame : rig.DrainUntil(2, rig.now_ns + kSecond))
      bytes += static_cast<double>(frame.size());
    EXPECT_NEAR(bytes * 8 / 1e6, std::min(mbps, 24), 0.01 * mbps + 0.1);
    rig.DrainUntil(2, rig.now_ns + 5 * kSecond);
  }
}

TEST(Rate, CatchesUpWhereTheProcessWasLate) {
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 rate_mbps 10");
  for (int i = 0; i < 2000; i++) rig.Receive(1, FrameOf(0, 1000));
  std::size_t frames = 0;
  for (const std::uint64_t end_ns = rig.now_ns + kSecond; rig.now_ns < end_ns; rig.now_ns += 7 * kMillisecond) {
    frames += rig.Drain(2).size();
  }
  EXPECT_NEAR(static_cast<double>(frames), 1250, 25);
}

TEST(Rate, StartsAndResetsToThatOfTheSwitch) {
  Rig rig(2, 20);
  EXPECT_THAT(rig.Ask("show 1"), testing::HasSubstr("set 1 rate_mbps 20\n"));
  rig.Set("all rate_mbps 0");
  EXPECT_EQ(rig.Ask("reset all"), "ok\n");
  EXPECT_THAT(rig.Ask("show 2"), testing::HasSubstr("set 2 rate_mbps 20\n"));
}

TEST(Default, ForwardsAtOnceAndKeepsEightMegabytesForASlowGuest) {
  Rig rig(3);
  rig.Introduce();
  rig.Receive(1, FrameOf(0, 1500));
  EXPECT_LE(SwitchWakesNs(rig.get(), 1), rig.now_ns);
  EXPECT_THAT(rig.Drain(2), SizeIs(1));
  EXPECT_THAT(rig.Drain(3), IsEmpty());
  for (int i = 0; i < 900; i++) rig.Receive(1, FrameOf(0, 9000));
  EXPECT_EQ(rig.Drops(1, 0) + rig.Drops(2, 0), 0u);
  for (int i = 0; i < 100; i++) rig.Receive(1, FrameOf(0, 9000));
  EXPECT_EQ(rig.Of(2, 0).dropped[kDropQueue].frames, 1000u - (8192 * 1024) / 9000);
}

}  // namespace
}  // namespace fabric
