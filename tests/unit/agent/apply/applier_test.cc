// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/applier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/audit.h"
#include "api/base/plan_digest.h"
#include "tests/support/eventually.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SettingObject kPfcOfDcb0 = On(SettingKind::kPfc);

class ApplierTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(shop.Start().ok()); }

  std::string Message(const absl::Status& status) { return std::string(status.message()); }
  // Applied and proven.
  std::string Armed() {
    const absl::StatusOr<Change> change = shop.Apply();
    EXPECT_EQ(change->state, ChangeState::kProving);
    EXPECT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
    return change->id;
  }

  Workshop shop;
  const SimHost::Values before = PlainHost();
  const SimHost::Values after = With(PlainHost(), WantedOfDcb0());
};

TEST_F(ApplierTest, WritesThePlanInItsOrderAndAwaitsTheProof) {
  std::vector<std::size_t> written;
  shop.progress = [&](const Change& change) {
    written.push_back(
        static_cast<std::size_t>(std::ranges::count(change.steps, StepState::kWritten, &ChangeStep::state)));
  };
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kProving);
  EXPECT_EQ(change->requester, "alice (tls CN=alice)");
  EXPECT_EQ(change->deadline_in_ms, 61'000U);  // ten estimates of 100 ms, and the time for confirming
  EXPECT_EQ(shop.host.values, after);
  EXPECT_THAT(written, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  ASSERT_EQ(shop.host.asked.size(), 10U);
  EXPECT_EQ(shop.host.asked.front(), "pause of dcb0: autoneg off rx on tx on -> autoneg off rx off tx off");
}

TEST_F(ApplierTest, WhereOnlyTheWholeHostCanBeReadItDoesTheSame) {
  shop.reads_some = false;
  ASSERT_TRUE(shop.Start().ok());
  const std::string id = Armed();
  EXPECT_EQ(shop.host.values, after);
  EXPECT_EQ(shop.applier->RollBack(id, "bob")->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, TakingBackReadsTheHostTwiceHoweverManyStepsThereAre) {
  const std::string id = Armed();
  int points = 0;
  shop.host.point = [&] { ++points; };
  ASSERT_TRUE(shop.applier->RollBack(id, "bob").ok());
  EXPECT_EQ(points, 2 + 2 * 10);  // and each write before and after the driver
}

TEST_F(ApplierTest, NothingIsWrittenWhereNothingDiffers) {
  shop.host.values = after;
  const std::string journal = shop.FileText("journal");
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok());
  EXPECT_EQ(change->state, ChangeState::kNothingToDo);
  EXPECT_EQ(change->deadline_in_ms, 0U);
  EXPECT_THAT(shop.host.asked, IsEmpty());
  EXPECT_EQ(shop.FileText("journal"), journal);
  EXPECT_FALSE(shop.applier->Busy());
}

TEST_F(ApplierTest, NothingToDoSaysWhatNobodyKnows) {
  shop.host.values = after;
  shop.unknown = {"PFC of dcb0 could not be read: Operation not permitted"};
  EXPECT_THAT(shop.Apply()->reason, HasSubstr("PFC of dcb0 could not be read"));
}

TEST_F(ApplierTest, WhatIsConfirmedStaysAndIsKept) {
  const std::string id = Armed();
  const absl::StatusOr<Change> change = shop.applier->Confirm(id, "bob");
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kConfirmed);
  EXPECT_EQ(change->reason, "confirmed by bob");
  shop.clock.Advance(std::chrono::hours(2));
  EXPECT_EQ(shop.host.values, after);
  EXPECT_EQ(shop.applier->Status()->kept.size(), 10U);
  EXPECT_FALSE(shop.applier->Busy());
}

TEST_F(ApplierTest, TheDeadlineBeginsAnewWhenTheProofEnds) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.clock.Advance(std::chrono::seconds(50));
  EXPECT_EQ(shop.applier->Proved(change->id, Passed())->deadline_in_ms, 60'000U);
}

TEST_F(ApplierTest, WithoutAProofItAwaitsTheConfirmationAtOnceAndSaysSo) {
  shop.order.proof = false;
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(change->state, ChangeState::kAwaitingConfirm);
  EXPECT_FALSE(change->proof.asked_for);
  EXPECT_FALSE(change->proof.plan_empty);
  EXPECT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
}

