// SPDX-License-Identifier: Apache-2.0
// RDMA requests, cut at the bounds of the peer's descriptors, [MS-SMBD] 3.1.4.5 and 3.1.4.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

// Descriptors of one request; 8 MiB in pages of 4 KiB.
inline constexpr std::size_t kMaxDescriptors = 2'048;

// One work request: `length_bytes` of the local buffer from `local_offset`, to or from the peer's memory.
struct Segment {
  std::size_t local_offset = 0;
  std::uint64_t address = 0;
  std::uint32_t token = 0;
  std::uint32_t length_bytes = 0;
  bool operator==(const Segment&) const = default;
};

// Where `length_bytes` bytes lie in the peer's buffer, from `offset` on. Empty when the descriptors do not hold
// that many, or one of them wraps around the end of the address space. Empty descriptors are passed over.
std::vector<Segment> Cut(std::span<const BufferDescriptor> remote, std::uint64_t offset,
                         std::uint64_t length_bytes);

// Requests of one direction, posted in order and completed in order, at most `depth` segments at a time. Byte:
// std::byte for what is read into, const for what is written from.
template <class Byte>
class RdmaQueue {
 public:
  void SetDepth(std::uint32_t depth) { depth_ = depth; }
  std::uint32_t depth() const { return depth_; }

  // `local` has the bytes that the segments, of which there is at least one, need.
  void Push(std::span<Byte> local, std::vector<Segment> segments, std::uint64_t cookie) {
    pushed_ += segments.size();
    requests_.push_back({local, std::move(segments), cookie, 0, 0});
  }

  std::size_t requests() const { return requests_.size(); }
  std::size_t in_flight() const { return in_flight_; }
  std::uint64_t pushed() const { return pushed_; }  // segments since the beginning
  std::uint64_t posted() const { return posted_; }

  struct Work {
    std::span<Byte> local{};
    Segment segment{};
  };
  // The next segment to post; nullopt when there is none or the depth is reached.
  std::optional<Work> Next() {
    if (in_flight_ >= depth_ || next_ == requests_.size()) return std::nullopt;
    Request& request = requests_[next_];
    const Segment& segment = request.segments[request.posted++];
    if (request.posted == request.segments.size()) ++next_;
    ++in_flight_;
    ++posted_;
    return Work{.local = request.local.subspan(segment.local_offset, segment.length_bytes), .segment = segment};
  }

  // The oldest segment in flight completed; there is one. The cookie of the request that is complete with it.
  std::optional<std::uint64_t> Completed() {
    --in_flight_;
    Request& front = requests_.front();
    if (++front.completed < front.segments.size()) return std::nullopt;
    const std::uint64_t cookie = front.cookie;
    requests_.pop_front();
    --next_;
    return cookie;
  }

 private:
  struct Request {
    std::span<Byte> local{};
    std::vector<Segment> segments{};
    std::uint64_t cookie = 0;
    std::size_t posted = 0;
    std::size_t completed = 0;
  };

  std::uint32_t depth_ = 0;
  std::deque<Request> requests_{};
  std::size_t next_ = 0;  // the first request with segments to post
  std::size_t in_flight_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t posted_ = 0;
};

}  // namespace rdmaready::smbdirect
