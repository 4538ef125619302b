// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/numbered_log.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::Status ImpossibleWrite(const char* why) {
  return MakeFailure(FailureKind::kCorrupt,
                     std::string("an impossible message about a numbered write: ") + why);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NumberedLog>> NumberedLog::Make(const Nonce& key, std::uint32_t message_bytes,
                                                               Clock& clock) {
  RR_ASSIGN_OR_RETURN(Arena memory, Arena::Make(std::size_t{message_bytes} * kNumberedSlots));
  return std::unique_ptr<NumberedLog>(new NumberedLog(key, message_bytes, std::move(memory), clock));
}

absl::StatusOr<bool> NumberedLog::Take(const NumberedMessage& message) {
  const std::lock_guard lock(mutex_);
  const bool writes = message.number != kNoNumber;
  if (writes && message.slot >= kNumberedSlots) return ImpossibleWrite("there is no such slot");
  if (message.look_at != kNoSlot && message.look_at >= kNumberedSlots)
    return ImpossibleWrite("there is no such slot to look at");
  if (runs_.size() >= kMostGaps) return ImpossibleWrite("too many numbers are missing");
  if (message.look_at != kNoSlot) LookAgain(message.look_at);
  if (!writes) return true;
  const std::uint64_t payload = PayloadOf(message.number, message.generation);
  const bool right = pattern_.Verify(Bytes(message.slot), payload).bytes == 0;
  if (!right) ++view_.wrong;
  holds_[message.slot] = right ? std::optional(payload) : std::nullopt;
  ++(Add(message.number) ? view_.arrived : view_.doubled);
  Advance(message.lowest);
  return right;
}

// False: the log has it already.
bool NumberedLog::Add(std::uint64_t number) {
  auto after = runs_.upper_bound(number);
  const auto before = after == runs_.begin() ? runs_.end() : std::prev(after);
  if (before != runs_.end() && number < before->second) return false;
  const bool joins_before = before != runs_.end() && before->second == number;
  const bool joins_after = after != runs_.end() && after->first == number + 1;
  const std::uint64_t end = joins_after ? after->second : number + 1;
  if (joins_after) runs_.erase(after);
  if (joins_before)
    before->second = end;
  else
    runs_.emplace(number, end);
  return true;
}

void NumberedLog::Advance(std::uint64_t lowest) {
  const Clock::TimePoint now = clock_.Now();
  if (!first_) first_ = moved_ = now;
  std::uint64_t front = std::max(front_, lowest);
  const auto after = runs_.upper_bound(front);
  if (after != runs_.begin()) front = std::max(front, std::prev(after)->second);
  if (front == front_) return;
  front_ = front;
  const std::int64_t stall_ns = std::chrono::nanoseconds(now - moved_).count();
  view_.worst_stall_ns = std::max(view_.worst_stall_ns, stall_ns);
  if (stall_ns >= kLeastLogStallNs && view_.stalls.size() < kMostLogStalls)
    view_.stalls.push_back(
        {.begin_ns = std::chrono::nanoseconds(moved_ - *first_).count(), .length_ns = stall_ns});
  moved_ = now;
}

// The slot held the right bytes when its write arrived, and no other write was asked for since.
void NumberedLog::LookAgain(std::uint32_t slot) {
  const std::optional<std::uint64_t> held = std::exchange(holds_[slot], std::nullopt);
  if (!held) return;
  ++view_.looked;
  if (pattern_.Verify(Bytes(slot), *held).bytes > 0) ++view_.late;
}

NumberedLogView NumberedLog::View() {
  const std::lock_guard lock(mutex_);
  return view_;
}

}  // namespace rdmaready
