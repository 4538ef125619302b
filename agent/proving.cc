// SPDX-License-Identifier: Apache-2.0
#include "agent/proving.h"

namespace rdmaready {

struct Proving::One {
  const ProvingKey key{};
  const std::string peer{};
  ProvingTests tests{};
  bool asked = false;
  std::optional<absl::StatusOr<Change>> outcome{};  // it has ended
};

Proving::Handle Proving::Begin(const ProvingKey& key, const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (one_ != nullptr) {
    EndLocked(one_, absl::AbortedError("change " + one_->key.change_id +
                                       " is not being proven any more: another "
                                       "change is"));
  }
  one_ = std::make_shared<One>(One{.key = key, .peer = peer});
  return one_;
}

std::optional<std::string> Proving::PeerFor(const ProvingKey& key) const {
  const std::lock_guard lock(mutex_);
  if (!IsForLocked(key)) return std::nullopt;
  return one_->peer;
}

void Proving::Tested(const ProvingKey& key, Role role, const LiveTest& live) {
  const std::lock_guard lock(mutex_);
  if (!IsForLocked(key) || one_->tests.counted.size() == kMostTests) return;
  one_->tests.counted.push_back({role, live});
}

void Proving::TestedWithOther(const ProvingKey& key, const std::string& certificate) {
  const std::lock_guard lock(mutex_);
  if (IsForLocked(key)) one_->tests.other_peer = certificate;
}

std::optional<ProvingTests> Proving::AwaitTests(const Handle& mine, const std::stop_token& stop,
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
  if (one_ != nullptr && one_->key.change_id == change.id) EndLocked(one_, change);
}

void Proving::EndLocked(const Handle& mine, const absl::StatusOr<Change>& outcome) {
  if (mine->outcome) return;
  mine->outcome = outcome;
  if (one_ == mine) one_.reset();
  changed_.notify_all();
}

bool Proving::IsForLocked(const ProvingKey& key) const {
  return one_ != nullptr && one_->key.change_id == key.change_id && one_->key.who == key.who;
}

absl::StatusOr<Change> Proving::Ask(const ProvingKey& key) {
  std::unique_lock lock(mutex_);
  const Handle asked = one_;
  if (!IsForLocked(key)) {
    return absl::NotFoundError("no change " + key.change_id +
                               " waits for a peer test of this caller: only the identity that applied a change "
                               "can have it proven");
  }
  asked->asked = true;
  changed_.notify_all();
  changed_.wait(lock, [&asked] { return asked->outcome.has_value(); });
  return *asked->outcome;
}

}  // namespace rdmaready
