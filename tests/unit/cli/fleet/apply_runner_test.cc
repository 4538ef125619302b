// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/apply_runner.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "api/convert/records.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

const std::string kChange = "1a2b3c4d5e6f708192a3b4c5d6e7f809";

// An agent that plans one step, and whose change ends as it is told.
class ApplyingAgent final : public v1::Agent::Service {
 public:
  explicit ApplyingAgent(ChangeState ends, bool wants_peer = false) : ends_(ends), wants_peer_(wants_peer) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ApplyingAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  grpc::Status MakePlan(grpc::ServerContext*, const v1::MakePlanRequest*, v1::Plan* plan) override {
    Plan made;
    if (ends_ != ChangeState::kNothingToDo) made.steps.push_back({.from = "1500", .to = "9000"});
    *plan = ToProto(made);
    return grpc::Status::OK;
  }
  grpc::Status Apply(grpc::ServerContext*, const v1::ApplyRequest*,
                     grpc::ServerWriter<v1::Change>* writer) override {
    ++applied;
    Change change{.id = kChange, .state = ChangeState::kProving};
    if (wants_peer_) {
      change.proof.loopback = true;
      change.proof.peer = "b";
      writer->Write(ToProto(change));
      std::unique_lock lock(mutex_);
      proven_.wait_for(lock, std::chrono::seconds(20), [this] { return asked_ > 0; });
    }
    change.state = ends_;
    writer->Write(ToProto(change));
    return apply_status;
  }
  grpc::Status GetApplier(grpc::ServerContext*, const v1::GetApplierRequest*,
                          v1::ApplierStatus* response) override {
    *response = ToProto(applier);
    return applier_status;
  }
  grpc::Status ProvePeer(grpc::ServerContext*, const v1::ProvePeerRequest* request,
                         v1::Change* change) override {
    const std::lock_guard lock(mutex_);
    asked_ += request->change_id() == kChange ? 1 : 0;
    proven_.notify_all();
    *change = ToProto(Change{.id = kChange, .state = ends_});
    return grpc::Status::OK;
  }

  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  std::atomic<int> applied = 0;
  ApplierStatus applier{};  // before the first call
  grpc::Status applier_status{};
  grpc::Status apply_status{};  // behind its last word

 private:
  const ChangeState ends_;
  const bool wants_peer_;
  std::mutex mutex_;
  std::condition_variable proven_;
  int asked_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

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
  ApplyRunner runner(hosts, {}, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_EQ(run.hosts[0].change->state, ChangeState::kAwaitingConfirm);
  EXPECT_EQ(run.hosts[1].change->state, ChangeState::kRolledBack);
  EXPECT_TRUE(run.hosts[2].not_begun);
  EXPECT_FALSE(run.hosts[3].not_begun) << "there was nothing to do";
  EXPECT_EQ(later.applied, 0);
  EXPECT_EQ(idle.applied, 0);
  EXPECT_EQ(StatusOfApply(run), ExitStatus::kNotReady);
}

TEST(ApplyRunner, AChangeThatWaitsForAPeerIsAnsweredAlsoWhereNoneCanBeTestedWith) {
  ApplyingAgent agent(ChangeState::kRolledBack, true);
  std::vector<HostClient> hosts;
  hosts.push_back(agent.Client("a"));
  ApplyRunner runner(hosts, {}, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_EQ(agent.asked(), 1);
  EXPECT_EQ(run.hosts[0].change->state, ChangeState::kRolledBack);
}

TEST(ApplyRunner, OfACallThatIsCutTheLastWordStands) {
  ApplyingAgent agent(ChangeState::kWriting);
  agent.apply_status = {grpc::StatusCode::UNAVAILABLE, "the connection broke"};
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner runner(hosts, {}, {}, {}, {});
  const ChangeRun run = runner.Apply(runner.Plan(false), 1);
  EXPECT_FALSE(run.hosts[0].error.empty());
  ASSERT_TRUE(run.hosts[0].change) << "who asked has to know what is open";
  EXPECT_EQ(run.hosts[0].change->id, kChange);
  EXPECT_EQ(StatusOfApply(run), ExitStatus::kUnreachable);
}

TEST(ApplyRunner, WhereNothingDiffersWhoCannotSayWhetherAChangeIsOpenIsAFailure) {
  ApplyingAgent agent(ChangeState::kNothingToDo);
  std::vector<HostClient> hosts = Only(agent);
  ApplyRunner runner(hosts, {}, {}, {}, {});
  agent.applier_status = {grpc::StatusCode::FAILED_PRECONDITION, "no applier"};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kOk);
  agent.applier_status = {grpc::StatusCode::INTERNAL, "what it says is no answer"};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kOwnFailure);
  agent.applier_status = grpc::Status::OK;
  agent.applier.changes = {{.id = kChange, .state = ChangeState::kAwaitingConfirm}};
  EXPECT_EQ(StatusOfApply(runner.Apply(runner.Plan(false), 1)), ExitStatus::kUsage);
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
  ApplyRunner runner(hosts, {}, {}, {}, {});
  const PlanRun run = runner.Plan(false);
  EXPECT_EQ(run.hosts[0].failure, ExitStatus::kUnreachable);
  EXPECT_THAT(run.hosts[0].error, HasSubstr("too old to configure its host"));
  server->Shutdown();
}

}  // namespace
}  // namespace rdmaready
