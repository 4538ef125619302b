// SPDX-License-Identifier: Apache-2.0
// What an agent adds to an applier: the proof, who may, by which connection, and what is remembered.
#include <chrono>
#include <filesystem>
#include <thread>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/made_pki.h"
#include "tests/unit/agent/server/fake_configurer.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class ServiceApplyTest : public ServiceTest {
 protected:
  ServedAgent Served() {
    return ServedAgent(BothEnds(), locks_, {}, HostNetwork(), nullptr, {}, true, nullptr, {}, {}, configurer_);
  }

  static absl::StatusOr<Change> Apply(ServedAgent& agent, const ApplyOptions& options = {.caller = "anna"},
                                      const std::function<void(const Change&)>& on_change = {}) {
    return agent.Client("a")->Apply(options, on_change);
  }

  std::shared_ptr<FakeConfigurer> configurer_ = std::make_shared<FakeConfigurer>();
};

TEST_F(ServiceApplyTest, AChangeIsProvenByLoopbackThroughThePortThatItTouched) {
  ServedAgent agent = Served();
  std::vector<ChangeState> seen;
  const absl::StatusOr<Change> change =
      Apply(agent, {.caller = "anna"}, [&](const Change& now) { seen.push_back(now.state); });
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kAwaitingConfirm);
  EXPECT_TRUE(change->proof.loopback);
  EXPECT_THAT(change->proof.loopback_text,
              AllOf(HasSubstr("rxe0/1 send-1k: "), HasSubstr("rxe0/1 write-512k: ")));
  EXPECT_EQ(seen.front(), ChangeState::kWriting);
  EXPECT_THAT(agent.store.transfers, SizeIs(2));
  EXPECT_THAT(agent.store.transfers, Each(Field(&TransferRecord::run_id, kChangeId)));
  EXPECT_THAT(configurer_->asked.requester, HasSubstr("anna"));
  EXPECT_EQ(configurer_->asked.profiles.front().name, "virtual-fabric")
      << "the agent's own where none is named";
}

TEST_F(ServiceApplyTest, WhereNoTouchedPortCanBeTestedNothingIsProvenAndItGoesBack) {
  configurer_->applied = WrittenChange("eth9");
  configurer_->applied->steps.front().step.object.where = "eth9";
  ServedAgent agent = Served();
  const absl::StatusOr<Change> change = Apply(agent);
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_THAT(configurer_->Told().loopback_text, HasSubstr("nothing proves the change"));
  EXPECT_THAT(agent.store.transfers, IsEmpty());
}

TEST_F(ServiceApplyTest, WithoutAProofNoTransferIsMade) {
  configurer_->applied->state = ChangeState::kAwaitingConfirm;
  ServedAgent agent = Served();
  const absl::StatusOr<Change> change = Apply(agent, {.proof = false});
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_FALSE(configurer_->asked.proof);
  EXPECT_THAT(agent.store.transfers, IsEmpty());
}

TEST_F(ServiceApplyTest, WhatTheApplierDoesNotPermitIsNoRefusalOfTheCaller) {
  const auto code = [&](const absl::Status& status) {
    configurer_->applied = status;
    ServedAgent agent = Served();
    return Apply(agent).status().code();
  };
  EXPECT_EQ(code(absl::PermissionDeniedError("no /etc/rdmaready/apply.yaml")),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(absl::FailedPreconditionError("another change is open")),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(absl::InvalidArgumentError("confirm_within")), absl::StatusCode::kInvalidArgument);
  ServedAgent without(BothEnds(), locks_);
  EXPECT_THAT(Apply(without).status().message(), HasSubstr("no applier"));
}

