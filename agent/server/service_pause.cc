// SPDX-License-Identifier: Apache-2.0
// AgentService::SendPauses.
#include <chrono>
#include <string>

#include "agent/agent.h"
#include "agent/request_check.h"
#include "agent/server/call_watch.h"
#include "agent/server/call_writer.h"
#include "agent/server/pass_caller.h"
#include "agent/server/service.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

// A limit of this host is not the gate's refusal of the caller, which PERMISSION_DENIED is.
grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  if (absl::IsPermissionDenied(status) && !access::IsRefusal(status))
    return {grpc::StatusCode::FAILED_PRECONDITION, Message(status)};
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

PauseQuestion QuestionOf(const v1::SendPausesRequest& request) {
  const v1::PortChoice& port = request.port();
  return {.port = {port.device(), port.number(), port.address()},
          .priority = request.priority(),
          .burst = milliseconds(request.burst_ms()),
          .bursts = request.bursts(),
          .gap = milliseconds(request.gap_ms())};
}

v1::SendPausesEvent EventOf(const PausesMade& made) {
  v1::SendPausesEvent event;
  v1::SendPausesEvent::Done& done = *event.mutable_done();
  done.set_netdev(made.netdev);
  done.set_driver(made.sent.driver);
  for (const helper::SentBurst& burst : made.sent.bursts) {
    v1::PauseBurst& one = *done.add_bursts();
    one.set_frames(burst.frames);
    one.set_paused_ns(std::chrono::nanoseconds(burst.paused).count());
    one.set_ended(burst.ended);
  }
  done.set_failure(made.sent.failure);
  return event;
}

}  // namespace

grpc::Status AgentService::SendPauses(grpc::ServerContext* context, const v1::SendPausesRequest* request,
                                      grpc::ServerWriter<v1::SendPausesEvent>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return ToGrpc(bad);
  absl::StatusOr<access::Pass> pass = gate_->Admit(*context, access::Ask::kSendPauses);
  if (!pass.ok()) return ToGrpc(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  watch.Expect(beats_.Begin(request->beat()));
  const Caller caller = CallerOf(*pass, request->caller(), request->run_id(), watch);
  const PauseQuestion question = QuestionOf(*request);
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, TextOf(question)}); !begun.ok())
    return ToGrpc(begun);
  const absl::StatusOr<PausesMade> made = agent_.SendPauses(question, caller, watch.token());
  if (!pass->End(made.status()).ok()) return ToGrpc(made.status());
  CallWriter<v1::SendPausesEvent> out(*context, watch, *writer, limits_.stalled_write);
  out.Send(EventOf(*made));
  return grpc::Status::OK;
}

}  // namespace rdmaready
