// SPDX-License-Identifier: Apache-2.0
// The part of AgentClient that gRPC generates. For the sources of AgentClient only: every other file is spared
// gRPC.
#pragma once

#include <memory>
#include <string>

#include "api/client/agent_client.h"
#include "api/client/answer_bounds.h"
#include "api/client/beating.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

struct AgentClient::Wire {
  std::unique_ptr<v1::Agent::Stub> stub{};

  // For Beating. An agent that is gone shows in the call itself, so the answer says nothing.
  Beating::Say Says() const {
    return [this](grpc::ClientContext& context, const std::string& word) {
      v1::GetVersionRequest request;
      request.set_beat(word);
      v1::GetVersionResponse response;
      static_cast<void>(stub->GetVersion(&context, request, &response));
    };
  }
};

}  // namespace rdmaready
