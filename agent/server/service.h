// SPDX-License-Identifier: Apache-2.0
// AgentService: the agent on the wire. A method does four things: ask the gate whether the caller may
// (agent/access), decode, ask, encode. A failing check is a successful call.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "agent/access/gate.h"
#include "agent/event_ring.h"
#include "agent/server/aside.h"
#include "agent/server/beats.h"
#include "agent/server/limits.h"
#include "agent/server/old_connections.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

class Agent;

// A synchronous reply waits, with its thread, for a caller who does not read it, and nothing can watch it when
// the method has returned: what has a single reply answers by callback.
template <class Rest>
using ConfiguringMethods = v1::Agent::WithCallbackMethod_MakePlan<v1::Agent::WithCallbackMethod_ProvePeer<
    v1::Agent::WithCallbackMethod_Confirm<v1::Agent::WithCallbackMethod_RollBack<
        v1::Agent::WithCallbackMethod_Forget<v1::Agent::WithCallbackMethod_GetApplier<Rest>>>>>>;
using AgentMethods = ConfiguringMethods<
    v1::Agent::WithCallbackMethod_GetVersion<v1::Agent::WithCallbackMethod_GetFacts<v1::Agent::Service>>>;

class AgentService final : public AgentMethods {
 public:
  // Without a gate, only callers of this process are let in.
  explicit AgentService(Agent& agent, const CallLimits& limits = {},
                        std::shared_ptr<access::Gate> gate = std::make_shared<access::Gate>(),
                        std::shared_ptr<const EventRing> events = std::make_shared<EventRing>());

  grpc::ServerUnaryReactor* GetVersion(grpc::CallbackServerContext* context,
                                       const v1::GetVersionRequest* request,
                                       v1::GetVersionResponse* response) override;
  grpc::ServerUnaryReactor* GetFacts(grpc::CallbackServerContext* context, const v1::GetFactsRequest* request,
                                     v1::GetFactsResponse* response) override;
  grpc::Status GetRecording(grpc::ServerContext* context, const v1::GetRecordingRequest* request,
                            grpc::ServerWriter<v1::RecordingPart>* writer) override;
  grpc::Status Check(grpc::ServerContext* context, const v1::CheckRequest* request,
                     grpc::ServerWriter<v1::CheckEvent>* writer) override;
  grpc::Status TestLoopback(grpc::ServerContext* context, const v1::TestLoopbackRequest* request,
                            grpc::ServerWriter<v1::TransferEvent>* writer) override;
  grpc::Status TestPeer(grpc::ServerContext* context,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override;
  grpc::Status SendPauses(grpc::ServerContext* context, const v1::SendPausesRequest* request,
                          grpc::ServerWriter<v1::SendPausesEvent>* writer) override;  // service_pause.cc
  grpc::Status Probe(grpc::ServerContext* context, const v1::ProbeRequest* request,
                     grpc::ServerWriter<v1::ProbeEvent>* writer) override;
  grpc::Status ListHistory(grpc::ServerContext* context, const v1::ListHistoryRequest* request,
                           grpc::ServerWriter<v1::HistoryEntry>* writer) override;
  grpc::Status Baseline(grpc::ServerContext* context, const v1::BaselineRequest* request,
                        grpc::ServerWriter<v1::CaseBaseline>* writer) override;
  grpc::Status GetEvents(grpc::ServerContext* context, const v1::GetEventsRequest* request,
                         grpc::ServerWriter<v1::LoggedEvent>* writer) override;

  // Below: service_apply.cc.
  grpc::ServerUnaryReactor* MakePlan(grpc::CallbackServerContext* context, const v1::MakePlanRequest* request,
                                     v1::Plan* response) override;
  grpc::Status Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                     grpc::ServerWriter<v1::Change>* writer) override;
  grpc::ServerUnaryReactor* ProvePeer(grpc::CallbackServerContext* context, const v1::ProvePeerRequest* request,
                                      v1::Change* response) override;
  grpc::ServerUnaryReactor* Confirm(grpc::CallbackServerContext* context, const v1::ConfirmRequest* request,
                                    v1::Change* response) override;
  grpc::ServerUnaryReactor* RollBack(grpc::CallbackServerContext* context, const v1::RollBackRequest* request,
                                     v1::Change* response) override;
  grpc::ServerUnaryReactor* Forget(grpc::CallbackServerContext* context, const v1::ForgetRequest* request,
                                   v1::ForgetResponse* response) override;
  grpc::ServerUnaryReactor* GetApplier(grpc::CallbackServerContext* context,
                                       const v1::GetApplierRequest* request,
                                       v1::ApplierStatus* response) override;

 private:
  using Answer = std::function<absl::Status(access::Pass& pass)>;
  // Lets the caller in for `ask`, then answers on a thread of its own.
  grpc::ServerUnaryReactor* AnswerAside(grpc::CallbackServerContext& context, access::Ask ask, Answer answer);

  Agent& agent_;
  const CallLimits limits_;
  const std::shared_ptr<access::Gate> gate_;
  const std::shared_ptr<const EventRing> events_;
  OldConnections old_connections_;
  Beats beats_;
  Aside aside_;  // last: what it runs uses the others
};

}  // namespace rdmaready
