// SPDX-License-Identifier: Apache-2.0
// Messages of lldpad 1.1 as it was seen to answer, written by hand, independently of the code under test: of a
// netdev whose name has four letters.
#pragma once

#include <cstdio>
#include <string>

#include "tests/support/lldp_wire.h"

namespace rdmaready::lldpad_wire {

inline std::string ModeQuestion(const std::string& netdev) {
  return "M00000001C3030000000404" + netdev + "000badminStatus";
}
inline std::string NeighbourQuestion(const std::string& netdev) {
  return "M00000001C3010000000204" + netdev + "000000007f";
}
inline std::string OwnQuestion(const std::string& netdev) {
  return "M00000001C3010000000104" + netdev + "000000007f";
}

// `mode` with its length: "0004rxtx".
inline std::string Mode(const std::string& netdev, const std::string& mode) {
  return "R00C3030000000404" + netdev + "0badminStatus" + mode;
}

inline std::string Hex(const lldp_wire::Bytes& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(byte));
    text += digits;
  }
  return text;
}

inline std::string Neighbour(const std::string& netdev, const lldp_wire::Bytes& unit) {
  return "R00C3010000000204" + netdev + "0000007f" + Hex(unit);
}
inline std::string Own(const std::string& netdev, const lldp_wire::Bytes& unit) {
  return "R00C3010000000104" + netdev + "0000007f" + Hex(unit);
}

// What follows a frame's Ethernet header.
inline lldp_wire::Bytes UnitOf(const lldp_wire::Bytes& frame) { return {frame.begin() + 14, frame.end()}; }

}  // namespace rdmaready::lldpad_wire
