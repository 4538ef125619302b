// SPDX-License-Identifier: Apache-2.0
// The part of AgentClient that gRPC generates. For the sources of AgentClient only: every other file is spared
// gRPC.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "api/client/agent_client.h"
#include "api/client/answer_bounds.h"
#include "api/client/beating.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

struct AgentClient::Wire {
  std::unique_ptr<v1::Agent::Stub> stub{};
  std::mutex mutex{};  // guards shared
  std::weak_ptr<Beating> shared{};

  // One for all parts of stress tests that run at a time: an agent with 32 senders hears five beats a second,
  // not 160. Agents that know stress tests hear all calls by one word.
  std::shared_ptr<Beating> SharedBeating() {
    const std::lock_guard lock(mutex);
    std::shared_ptr<Beating> beating = shared.lock();
    if (!beating) shared = beating = std::make_shared<Beating>(Says(), true);
    return beating;
  }

  // For Beating. An agent that is gone shows in the call itself, so the answer says nothing.
  Beating::Say Says() const {
    return [this](grpc::ClientContext& context, const std::string& word, std::function<void()> done) {
      struct Messages {
        v1::GetVersionRequest request;
        v1::GetVersionResponse response;
      };
      const auto messages = std::make_shared<Messages>();
      messages->request.set_beat(word);
      stub->async()->GetVersion(&context, &messages->request, &messages->response,
                                [messages, done = std::move(done)](const grpc::Status&) { done(); });
    };
  }
};

}  // namespace rdmaready
