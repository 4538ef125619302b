// SPDX-License-Identifier: Apache-2.0
// RecentRuns: the last runs of this host in memory, reduced to the findings that the next check
// needs. The store is read once.
// Threads: every method may be called from any thread.
#pragma once

#include <mutex>
#include <vector>

#include "agent/store/store.h"
#include "api/model/history.h"
#include "api/model/remembered.h"

namespace rdmaready {

class RecentRuns {
 public:
  // `store` outlives this.
  explicit RecentRuns(Store& store) : store_(store) {}

  // As RememberedOf `now` and the stored runs that began before it. Nothing while the store cannot be read.
  Remembered Before(const RunRecord& now);

  // To be called after the store took `run`.
  void Add(const RunRecord& run);

 private:
  // Both with the mutex held. False: the store cannot be read.
  bool Load();
  void Keep(const RunRecord& run);

  Store& store_;
  std::mutex mutex_;
  bool loaded_ = false;
  bool whole_ = false;             // the store has no run before the oldest of these
  std::vector<RunRecord> runs_{};  // newest first
};

}  // namespace rdmaready
