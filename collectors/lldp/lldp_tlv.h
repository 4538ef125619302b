// SPDX-License-Identifier: Apache-2.0
// TLVs of LLDP: what a decoder of one is given, and the table that says which there are. Pure, and internal to
// the LLDP decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/model/lldp.h"

namespace rdmaready::lldp {

using Bytes = std::span<const std::byte>;

inline constexpr std::uint8_t kTypeOrganization = 127;   // 802.1AB 8.6
inline constexpr std::uint32_t kOui8021 = 0x0080c2;      // 802.1Q annex D
inline constexpr std::uint32_t kOui8023 = 0x00120f;      // 802.3 clause 79
inline constexpr std::uint32_t kOuiCee = 0x001b21;       // DCBX before the standard
inline constexpr std::size_t kLongestInformation = 511;  // a length has 9 bits

// Reads numbers in network order from the front. Beyond the end it reads zeros: tables hold the shortest
// length, so that no decoder gets less than it reads unconditionally.
class Fields {
 public:
  explicit Fields(Bytes bytes) : rest_(bytes) {}

  std::uint8_t U8();
  std::uint16_t U16();
  std::uint32_t U32();
  Bytes Take(std::size_t count);  // at most what is left
  Bytes TakeAll() { return Take(rest_.size()); }
  std::size_t left() const { return rest_.size(); }

 private:
  Bytes rest_;
};

// Puts what `value` says into *neighbour, or returns what is wrong with it: then at most its dialect, and of
// the CEE dialect the features that are well, were put there. Empty: nothing is wrong.
using Decoder = std::string (*)(Fields value, LldpNeighbour& neighbour);

struct Tlv {
  std::uint8_t type = 0;
  std::uint32_t oui = 0;  // of type 127, like the next one
  std::uint8_t subtype = 0;
  std::string_view name{};
  std::size_t least_bytes = 0;  // of the information string, OUI and subtype left out
  std::size_t most_bytes = 0;   // more is odd, and ignored: a newer edition may have appended it
  bool repeats = false;
  Decoder decode = nullptr;
};

// lldp.cc, lldp_dcbx.cc
std::span<const Tlv> BasicTlvs();
std::span<const Tlv> DcbxTlvs();

// Foreign text in one line. Nothing that a standard allows is cut.
std::string TextOf(Bytes bytes);

void AddOddity(LldpNeighbour& neighbour, std::string_view name, std::size_t at, std::string_view why);

// A TLV's head: 7 bits of type, 9 of length. Advances *rest past the TLV. False when the head or what it
// announces does not fit.
struct RawTlv {
  std::uint8_t type = 0;
  Bytes information{};
};
bool NextTlv(Bytes& rest, RawTlv& tlv);

}  // namespace rdmaready::lldp
