// SPDX-License-Identifier: Apache-2.0
// Beating: says to an agent, five times a second, that the caller of a call is still there. When the caller's
// machine or network is gone, the agent ends the call within a second. For the sources of AgentClient.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

class Beating {
 public:
  // `stub` outlives this. `known`: the agent is of a version that listens to it; else nothing is sent.
  Beating(v1::Agent::Stub& stub, bool known);
  Beating(const Beating&) = delete;
  Beating& operator=(const Beating&) = delete;
  ~Beating();

  // For the request of the call; empty where nothing is sent.
  const std::string& word() const { return word_; }

 private:
  void Beat(const std::stop_token& done);

  v1::Agent::Stub& stub_;
  const std::string word_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  grpc::ClientContext* running_ = nullptr;
  std::jthread thread_;
};

}  // namespace rdmaready