TEST_F(ServiceApplyTest, ThePlanThatWasAgreedToIsForTheApplierToCompare) {
  const std::string digest(64, 'a');
  ServedAgent agent = Served();
  ASSERT_TRUE(Apply(agent, {.plan_sha256 = digest}).ok());
  EXPECT_EQ(configurer_->asked.plan_sha256, digest);
  EXPECT_EQ(Apply(agent, {.plan_sha256 = "mine"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServiceApplyTest, WithoutAnApplierNothingIsBegun) {
  configurer_->status = absl::UnavailableError("rdmaready-applier is not running");
  ServedAgent agent = Served();
  const absl::Status status = Apply(agent).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("is not running"));
  EXPECT_THAT(configurer_->asked.requester, IsEmpty());
}

TEST_F(ServiceApplyTest, AnApplierThatIsEndedBetweenTwoWritesIsNoRefusal) {
  for (const bool told : {true, false}) {
    configurer_->applied = WrittenChange();
    configurer_->tells_progress = told;
    configurer_->after_progress = absl::UnavailableError("rdmaready-applier: connection closed");
    ServedAgent agent = Served();
    const absl::Status lost = Apply(agent).status();
    EXPECT_EQ(lost.code(), absl::StatusCode::kInternal) << told << ": settings may be half written";
    EXPECT_THAT(lost.message(), HasSubstr("goes back by itself"));
    if (told) {
      EXPECT_THAT(lost.message(), HasSubstr(kChangeId));
    }
  }
}

TEST_F(ServiceApplyTest, AnApplierThatGoesAwayInTheMiddleIsAFailure) {
  configurer_->after_proof = absl::UnavailableError("connection closed");
  ServedAgent agent = Served();
  const absl::Status lost = Apply(agent).status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(lost.message(), HasSubstr("goes back by itself"));
}

TEST_F(ServiceApplyTest, WhatWentBackDuringItsProofIsTakenBackAndNoFailure) {
  configurer_->after_proof = absl::NotFoundError("no such change is being proven");
  configurer_->status->changes.push_back(WrittenChange());
  Change& gone = configurer_->status->changes.front();
  gone.state = ChangeState::kRolledBack;
  gone.reason = "nobody confirmed it";
  ServedAgent agent = Served();
  const absl::StatusOr<Change> change = Apply(agent);
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_EQ(change->reason, "nobody confirmed it");
}

TEST_F(ServiceApplyTest, TheTimeOfALoopbackIsNotGivenToThePeerTest) {
  ServedAgent agent = Served();
  std::uint32_t left_ms = 0;
  std::jthread asking;
  ASSERT_TRUE(Apply(agent, {.peer = "b"}, [&](const Change& now) {
                if (!now.proof.loopback || asking.joinable()) return;
                left_ms = now.deadline_in_ms;
                asking = std::jthread([&] { EXPECT_TRUE(agent.Client("a")->ProvePeer(kChangeId).ok()); });
              }).ok());
  EXPECT_GT(left_ms, 0U);
  EXPECT_LT(left_ms, WrittenChange().deadline_in_ms);
}

TEST_F(ServiceApplyTest, WhoLeavesBeforeTheEndHasItTakenBack) {
  ServedAgent agent = Served();
  const auto stub = v1::Agent::NewStub(agent.Channel());
  grpc::ClientContext context;
  v1::ApplyRequest request;
  request.set_peer("b");
  const auto reader = stub->Apply(&context, request);
  for (v1::Change change; reader->Read(&change);) {
    if (change.state() == v1::CHANGE_STATE_PROVING && change.proof().loopback()) break;
  }
  context.TryCancel();
  ASSERT_TRUE(Eventually([&] { return !configurer_->Calls().empty(); }));
  EXPECT_THAT(configurer_->Calls(), Contains(HasSubstr("roll back " + kChangeId)));
}

TEST_F(ServiceApplyTest, APeerProofIsWhatTheAgentItselfTookPartInAndNobodysWord) {
  ServedAgent agent = Served();
  absl::StatusOr<Change> asked = absl::UnknownError("nobody asked");
  std::jthread asking;
  const absl::StatusOr<Change> change = Apply(agent, {.peer = "b"}, [&](const Change& now) {
    if (!now.proof.loopback || asking.joinable()) return;
    asking = std::jthread([&] { asked = agent.Client("a")->ProvePeer(kChangeId); });
  });
  asking.join();
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_EQ(asked->state, ChangeState::kRolledBack) << asked.status();
  EXPECT_THAT(configurer_->Told().peer_text, HasSubstr("had no part"));
  EXPECT_EQ(agent.Client("a")->ProvePeer(kChangeId).status().code(), absl::StatusCode::kNotFound);
}

// The peer test of a change, made by this host's agent and that of another.
class PeerProofTest : public ServiceApplyTest {
 protected:
  struct Part {
    std::string case_name{};
    bool back = false;
  };

  // What came of a change whose peer tests were those.
  absl::StatusOr<Change> ApplyWith(const std::vector<Part>& parts) {
    between_tests_ = nullptr;
    const LinkMaker loopback = BothEnds();
    const auto links_of = [this, loopback](Role role, std::uint32_t lane) -> std::unique_ptr<RdmaLink> {
      if (between_tests_ == nullptr) return loopback(role, lane);
      return std::make_unique<MemoryLink>(*between_tests_, role);
    };
    ServedAgent here(links_of, locks_, {}, HostNetwork(), nullptr, {}, true, nullptr, trust_here_, {},
                     configurer_);
    const std::string other_locks = locks_ + "/other";
    std::filesystem::create_directories(other_locks);
    ServedAgent there(links_of, other_locks, {}, HostNetwork(), nullptr, {}, true, nullptr, trust_there_);
    std::jthread asking;
    return Apply(here, {.peer = peer_}, [&](const Change& now) {
      if (!now.proof.loopback || asking.joinable()) return;
      asking = std::jthread([&] {
        const auto a = here.Client("a");
        const auto b = there.Client("b");
        for (const Part& part : parts) {
          between_tests_ = peer_fabrics_.emplace_back(std::make_unique<MemoryFabric>()).get();
          PeerTest test = Send1k();
          test.run_id = kChangeId;
          test.case_name = part.case_name;
          const PeerAnswer answer = part.back ? RunPeerTest(*b, *a, test) : RunPeerTest(*a, *b, test);
          EXPECT_EQ(answer.result.failure.kind, FailureKind::kNone) << answer.result.failure.detail;
        }
        EXPECT_TRUE(a->ProvePeer(kChangeId).ok());
      });
    });
  }

  std::string peer_ = "b";
  PeerTrust trust_here_{};
  PeerTrust trust_there_{};

 private:
  std::vector<std::unique_ptr<MemoryFabric>> peer_fabrics_{};
  std::atomic<MemoryFabric*> between_tests_ = nullptr;  // null: the tests are loopback
};

TEST_F(PeerProofTest, BothCasesBothWaysOfTheChangesRunIdProveIt) {
  const absl::StatusOr<Change> change =
      ApplyWith({{"send-1k"}, {"write-512k"}, {"send-1k", true}, {"write-512k", true}});
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kAwaitingConfirm);
  EXPECT_TRUE(change->proof.peer_passed) << change->proof.peer_text;
  EXPECT_EQ(change->proof.peer, "b");
}

TEST_F(PeerProofTest, OnlyTheAgentWhoseCertificateNamesThePeerProvesIt) {
  MadePki pki("peer-proof");
  pki.Write("roles.yaml", "agent: [\"DNS:*.agents.example\"]\n");
  const auto trust = [&pki](const std::string& name) {
    return PeerTrust{.files = pki.Identity(name, {.names = "DNS:" + name + ".agents.example"}),
                     .roles_file = pki.Path("roles.yaml")};
  };
  trust_here_ = trust("a");
  trust_there_ = trust("b");
  const std::vector<Part> parts{{"send-1k"}, {"write-512k"}, {"send-1k", true}, {"write-512k", true}};
  peer_ = "b.agents.example:7471";
  const absl::StatusOr<Change> proven = ApplyWith(parts);
  ASSERT_TRUE(proven.ok()) << proven.status();
  EXPECT_EQ(proven->state, ChangeState::kAwaitingConfirm) << proven->proof.peer_text;
  peer_ = "c.agents.example";
  const absl::StatusOr<Change> with_another = ApplyWith(parts);
  ASSERT_TRUE(with_another.ok()) << with_another.status();
  EXPECT_EQ(with_another->state, ChangeState::kRolledBack);
  EXPECT_FALSE(with_another->proof.peer_passed);
  EXPECT_THAT(with_another->proof.peer_text,
              HasSubstr("it was with the agent of certificate CN=b, which does not name c.agents.example"));
}

TEST_F(PeerProofTest, OneWayIsNoProofOfBoth) {
  const absl::StatusOr<Change> change = ApplyWith({{"send-1k"}, {"write-512k"}, {"send-1k", true}});
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_FALSE(change->proof.peer_passed);
  EXPECT_THAT(change->proof.peer_text, HasSubstr("not tested with it: rxe0/1 write-512k as responder"));
}

TEST_F(ServiceApplyTest, TheConnectionThatSawTheLastWriteDoesNotConfirmIt) {
  ServedAgent agent = Served();
  ASSERT_TRUE(Apply(agent).ok());
  const absl::Status refused = agent.Client("a")->Confirm(kChangeId).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("`rdmaready confirm`"));
  EXPECT_THAT(configurer_->Calls(), IsEmpty());
  EXPECT_TRUE(agent.Client("a")->RollBack(kChangeId).ok()) << "any connection takes it back";
}

