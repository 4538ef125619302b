// SPDX-License-Identifier: Apache-2.0
// What an agent is asked about the settings of its host.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/client/agent_wire.h"
#include "api/convert/records.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

// Beside the time of any call. What the drivers need they need up to three times: to write, until the links are
// back for the proof, and where that fails to take it back. An estimate is the agent's word, and no reason to
// wait for ever.
std::chrono::milliseconds LongestApply(const ApplyOptions& options) {
  constexpr std::chrono::milliseconds kMostEstimate = std::chrono::minutes(15);
  return options.confirm_within + 3 * std::clamp(options.estimate, std::chrono::milliseconds(0), kMostEstimate);
}

}  // namespace

absl::Status AgentClient::ExplainNewer(const grpc::Status& status) const {
  if (status.error_code() != grpc::StatusCode::UNIMPLEMENTED) return Explain(status);
  const std::string which = version_.version.empty() ? "" : " (" + version_.version + ")";
  return absl::UnimplementedError("host " + name_ + ": the agent" + which +
                                  " is too old to configure its host");
}

Clock::WallTime AgentClient::Deadline() const { return DeadlineIn(options_.call_timeout); }

Clock::WallTime AgentClient::Deadline(const TransferOptions& test, int tests) const {
  const auto longer = std::min<std::chrono::milliseconds>(test.duration, std::chrono::minutes(10));
  return DeadlineIn(options_.call_timeout + tests * (test.measure_cpu ? 2 : 1) * longer);
}

template <class Response, class Method, class Request>
absl::StatusOr<Response> AgentClient::CallOnce(Method method, const Request& request,
                                               std::chrono::milliseconds within) {
  grpc::ClientContext context;
  context.set_deadline(within == within.zero() ? Deadline() : DeadlineIn(within));
  Response response;
  const grpc::Status status = ((*wire_->stub).*method)(&context, request, &response);
  if (!status.ok()) return ExplainNewer(status);
  AnswerBounds bounds;
  RR_RETURN_IF_ERROR(Take(bounds, response, context));
  return response;
}

absl::StatusOr<Plan> AgentClient::MakePlan(const std::vector<Profile>& profiles,
                                           const std::vector<std::string>& ports, bool persist) {
  v1::MakePlanRequest request;
  for (const Profile& profile : profiles) *request.add_profiles()->mutable_profile() = ToProto(profile);
  for (const std::string& port : ports) request.add_ports(port);
  request.set_persist(persist);
  RR_ASSIGN_OR_RETURN(const v1::Plan plan, CallOnce<v1::Plan>(&v1::Agent::Stub::MakePlan, request));
  return FromProto(plan);
}

absl::StatusOr<Change> AgentClient::Apply(const ApplyOptions& options,
                                          const std::function<void(const Change&)>& on_change) {
  v1::ApplyRequest request;
  for (const Profile& profile : options.profiles) *request.add_profiles()->mutable_profile() = ToProto(profile);
  for (const std::string& port : options.ports) request.add_ports(port);
  request.set_confirm_within_ms(static_cast<std::uint32_t>(options.confirm_within.count()));
  request.set_allow_one_way(options.allow_one_way);
  request.set_no_proof(!options.proof);
  request.set_peer(options.peer);
  request.set_caller(options.caller);
  request.set_plan_sha256(options.plan_sha256);
  request.set_persist(options.persist);
  grpc::ClientContext context;
  context.set_deadline(Deadline() + LongestApply(options));
  const auto reader = wire_->stub->Apply(&context, request);
  std::optional<Change> last;
  AnswerBounds bounds;
  for (v1::Change change; reader->Read(&change);) {
    RR_RETURN_IF_ERROR(Take(bounds, change, context));
    last = FromProto(change);
    if (on_change) on_change(*last);
  }
  if (const grpc::Status status = reader->Finish(); !status.ok()) return ExplainNewer(status);
  if (!last)
    return absl::InternalError("host " + name_ +
                               ": the agent ended the call without a word of what came of it");
  return *std::move(last);
}

absl::StatusOr<Change> AgentClient::ProvePeer(const std::string& change_id) {
  v1::ProvePeerRequest request;
  request.set_change_id(change_id);
  RR_ASSIGN_OR_RETURN(const v1::Change change, CallOnce<v1::Change>(&v1::Agent::Stub::ProvePeer, request));
  return FromProto(change);
}

absl::StatusOr<Change> AgentClient::Confirm(const std::string& change_id) {
  v1::ConfirmRequest request;
  request.set_change_id(change_id);
  RR_ASSIGN_OR_RETURN(const v1::Change change, CallOnce<v1::Change>(&v1::Agent::Stub::Confirm, request));
  return FromProto(change);
}

absl::StatusOr<Change> AgentClient::RollBack(const std::string& change_id) {
  v1::RollBackRequest request;
  request.set_change_id(change_id);
  RR_ASSIGN_OR_RETURN(const v1::Change change, CallOnce<v1::Change>(&v1::Agent::Stub::RollBack, request));
  return FromProto(change);
}

absl::StatusOr<Forgotten> AgentClient::Forget(const std::vector<SettingObject>& objects, bool persist) {
  v1::ForgetRequest request;
  request.set_persist(persist);
  for (const SettingObject& object : objects) *request.add_objects() = ToProto(object);
  RR_ASSIGN_OR_RETURN(const v1::ForgetResponse response,
                      CallOnce<v1::ForgetResponse>(&v1::Agent::Stub::Forget, request));
  Forgotten forgotten;
  for (const v1::Setting& setting : response.forgotten()) forgotten.settings.push_back(FromProto(setting));
  v1::ApplierStatus files = ToProto(ApplierStatus{});
  *files.mutable_files() = response.files();
  forgotten.files = FromProto(files).files;
  return forgotten;
}

absl::StatusOr<ApplierStatus> AgentClient::GetApplier(std::chrono::milliseconds within) {
  RR_ASSIGN_OR_RETURN(
      const v1::ApplierStatus status,
      CallOnce<v1::ApplierStatus>(&v1::Agent::Stub::GetApplier, v1::GetApplierRequest(), within));
  return FromProto(status);
}

}  // namespace rdmaready
