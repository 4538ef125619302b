// SPDX-License-Identifier: Apache-2.0
// Answers of InfiniBand management agents, as bytes: written down once more, from the specification's tables,
// for the tests of the decoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace rdmaready::mad_wire {

using Bytes = std::vector<std::byte>;
using Place = std::pair<std::size_t, int>;  // within the attribute, and its octet

inline Bytes Answer(int management_class, int attribute, std::initializer_list<Place> places, int status = 0) {
  Bytes mad(256);
  const auto put = [&mad](std::size_t at, int octet) { mad[at] = static_cast<std::byte>(octet); };
  put(0, 1);
  put(1, management_class);
  put(2, 1);
  put(3, 0x81);  // GetResp
  put(4, (management_class == 0x81 ? 0x80 : 0) | status >> 8);
  put(5, status & 0xff);
  put(17, attribute);
  for (const auto& [at, octet] : places) put(64 + at, octet);
  return mad;
}

// Of an HDR port that came up as 4X EDR, MTU 2048 of 4096.
inline Bytes PortInfo() {
  return Answer(0x81, 0x15,
                {{17, 4},
                 {19, 1},
                 {22, 0x40},
                 {29, 0x03},
                 {30, 0x13},
                 {31, 0x02},
                 {32, 0x74},
                 {35, 0x47},
                 {36, 0x40},
                 {41, 0x05},
                 {62, 0x27},
                 {63, 0x07}});
}

inline Bytes PortCounters() {
  return Answer(0x04, 0x12,
                {{1, 1},
                 {4, 0x01},
                 {5, 0x02},
                 {6, 3},
                 {7, 4},
                 {9, 5},
                 {11, 6},
                 {13, 7},
                 {15, 8},
                 {16, 9},
                 {17, 10},
                 {19, 0xbc},
                 {23, 13},
                 {27, 14},
                 {31, 15},
                 {35, 16},
                 {39, 17},
                 {40, 0x80},
                 {43, 18}});
}

inline Bytes PortCountersExtended() {
  return Answer(0x04, 0x1d,
                {{1, 1}, {8, 1}, {15, 2}, {23, 3}, {31, 4}, {39, 5}, {47, 6}, {55, 7}, {63, 8}, {71, 9}});
}

}  // namespace rdmaready::mad_wire
