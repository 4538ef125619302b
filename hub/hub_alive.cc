// SPDX-License-Identifier: Apache-2.0
// What proves that the hub gets on with its work.
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hub/enrol/enrolment_service.h"
#include "hub/hub.h"
#include "rdmaready/v1/fleet.grpc.pb.h"
#include "rdmaready/v1/ingest.grpc.pb.h"

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;

// Any answer proves it, a refusal too.
absl::Status Answered(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) return absl::OkStatus();
  return absl::DeadlineExceededError("no answer");
}

// A question that costs nothing to refuse.
absl::Status QuestionIsAnswered(v1::Fleet::Stub& stub, milliseconds patience) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(patience));
  v1::ListHostsRequest request;
  request.mutable_fields()->add_paths("none such");
  v1::ListHostsResponse response;
  return Answered(stub.ListHosts(&context, request, &response));
}

// A stream that does not say hello is ended at once.
absl::Status AgentIsAnswered(v1::Ingest::Stub& stub, milliseconds patience) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(patience));
  const auto stream = stub.Attach(&context);
  static_cast<void>(stream->Write(v1::FromAgent()));
  v1::FromHub answer;
  while (stream->Read(&answer)) {
  }
  return Answered(stream->Finish());
}

ProofOfLife ThatBeats(std::string_view what, const Pulse& pulse, std::chrono::nanoseconds patience) {
  return {what, [&pulse, patience](milliseconds) -> absl::Status {
            if (pulse.Since() <= patience) return absl::OkStatus();
            const auto since = std::chrono::duration_cast<std::chrono::seconds>(pulse.Since());
            return absl::DeadlineExceededError("nothing done for " + std::to_string(since.count()) + " s");
          }};
}

}  // namespace

std::vector<ProofOfLife> Hub::ProofsOfLife() const {
  const auto channel = listening_.server->InProcessChannel(grpc::ChannelArguments());
  const std::shared_ptr<v1::Fleet::Stub> fleet = v1::Fleet::NewStub(channel);
  const std::shared_ptr<v1::Ingest::Stub> ingest = v1::Ingest::NewStub(channel);
  return {
      {"questions are answered",
       [fleet](milliseconds patience) { return QuestionIsAnswered(*fleet, patience); }},
      {"agents are answered", [ingest](milliseconds patience) { return AgentIsAnswered(*ingest, patience); }},
      ProofOfListening(listening_),
      ThatBeats("reports are kept", keeper_->pulse(), options_.hangs_after),
      ThatBeats("the fleet is looked after", chores_pulse_, options_.hangs_after)};
}

}  // namespace rdmaready::hub
