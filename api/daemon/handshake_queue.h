// SPDX-License-Identifier: Apache-2.0
// HandshakeQueue: lets only so many TLS handshakes go on at a time, so that each is soon done. A server that
// begins all of a fleet's at once ends none of them: each has its small part of the processors until the
// callers' time is over (20 s with gRPC), and all begin again.
//
// Callers come in the order of their first bytes, so who says nothing is in nobody's way; addresses take turns,
// and no one has more than half of the places, so that one of them cannot keep the others out. Who gets no turn
// in time is closed, and backs off; who left while waiting takes no turn.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/handle.h"
#include "api/daemon/doorbell.h"
#include "api/daemon/turned_away.h"

namespace rdmaready {

inline constexpr std::string_view kHandshakesLateEvent = "handshakes-late";

// In which places a handshake came to the question whether the caller is let in. Threads: any.
class HandshakeEnds {
 public:
  explicit HandshakeEnds(std::size_t places);

  std::size_t places() const { return ended_.size(); }
  void Tell(std::size_t place);
  // Whether it did since the last question.
  bool Take(std::size_t place) { return ended_[place].exchange(false); }
  bool Works() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }  // readable from Tell until Drain
  void Drain();

 private:
  UniqueFd fd_;
  std::vector<std::atomic<bool>> ended_;
};

// Who speaks at once is done with, one way or the other, after 18 s: gRPC gives a caller 20 s.
struct HandshakeLimits {
  std::chrono::milliseconds longest_wait =
      std::chrono::seconds(8);  // for the first bytes, and again for a turn
  std::chrono::milliseconds longest_handshake = std::chrono::seconds(10);  // from then on; it is closed then
};

class HandshakeQueue {
 public:
  using Take = std::function<void(UniqueFd)>;

  // `take`: for each place of `ends` who does the handshakes in it, called on the queue's thread. What does not
  // begin as TLS goes to the first one at once and takes no place: its handshake fails at the first byte.
  // `clock` outlives the queue, which looks at it some times a second while somebody waits.
  HandshakeQueue(HandshakeLimits limits, std::shared_ptr<HandshakeEnds> ends, std::vector<Take> take,
                 EventSink events, Clock& clock = RealClock());
  HandshakeQueue(const HandshakeQueue&) = delete;
  HandshakeQueue& operator=(const HandshakeQueue&) = delete;
  ~HandshakeQueue();  // closes whoever waits

  bool Works() const { return thread_.joinable(); }  // else no descriptors were left to make it with

  void Add(UniqueFd accepted);  // any thread

  // Whether its thread gets on. Any thread.
  bool Answers(std::chrono::milliseconds patience) { return bell_.IsHeard(patience); }

 private:
  using Source = std::array<unsigned char, 16>;  // an address, or the network of one host
  struct Waiting {
    UniqueFd fd{};
    Clock::TimePoint since{};
  };
  struct Place {
    Take take{};
    UniqueFd watched{};  // of the caller who has it; none: it is free
    Source source{};
    Clock::TimePoint since{};
  };

  static Source SourceOf(int fd);
  void Run(const std::stop_token& stop);
  void Wait(std::vector<int>& speaking);  // until somebody speaks, or there may be something to do
  void Sort(const std::vector<int>& speaking, Clock::TimePoint now);
  void FreePlaces(Clock::TimePoint now);
  void EndTheLate(Clock::TimePoint now);
  void LetIn(Clock::TimePoint now);
  std::optional<Source> NextSource();
  UniqueFd NextOf(const Source& source);
  void TellLate();

  const HandshakeLimits limits_;
  const std::shared_ptr<HandshakeEnds> ends_;
  const EventSink events_;
  Clock& clock_;
  const UniqueFd epoll_;
  Doorbell bell_;
  std::mutex mutex_{};  // of silent_
  std::unordered_map<int, Waiting> silent_{};
  // The queue's thread alone:
  std::vector<Place> places_{};
  std::map<Source, std::deque<Waiting>> ready_{};
  std::deque<Source> turns_{};  // each of ready_, once
  Clock::TimePoint looked_at_{};
  TurnedAway turned_away_;
  std::jthread thread_;
};

}  // namespace rdmaready
