// SPDX-License-Identifier: Apache-2.0
// Pacer: keeps one direction of a test or a proof below a number of bytes per second, for all its queue pairs
// together.
//
// Messages begin at distances: one that costs as much as 200 ms of the limit delays the next one by 200 ms. So
// what begins in any second is at most the limit and one message. With ShareOf(rate), 5 % of a port's rate, and
// FitsShare() that is at most 6 % of the rate.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "agent/link/link.h"

namespace rdmaready {

// The limit of a test in production, in each direction of a port with that rate.
std::uint64_t ShareOf(std::uint64_t rate_mbps);

// Whether a message of so many bytes is small enough for that limit: at most 200 ms of it.
bool FitsShare(std::uint64_t message_bytes, std::uint64_t limit_bytes_per_s);

// The bytes that a message puts on the wire in one direction, with the headers of its packets at an MTU of
// 1024. It includes a share for acknowledgements, notices and credits. Larger MTUs cost less.
std::uint64_t WireBytesOf(std::uint64_t message_bytes);

// Threads: all methods may be called from any thread.
class Pacer {
 public:
  explicit Pacer(std::uint64_t limit_bytes_per_s) : limit_(limit_bytes_per_s) {}

  std::uint64_t limit_bytes_per_s() const;

  // The other end's limit: the smaller one holds from now on. 0 changes nothing.
  void LowerTo(std::uint64_t limit_bytes_per_s);

  // A message of so many bytes wants to begin at `now`. Nothing: it may, and it is counted. Else when to ask
  // again.
  std::optional<TimePoint> Take(std::uint64_t message_bytes, TimePoint now);

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::uint64_t limit_;
  TimePoint free_{};  // when the next message may begin
};

}  // namespace rdmaready
