// SPDX-License-Identifier: Apache-2.0
// HelperServer: the serving side of a helper. Bounded in everything: connections, time to hear a question, time
// to say an answer, sizes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/helper/verb.h"
#include "api/base/clock.h"
#include "api/base/handle.h"

namespace rdmaready::helper {

struct ServeOptions {
  std::string program{};             // "rdmaready-reader", for errors
  ::uid_t asker = 0;                 // the only user who is answered
  bool answers_root = false;         // and root
  std::chrono::milliseconds idle{};  // leave when there was no work for as long; 0: stay
  // Questions at work at once, of the asker and of root each: who listens on the network and was taken over
  // cannot keep the administrator out. One more is answered "busy".
  std::size_t most_at_once = 16;
  std::chrono::milliseconds hear_within = std::chrono::seconds(2);
  std::chrono::milliseconds say_within = std::chrono::seconds(5);
  // After the end was asked for, until what does not end is left behind.
  std::chrono::milliseconds end_within = std::chrono::seconds(2);
  ProgressLimits progress{};
  // Whether there is a reason to stay that is no question. Called by the thread of Run(). Empty: there is none.
  std::function<bool()> busy{};
  // One line for a person, of what is worth knowing. Any thread calls it.
  std::function<void(const std::string& line)> log = [](const std::string&) {};
  Clock* clock = &RealClock();
};

// One connection: hears its question, does it, and says the answer. A body that is no question is answered with
// its error.
void AnswerConnection(int socket, std::span<const Verb> verbs, const ServeOptions& options,
                      const std::stop_token& stop);

// Why serving ended.
enum class ServeEnd {
  kUnknown = 0,
  kIdle,
  kTold,   // and nothing is at work any more
  kStuck,  // told, but a question sleeps in the kernel: leave without the destructor, which waits for it
};

class HelperServer {
 public:
  HelperServer(UniqueFd listener, std::vector<Verb> verbs, ServeOptions options);
  ~HelperServer();

  // Until there was no work and no reason to stay for `idle`, or `told` is readable. To be called once.
  ServeEnd Run(int told);

 private:
  struct Session;

  std::chrono::milliseconds IdleLeft() const;
  bool Wait(int told);
  void Accept();
  void Begin(UniqueFd socket, ::uid_t uid);
  void Refuse(int socket, const absl::Status& why);
  void Reap();
  ServeEnd End();

  UniqueFd listener_;
  const std::vector<Verb> verbs_;
  const ServeOptions options_;
  const UniqueFd done_;  // an eventfd: a session ended
  std::list<std::unique_ptr<Session>> sessions_;
  Clock::TimePoint last_work_;
  Clock::TimePoint last_refusal_told_{};
};

}  // namespace rdmaready::helper
