// SPDX-License-Identifier: Apache-2.0
// Buffer: an Arena registered with a RdmaLink, cut into equal slots. Unregistered first, then zeroed, then
// given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/statusor.h"
#include "agent/link/arena.h"
#include "agent/link/link.h"
#include "api/base/status.h"

namespace rdmaready {

class Buffer {
 public:
  // `link` is connected and outlives the buffer. kSetup when there is no memory or it cannot be pinned.
  static absl::StatusOr<std::unique_ptr<Buffer>> Make(RdmaLink& link, std::uint32_t slot_bytes,
                                                      std::uint32_t slots, Access access) {
    RR_ASSIGN_OR_RETURN(Arena arena, Arena::Make(std::size_t{slot_bytes} * slots));
    RR_ASSIGN_OR_RETURN(const MemoryId memory, link.Register(arena.bytes(), access));
    return std::unique_ptr<Buffer>(new Buffer(link, std::move(arena), memory, slot_bytes, slots));
  }

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { link_.Unregister(memory_); }

  std::uint32_t slots() const { return slots_; }
  std::span<std::byte> all() const { return arena_.bytes(); }

  // `number` counts messages; they take the slots in turn.
  std::span<std::byte> bytes(std::uint64_t number) const {
    return arena_.bytes().subspan((number % slots_) * slot_bytes_, slot_bytes_);
  }
  Slice slice(std::uint64_t number) const {
    return {.memory = memory_, .offset = (number % slots_) * slot_bytes_, .length = slot_bytes_};
  }
  RemoteMemory remote() const { return link_.Remote(memory_); }

 private:
  Buffer(RdmaLink& link, Arena arena, MemoryId memory, std::uint32_t slot_bytes, std::uint32_t slots)
      : link_(link), arena_(std::move(arena)), memory_(memory), slot_bytes_(slot_bytes), slots_(slots) {}

  RdmaLink& link_;
  const Arena arena_;
  const MemoryId memory_;
  const std::uint32_t slot_bytes_;
  const std::uint32_t slots_;
};

}  // namespace rdmaready
