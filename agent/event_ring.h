// SPDX-License-Identifier: Apache-2.0
// EventRing: the last events of the agent, in memory, for a caller who collects evidence. What is to be
// debugged is not kept, and no line of the audit: who asked for what is not for everybody who may observe.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/base/clock.h"
#include "api/base/event.h"

namespace rdmaready {

struct KeptEvent {
  std::int64_t unix_ns = 0;
  EventLevel level = EventLevel::kInfo;
  std::string name{};
  std::vector<std::pair<std::string, std::string>> fields{};  // key and value, in the order of the event
};

class EventRing {
 public:
  static constexpr std::size_t kMostEvents = 1000;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;  // of names, keys and values
  static constexpr std::size_t kMostValueBytes = 512;                // a longer value is cut

  // Keeps the event, and lets go of the oldest ones for which there is no room.
  void Add(const Event& event, std::int64_t unix_ns);

  // Oldest first.
  std::vector<KeptEvent> Kept() const;

  // A sink that keeps what it hears in `ring` and passes it on to `sink`, which may be empty. `clock` outlives
  // it.
  static EventSink Before(std::shared_ptr<EventRing> ring, EventSink sink, Clock& clock);

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::deque<KeptEvent> kept_{};
  std::size_t bytes_ = 0;
};

}  // namespace rdmaready
