// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/own_writes.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <thread>

#include "tests/support/fake_clock.h"
#include "tests/unit/agent/drift/made_configurer.h"

namespace rdmaready::drift {
namespace {

Change PfcChange(const std::string& from = "on 3 delay 0", const std::string& to = "on 4 delay 0") {
  return {"dcb0", "pfc", from, to, SettingObject{SettingKind::kPfc, "dcb0", ""}};
}

Change MtuChange(const std::string& to) {
  return {"dcb0", "mtu", "9000", to, SettingObject{SettingKind::kMtu, "dcb0", ""}};
}

HeardSubject Heard(std::vector<std::uint32_t> sequences) {
  return {.last = {.kind = NoticeKind::kDcb, .name = "dcb0"},
          .times = sequences.size(),
          .sequences = std::move(sequences)};
}

ApplierStatus WithMtu(ChangeState state, const std::string& to) {
  rdmaready::Change change{.id = "c2", .state = state};
  change.steps.push_back({.step = {.object = {SettingKind::kMtu, "dcb0", ""}, .from = "9000", .to = to}});
  return {.changes = {change}};
}

class OwnWritesTest : public testing::Test {
 protected:
  std::shared_ptr<MadeConfigurer> applier_ = std::make_shared<MadeConfigurer>();
  FakeClock clock_;
  OwnWrites own_{applier_, clock_};
};

TEST_F(OwnWritesTest, WithoutAnApplierNothingIsOurs) {
  OwnWrites none(nullptr, clock_);
  none.Look();
  const HeardSubject heard = Heard({7});
  EXPECT_FALSE(none.Judge(PfcChange(), &heard).own);
  EXPECT_FALSE(none.Judge(MtuChange("1500"), nullptr).own);
}

TEST_F(OwnWritesTest, AWriteOfOurNumberIsOursAndNamesItsChange) {
  applier_->Say({{0, 7}}, {.changes = {ChangeOfPfc(ChangeState::kWriting, "on 3 delay 0", "on 4 delay 0")}});
  own_.Look();
  const HeardSubject heard = Heard({7});
  const OwnChange judged = own_.Judge(PfcChange(), &heard);
  EXPECT_TRUE(judged.own);
  EXPECT_EQ(judged.change_id, "c1");
}

TEST_F(OwnWritesTest, OfAThousandOwnWritesNoneIsForeign) {
  std::vector<OwnWrite> writes;
  std::vector<std::uint32_t> sequences;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    writes.push_back({0, i});
    sequences.push_back(i);
    applier_->Say(writes);
    own_.Look();
    const HeardSubject one = Heard({i});
    EXPECT_TRUE(own_.Judge(PfcChange(), &one).own) << i;
  }
  const HeardSubject together = Heard(sequences);
  EXPECT_TRUE(own_.Judge(PfcChange(), &together).own);
}

TEST_F(OwnWritesTest, AForeignNumberIsForeignAlsoWhileOurChangeIsOpen) {
  applier_->Say({{0, 7}},
                {.changes = {ChangeOfPfc(ChangeState::kAwaitingConfirm, "on 4 delay 0", "on 3 delay 0")}});
  own_.Look();
  const HeardSubject heard = Heard({7, 8});
  EXPECT_FALSE(own_.Judge(PfcChange(), &heard).own) << "somebody set it back";
}

TEST_F(OwnWritesTest, WhenSomebodyElseWroteBeforeUsItIsOursOnlyIfTheValueIs) {
  applier_->Say({{0, 7}}, {.changes = {ChangeOfPfc(ChangeState::kWriting, "on 3 delay 0", "on 4 delay 0")}});
  own_.Look();
  const HeardSubject heard = Heard({8, 7});
  EXPECT_TRUE(own_.Judge(PfcChange(), &heard).own);
  EXPECT_FALSE(own_.Judge(PfcChange("on 3 delay 0", "on 5 delay 0"), &heard).own);
}

TEST_F(OwnWritesTest, WhereNoticesWereLostOurValueIsOurs) {
  applier_->Say({{0, 7}}, {.changes = {ChangeOfPfc(ChangeState::kWriting, "on 3 delay 0", "on 4 delay 0")}});
  own_.Look();
  EXPECT_TRUE(own_.Judge(PfcChange(), nullptr).own);
  EXPECT_FALSE(own_.Judge(PfcChange("on 3 delay 0", "off delay 0"), nullptr).own);
}

TEST_F(OwnWritesTest, WhatHasNoNumberIsOursWhileOurChangeIsOpen) {
  applier_->Say({}, WithMtu(ChangeState::kProving, "4200"));
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("4200"), nullptr).own);
  EXPECT_FALSE(own_.Judge(MtuChange("1500"), nullptr).own);
}

