// SPDX-License-Identifier: Apache-2.0
// Proving: where the call that makes a change and those that make its peer tests meet. What counts is what this
// agent itself took part in since the change was written, and nobody's word.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/runs.h"
#include "api/base/clock.h"
#include "api/model/change.h"

namespace rdmaready {

// A peer test in which this host had that part.
struct ProvingTest {
  Role role = Role::kInitiator;
  LiveTest live{};
};

// Threads: every method may be called from any thread.
class Proving {
 public:
  explicit Proving(Clock& clock) : clock_(clock) {}

  struct One;
  using Handle = std::shared_ptr<One>;

  // From now on peer tests whose run id is `change_id` count for it, until its End. There is one at a time, as
  // the applier has one open change: the one before has ended, for all who wait for it, too.
  Handle Begin(const std::string& change_id);

  // Whether a peer test of that run id that begins now counts.
  bool IsFor(const std::string& run_id) const;
  // One that counted when it began has ended.
  void Tested(const std::string& run_id, Role role, const LiveTest& live);

  // Waits until somebody asks to have the tests judged. Nothing: it has ended, `stop`, or `until` is over.
  std::optional<std::vector<ProvingTest>> AwaitTests(const Handle& mine, const std::stop_token& stop,
                                                     Clock::TimePoint until);

  // What came of the change, for who asked. No more tests count. One that has ended stays as it is.
  void End(const Handle& mine, const absl::StatusOr<Change>& outcome);
  // The same of a change that was settled by another call; any other is left as it is.
  void Settled(const Change& change);

  // Asks, and waits for the end. kNotFound: no such change is being proven.
  absl::StatusOr<Change> Ask(const std::string& change_id);

 private:
  void EndLocked(const Handle& mine, const absl::StatusOr<Change>& outcome);

  static constexpr std::size_t kMostTests = 1000;  // no proof takes so many

  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  Handle one_{};  // null: none is being proven; who asked keeps the one that he asked for
};

}  // namespace rdmaready
