// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/rdma_queue.h"

#include <algorithm>
#include <limits>

namespace rdmaready::smbdirect {

std::vector<Segment> Cut(std::span<const BufferDescriptor> remote, std::uint64_t offset,
                         std::uint64_t length_bytes) {
  std::vector<Segment> segments;
  std::uint64_t left = length_bytes;
  for (const BufferDescriptor& descriptor : remote) {
    if (left == 0) break;
    if (descriptor.address > std::numeric_limits<std::uint64_t>::max() - descriptor.length_bytes) return {};
    if (offset >= descriptor.length_bytes) {
      offset -= descriptor.length_bytes;
      continue;
    }
    const std::uint64_t size = std::min(descriptor.length_bytes - offset, left);
    segments.push_back({.local_offset = static_cast<std::size_t>(length_bytes - left),
                        .address = descriptor.address + offset,
                        .token = descriptor.token,
                        .length_bytes = static_cast<std::uint32_t>(size)});
    offset = 0;
    left -= size;
  }
  if (left > 0) return {};
  return segments;
}

}  // namespace rdmaready::smbdirect
