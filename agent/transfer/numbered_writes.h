// SPDX-License-Identifier: Apache-2.0
// NumberedWrites: the initiator's side of numbered writes. It gives each path its next write, and notes whether
// it was answered.
//
// A slot of the responder's memory holds one write until it is used again, and before that the responder looks
// at it a second time: a late write of a lost path shows. A write whose path was lost is made again only after
// the responder has confirmed that this path can no longer write; its slot is used no more where it has not.
//
// Threads: one for each path; all functions may be called by any.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "agent/transfer/numbered_message.h"
#include "api/base/clock.h"
#include "api/model/numbered.h"

namespace rdmaready {

inline constexpr std::uint32_t kNumberedSlots = 64;

class NumberedWrites {
 public:
  // New numbers are given out for so long after Begin(), and so many at most.
  explicit NumberedWrites(std::chrono::nanoseconds duration,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max(),
                          Clock& clock = RealClock())
      : duration_(duration), most_(most), clock_(clock) {
    for (std::uint32_t slot = 0; slot < kNumberedSlots; ++slot) free_.push_back(slot);
  }

  // Every path calls it before its first write; the first call counts.
  void Begin();

  // The next task of a path: a write, a second look at a slot, or both. Empty: there is nothing to do now.
  std::optional<NumberedMessage> Next();

  // How it ended: it is in the log; its path can no longer write, and it is logged or not; or nobody knows.
  void Answered(const NumberedMessage& done);
  void GiveBack(const NumberedMessage& lost, bool is_logged);
  void NotConfirmed(const NumberedMessage& lost);

  // No more is to be done: all is answered and was looked at again, or kDrain has passed since the last number.
  bool Finished();

  // Without the log, which is the responder's.
  NumberedIo View();

 private:
  static constexpr std::chrono::seconds kDrain{10};
  static constexpr std::size_t kHeld = 40;  // slots that wait for a second look meanwhile

  bool IsOver() const { return end_ && clock_.Now() >= *end_; }
  bool IsDrained() const { return open_.empty() && again_.empty() && held_.empty() && looks_ == 0; }
  std::uint64_t Lowest() const { return open_.empty() ? next_ : open_.begin()->first; }
  void Close(const NumberedMessage& answered);
  void ReturnLook(const NumberedMessage& lost);
  std::uint32_t TakeLook(std::size_t least);

  const std::chrono::nanoseconds duration_;
  const std::uint64_t most_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<Clock::TimePoint> end_{};
  std::deque<std::uint32_t> free_{};
  std::deque<std::uint32_t> held_{};     // answered, and to be looked at again
  std::deque<NumberedMessage> again_{};  // to be written again
  // When a number was given out that is neither answered nor unconfirmed.
  std::map<std::uint64_t, Clock::TimePoint> open_{};
  std::uint64_t next_ = 0;
  std::uint64_t looks_ = 0;  // under way
  NumberedIo counts_{};
};

}  // namespace rdmaready
