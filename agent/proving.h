// SPDX-License-Identifier: Apache-2.0
// Proving: where the call that makes a change and those that make its peer tests meet. What counts is what this
// agent itself took part in since the change was written, for the identity that applied the change and with the
// peer that must prove it. A test of another identity under the change's id neither proves nor fails it.
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

struct ProvingTests {
  std::vector<ProvingTest> counted{};
  std::string other_peer{};  // the certificate of an agent that is not the peer; empty: there was no such test
};

// A test that would count.
struct ProvingKey {
  std::string change_id{};
  std::string who{};  // Caller::who
};

// Threads: every method may be called from any thread.
class Proving {
 public:
  explicit Proving(Clock& clock) : clock_(clock) {}

  struct One;
  using Handle = std::shared_ptr<One>;

  // From now on peer tests whose run id is the change's count for it when `key.who` has them made, until its
  // End. `peer`: the host with which they must be. There is one at a time, as the applier has one open change:
  // the one before has ended, for all who wait for it, too.
  Handle Begin(const ProvingKey& key, const std::string& peer);

  // The host with which a peer test that begins now counts; none: the test does not count.
  std::optional<std::string> PeerFor(const ProvingKey& key) const;
  // One that counted when it began has ended.
  void Tested(const ProvingKey& key, Role role, const LiveTest& live);
  // One would have counted, but the certificate of the other end is this one.
  void TestedWithOther(const ProvingKey& key, const std::string& certificate);

  // Waits until somebody asks to have the tests judged. Nothing: it has ended, `stop`, or `until` is over.
  std::optional<ProvingTests> AwaitTests(const Handle& mine, const std::stop_token& stop,
                                         Clock::TimePoint until);

  // What came of the change, for who asked. No more tests count. One that has ended stays as it is.
  void End(const Handle& mine, const absl::StatusOr<Change>& outcome);
  // The same of a change that was settled by another call; any other is left as it is.
  void Settled(const Change& change);

  // Asks, and waits for the end. kNotFound: no such change of this identity is being proven.
  absl::StatusOr<Change> Ask(const ProvingKey& key);

 private:
  bool IsForLocked(const ProvingKey& key) const;
  void EndLocked(const Handle& mine, const absl::StatusOr<Change>& outcome);

  static constexpr std::size_t kMostTests = 1000;  // no proof takes so many

  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  Handle one_{};  // null: none is being proven; who asked keeps the one that he asked for
};

}  // namespace rdmaready
