// SPDX-License-Identifier: Apache-2.0
#include "agent/proving.h"

namespace rdmaready {

struct Proving::One {
  const std::string change_id{};
  std::vector<ProvingTest> tests{};
  bool asked = false;
  std::optional<absl::StatusOr<Change>> outcome{};  // it has ended
};

Proving::Handle Proving::Begin(const std::string& change_id) {
  const std::lock_guard lock(mutex_);
  if (one_ != nullptr) {
    EndLocked(one_, absl::AbortedError("change " + one_->change_id +
                                       " is not being proven any more: another "
                                       "change is"));
  }
  one_ = std::make_shared<One>(One{.change_id = change_id});
  return one_;
}

bool Proving::IsFor(const std::string& run_id) const {
  const std::lock_guard lock(mutex_);
  return one_ != nullptr && one_->change_id == run_id;
}

void Proving::Tested(const std::string& run_id, Role role, const LiveTest& live) {
  const std::lock_guard lock(mutex_);
  if (one_ == nullptr || one_->change_id != run_id || one_->tests.size() == kMostTests) return;
  one_->tests.push_back({role, live});
}

std::optional<std::vector<ProvingTest>> Proving::AwaitTests(const Handle& mine, const std::stop_token& stop,
                                                            Clock::TimePoint until) {
  std::unique_lock lock(mutex_);
  const auto over = [&mine] { return mine->asked || mine->outcome.has_value(); };
  if (!clock_.WaitUntil(changed_, lock, stop, until, over) || mine->outcome) return std::nullopt;
  return mine->tests;
}

void Proving::End(const Handle& mine, const absl::StatusOr<Change>& outcome) {
  const std::lock_guard lock(mutex_);
  EndLocked(mine, outcome);
}

void Proving::Settled(const Change& change) {
  const std::lock_guard lock(mutex_);
  if (one_ != nullptr && one_->change_id == change.id) EndLocked(one_, change);
}

void Proving::EndLocked(const Handle& mine, const absl::StatusOr<Change>& outcome) {
  if (mine->outcome) return;
  mine->outcome = outcome;
  if (one_ == mine) one_.reset();
  changed_.notify_all();
}

absl::StatusOr<Change> Proving::Ask(const std::string& change_id) {
  std::unique_lock lock(mutex_);
  const Handle asked = one_;
  if (asked == nullptr || asked->change_id != change_id)
    return absl::NotFoundError("no change " + change_id + " waits for a peer test");
  asked->asked = true;
  changed_.notify_all();
  changed_.wait(lock, [&asked] { return asked->outcome.has_value(); });
  return *asked->outcome;
}

}  // namespace rdmaready
