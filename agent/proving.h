// SPDX-License-Identifier: Apache-2.0
// Proving: where the call that makes a change and those that make its peer tests meet. What counts is what this
// agent itself took part in since the change was written, and nobody's word.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/runs.h"
#include "api/model/change.h"

namespace rdmaready {

// Threads: every method may be called from any thread.
class Proving {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // From now on peer tests whose run id is `change_id` count for it. There is one at a time, as the applier has
  // one open change.
  void Begin(const std::string& change_id);

  // Whether a peer test of that run id that begins now counts.
  bool IsFor(const std::string& run_id) const;
  // One that counted when it began has ended.
  void Tested(const std::string& run_id, const LiveTest& live);

  // Waits until somebody asks to have the tests judged. Nothing: `stop`, or `until` is over.
  std::optional<std::vector<LiveTest>> AwaitTests(const std::stop_token& stop, TimePoint until);

  // What came of the change, for who asked. No more tests count. Without Begin: nothing happens.
  void End(const absl::StatusOr<Change>& outcome);

  // Asks, and waits for the end. kNotFound: no such change is being proven.
  absl::StatusOr<Change> Ask(const std::string& change_id);

 private:
  struct One {
    std::string change_id{};
    std::vector<LiveTest> tests{};
    bool asked = false;
    std::optional<absl::StatusOr<Change>> outcome{};
  };

  static constexpr std::size_t kMostTests = 1000;  // no proof takes so many

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::shared_ptr<One> one_{};  // null: none is being proven; who asked keeps the one that he asked for
};

}  // namespace rdmaready
