// SPDX-License-Identifier: Apache-2.0
// RowChecksum: SQLite checks its pages' structure, not what stands in them. CRC-32 over the columns of a row
// that are read back: it finds bytes that a disk changed, and is no defence against a person.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/base/octets.h"

namespace rdmaready {

class RowChecksum {
 public:
  // A length before each text keeps "ab", "c" and "a", "bc" apart.
  RowChecksum& Add(std::string_view text) {
    Add(static_cast<std::int64_t>(text.size()));
    return AddOctets(std::as_bytes(std::span(text)));
  }
  RowChecksum& Add(std::int64_t number) {
    std::array<std::byte, sizeof number> octets{};
    PutLittle(octets, 0, static_cast<std::uint64_t>(number));
    return AddOctets(octets);
  }
  std::int64_t value() const { return static_cast<std::int64_t>(crc_); }

 private:
  RowChecksum& AddOctets(Octets octets) {
    // Of a null pointer zlib makes the checksum of nothing at all.
    if (!octets.empty()) crc_ = ::crc32_z(crc_, reinterpret_cast<const Bytef*>(octets.data()), octets.size());
    return *this;
  }

  uLong crc_ = 0;
};

}  // namespace rdmaready