TEST_F(ApplierTest, AConfirmationThatIsReplayedIsRefusedAndSaysWhatBecameOfTheChange) {
  const std::string id = Armed();
  ASSERT_TRUE(shop.applier->Confirm(id, "bob").ok());
  const absl::Status replay = shop.applier->Confirm(id, "mallory").status();
  EXPECT_TRUE(absl::IsNotFound(replay));
  EXPECT_THAT(Message(replay), HasSubstr("was confirmed"));
  EXPECT_TRUE(absl::IsNotFound(shop.applier->Confirm("0123", "mallory").status()));
}

TEST_F(ApplierTest, AConfirmationReadsFirstAndNamesWhatDiffers) {
  const std::string id = Armed();
  shop.host.values[kPfcOfDcb0] = "on 4 delay 0";
  shop.host.unreadable = {On(SettingKind::kMtu)};
  const absl::Status refused = shop.applier->Confirm(id, "bob").status();
  EXPECT_TRUE(absl::IsAborted(refused)) << refused;
  EXPECT_THAT(Message(refused),
              HasSubstr("pfc of dcb0: it was set from \"off delay 0\" to \"on 3 delay 0\" and is "
                        "\"on 4 delay 0\""));
  EXPECT_THAT(Message(refused), HasSubstr("mtu of dcb0: it cannot be read"));
  EXPECT_THAT(shop.FileText("audit"), HasSubstr("refused: mtu of dcb0"));
  ASSERT_EQ(shop.applier->Status()->changes.front().state, ChangeState::kAwaitingConfirm);
  EXPECT_GT(shop.applier->Status()->changes.front().deadline_in_ms, 0U);
  EXPECT_THAT(shop.applier->Status()->kept, IsEmpty());
  shop.host.values[kPfcOfDcb0] = "on 3 delay 0";
  shop.host.unreadable.clear();
  EXPECT_TRUE(shop.applier->Confirm(id, "bob").ok());
}

TEST_F(ApplierTest, AChangeWhoseConfirmationWasRefusedGoesBackAtItsDeadline) {
  const std::string id = Armed();
  shop.host.values[kPfcOfDcb0] = "on 4 delay 0";
  ASSERT_TRUE(absl::IsAborted(shop.applier->Confirm(id, "bob").status()));
  shop.clock.Advance(std::chrono::seconds(60));
  EXPECT_TRUE(absl::IsNotFound(shop.applier->Confirm(id, "bob").status()));
  EXPECT_TRUE(Eventually([this] { return !shop.applier->Busy(); }));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, WritesTheEndOfAChangeOnceTheDiskHasRoomAndStaysUntilThen) {
  const std::string id = Armed();
  shop.disk.full = true;
  ASSERT_EQ(shop.applier->RollBack(id, "bob")->state, ChangeState::kRolledBack);
  EXPECT_TRUE(shop.applier->Busy()) << "the next life would roll it back again";
  shop.disk.full = false;
  shop.clock.Advance(std::chrono::seconds(30));
  EXPECT_TRUE(Eventually([this] { return !shop.applier->Busy(); }));
  shop.host.values[kPfcOfDcb0] = "on 5 delay 0";  // somebody's, since
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcOfDcb0), "on 5 delay 0");
}

TEST_F(ApplierTest, NothingIsConfirmedBeforeItIsProven) {
  const absl::StatusOr<Change> change = shop.Apply();
  const absl::Status early = shop.applier->Confirm(change->id, "bob").status();
  EXPECT_TRUE(absl::IsNotFound(early));
  EXPECT_THAT(Message(early), HasSubstr("is being proven"));
}

TEST_F(ApplierTest, ASecondApplyIsRefusedNamingTheFirst) {
  const std::string id = Armed();
  const absl::Status second = shop.Apply().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second));
  EXPECT_THAT(Message(second), HasSubstr(id));
  EXPECT_THAT(Message(second), HasSubstr("alice"));
  EXPECT_EQ(shop.host.values, after);
}

TEST_F(ApplierTest, ASecondApplyIsRefusedWhileTheFirstIsBeingPlannedOrWritten) {
  absl::Status second;
  shop.progress = [&](const Change&) { second = shop.applier->Apply(shop.order, {}, {}).status(); };
  ASSERT_TRUE(shop.Apply().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
}

TEST_F(ApplierTest, AProofThatFailedTakesAllBack) {
  const absl::StatusOr<Change> change = shop.Apply();
  const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, {.loopback_text = "no completion"});
  EXPECT_EQ(proved->state, ChangeState::kRolledBack);
  EXPECT_THAT(proved->reason, HasSubstr("no completion"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, AFreshPlanThatIsNotEmptyIsNoProof) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.host.values[kPfcOfDcb0] = "on 4 delay 0";
  const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, Passed());
  EXPECT_EQ(proved->state, ChangeState::kRolledBack);
  EXPECT_THAT(proved->reason, HasSubstr("a fresh plan has 1 steps: pfc of dcb0"));
  EXPECT_EQ(shop.host.values, before);
}