TEST_F(ServiceApplyTest, AChangeOfAnAgentBeforeThisOneIsConfirmed) {
  ServedAgent agent = Served();
  const absl::StatusOr<Change> change = agent.Client("a")->Confirm(kChangeId);
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kConfirmed);
  EXPECT_THAT(agent.store.events,
              ElementsAre(Field(&StoreEvent::text, HasSubstr("change 1a2b3c4d: confirmed, 1 setting"))));
  EXPECT_EQ(agent.Client("a")->Confirm("../../etc").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServiceApplyTest, TheHistorySaysOnceWhatBecameOfAChange) {
  configurer_->status->changes.push_back(WrittenChange());
  Change& known = configurer_->status->changes.front();
  known.state = ChangeState::kRolledBack;
  known.reason = "nobody confirmed it";
  ServedAgent agent = Served();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agent.Client("a")->GetApplier().ok());
  EXPECT_THAT(agent.store.events,
              ElementsAre(Field(&StoreEvent::text,
                                HasSubstr("taken back, 1 setting, asked for by a test: nobody confirmed it"))));
}

TEST_F(ServiceApplyTest, AFailedRollbackStandsInEveryCheck) {
  configurer_->status->changes.push_back(WrittenChange());
  configurer_->status->changes.front().state = ChangeState::kRollbackFailed;
  ServedAgent agent = Served();
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->report.findings,
              Contains(AllOf(Field(&Finding::id, "cfg.rollback-failed"),
                             Field(&Finding::outcome, Outcome::kFail), Field(&Finding::blocking, true))));
  EXPECT_EQ(answer->report.verdict, Readiness::kNotReady);
  // In its facts as well, for whoever judges them later.
  const absl::StatusOr<Facts> facts = agent.Client("a")->GetFacts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_TRUE(facts->apply_state);
  EXPECT_EQ(facts->apply_state->changes.front().state, ChangeState::kRollbackFailed);
}

