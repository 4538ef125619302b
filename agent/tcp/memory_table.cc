// SPDX-License-Identifier: Apache-2.0
#include "agent/tcp/memory_table.h"

namespace rdmaready {
namespace {

// A registration of the engine has at most 64 MiB, so one never reaches into the next.
constexpr unsigned kRegionBits = 40;

std::uint64_t AddressOf(std::size_t index) { return std::uint64_t{index + 1} << kRegionBits; }
std::uint32_t KeyOf(std::size_t index) { return static_cast<std::uint32_t>(index + 1); }

std::optional<std::span<std::byte>> PartOf(std::span<std::byte> bytes, std::uint64_t offset,
                                           std::uint32_t length) {
  if (offset > bytes.size() || length > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, length);
}

}  // namespace

MemoryId MemoryTable::Add(std::span<std::byte> bytes, Access access) {
  regions_.push_back({.bytes = bytes, .access = access, .registered = true});
  return {.index = static_cast<std::uint32_t>(regions_.size() - 1)};
}

void MemoryTable::Remove(MemoryId memory) {
  if (memory.index < regions_.size()) regions_[memory.index] = {};
}

RemoteMemory MemoryTable::Remote(MemoryId memory) const {
  if (memory.index >= regions_.size() || !regions_[memory.index].registered) return {};
  return {.address = AddressOf(memory.index),
          .length_bytes = regions_[memory.index].bytes.size(),
          .rkey = KeyOf(memory.index)};
}

std::optional<std::span<std::byte>> MemoryTable::Local(const Slice& slice) const {
  if (slice.memory.index >= regions_.size() || !regions_[slice.memory.index].registered) return std::nullopt;
  return PartOf(regions_[slice.memory.index].bytes, slice.offset, slice.length);
}

std::optional<MemoryTable::Reached> MemoryTable::Find(const RemoteSlice& from, std::uint32_t length,
                                                      Access access) const {
  if (from.rkey == 0 || from.rkey > regions_.size()) return std::nullopt;
  const std::size_t index = from.rkey - 1;
  const Region& region = regions_[index];
  if (!region.registered || region.access != access || from.address < AddressOf(index)) return std::nullopt;
  const auto bytes = PartOf(region.bytes, from.address - AddressOf(index), length);
  if (!bytes) return std::nullopt;
  return Reached{.memory = {.index = static_cast<std::uint32_t>(index)}, .bytes = *bytes};
}

}  // namespace rdmaready
