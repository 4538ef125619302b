// SPDX-License-Identifier: Apache-2.0
// ListTeller: passes the lists of the revoked on to all streams, on a thread of its own and some at a time: of
// twenty thousand streams each takes a copy, and whoever revoked a host waits for none of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

#include "api/base/clock.h"
#include "hub/ingest/host_book.h"

namespace rdmaready::hub {

struct ListPace {
  std::size_t at_once = 200;                     // streams
  std::size_t bytes_at_once = 8 * 1024 * 1024;   // of lists, unless that would take too long
  std::chrono::milliseconds rest{100};           // between them
  std::chrono::milliseconds all_within{20'000};  // a half of what is promised: others may come meanwhile
};

// How many streams are told at once, so that all are within that time.
std::size_t StreamsAtOnce(const ListPace& pace, std::size_t streams, std::size_t list_bytes);

class ListTeller {
 public:
  // `book` outlives it, and so do its streams' service and what `list_bytes` uses: how large the lists are.
  ListTeller(const HostBook& book, std::function<std::size_t()> list_bytes, ListPace pace = {},
             Clock& clock = RealClock());
  ~ListTeller();

  // The lists are others now. Returns at once. Who opens a stream from now on is told by that stream.
  void Tell();

 private:
  void Run(const std::stop_token& stop);
  void TellAll(const std::stop_token& stop);

  const HostBook& book_;
  const std::function<std::size_t()> list_bytes_;
  const ListPace pace_;
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool others_ = false;
  std::jthread thread_;
};

}  // namespace rdmaready::hub
