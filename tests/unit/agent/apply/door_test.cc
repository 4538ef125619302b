// SPDX-License-Identifier: Apache-2.0
// Settings behind a door: those that can be seen or written only once another one was (ice's firmware agent,
// who has DCBX). What was set behind it is taken back before it is shut again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const SettingObject kFlagOfIce = On(SettingKind::kPrivateFlag, "dcb0", "fw-lldp-agent");
const SettingObject kDcbxOfIce = On(SettingKind::kDcbx);
const SettingObject kAppOfIce = On(SettingKind::kApp);
const SettingObject kEtsOfIce = On(SettingKind::kEts);
const SettingObject kPfcOfIce = On(SettingKind::kPfc);

PlanStep StepOf(const SettingObject& object, std::string from, std::string to) {
  PlanStep step{.object = object, .from = std::move(from), .to = std::move(to)};
  step.subject = "rxe0/1 dcb0";
  return step;
}

// As ice is: while its firmware's agent runs nobody sees the rest; classes begin anew with the first row of
// DSCP and with the last one; with rows the agent does not start.
class FirmwareAgentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    shop.host.values[kFlagOfIce] = "on";
    shop.host.unreadable = {kAppOfIce, kEtsOfIce, kPfcOfIce};
    shop.host.on_request = [this](const SettingObject&) {
      const bool rows = shop.host.values.at(kAppOfIce) != "empty";
      shop.host.refuses = extra_refusals;
      if (rows) shop.host.refuses.insert(kFlagOfIce);
    };
    shop.host.effect = [this](const SettingObject& object) {
      if (object == kAppOfIce) shop.host.values[kEtsOfIce] = rows_ets;
      if (object != kFlagOfIce) return;
      if (shop.host.values.at(kFlagOfIce) == "on")
        shop.host.unreadable = {kAppOfIce, kEtsOfIce, kPfcOfIce};
      else
        shop.host.unreadable.clear();
    };
    shop.wanted = {{kFlagOfIce, "off"}};
    shop.amend = [this](Plan& plan) {
      if (shop.host.values.at(kFlagOfIce) != "on") return;
      plan.steps.push_back(StepOf(kAppOfIce, "empty", "dscp:26:3"));
      plan.steps.push_back(StepOf(kEtsOfIce, EtsText(10, 90), EtsText(60, 40)));  // as nobody could know before
      plan.steps.push_back(StepOf(kPfcOfIce, "off delay 0", "on 3 delay 0"));
    };
    before = shop.host.values;
    ASSERT_TRUE(shop.Start().ok());
  }

  Workshop shop;
  SimHost::Values before;
  std::set<SettingObject> extra_refusals{};
  const std::string rows_ets = EtsText(30, 70);
};

TEST_F(FirmwareAgentTest, WhatIsBehindItIsWrittenOnceItIsOpen) {
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kProving) << change->reason;
  EXPECT_EQ(change->steps[2].step.from, rows_ets) << "as it was read before it was written";
  EXPECT_EQ(shop.host.values.at(kPfcOfIce), "on 3 delay 0");
}

TEST_F(FirmwareAgentTest, ItIsTakenBackBackwardsBeforeTheAgentRunsAgain) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.host.asked.clear();
  const absl::StatusOr<Change> back = shop.applier->RollBack(change->id, "root");
  EXPECT_EQ(back->state, ChangeState::kRolledBack) << back->reason;
  EXPECT_THAT(shop.host.asked,
              ElementsAre(StartsWith("pfc of"), AllOf(StartsWith("ets of"), HasSubstr("-> " + rows_ets)),
                          StartsWith("app of"), StartsWith("private-flag")));
  EXPECT_EQ(shop.host.values.at(kFlagOfIce), "on");
  for (const ChangeStep& step : back->steps) EXPECT_EQ(step.state, StepState::kTakenBack);
}

TEST_F(FirmwareAgentTest, ANewLifeTakesItBackLikewise) {
  ASSERT_TRUE(shop.Apply().ok());
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.applier->Status()->changes.back().state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values.at(kFlagOfIce), "on");
  EXPECT_EQ(shop.host.values.at(kAppOfIce), "empty");
}

TEST_F(FirmwareAgentTest, AStepThatIsRefusedOpensNothingForGood) {
  extra_refusals = {kPfcOfIce};
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(change->state, ChangeState::kRolledBack) << change->reason;
  EXPECT_EQ(shop.host.values.at(kFlagOfIce), "on");
  EXPECT_EQ(shop.host.values.at(kAppOfIce), "empty");
}

TEST_F(FirmwareAgentTest, AnAgentThatDoesNotStartAgainIsAFailedRollbackWithItsWords) {
  const absl::StatusOr<Change> change = shop.Apply();
  extra_refusals = {kAppOfIce};
  const absl::StatusOr<Change> back = shop.applier->RollBack(change->id, "root");
  EXPECT_EQ(back->state, ChangeState::kRollbackFailed);
  EXPECT_THAT(back->reason, HasSubstr("private-flag fw-lldp-agent of dcb0"));
  EXPECT_EQ(back->steps[1].state, StepState::kNotTakenBack);
}

TEST_F(FirmwareAgentTest, WhatNoStepBeforeItOpensIsRefused) {
  shop.wanted.clear();
  shop.amend = [](Plan& plan) { plan.steps.push_back(StepOf(kPfcOfIce, "off delay 0", "on 3 delay 0")); };
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("cannot be read"));
}

// An ice in CEE mode: all can be seen, and nothing be written before the mode is IEEE's.
TEST(CeeModeTest, WhatTheDriverRewroteIsPutBackBeforeTheModeIs) {
  Workshop shop;
  const std::string cee = Text(Dcbx{.host = true, .cee = true});
  shop.host.values[kDcbxOfIce] = cee;
  shop.host.values[kEtsOfIce] = EtsText(60, 40);
  shop.host.on_request = [&](const SettingObject&) {
    shop.host.refuses.clear();
    if (shop.host.values.at(kDcbxOfIce) == cee) shop.host.refuses = {kAppOfIce, kEtsOfIce, kPfcOfIce};
  };
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kAppOfIce) shop.host.values[kEtsOfIce] = EtsText(0, 100);
  };
  shop.wanted = {{kDcbxOfIce, Text(Dcbx{.host = true, .ieee = true})}, {kAppOfIce, "dscp:26:3"}};
  const SimHost::Values before = shop.host.values;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(change->state, ChangeState::kProving) << change->reason;
  EXPECT_EQ(shop.applier->RollBack(change->id, "root")->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

}  // namespace
}  // namespace rdmaready
