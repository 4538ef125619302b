// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/apply_runner.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "api/base/plan_digest.h"
#include "tests/unit/cli/fleet/applying_agent.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

std::vector<HostClient> Only(ApplyingAgent& agent) {
  std::vector<HostClient> hosts;
  hosts.push_back(agent.Client("a"));
  return hosts;
}

class OldAgent final : public v1::Agent::Service {};

TEST(ApplyRunner, TheFirstFailureEndsItAndWhatWasBeforeStands) {
  ApplyingAgent good(ChangeState::kAwaitingConfirm);
  ApplyingAgent bad(ChangeState::kRolledBack);
  ApplyingAgent later(ChangeState::kAwaitingConfirm);
  ApplyingAgent idle(ChangeState::kNothingToDo);
  std::vector<HostClient> hosts;
  hosts.push_back(good.Client("a"));
  hosts.push_back(bad.Client("b"));
  hosts.push_back(later.Client("c"));
  hosts.push_back(idle.Client("d"));
  ApplyRunner runner(hosts, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_EQ(run.hosts[0].change->state, ChangeState::kAwaitingConfirm);
  EXPECT_EQ(run.hosts[1].change->state, ChangeState::kRolledBack);
  EXPECT_TRUE(run.hosts[2].not_begun);
  EXPECT_FALSE(run.hosts[3].not_begun) << "there was nothing to do";
  EXPECT_EQ(later.applied, 0);
  EXPECT_EQ(idle.applied, 0);
  EXPECT_EQ(StatusOfApply(run), ExitStatus::kNotReady);
}

TEST(ApplyRunner, SetsEachHostByWhatItsInventorySays) {
  ApplyingAgent a(ChangeState::kAwaitingConfirm);
  ApplyingAgent b(ChangeState::kAwaitingConfirm);
  ApplyingAgent c(ChangeState::kAwaitingConfirm);
  std::vector<HostClient> hosts;
  hosts.push_back(a.Client("a"));
  hosts.push_back(b.Client("b"));
  hosts.push_back(c.Client("c"));
  const auto site = std::make_shared<const Site>(SiteOf({{.name = "of-group"}}));
  const auto foreign = std::make_shared<const Site>(
      Site{.file = "site.yaml", .groups = {{.hosts = {"x*"}, .profiles = {{.name = "foreign"}}}}});
  const std::vector<HostOrigin> origins{{.site = site}, {}, {.site = foreign}};
  ApplyRunner runner(hosts, {}, {}, {}, origins);
  const PlanRun planned = runner.Plan(false);
  EXPECT_EQ(planned.hosts[2].error, "site.yaml names no group for host c");
  EXPECT_EQ(planned.hosts[2].failure, ExitStatus::kUsage);
  const ChangeRun run = runner.Apply({.hosts = {planned.hosts[0], planned.hosts[1]}}, 2);
  ASSERT_EQ(a.asked_for().profiles_size(), 1);
  EXPECT_EQ(a.asked_for().profiles(0).profile().name(), "of-group");
  EXPECT_EQ(b.asked_for().profiles_size(), 0) << "its agent's own";

  ApplyRunner named(hosts, {}, {.profiles = {{.name = "named"}}}, {}, origins);
  EXPECT_EQ(named.Plan(false).hosts[2].error, "") << "what the command line says is said of all";
}

TEST(ApplyRunner, AChangeThatWaitsForAPeerIsAnsweredAlsoWhereNoneCanBeTestedWith) {
  ApplyingAgent agent(ChangeState::kRolledBack, true);
  std::vector<HostClient> hosts;
  hosts.push_back(agent.Client("a"));
  ApplyRunner runner(hosts, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_EQ(agent.asked(), 1);
  EXPECT_EQ(run.hosts[0].change->state, ChangeState::kRolledBack);
}

TEST(ApplyRunner, OfACallThatIsCutTheLastWordStands) {
  ApplyingAgent agent(ChangeState::kWriting);
  agent.apply_status = {grpc::StatusCode::UNAVAILABLE, "the connection broke"};
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner runner(hosts, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_FALSE(run.hosts[0].error.empty());
  ASSERT_TRUE(run.hosts[0].change) << "who asked has to know what is open";
  EXPECT_EQ(run.hosts[0].change->id, kChange);
  EXPECT_EQ(StatusOfApply(run), ExitStatus::kUnreachable);
}

TEST(ApplyRunner, ACallThatIsCutBeforeTheFirstStepWasToldMayHaveBegun) {
  ApplyingAgent agent(ChangeState::kWriting);
  std::vector<HostClient> hosts = Only(agent);
  const auto may_have_begun = [&](grpc::Status status) {
    agent.refused = std::move(status);
    ApplyRunner runner(hosts, {}, {}, {});
    const ChangeRun run = runner.Apply(runner.Plan(false), 1);
    EXPECT_FALSE(run.hosts[0].change);
    return run.hosts[0].under_way;
  };
  EXPECT_TRUE(may_have_begun({grpc::StatusCode::UNAVAILABLE, "the connection broke"}));
  EXPECT_FALSE(may_have_begun({grpc::StatusCode::PERMISSION_DENIED, "apply.yaml does not allow it"}));
}

TEST(ApplyRunner, WhereNothingDiffersWhoCannotSayWhetherAChangeIsOpenIsAFailure) {
  ApplyingAgent agent(ChangeState::kNothingToDo);
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner runner(hosts, {}, {}, {});
  agent.applier_status = {grpc::StatusCode::FAILED_PRECONDITION, "no applier"};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kOk);
  agent.applier_status = {grpc::StatusCode::INTERNAL, "what it says is no answer"};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kOwnFailure);
  agent.applier_status = grpc::Status::OK;
  agent.applier.changes = {{.id = kChange, .state = ChangeState::kAwaitingConfirm}};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kUsage);
}

