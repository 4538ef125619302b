// SPDX-License-Identifier: Apache-2.0
// Beating: says to an agent, five times a second, that the caller of a call is still there. When the caller's
// machine or network is gone, the agent ends the call within a second. For the sources of AgentClient.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace grpc {
class ClientContext;
}

namespace rdmaready {

class Beating {
 public:
  // Says the word to the agent once, within the deadline of the context; called on the thread of the beating.
  using Say = std::function<void(grpc::ClientContext& context, const std::string& word)>;

  // `known`: the agent is of a version that listens to it; else nothing is said.
  Beating(Say say, bool known);
  Beating(const Beating&) = delete;
  Beating& operator=(const Beating&) = delete;
  ~Beating();

  // For the request of the call; empty where nothing is said.
  const std::string& word() const { return word_; }

 private:
  void Beat(const std::stop_token& done);

  const Say say_;
  const std::string word_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  grpc::ClientContext* running_ = nullptr;
  std::jthread thread_;
};

}  // namespace rdmaready
