// SPDX-License-Identifier: Apache-2.0
#include "agent/proving.h"

#include <utility>

namespace rdmaready {

void Proving::Begin(const std::string& change_id) {
  const std::lock_guard lock(mutex_);
  one_ = std::make_shared<One>(One{.change_id = change_id});
}

bool Proving::IsFor(const std::string& run_id) const {
  const std::lock_guard lock(mutex_);
  return one_ != nullptr && one_->change_id == run_id;
}

void Proving::Tested(const std::string& run_id, const LiveTest& live) {
  const std::lock_guard lock(mutex_);
  if (one_ == nullptr || one_->change_id != run_id || one_->tests.size() == kMostTests) return;
  one_->tests.push_back(live);
}

std::optional<std::vector<LiveTest>> Proving::AwaitTests(const std::stop_token& stop, TimePoint until) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<One> mine = one_;
  if (mine == nullptr) return std::nullopt;
  if (!changed_.wait_until(lock, stop, until, [&mine] { return mine->asked; })) return std::nullopt;
  return mine->tests;
}

void Proving::End(const absl::StatusOr<Change>& outcome) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<One> ended = std::exchange(one_, nullptr);
  if (ended != nullptr) ended->outcome = outcome;
  changed_.notify_all();
}

absl::StatusOr<Change> Proving::Ask(const std::string& change_id) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<One> asked = one_;
  if (asked == nullptr || asked->change_id != change_id)
    return absl::NotFoundError("no change " + change_id + " waits for a peer test");
  asked->asked = true;
  changed_.notify_all();
  changed_.wait(lock, [&asked] { return asked->outcome.has_value(); });
  return *asked->outcome;
}

}  // namespace rdmaready
