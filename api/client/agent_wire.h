// SPDX-License-Identifier: Apache-2.0
// The part of AgentClient that gRPC generates. For the sources of AgentClient only: every other file is spared
// gRPC.
#pragma once

#include <memory>

#include "api/client/agent_client.h"
#include "api/client/answer_bounds.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

struct AgentClient::Wire {
  std::unique_ptr<v1::Agent::Stub> stub{};
};

}  // namespace rdmaready
