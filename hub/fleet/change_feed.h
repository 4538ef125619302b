// SPDX-License-Identifier: Apache-2.0
// ChangeFeed: what was committed, to those who watch, as it happens. Who does not keep up is told that he has
// missed something, and reads the store.
//
// Threads: any thread may call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "api/base/clock.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

class ChangeFeed {
 public:
  static constexpr std::size_t kMostWaiting = 16'384;  // changes of one watcher

  class Watcher {
   public:
    explicit Watcher(Clock& clock) : clock_(clock) {}
    struct Taken {
      std::vector<FleetChange> changes{};
      bool missed = false;  // others came before them, which are gone
      bool over = false;    // the feed has ended
    };
    // Waits at most so long for the next ones.
    Taken Take(std::chrono::milliseconds wait);

   private:
    friend class ChangeFeed;
    Clock& clock_;
    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::deque<FleetChange> waiting_{};
    bool missed_ = false;
    bool over_ = false;
  };

  // `clock` outlives it and its watchers.
  explicit ChangeFeed(Clock& clock = RealClock()) : clock_(clock) {}

  void Tell(const std::vector<CommittedChange>& changes);
  // Hears everything that is told from now on, until nobody holds it.
  std::shared_ptr<Watcher> Watch();
  // Wakes every watcher for the last time.
  void End();

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_{};
  bool over_ = false;
};

}  // namespace rdmaready::hub
