// SPDX-License-Identifier: Apache-2.0
// Beating: says to an agent, five times a second, that the caller of a call is still there. When the caller's
// machine or network is gone, the agent ends the call within a second. A beat does not wait for the answer to
// the one before, so a network that takes a second both ways does not end a call. For the sources of
// AgentClient.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace grpc {
class ClientContext;
}

namespace rdmaready {

class Beating {
 public:
  // Begins to say the word to the agent, within the deadline of the context, and does not wait. Calls `done`
  // once, on any thread, when an answer came or none will; the context lives until then.
  using Say =
      std::function<void(grpc::ClientContext& context, const std::string& word, std::function<void()> done)>;

  // `known`: the agent is of a version that listens to it; else nothing is said.
  Beating(Say say, bool known);
  Beating(const Beating&) = delete;
  Beating& operator=(const Beating&) = delete;
  // Gives up the beats that are under way, and waits for their ends.
  ~Beating();

  // For the request of the call; empty where nothing is said.
  const std::string& word() const { return word_; }

 private:
  struct OneBeat;
  void Beat(const std::stop_token& done);
  void BeginOne();

  const Say say_;
  const std::string word_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::list<OneBeat> running_;
  std::list<OneBeat> ended_;  // to be destroyed by another thread than the one that ended them
  std::jthread thread_;
};

}  // namespace rdmaready
