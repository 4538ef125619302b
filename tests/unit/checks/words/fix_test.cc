// SPDX-License-Identifier: Apache-2.0
#include "checks/words/fix.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(Fix, TakesACommentForWhatAPersonDoesAfterTheCommand) {
  EXPECT_EQ(Fix("ip link set dev a up  # check the cable").remedy(),
            (Remedy{.steps = {{.command = "ip link set dev a up"}, {.action = "check the cable"}}}));
  EXPECT_EQ(Fix("# check the cable").remedy(), (Remedy{.steps = {{.action = "check the cable"}}}));
  EXPECT_TRUE(Fix("").empty());
}

TEST(Fix, IsBuiltStepByStep) {
  const Fix fix = Fix("one")
                      .Because("the cable", Certainty::kPossible)
                      .Caution("the link drops")
                      .Caution("")
                      .Run("two", StepSite::kSwitch)
                      .Do("look", StepSite::kPort)
                      .Or("leave it")
                      .CheckBy("rdma link")
                      .OwnedBy("lldpad");
  EXPECT_EQ(fix.remedy(), (Remedy{.cause = "the cable",
                                  .certainty = Certainty::kPossible,
                                  .cautions = {"the link drops"},
                                  .steps = {{.command = "one"},
                                            {.site = StepSite::kSwitch, .command = "two"},
                                            {.site = StepSite::kPort, .action = "look"}},
                                  .alternatives = {"leave it"},
                                  .check = "rdma link",
                                  .owner = "lldpad"}));
}

TEST(Fix, GivesAFindingItsFirstCommandWithoutCautions) {
  Finding finding;
  SetFix(finding, Fix("one").Caution("the link drops").Run("two"));
  EXPECT_EQ(finding.fix, "one");
  ASSERT_TRUE(finding.remedy.has_value());
  EXPECT_EQ(finding.remedy->steps.size(), 2u);
  SetFix(finding, {});
  EXPECT_EQ(finding.fix, "");
  EXPECT_FALSE(finding.remedy.has_value());
}

TEST(Fix, IsOneLineWhereThereIsNoMoreRoom) {
  EXPECT_EQ(OneLine(Fix("one").Caution("the link drops").Run("two").Do("look").remedy()),
            "one; two  # the link drops; look");
  EXPECT_EQ(OneLine(Fix("one").Do("look").Or("leave it").remedy()), "one  # look; or leave it");
  EXPECT_EQ(OneLine(Fix("# look").remedy()), "# look");
  EXPECT_EQ(OneLine({}), "");
}

TEST(Fix, ChangesEachOfItsTexts) {
  const Remedy changed =
      WithTexts(Fix("a").Because("b").Caution("c").Do("d").Or("e").CheckBy("f").OwnedBy("owner").remedy(),
                [](const std::string& text) { return text + "!"; });
  EXPECT_EQ(changed,
            Fix("a!").Because("b!").Caution("c!").Do("d!").Or("e!").CheckBy("f!").OwnedBy("owner").remedy());
}

TEST(Fix, WhoseCommandTurnsOutToBeWordsIsAnAction) {
  EXPECT_EQ(
      WithTexts(Fix("{install drivers}").remedy(), [](const std::string&) { return "# install the drivers"; }),
      (Remedy{.steps = {{.action = "install the drivers"}}}));
}

}  // namespace
}  // namespace rdmaready
