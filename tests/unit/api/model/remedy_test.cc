// SPDX-License-Identifier: Apache-2.0
#include "api/model/remedy.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(Remedy, MakesOneStepOfAnOlderFixAndACautionOfItsComment) {
  const Remedy remedy = RemedyOfFix("dcb pfc set dev eth2 prio-pfc 3:on  # the link goes down for a moment");
  EXPECT_EQ(remedy, (Remedy{.cautions = {"the link goes down for a moment"},
                            .steps = {{.command = "dcb pfc set dev eth2 prio-pfc 3:on"}}}));
  EXPECT_EQ(RemedyOfFix("ip link set dev eth2 up"),
            (Remedy{.steps = {{.command = "ip link set dev eth2 up"}}}));
}

TEST(Remedy, MakesAnActionOfACommentAlone) {
  EXPECT_EQ(RemedyOfFix("# check it together with another host"),
            (Remedy{.steps = {{.action = "check it together with another host"}}}));
  EXPECT_TRUE(RemedyOfFix("").empty());
}

TEST(Remedy, FindsTheFirstCommandBehindAnAction) {
  const Remedy remedy{.steps = {{.action = "reseat the cable"}, {.command = "ip link"}, {.command = "true"}}};
  EXPECT_EQ(FirstCommand(remedy), "ip link");
  EXPECT_EQ(FirstCommand({.steps = {{.action = "reseat the cable"}}}), "");
}

TEST(Remedy, IsWithinLimitsUpToTheLastStepAndByte) {
  Remedy remedy{.steps = std::vector<RemedyStep>(kMostRemedySteps, RemedyStep{.command = "x"})};
  EXPECT_TRUE(IsWithinLimits(remedy));
  remedy.cause = std::string(kMostRemedyBytes - BytesOf(remedy), 'c');
  EXPECT_TRUE(IsWithinLimits(remedy));
  remedy.owner = "x";
  EXPECT_FALSE(IsWithinLimits(remedy));
  remedy = {.steps = std::vector<RemedyStep>(kMostRemedySteps + 1)};
  EXPECT_FALSE(IsWithinLimits(remedy));
  EXPECT_FALSE(IsWithinLimits({.cautions = std::vector<std::string>(kMostRemedySteps + 1)}));
  EXPECT_FALSE(IsWithinLimits({.alternatives = std::vector<std::string>(kMostRemedySteps + 1)}));
}

}  // namespace
}  // namespace rdmaready