// mlx5's buffers behind its PFC: the plan said that another one may have a step for them.
TEST_F(ApplierTest, AcceptsStepsThatThePlanLeftToAnotherOne) {
  const SettingObject buffer = On(SettingKind::kBuffer);
  shop.amend = [&, first = true](Plan& plan) mutable {
    if (std::exchange(first, false)) {
      plan.pending.push_back({.object = buffer, .subject = "rxe0/1 dcb0"});
    } else {
      plan.steps.push_back({.object = buffer, .from = "a", .to = "b"});
    }
  };
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok());
  const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, Passed());
  EXPECT_EQ(proved->state, ChangeState::kAwaitingConfirm) << proved->reason;
}

TEST_F(ApplierTest, AFreshPlanThatKnowsLessThanBeforeIsNoProof) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.unknown = {"ETS of dcb0 could not be read"};
  EXPECT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, OnlyThePlanThatWasAgreedToIsWritten) {
  shop.order.plan_sha256 = *PlanDigest(*shop.MakePlan());
  const SettingObject pause = On(SettingKind::kPause);
  shop.host.values[pause] = "autoneg off rx off tx on";  // somebody else's, before it begins
  const SimHost::Values changed = shop.host.values;
  const absl::Status refused = shop.Apply().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(refused), HasSubstr("not the one that was shown any more: 10 settings would be set now"));
  EXPECT_EQ(shop.host.values, changed);
  EXPECT_THAT(shop.host.asked, IsEmpty());
  EXPECT_FALSE(shop.applier->Busy());
  EXPECT_THAT(shop.FileText("audit"), HasSubstr("not the one that was shown"));
  shop.order.plan_sha256 = *PlanDigest(*shop.MakePlan());
  EXPECT_EQ(shop.Apply()->state, ChangeState::kProving);
}

TEST_F(ApplierTest, WhereNothingIsLeftToSetTheAgreementIsKept) {
  shop.order.plan_sha256 = *PlanDigest(*shop.MakePlan());
  shop.host.values = after;
  EXPECT_EQ(shop.Apply()->state, ChangeState::kNothingToDo);
}

