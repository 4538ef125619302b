// SPDX-License-Identifier: Apache-2.0
// The methods that configure the host, or say what would have to be configured.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "agent/agent.h"
#include "agent/request_check.h"
#include "agent/server/call_watch.h"
#include "agent/server/call_writer.h"
#include "agent/server/pass_caller.h"
#include "agent/server/profile_choice.h"
#include "agent/server/service.h"
#include "api/base/status.h"
#include "api/convert/records.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using access::Ask;

constexpr std::uint32_t kDefaultConfirmMs = 60'000;
constexpr std::size_t kIdOctets = 32;
constexpr std::size_t kDigestOctets = 64;
constexpr std::size_t kMostPeerOctets = 128;

// What the applier does not permit is not the gate's refusal of the caller: PERMISSION_DENIED is that one
// alone.
grpc::Status EncodeApply(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  if (absl::IsPermissionDenied(status) && !access::IsRefusal(status))
    return {grpc::StatusCode::FAILED_PRECONDITION, Message(status)};
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

bool IsHex(const std::string& text, std::size_t octets) {
  return text.size() == octets && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Ends in logs and files of others.
absl::Status CheckId(const std::string& id) {
  return IsHex(id, kIdOctets) ? absl::OkStatus()
                              : absl::InvalidArgumentError("change_id: 32 hexadecimal digits");
}

absl::StatusOr<ChangeOrder> DecodeOrder(const v1::ApplyRequest& request, const Agent& agent) {
  ChangeOrder order{
      .ports = {request.ports().begin(), request.ports().end()},
      .confirm_within_ms = request.confirm_within_ms() == 0 ? kDefaultConfirmMs : request.confirm_within_ms(),
      .allow_one_way = request.allow_one_way(),
      .proof = !request.no_proof(),
      .peer = request.peer(),
      .plan_sha256 = request.plan_sha256(),
      .persist = request.persist()};
  if (!order.plan_sha256.empty() && !IsHex(order.plan_sha256, kDigestOctets))
    return absl::InvalidArgumentError("plan_sha256: 64 hexadecimal digits");
  if (!order.proof && !order.peer.empty()) return absl::InvalidArgumentError("peer: not without a proof");
  if (order.peer.size() > kMostPeerOctets || Printable(order.peer) != order.peer)
    return absl::InvalidArgumentError("peer: no name of a host");
  RR_ASSIGN_OR_RETURN(order.profiles, ChosenProfiles(request.profiles(), agent));
  return order;
}

}  // namespace

grpc::ServerUnaryReactor* AgentService::AnswerAside(grpc::CallbackServerContext& context, Ask ask,
                                                    Answer answer) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  absl::StatusOr<access::Pass> admitted = gate_->Admit(context, ask);
  if (!admitted.ok()) {
    reactor->Finish(EncodeApply(admitted.status()));
    return reactor;
  }
  const auto pass = std::make_shared<access::Pass>(*std::move(admitted));
  const bool looks = ask == Ask::kMakePlan || ask == Ask::kGetApplier;
  const bool runs = aside_.Run(
      [reactor, pass, answer = std::move(answer)] { reactor->Finish(EncodeApply(pass->End(answer(*pass)))); },
      looks ? Aside::Kind::kLooks : Aside::Kind::kSettles);
  if (!runs)
    reactor->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "the agent answers too many of these already"});
  return reactor;
}

grpc::ServerUnaryReactor* AgentService::MakePlan(grpc::CallbackServerContext* context,
                                                 const v1::MakePlanRequest* request, v1::Plan* response) {
  return AnswerAside(*context, Ask::kMakePlan, [this, request, response](access::Pass& pass) -> absl::Status {
    RR_RETURN_IF_ERROR(CheckRequest(*request));
    ChangeOrder order{.ports = {request->ports().begin(), request->ports().end()},
                      .persist = request->persist()};
    RR_ASSIGN_OR_RETURN(order.profiles, ChosenProfiles(request->profiles(), agent_));
    const bool may_apply = pass.identity().roles.Has(access::Role::kApply);
    RR_ASSIGN_OR_RETURN(const Plan plan, agent_.MakePlan(order, may_apply));
    *response = ToProto(plan);
    return absl::OkStatus();
  });
}

