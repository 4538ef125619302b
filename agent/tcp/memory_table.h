// SPDX-License-Identifier: Apache-2.0
// MemoryTable: the registrations of a TcpLink. Its addresses are offsets of its own, so the peer learns no
// address of this process, and a key is never used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/link/link.h"

namespace rdmaready {

class MemoryTable {
 public:
  MemoryId Add(std::span<std::byte> bytes, Access access);
  void Remove(MemoryId memory);
  // Nothing can reach memory that was removed: all zeros.
  RemoteMemory Remote(MemoryId memory) const;

  // Nothing where the slice leaves its registration.
  std::optional<std::span<std::byte>> Local(const Slice& slice) const;

  struct Reached {
    MemoryId memory{};
    std::span<std::byte> bytes{};
  };
  // The bytes that the peer asks for. Nothing where the key is not of a registration with that access, or where
  // they leave it.
  std::optional<Reached> Find(const RemoteSlice& from, std::uint32_t length, Access access) const;

 private:
  struct Region {
    std::span<std::byte> bytes{};
    Access access = Access::kSendSource;
    bool registered = false;
  };
  std::vector<Region> regions_{};  // by MemoryId
};

}  // namespace rdmaready