TEST(ApplyRunner, ARefusedSettingIsAFailureWhateverElseIsSet) {
  for (const ChangeState ends : {ChangeState::kAwaitingConfirm, ChangeState::kNothingToDo}) {
    ApplyingAgent agent(ends);
    agent.refusals = {
        {.object = {.kind = SettingKind::kEts, .where = "dcb0"}, .reason = "the NIC has 1 class"}};
    std::vector<HostClient> hosts = Only(agent);
    ApplyRunner runner(hosts, {}, {}, {});
    EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kNotReady);
    EXPECT_EQ(agent.applied, ends == ChangeState::kNothingToDo ? 0 : 1);
  }
}

TEST(ApplyRunner, WritesFilesAloneOnlyIfTheyAreOrdered) {
  ApplyingAgent agent(ChangeState::kNothingToDo);
  agent.persist = {{.path = "/etc/sysctl.d/90-rdmaready.conf", .content = "net.a = 1\n", .by_apply = true}};
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner without(hosts, {}, {}, {});
  EXPECT_EQ(StatusOfApply(without.Apply(without.Plan(true), 1)), ExitStatus::kOk);
  EXPECT_EQ(agent.applied, 0);
  ApplyRunner with(hosts, {}, {.persist = true}, {});
  EXPECT_EQ(StatusOfApply(with.Apply(with.Plan(true), 1)), ExitStatus::kOk);
  EXPECT_EQ(agent.applied, 1);
  EXPECT_TRUE(agent.asked_for().persist());
  agent.persist.front().by_apply = false;
  agent.persist.front().path = "/etc/security/limits.d/rdma.conf";
  EXPECT_EQ(StatusOfApply(with.Apply(with.Plan(true), 1)), ExitStatus::kOk) << "it keeps no setting";
  agent.persist.front().keeps = {{.kind = SettingKind::kMtu, .where = "dcb0"}};
  EXPECT_EQ(StatusOfApply(with.Apply(with.Plan(true), 1)), ExitStatus::kNotReady) << "a person writes it";
  EXPECT_EQ(agent.applied, 1);
}

TEST(ApplyRunner, FailsIfTheAgentPlansNoFileAlthoughTheyAreOrdered) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner runner(hosts, {}, {.persist = true}, {});
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(true), 1)), ExitStatus::kOk);
  agent.knows_persist = false;
  const ChangeRun run = runner.Apply(runner.Plan(true), 1);
  EXPECT_THAT(run.hosts[0].error, HasSubstr("too old for --persist"));
  EXPECT_EQ(StatusOfApply(run), ExitStatus::kNotReady);
}

TEST(ApplyRunner, AgreesToTheFilesThatTheApplierShowed) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  agent.persist = {{.path = "/etc/sysctl.d/90-rdmaready.conf", .content = "net.a = 1\n", .by_apply = true}};
  rdmaready::Plan plan{.steps = {agent.step}, .persist = agent.persist};
  for (const bool from_applier : {false, true}) {
    agent.persist_from_applier = plan.persist_from_applier = from_applier;
    std::vector<HostClient> hosts = Only(agent);
    ApplyRunner runner(hosts, {}, {.persist = true}, {});
    EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(true), 1)), ExitStatus::kOk);
    EXPECT_EQ(agent.asked_for().plan_sha256(), *PlanDigest(plan)) << from_applier;
  }
}

TEST(ApplyRunner, AnAgentThatIsTooOldIsSaidToBe) {
  OldAgent old;
  grpc::ServerBuilder builder;
  builder.RegisterService(&old);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  HostClient host{.name = "a"};
  host.remote = std::make_unique<AgentClient>("a", server->InProcessChannel({}), ClientOptions{});
  host.agent = host.remote.get();
  std::vector<HostClient> hosts;
  hosts.push_back(std::move(host));
  ApplyRunner runner(hosts, {}, {}, {});
  const PlanRun run = runner.Plan(false);
  EXPECT_EQ(run.hosts[0].failure, ExitStatus::kUnreachable);
  EXPECT_THAT(run.hosts[0].error, HasSubstr("too old to configure its host"));
  server->Shutdown();
}

}  // namespace
}  // namespace rdmaready
