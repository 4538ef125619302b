// SPDX-License-Identifier: Apache-2.0
// HandshakeQueue: lets only so many TLS handshakes go on at a time, so that each is soon done. A server that
// begins all of a fleet's at once ends none of them: each has its small part of the processors until the
// callers' time is over (20 s with gRPC), and all begin again.
//
// Callers come in the order of their first bytes, so who says nothing is in nobody's way. Who gets no turn in
// time is closed, and backs off; who left while waiting takes no turn; a handshake that comes to no end gives
// its place back by the clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "api/base/event.h"
#include "api/base/handle.h"
#include "api/daemon/doorbell.h"
#include "api/daemon/turned_away.h"

namespace rdmaready {

inline constexpr std::string_view kHandshakesLateEvent = "handshakes-late";

// Counts handshakes that came to their end, well or not. Threads: any.
class HandshakeEnds {
 public:
  HandshakeEnds();

  void TellOne();
  std::uint64_t TakeAll();              // those since it was last asked
  int fd() const { return fd_.get(); }  // readable while there are any

 private:
  UniqueFd fd_;
};

struct HandshakeLimits {
  std::size_t at_once = 64;  // 320 a second to callers who are 200 ms away, there and back
  // For the first bytes, and again for a turn. What is left of a caller's 20 s is enough for a handshake.
  std::chrono::milliseconds longest_wait = std::chrono::seconds(10);
  std::chrono::milliseconds given_up_after = std::chrono::seconds(5);
};

class HandshakeQueue {
 public:
  // `take` gets each connection on the queue's thread. What does not begin as TLS does is handed on at once:
  // its handshake fails at the first byte and costs nothing.
  HandshakeQueue(HandshakeLimits limits, std::shared_ptr<HandshakeEnds> ends,
                 std::function<void(UniqueFd)> take, EventSink events);
  HandshakeQueue(const HandshakeQueue&) = delete;
  HandshakeQueue& operator=(const HandshakeQueue&) = delete;
  ~HandshakeQueue();  // closes whoever waits

  bool Works() const { return thread_.joinable(); }  // else no descriptors were left to make it with

  void Add(UniqueFd accepted);  // any thread

  // Whether its thread gets on. Any thread.
  bool Answers(std::chrono::milliseconds patience) { return bell_.IsHeard(patience); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    UniqueFd fd{};
    Clock::time_point since{};
  };

  void Run(const std::stop_token& stop);
  void Wait(std::vector<int>& speaking);  // until somebody speaks, or there may be something to do
  void Sort(const std::vector<int>& speaking, Clock::time_point now, std::vector<UniqueFd>& in);
  void TellLate();
  void EndTheLate(Clock::time_point now);
  void LetIn(Clock::time_point now, std::vector<UniqueFd>& in);

  const HandshakeLimits limits_;
  const std::shared_ptr<HandshakeEnds> ends_;
  const std::function<void(UniqueFd)> take_;
  const EventSink events_;
  const UniqueFd epoll_;
  Doorbell bell_{};
  std::mutex mutex_{};  // of silent_
  std::unordered_map<int, Waiting> silent_{};
  // The queue's thread alone:
  std::deque<Waiting> ready_{};
  TurnedAway turned_away_{};
  std::deque<Clock::time_point> under_way_{};  // when each began
  std::jthread thread_;
};

}  // namespace rdmaready
