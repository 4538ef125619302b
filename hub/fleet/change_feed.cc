// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/change_feed.h"

#include <iterator>
#include <utility>

namespace rdmaready::hub {

ChangeFeed::Watcher::Taken ChangeFeed::Watcher::Take(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  clock_.WaitUntil(woken_, lock, std::stop_token(), clock_.Now() + wait,
                   [&] { return over_ || missed_ || !waiting_.empty(); });
  Taken taken;
  taken.changes.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
  waiting_.clear();
  taken.missed = std::exchange(missed_, false);
  taken.over = over_;
  return taken;
}

void ChangeFeed::Tell(const std::vector<CommittedChange>& changes) {
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(watchers_, [&](const std::weak_ptr<Watcher>& watcher) {
      if (std::shared_ptr<Watcher> there = watcher.lock()) {
        watchers.push_back(std::move(there));
        return false;
      }
      return true;
    });
  }
  for (const std::shared_ptr<Watcher>& watcher : watchers) {
    {
      const std::lock_guard lock(watcher->mutex_);
      if (watcher->waiting_.size() + changes.size() > kMostWaiting) {
        watcher->waiting_.clear();
        watcher->missed_ = true;
      } else {
        for (const CommittedChange& change : changes) watcher->waiting_.push_back(change.change);
      }
    }
    watcher->woken_.notify_one();
  }
}

std::shared_ptr<ChangeFeed::Watcher> ChangeFeed::Watch() {
  auto watcher = std::make_shared<Watcher>(clock_);
  const std::lock_guard lock(mutex_);
  watcher->over_ = over_;
  watchers_.push_back(watcher);
  return watcher;
}

void ChangeFeed::End() {
  std::vector<std::weak_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    watchers = watchers_;
  }
  for (const std::weak_ptr<Watcher>& one : watchers) {
    const std::shared_ptr<Watcher> watcher = one.lock();
    if (watcher == nullptr) continue;
    {
      const std::lock_guard lock(watcher->mutex_);
      watcher->over_ = true;
    }
    watcher->woken_.notify_one();
  }
}

}  // namespace rdmaready::hub
