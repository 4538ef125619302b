// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/numbered_writes.h"

#include <algorithm>

namespace rdmaready {

void NumberedWrites::Begin() {
  const std::lock_guard lock(mutex_);
  if (!end_) end_ = clock_.Now() + duration_;
}

// The first slot that waits for a second look, where more than `least` wait.
std::uint32_t NumberedWrites::TakeLook(std::size_t least) {
  if (held_.size() <= least) return kNoSlot;
  const std::uint32_t slot = held_.front();
  held_.pop_front();
  ++looks_;
  return slot;
}

std::optional<NumberedMessage> NumberedWrites::Next() {
  const std::lock_guard lock(mutex_);
  NumberedMessage next;
  if (!again_.empty()) {
    next = again_.front();
    again_.pop_front();
    ++next.generation;
    ++counts_.reissued;
  } else if (!IsOver() && counts_.issued < most_ && !free_.empty()) {
    next = {.number = next_++, .slot = free_.front()};
    free_.pop_front();
    open_.emplace(next.number, clock_.Now());
    if (++counts_.issued == most_) end_ = std::min(*end_, clock_.Now());
  }
  next.look_at = TakeLook(IsOver() || free_.empty() ? 0 : kHeld);
  if (next.number == kNoNumber && next.look_at == kNoSlot) return std::nullopt;
  next.lowest = Lowest();
  return next;
}

void NumberedWrites::Close(const NumberedMessage& answered) {
  const auto open = open_.find(answered.number);
  if (open == open_.end()) return;
  counts_.worst_answer_ns = std::max<std::int64_t>(
      counts_.worst_answer_ns, std::chrono::nanoseconds(clock_.Now() - open->second).count());
  open_.erase(open);
  held_.push_back(answered.slot);
  ++counts_.answered;
}

void NumberedWrites::Answered(const NumberedMessage& done) {
  const std::lock_guard lock(mutex_);
  if (done.number != kNoNumber) Close(done);
  if (done.look_at == kNoSlot) return;
  free_.push_back(done.look_at);
  --looks_;
}

// The slot waits for its second look again.
void NumberedWrites::ReturnLook(const NumberedMessage& lost) {
  if (lost.look_at == kNoSlot) return;
  held_.push_front(lost.look_at);
  --looks_;
}

void NumberedWrites::GiveBack(const NumberedMessage& lost, bool is_logged) {
  if (lost.number != kNoNumber && !is_logged && lost.generation + 1 == kMostGenerations)
    return NotConfirmed(lost);
  const std::lock_guard lock(mutex_);
  ReturnLook(lost);
  if (lost.number == kNoNumber) return;
  if (is_logged)
    Close(lost);
  else
    again_.push_back(lost);
}

void NumberedWrites::NotConfirmed(const NumberedMessage& lost) {
  const std::lock_guard lock(mutex_);
  ReturnLook(lost);
  if (lost.number == kNoNumber) return;
  open_.erase(lost.number);  // and its slot is used no more
  ++counts_.unconfirmed;
}

bool NumberedWrites::Finished() {
  const std::lock_guard lock(mutex_);
  return end_ && clock_.Now() >= *end_ && (IsDrained() || clock_.Now() >= *end_ + kDrain);
}

NumberedIo NumberedWrites::View() {
  const std::lock_guard lock(mutex_);
  NumberedIo view = counts_;
  view.complete = IsOver() && IsDrained();
  return view;
}

}  // namespace rdmaready