grpc::Status AgentService::Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                                 grpc::ServerWriter<v1::Change>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return EncodeApply(bad);
  absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kApply);
  if (!pass.ok()) return EncodeApply(pass.status());
  const absl::StatusOr<ChangeOrder> order = DecodeOrder(*request, agent_);
  if (!order.ok()) return EncodeApply(order.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  CallWriter<v1::Change> out(*context, watch, *writer, limits_.stalled_write);
  const ChangeWatcher watcher{.progress = [&](const Change& change) { out.Send(ToProto(change)); },
                              .written = [&](const Change& change) { old_connections_.Mark(change.id); }};
  const Caller caller = CallerOf(*pass, request->caller(), "");
  std::string profiles;
  for (const Profile& profile : order->profiles) profiles += (profiles.empty() ? "" : ", ") + profile.name;
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, profiles}); !begun.ok())
    return EncodeApply(begun);
  const absl::StatusOr<Change> change = agent_.Apply(*order, caller, watcher, watch.token());
  const std::string outcome = change.ok() ? fmt::format("change {} {}", change->id, Name(change->state)) : "";
  if (!pass->End(change.status(), outcome).ok()) return EncodeApply(change.status());
  out.Send(ToProto(*change));
  return grpc::Status::OK;
}

grpc::ServerUnaryReactor* AgentService::ProvePeer(grpc::CallbackServerContext* context,
                                                  const v1::ProvePeerRequest* request, v1::Change* response) {
  return AnswerAside(*context, Ask::kProvePeer, [this, request, response](access::Pass& pass) -> absl::Status {
    RR_RETURN_IF_ERROR(CheckId(request->change_id()));
    RR_RETURN_IF_ERROR(pass.Begin({.target = request->change_id()}));
    RR_ASSIGN_OR_RETURN(const Change change, agent_.ProvePeer(request->change_id(), CallerOf(pass, "", "")));
    *response = ToProto(change);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* AgentService::Confirm(grpc::CallbackServerContext* context,
                                                const v1::ConfirmRequest* request, v1::Change* response) {
  const std::string peer = context->peer();
  return AnswerAside(*context, Ask::kConfirm,
                     [this, request, response, peer](access::Pass& pass) -> absl::Status {
                       const std::string& id = request->change_id();
                       RR_RETURN_IF_ERROR(CheckId(id));
                       RR_RETURN_IF_ERROR(pass.Begin({.target = id}));
                       if (old_connections_.IsOld(id, pass.identity(), peer)) {
                         return absl::FailedPreconditionError(
                             "this connection is older than the last write of change " + id +
                             ", and proves nothing: confirm by a new one, with `rdmaready confirm`");
                       }
                       RR_ASSIGN_OR_RETURN(const Change change, agent_.Confirm(id, CallerOf(pass, "", "")));
                       *response = ToProto(change);
                       return absl::OkStatus();
                     });
}

grpc::ServerUnaryReactor* AgentService::RollBack(grpc::CallbackServerContext* context,
                                                 const v1::RollBackRequest* request, v1::Change* response) {
  return AnswerAside(*context, Ask::kRollBack, [this, request, response](access::Pass& pass) -> absl::Status {
    RR_RETURN_IF_ERROR(CheckId(request->change_id()));
    RR_RETURN_IF_ERROR(pass.Begin({.target = request->change_id()}));
    RR_ASSIGN_OR_RETURN(const Change change, agent_.RollBack(request->change_id(), CallerOf(pass, "", "")));
    *response = ToProto(change);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* AgentService::Forget(grpc::CallbackServerContext* context,
                                               const v1::ForgetRequest* request, v1::ForgetResponse* response) {
  return AnswerAside(*context, Ask::kForget, [this, request, response](access::Pass& pass) -> absl::Status {
    RR_RETURN_IF_ERROR(CheckRequest(*request));
    std::vector<SettingObject> objects;
    for (const v1::SettingObject& object : request->objects()) objects.push_back(FromProto(object));
    RR_RETURN_IF_ERROR(pass.Begin({.target = objects.empty() ? "all" : TextOf(objects.front())}));
    if (request->persist()) {
      RR_ASSIGN_OR_RETURN(const std::vector<BootFile> files,
                          agent_.ForgetFiles(objects, CallerOf(pass, "", "")));
      *response->mutable_files() = ToProto(ApplierStatus{.files = files}).files();
    }
    RR_ASSIGN_OR_RETURN(const std::vector<Setting> forgotten, agent_.Forget(objects, CallerOf(pass, "", "")));
    for (const Setting& setting : forgotten) *response->add_forgotten() = ToProto(setting);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* AgentService::GetApplier(grpc::CallbackServerContext* context,
                                                   const v1::GetApplierRequest*, v1::ApplierStatus* response) {
  return AnswerAside(*context, Ask::kGetApplier, [this, response](access::Pass&) -> absl::Status {
    RR_ASSIGN_OR_RETURN(const ApplierStatus status, agent_.GetApplier());
    *response = ToProto(status);
    return absl::OkStatus();
  });
}

}  // namespace rdmaready