TEST_F(ServiceApplyTest, AHostThatNeverHadAnApplierIsNotJudgedByIt) {
  configurer_->status = absl::UnavailableError("connect to /run/rdmaready/helpers/applier.sock: No such file");
  ServedAgent agent = Served();
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->report.findings, Contains(AllOf(Field(&Finding::id, "cfg.rollback-failed"),
                                                      Field(&Finding::outcome, Outcome::kNotApplicable))));
}

TEST_F(ServiceApplyTest, WhatIsForgottenIsRemembered) {
  ServedAgent agent = Served();
  const absl::StatusOr<Forgotten> forgotten =
      agent.Client("a")->Forget({{.kind = SettingKind::kPfc, .where = "dcb0"}}, false);
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  EXPECT_THAT(forgotten->settings, SizeIs(1));
  EXPECT_THAT(forgotten->files, IsEmpty());
  EXPECT_THAT(agent.store.events, ElementsAre(Field(&StoreEvent::text, HasSubstr("not kept any more, by"))));
}

TEST_F(ServiceApplyTest, ForgetWithPersistRemovesTheFilesFirst) {
  ServedAgent agent = Served();
  const SettingObject object{.kind = SettingKind::kPfc, .where = "dcb0"};
  const absl::StatusOr<Forgotten> forgotten = agent.Client("a")->Forget({object}, true);
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  ASSERT_THAT(forgotten->files, SizeIs(1));
  EXPECT_EQ(forgotten->files.front(),
            (BootFile{.path = "/etc/x", .state = BootFileState::kRemoved, .keeps = {object}}));
  EXPECT_THAT(agent.store.events,
              ElementsAre(Field(&StoreEvent::text, HasSubstr("removed for the next boot, by")),
                          Field(&StoreEvent::text, HasSubstr("not kept any more, by"))));
  configurer_->forgotten_files = absl::UnavailableError("rdmaready-applier is not running");
  EXPECT_FALSE(agent.Client("a")->Forget({object}, true).ok());
}