TEST_F(OwnWritesTest, ANoticeOfTheDriversOwnIsNobodysRequest) {
  applier_->Say({{0, 7}}, {.changes = {ChangeOfPfc(ChangeState::kWriting, "on 3 delay 0", "on 4 delay 0")}});
  own_.Look();
  const HeardSubject with_driver = Heard({7, 0});
  EXPECT_TRUE(own_.Judge(PfcChange(), &with_driver).own);
  const HeardSubject foreign = Heard({0, 8, 0});
  EXPECT_FALSE(own_.Judge(PfcChange(), &foreign).own);
}

TEST_F(OwnWritesTest, WhileAChangeOnlyAwaitsItsConfirmationWhoSetsTheOldValueByHandIsNotUs) {
  applier_->Say({{0, 7}}, WithMtu(ChangeState::kAwaitingConfirm, "4200"));
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("4200"), nullptr).own) << "it has just written";
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("4200"), nullptr).own) << "perhaps behind the reading before that look";
  own_.Look();
  EXPECT_FALSE(own_.Judge(MtuChange("9000"), nullptr).own);
  applier_->Say({{0, 7}, {0, 8}}, WithMtu(ChangeState::kRolledBack, "4200"));
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("9000"), nullptr).own) << "it was taken back";
}

TEST_F(OwnWritesTest, AChangeThatEndedSinceTheLookBeforeWasWrittenSince) {
  applier_->Say({{0, 7}}, WithMtu(ChangeState::kAwaitingConfirm, "4200"));
  for (int looks = 0; looks < 3; ++looks) own_.Look();
  EXPECT_FALSE(own_.Judge(MtuChange("9000"), nullptr).own);
  applier_->Say({{0, 7}}, WithMtu(ChangeState::kRolledBack, "4200"));
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("9000"), nullptr).own) << "an MTU has no number";
}

TEST_F(OwnWritesTest, AChangeThatEndedLongAgoMakesNothingOurs) {
  applier_->Say({{0, 7}}, WithMtu(ChangeState::kConfirmed, "4200"));
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("4200"), nullptr).own) << "it has just written";
  own_.Look();
  EXPECT_TRUE(own_.Judge(MtuChange("4200"), nullptr).own) << "perhaps behind the reading before that look";
  own_.Look();
  EXPECT_FALSE(own_.Judge(MtuChange("4200"), nullptr).own) << "it has written nothing since";
}

TEST_F(OwnWritesTest, WhoIsToldToStopDoesNotWaitForAnApplierThatDoesNotAnswer) {
  std::stop_source stop;
  applier_->Hang(true);
  const std::jthread stopper([&stop] { stop.request_stop(); });
  own_.Look(stop.get_token());
  EXPECT_FALSE(own_.Judge(MtuChange("4200"), nullptr).own);
  applier_->Hang(false);
}

TEST_F(OwnWritesTest, AnApplierThatDoesNotAnswerIsWaitedForOnce) {
  applier_->Say({{0, 7}}, WithMtu(ChangeState::kAwaitingConfirm, "4200"));
  applier_->Hang(true);
  const Clock::TimePoint begun = clock_.Now();
  std::jthread looking([this] { own_.Look(); });
  EXPECT_EQ(clock_.AwaitSleeper(), OwnWrites::kPatience);
  clock_.Advance(OwnWrites::kPatience);
  looking.join();
  EXPECT_FALSE(own_.Judge(MtuChange("4200"), nullptr).own);
  for (int looks = 0; looks < 1000; ++looks) own_.Look();
  EXPECT_EQ(clock_.Now() - begun, OwnWrites::kPatience) << "its answer is still owed";
  applier_->Hang(false);
  while (!own_.Judge(MtuChange("4200"), nullptr).own) own_.Look();  // it is asked again once it has answered
}

TEST_F(OwnWritesTest, WhatItKeepsAndHasJustWrittenAgainIsOurs) {
  applier_->Say({{0, 7}}, {.kept = {{{SettingKind::kMtu, "dcb0", ""}, "4200"}}});
  own_.Look();
  const OwnChange judged = own_.Judge(MtuChange("4200"), nullptr);
  EXPECT_TRUE(judged.own);
  EXPECT_EQ(judged.change_id, "");
  own_.Look();
  own_.Look();
  EXPECT_FALSE(own_.Judge(MtuChange("4200"), nullptr).own);
}

}  // namespace
}  // namespace rdmaready::drift
