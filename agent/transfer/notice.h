// SPDX-License-Identifier: Apache-2.0
// NoticeRing: the small sends beside RDMA writes, in both directions: "messages up to n are in your memory"
// from the writer, "messages up to n are verified, their slots are free" from the other end.
//
// A notice holds a sequence number, so that a lost one shows, and a tag keyed by the nonce, the direction and
// both values, so that a damaged, reflected or injected one shows. Nothing in it is used before that
// was checked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/buffer.h"
#include "agent/link/link.h"
#include "agent/transfer/pattern.h"
#include "agent/transfer/session.h"

namespace rdmaready {

class NoticeRing {
 public:
  static constexpr std::uint32_t kSlots = 8;  // each way; the window never needs more than 5

  // Both outlive the ring.
  NoticeRing(Role role, RdmaLink& link, const Pattern& pattern) : role_(role), link_(link), pattern_(pattern) {}

  // Registers and posts every receive. The peer may send only after this.
  absl::Status Prepare();

  bool CanPost() const { return posted_ - sent_ < kSlots; }
  // `messages` so far. Requires CanPost().
  absl::Status Post(std::uint64_t messages);
  // Takes the completion of the oldest Post; returns its `messages`.
  std::uint64_t Sent();
  bool idle() const { return posted_ == sent_; }

  // Takes the completion of a receive and posts the receive again. Returns the peer's `messages`, which is not
  // below its last one and not above `limit`. kLost when a notice before it is missing, kCorrupt when it is
  // damaged or impossible.
  absl::StatusOr<std::uint64_t> Take(const Completion& completion, std::uint64_t limit);

 private:
  const Role role_;
  RdmaLink& link_;
  const Pattern& pattern_;
  std::unique_ptr<Buffer> outgoing_{};
  std::unique_ptr<Buffer> incoming_{};
  std::array<std::uint64_t, kSlots> messages_{};  // of the posts under way
  std::uint64_t posted_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t last_messages_ = 0;
};

}  // namespace rdmaready
