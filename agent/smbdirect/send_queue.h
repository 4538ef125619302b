// SPDX-License-Identifier: Apache-2.0
// SendQueue: messages of the upper layer on their way into fragments, and which of them are complete.
//
// Fragments of two messages never mix: the queue is cut from its front only. Completions are those of a
// reliable connection: in the order of the sends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

// A message for the peer's upper layer. The bytes stay valid and unchanged until Submitted with `cookie`.
struct Message {
  Bytes bytes{};
  std::uint64_t cookie = 0;
  // The peer's token that this message invalidates on its arrival, carried by the first fragment.
  std::optional<std::uint32_t> invalidate{};
};

struct Fragment {
  Bytes payload{};
  std::uint32_t remaining_bytes = 0;  // of the message, behind this fragment
  std::optional<std::uint32_t> invalidate{};
};

class SendQueue {
 public:
  // `after_writes`: how many RDMA writes must have been posted before this message may begin.
  void Push(const Message& message, std::uint64_t after_writes) {
    waiting_.push_back({message, after_writes, false});
  }

  std::size_t waiting() const { return waiting_.size(); }

  // There is a fragment, given that `posted_writes` RDMA writes have been posted.
  bool Ready(std::uint64_t posted_writes) const {
    return !waiting_.empty() && waiting_.front().after_writes <= posted_writes;
  }

  // The next fragment, of `max_bytes` at most; Ready was true. Counts as sent.
  Fragment Next(std::uint32_t max_bytes) {
    Waiting& front = waiting_.front();
    const std::size_t size = std::min<std::size_t>(max_bytes, front.message.bytes.size());
    Fragment fragment{.payload = front.message.bytes.first(size),
                      .remaining_bytes = static_cast<std::uint32_t>(front.message.bytes.size() - size)};
    if (!front.begun) fragment.invalidate = front.message.invalidate;
    front.begun = true;
    front.message.bytes = front.message.bytes.subspan(size);
    const bool last = fragment.remaining_bytes == 0;
    in_flight_.push_back(last ? std::optional(front.message.cookie) : std::nullopt);
    if (last) waiting_.pop_front();
    return fragment;
  }

  // Anything else was sent: it has its place among the completions.
  void SentOther() { in_flight_.push_back(std::nullopt); }

  std::size_t in_flight() const { return in_flight_.size(); }

  // The oldest send completed; there is one. The cookie of the message that is complete with it.
  std::optional<std::uint64_t> Completed() {
    const std::optional<std::uint64_t> cookie = in_flight_.front();
    in_flight_.pop_front();
    return cookie;
  }

 private:
  struct Waiting {
    Message message{};  // the part not yet sent
    std::uint64_t after_writes = 0;
    bool begun = false;
  };

  std::deque<Waiting> waiting_{};
  std::deque<std::optional<std::uint64_t>> in_flight_{};
};

}  // namespace rdmaready::smbdirect
