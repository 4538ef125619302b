// SPDX-License-Identifier: Apache-2.0
// AgentService: the agent on the wire. A method does three things: decode, ask, encode. A failing check is a
// successful call.
#pragma once

#include "agent/agent.h"
#include "agent/limits.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

class AgentService final : public v1::Agent::Service {
 public:
  explicit AgentService(Agent& agent, const CallLimits& limits = {}) : agent_(agent), limits_(limits) {}

  grpc::Status GetVersion(grpc::ServerContext* context, const v1::GetVersionRequest* request,
                          v1::GetVersionResponse* response) override;
  grpc::Status GetFacts(grpc::ServerContext* context, const v1::GetFactsRequest* request,
                        v1::GetFactsResponse* response) override;
  grpc::Status GetRecording(grpc::ServerContext* context, const v1::GetRecordingRequest* request,
                            grpc::ServerWriter<v1::RecordingPart>* writer) override;
  grpc::Status Check(grpc::ServerContext* context, const v1::CheckRequest* request,
                     grpc::ServerWriter<v1::CheckEvent>* writer) override;
  grpc::Status TestLoopback(grpc::ServerContext* context, const v1::TestLoopbackRequest* request,
                            grpc::ServerWriter<v1::TransferEvent>* writer) override;
  grpc::Status TestPeer(grpc::ServerContext* context,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override;
  grpc::Status ListHistory(grpc::ServerContext* context, const v1::ListHistoryRequest* request,
                           grpc::ServerWriter<v1::HistoryEntry>* writer) override;

 private:
  Agent& agent_;
  const CallLimits limits_;
};

}  // namespace rdmaready
