// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/ets_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "checks/judge.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::array<EtsClaim, 1> kRdma{{{.priority = 3, .percent = 50}}};

TEST(EtsPlan, MakesACompleteConfigurationOutOfAFreshDriver) {
  Ets fresh;
  fresh.traffic_classes = 8;
  EXPECT_EQ(EtsCommand(PlanEts(fresh, kRdma, false), "dcb0"),
            "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3");
}

TEST(EtsPlan, NumbersClassesWithoutGapsWhereTheNicWantsIt) {
  EXPECT_EQ(
      EtsCommand(PlanEts(Ets{}, kRdma, true), "ens1"),
      "dcb ets set dev ens1 tc-tsa all:ets 4:strict 5:strict 6:strict 7:strict tc-bw all:0 0:48 1:1 2:1 3:50 "
      "prio-tc all:0 1:1 2:2 3:3");
}

TEST(EtsPlan, ClosesTheGapsThatAreThereWhereTheNicWantsIt) {
  Ets gap;
  gap.traffic_classes = 8;
  gap.tsa = {Tsa::kEts, Tsa::kEts, Tsa::kEts, Tsa::kEts};
  gap.tx_percent = {25, 0, 25, 50};
  gap.prio_tc = {0, 0, 2, 3, 0, 0, 0, 0};
  EXPECT_EQ(
      EtsCommand(PlanEts(gap, kRdma, true), "ens1"),
      "dcb ets set dev ens1 tc-tsa all:ets 4:strict 5:strict 6:strict 7:strict tc-bw all:0 0:25 1:1 2:24 3:50 "
      "prio-tc all:0 1:1 2:2 3:3");
}

TEST(EtsPlan, RenumbersWhatCannotKeepItsNumberWithoutAGap) {
  Ets high;
  high.traffic_classes = 8;
  high.tsa = {Tsa::kEts, Tsa::kEts, Tsa::kEts, Tsa::kEts};
  high.tx_percent = {50, 0, 0, 50};
  high.prio_tc = {0, 3, 3, 3, 0, 0, 0, 0};  // no priority is left for the classes 1 and 2
  EXPECT_EQ(PlanEts(high, kRdma, true).prio_tc,
            (std::array<std::uint8_t, kPriorities>{0, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(EtsPlan, KeepsOtherClassesInProportion) {
  Ets three;
  three.tsa = {Tsa::kEts, Tsa::kEts, Tsa::kStrict, Tsa::kEts};
  three.tx_percent = {80, 10, 0, 10};
  three.prio_tc = {0, 0, 0, 3, 0, 0, 0, 1};  // the heartbeat has a class of its own
  const EtsPlan plan = PlanEts(three, kRdma, false);
  EXPECT_EQ(plan.prio_tc, three.prio_tc);
  EXPECT_EQ(plan.tx_percent[3], 50);
  EXPECT_EQ(plan.tx_percent[0], 45);
  EXPECT_EQ(plan.tx_percent[1], 5);
}

// What the kernel's drivers demand of any configuration, and what the checks demand of this one.
TEST(EtsPlan, IsAlwaysValidAndHealsWhateverWasThere) {
  std::mt19937 random(7);
  const auto below = [&random](unsigned bound) { return static_cast<std::uint8_t>(random() % bound); };
  constexpr std::array<Tsa, 4> kTsa{Tsa::kStrict, Tsa::kEts, Tsa::kVendor, Tsa::kEts};
  for (int round = 0; round < 2000; ++round) {
    Ets ets;
    ets.traffic_classes = static_cast<std::uint8_t>(2 + below(7));
    for (std::size_t i = 0; i < kPriorities; ++i) {
      ets.tsa[i] = kTsa[below(4)];
      ets.tx_percent[i] = below(101);
      ets.prio_tc[i] = below(9);
    }
    const bool contiguous = below(2) == 0;
    const EtsPlan plan = PlanEts(ets, kRdma, contiguous);
    const std::set<std::uint8_t> used(plan.prio_tc.begin(), plan.prio_tc.end());
    ASSERT_TRUE(!contiguous || *used.rbegin() + std::size_t{1} == used.size()) << round;
    unsigned sum = 0;
    for (std::size_t i = 0; i < kPriorities; ++i) {
      ASSERT_LT(plan.prio_tc[i], ClassCount(ets));
      ASSERT_TRUE(plan.tsa[i] == Tsa::kEts || plan.tx_percent[i] == 0);
      sum += plan.tx_percent[i];
    }
    ASSERT_EQ(sum, 100U) << round;
    const Facts healed = WithEts([&plan](Ets& now) {
      now.tsa = plan.tsa;
      now.tx_percent = plan.tx_percent;
      now.prio_tc = plan.prio_tc;
    });
    const std::vector<Finding> findings = JudgeHost(healed, VirtualFabricProfile());
    ASSERT_NE(Of(findings, "ets.map").outcome, Outcome::kFail) << round;
    ASSERT_EQ(Of(findings, "ets.rdma-share").outcome, Outcome::kPass) << round;
  }
}

TEST(EtsPlan, GivesAllToRdmaWhereThereIsOneClass) {
  Ets one;
  one.traffic_classes = 1;
  const EtsPlan plan = PlanEts(one, kRdma, false);
  EXPECT_EQ(plan.tx_percent[0], 100);
}

TEST(ClassCount, ReadsNoneAsTheEightOfTheStandard) {
  Ets ets;
  EXPECT_EQ(ClassCount(ets), 8);
  ets.traffic_classes = 200;
  EXPECT_EQ(ClassCount(ets), 8);
  ets.traffic_classes = 4;
  EXPECT_EQ(ClassCount(ets), 4);
}

}  // namespace
}  // namespace rdmaready
