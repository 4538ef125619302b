// SPDX-License-Identifier: Apache-2.0
// ApplyingAgent: an agent that plans one step, and whose change ends as it is told.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "api/client/agent_client.h"
#include "api/convert/records.h"
#include "cli/fleet/host_clients.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

inline const std::string kChange = "1a2b3c4d5e6f708192a3b4c5d6e7f809";

class ApplyingAgent final : public v1::Agent::Service {
 public:
  explicit ApplyingAgent(ChangeState ends, bool wants_peer = false) : ends_(ends), wants_peer_(wants_peer) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ApplyingAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  // For a command line.
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_instance_id(instance.empty() ? address() : instance);
    return grpc::Status::OK;
  }
  grpc::Status MakePlan(grpc::ServerContext*, const v1::MakePlanRequest*, v1::Plan* plan) override {
    Plan made;
    if (ends_ != ChangeState::kNothingToDo) made.steps.push_back(step);
    made.refusals = refusals;
    made.persist = persist;
    made.persist_from_applier = persist_from_applier;
    *plan = ToProto(made);
    return grpc::Status::OK;
  }
  grpc::Status Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                     grpc::ServerWriter<v1::Change>* writer) override {
    ++applied;
    {
      const std::lock_guard lock(mutex_);
      asked_for_ = *request;
      time_left_ = context->deadline() - std::chrono::system_clock::now();
    }
    if (!refused.ok()) return refused;
    Change change{.id = kChange, .state = ChangeState::kProving, .deadline_in_ms = 60'000};
    change.persist = request->persist() && knows_persist;
    if (wants_peer_) {
      change.proof.loopback = true;
      change.proof.peer = "b";
      writer->Write(ToProto(change));
      std::unique_lock lock(mutex_);
      proven_.wait_for(lock, std::chrono::seconds(20), [this] { return asked_ > 0; });
    }
    change.state = ends_;
    {
      const std::lock_guard lock(mutex_);
      if (applier.changes.empty()) applier.changes.push_back(change);
    }
    writer->Write(ToProto(change));
    if (told) told();
    return apply_status;
  }
  grpc::Status GetApplier(grpc::ServerContext*, const v1::GetApplierRequest*,
                          v1::ApplierStatus* response) override {
    const std::lock_guard lock(mutex_);
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

  grpc::Status Forget(grpc::ServerContext*, const v1::ForgetRequest*, v1::ForgetResponse*) override {
    ++forgotten;
    return grpc::Status::OK;
  }

  v1::ApplyRequest asked_for() {
    const std::lock_guard lock(mutex_);
    return asked_for_;
  }
  // Of the last Apply, until its caller gives up.
  std::chrono::nanoseconds time_left() {
    const std::lock_guard lock(mutex_);
    return time_left_;
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  std::string instance{};  // empty: one of its own
  PlanStep step{.object = {.kind = SettingKind::kMtu, .where = "dcb0"},
                .from = "1500",
                .to = "9000",
                .subject = "rxe0/1 dcb0"};
  std::vector<PersistFile> persist{};
  bool persist_from_applier = false;
  bool knows_persist = true;
  std::vector<PlanRefusal> refusals{};  // of its plan
  std::atomic<int> applied = 0;
  std::atomic<int> forgotten = 0;
  grpc::Status refused{};        // before anything is written
  std::function<void()> told{};  // behind its last word, while the call goes on
  ApplierStatus applier{};       // before the first call; without changes: what Apply told last
  grpc::Status applier_status{};
  grpc::Status apply_status{};  // behind its last word

 private:
  int port_ = 0;
  const ChangeState ends_;
  const bool wants_peer_;
  std::mutex mutex_;
  std::condition_variable proven_;
  int asked_ = 0;
  v1::ApplyRequest asked_for_{};
  std::chrono::nanoseconds time_left_{};
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace rdmaready
