// SPDX-License-Identifier: Apache-2.0
// NumberedLog: the responder's side of numbered writes: the memory that all paths write to, and the log of what
// arrived in it and when. The longest time in which the log did not grow in order is the outage.
//
// Threads: one for each path; all functions may be called by any.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/arena.h"
#include "agent/transfer/numbered_message.h"
#include "agent/transfer/numbered_writes.h"
#include "agent/transfer/pattern.h"
#include "api/base/clock.h"
#include "api/model/numbered.h"

namespace rdmaready {

class NumberedLog {
 public:
  // kSetup: the system has no memory left. `key` is that of the run, at both ends.
  static absl::StatusOr<std::unique_ptr<NumberedLog>> Make(const Nonce& key, std::uint32_t message_bytes,
                                                           Clock& clock = RealClock());

  // kNumberedSlots of the size of a message.
  std::span<std::byte> memory() const { return memory_.bytes(); }
  std::uint32_t message_bytes() const { return message_bytes_; }
  const Pattern& pattern() const { return pattern_; }

  // A message of the initiator: its write has landed. True: its bytes are right. kCorrupt: it is impossible.
  absl::StatusOr<bool> Take(const NumberedMessage& message);

  NumberedLogView View();

 private:
  NumberedLog(const Nonce& key, std::uint32_t message_bytes, Arena memory, Clock& clock)
      : message_bytes_(message_bytes), memory_(std::move(memory)), pattern_(key), clock_(clock) {}

  // More gaps than an initiator can have under way or leave behind.
  static constexpr std::size_t kMostGaps = 4096;

  std::span<const std::byte> Bytes(std::uint32_t slot) const {
    return memory_.bytes().subspan(std::size_t{slot} * message_bytes_, message_bytes_);
  }
  bool Add(std::uint64_t number);
  void Advance(std::uint64_t lowest);
  void LookAgain(std::uint32_t slot);

  const std::uint32_t message_bytes_;
  const Arena memory_;
  const Pattern pattern_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> runs_{};  // of numbers in the log: the first, and behind the last
  std::uint64_t front_ = 0;                        // all below have arrived, or never will
  std::optional<Clock::TimePoint> first_{};
  Clock::TimePoint moved_{};                                          // when front_ moved last
  std::array<std::optional<std::uint64_t>, kNumberedSlots> holds_{};  // PayloadOf() the write in each slot
  NumberedLogView view_{};
};

}  // namespace rdmaready