TEST_F(ApplierTest, APeerThatWasWantedMustHavePassed) {
  shop.order.peer_proof = true;
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, APeerThatTheFileNamesMustHavePassedAlsoWhereNobodyAskedForIt) {
  shop.permission->peer = "nas1";
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(change->proof.peer, "nas1") << "for who makes the transfer";
  const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, Passed());
  EXPECT_EQ(proved->state, ChangeState::kRolledBack);
  EXPECT_THAT(proved->reason, HasSubstr("the peer transfer with nas1 did not pass"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, WhereTheFileNamesAPeerNothingGoesWithoutAProof) {
  shop.permission->peer = "nas1";
  shop.order.proof = false;
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("nas1"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, ARollBackThatIsAskedForTakesAllBack) {
  const std::string id = Armed();
  const absl::StatusOr<Change> change = shop.applier->RollBack(id, "bob");
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_EQ(change->reason, "asked for by bob");
  for (const ChangeStep& step : change->steps) EXPECT_EQ(step.state, StepState::kTakenBack);
  EXPECT_EQ(shop.host.values, before);
  EXPECT_THAT(shop.applier->Status()->kept, IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(shop.applier->RollBack(id, "bob").status()));
}

TEST_F(ApplierTest, ACallerWhoGivesUpHasItTakenBack) {
  std::stop_source giving_up;
  int steps = 0;
  shop.progress = [&](const Change&) {
    if (++steps == 4) giving_up.request_stop();
  };
  const absl::StatusOr<Change> change = shop.Apply(giving_up.get_token());
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_THAT(change->reason, HasSubstr("gave up"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, ARollBackInTheMiddleOfTheWritingCounts) {
  int steps = 0;
  absl::StatusOr<Change> asked = absl::UnknownError("not asked");
  shop.progress = [&](const Change& change) {
    if (++steps == 3) asked = shop.applier->RollBack(change.id, "bob");
  };
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_EQ(asked->state, ChangeState::kRolledBack);
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(ApplierTest, TheOwnWritesAreToldAlsoByTheNextLifeOfTheSameBoot) {
  Armed();
  const std::vector<OwnWrite> own = *shop.applier->OwnWrites();
  ASSERT_EQ(own.size(), 10U);
  EXPECT_EQ(own.front(), (OwnWrite{77, 1}));
  EXPECT_EQ(shop.foreign.own, own);
  ASSERT_TRUE(shop.Start().ok());  // which takes it back: ten more
  EXPECT_EQ(shop.applier->OwnWrites()->size(), 20U);
  EXPECT_EQ(shop.applier->OwnWrites()->front(), (OwnWrite{77, 1}));
  shop.boot_id = "boot-2";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_THAT(*shop.applier->OwnWrites(), IsEmpty());
}

TEST_F(ApplierTest, TheAuditHasEveryWriteAndItsHeadIsTold) {
  EXPECT_EQ(shop.applier->Status()->audit_head, "") << "it has no line yet";
  const std::string id = Armed();
  ASSERT_TRUE(shop.applier->Confirm(id, "bob (unix uid 0)").ok());
  const std::string audit = shop.FileText("audit");
  for (const Setting& setting : shop.wanted) EXPECT_THAT(audit, HasSubstr(TextOf(setting.object)));
  EXPECT_THAT(audit, HasSubstr(R"x("what":"confirm","who":"bob (unix uid 0)")x"));
  const absl::StatusOr<apply::AuditSummary> summary = apply::VerifyAudit(shop.dir + "/audit");
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->end.lines, 12U);  // it begins, ten writes, the confirmation
  EXPECT_EQ(summary->end.head, shop.applier->Status()->audit_head);
  std::string changed = audit;
  changed.replace(changed.find("bob"), 3, "eve");
  shop.Rewrite("audit", changed);
  EXPECT_TRUE(absl::IsDataLoss(apply::VerifyAudit(shop.dir + "/audit").status()));
}

TEST_F(ApplierTest, RefusalsAreInTheAuditAndDoNotFillIt) {
  shop.permission = absl::NotFoundError("no /etc/rdmaready/apply.yaml");
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(absl::IsPermissionDenied(shop.Apply().status()));
  EXPECT_EQ(apply::VerifyAudit(shop.dir + "/audit")->end.lines, 10U);
  shop.clock.Advance(std::chrono::minutes(2));
  EXPECT_FALSE(shop.Apply().ok());
  EXPECT_THAT(shop.FileText("audit"), HasSubstr("990 refusals before it"));
}

TEST_F(ApplierTest, TheStateCanBeToldWhileItIsWritten) {
  std::vector<ApplierStatus> told;
  shop.progress = [&](const Change&) { told.push_back(*shop.applier->Status()); };
  ASSERT_TRUE(shop.Apply().ok());
  ASSERT_EQ(told.size(), 10U);
  EXPECT_EQ(told[4].changes.front().state, ChangeState::kWriting);
  EXPECT_EQ(told[4].changes.front().steps[4].state, StepState::kWritten);
  EXPECT_EQ(told[4].changes.front().steps[5].state, StepState::kNotBegun);
  EXPECT_FALSE(told[4].allowed.empty());
}

TEST(ChangesAnHour, AreAsManyAsRootAllowsAndOutliveTheProcess) {
  Workshop shop;
  shop.permission->changes_most_per_hour = 2;
  shop.order.proof = false;
  ASSERT_TRUE(shop.Start().ok());
  for (int change = 0; change < 2; ++change) {
    const absl::StatusOr<Change> applied = shop.Apply();
    ASSERT_TRUE(applied.ok()) << applied.status();
    ASSERT_TRUE(shop.applier->RollBack(applied->id, "bob").ok());
  }
  const auto refused = [&] { return std::string(shop.Apply().status().message()); };
  EXPECT_THAT(refused(),
              testing::HasSubstr("2 changes were begun within an hour, as many as apply.yaml allows"));
  EXPECT_EQ(shop.host.values, PlainHost());
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_THAT(refused(), testing::HasSubstr("the next one may begin at "));
  shop.unix_ns -= 60'000'000'000;  // a clock that is set back does not help
  EXPECT_THAT(refused(), testing::HasSubstr("within an hour"));
  shop.unix_ns += 3'661'000'000'000;
  EXPECT_TRUE(shop.Apply().ok());
}

}  // namespace
}  // namespace rdmaready