TEST_F(ServiceApplyTest, FilesForTheNextBootAreTheOrders) {
  ServedAgent agent = Served();
  ASSERT_TRUE(Apply(agent, {.persist = true}).ok());
  EXPECT_TRUE(configurer_->asked.persist);
  ASSERT_TRUE(Apply(agent).ok());
  EXPECT_FALSE(configurer_->asked.persist);
}

OrderFiles FilesOfApplier() {
  return {
      .persist = {{.path = "/etc/netplan/90-rdmaready-dcb0.yaml", .content = "network:\n", .by_apply = true}},
      .unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48", .again = "write it again"}}};
}

TEST_F(ServiceApplyTest, PlanShowsTheFilesOfTheApplier) {
  configurer_->files = FilesOfApplier();
  ServedAgent agent = Served();
  const absl::StatusOr<Plan> plan = agent.Client("a")->MakePlan({}, {"rxe0/1"}, true);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->persist_from_applier);
  EXPECT_EQ(plan->persist, FilesOfApplier().persist);
  EXPECT_EQ(plan->unkept, FilesOfApplier().unkept);
  EXPECT_THAT(plan->persist_caveat, IsEmpty());
  EXPECT_EQ(configurer_->asked_files.profiles.front().name, "virtual-fabric");
  EXPECT_THAT(configurer_->asked_files.ports, ElementsAre("rxe0/1"));
}

TEST_F(ServiceApplyTest, PlanWithoutPersistAsksForNoFiles) {
  configurer_->files = FilesOfApplier();
  ServedAgent agent = Served();
  const absl::StatusOr<Plan> plan = agent.Client("a")->MakePlan({}, {}, false);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->persist_from_applier);
  EXPECT_THAT(plan->persist, IsEmpty());
  EXPECT_THAT(configurer_->asked_files.profiles, IsEmpty());
}

// Then it is as before there was such a question.
TEST_F(ServiceApplyTest, PlanShowsItsOwnFilesIfTheApplierShowsNone) {
  ServedAgent without(BothEnds(), locks_);
  const absl::StatusOr<Plan> own = without.Client("a")->MakePlan({}, {}, true);
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_FALSE(own->persist_from_applier);
  EXPECT_THAT(own->persist_caveat, IsEmpty());
  for (const absl::Status& status :
       {absl::UnavailableError("rdmaready-applier is not running"),
        absl::UnimplementedError("an earlier version"),
        absl::PermissionDeniedError("it would need: `files: true`"), absl::DeadlineExceededError("late")}) {
    configurer_->files = status;
    ServedAgent agent = Served();
    const absl::StatusOr<Plan> plan = agent.Client("a")->MakePlan({}, {}, true);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_FALSE(plan->persist_from_applier);
    EXPECT_EQ(plan->persist, own->persist);
    EXPECT_EQ(plan->unkept, own->unkept);
    EXPECT_EQ(plan->persist_caveat, absl::IsUnavailable(status) ? std::string() : Message(status)) << status;
  }
}

TEST_F(ServiceApplyTest, PlanShowsFilesOfTheApplierOnlyToACallerThatMayApply) {
  configurer_->files = FilesOfApplier();
  ServedAgent agent = Served();
  const ChangeOrder order{.profiles = {*LoadProfile("virtual-fabric")}, .persist = true};
  const absl::StatusOr<Plan> plan = agent.agent().MakePlan(order, false);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->persist_from_applier);
  EXPECT_THAT(plan->persist_caveat, HasSubstr("role apply"));
  EXPECT_THAT(configurer_->asked_files.profiles, IsEmpty());
  EXPECT_TRUE(agent.agent().MakePlan(order, true)->persist_from_applier);
  configurer_->status = absl::UnavailableError("rdmaready-applier is not running");
  EXPECT_THAT(agent.agent().MakePlan(order, false)->persist_caveat, IsEmpty());
}

TEST_F(ServiceApplyTest, APlanIsMadeWithoutAnApplierAndNamesTheDigestThatPermitsIt) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<Plan> plan = agent.Client("a")->MakePlan({}, {}, false);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_THAT(plan->profiles, SizeIs(1));
  EXPECT_EQ(plan->profiles.front().name, "virtual-fabric");
  EXPECT_THAT(plan->profiles.front().digest, SizeIs(64));
  EXPECT_THAT(plan->persist, IsEmpty());
}

}  // namespace
}  // namespace rdmaready
