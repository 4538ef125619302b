// SPDX-License-Identifier: Apache-2.0
// CRC-32 (IEEE 802.3, as in zip and Ethernet): finds bytes that a disk changed; no defence against a person.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rdmaready {

// `seed` is the checksum of what came before: Crc32(b, Crc32(a)) is Crc32(a + b).
constexpr std::uint32_t Crc32(std::string_view bytes, std::uint32_t seed = 0) {
  constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t crc = ~seed;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xFFU];
  return ~crc;
}

static_assert(Crc32("123456789") == 0xCBF43926U);

}  // namespace rdmaready
