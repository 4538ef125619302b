// SPDX-License-Identifier: Apache-2.0
// HostNotes: what happened to hosts as a whole ("silent"), on its way to the store. Nobody says it a second
// time: what the store does not take now waits, in its order, and is tried again.
//
// Threads: any thread may call; writes are one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "api/base/clock.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostNotesWaiting = 100'000;  // of hosts; then the oldest are lost

class HostNotes {
 public:
  struct Seams {
    // FleetStore::NoteHosts.
    std::function<absl::StatusOr<std::vector<CommittedChange>>(std::span<const std::string>, const std::string&,
                                                               std::int64_t)>
        write{};
    std::function<void(const std::vector<CommittedChange>&)> written{};
    std::function<void(const absl::Status&)> stored{};  // after each attempt
    std::function<void(std::size_t)> lost{};            // notes of so many hosts, for which there was no room
  };
  // `clock` outlives it.
  explicit HostNotes(Seams seams, Clock& clock = RealClock()) : seams_(std::move(seams)), clock_(clock) {}

  void Add(std::vector<std::string> host_ids, std::string text);
  // What waits, up to the first that the store refuses. A note has the time of its writing: who watches is told
  // within a minute of the time that a change has.
  void Write();

 private:
  struct Waiting {
    std::vector<std::string> host_ids{};
    std::string text{};
  };

  const Seams seams_;
  Clock& clock_;
  std::mutex writing_;  // held while one is written; before the other
  std::mutex mutex_;    // guards what follows
  std::deque<Waiting> waiting_{};
  std::size_t hosts_waiting_ = 0;
};

}  // namespace rdmaready::hub
