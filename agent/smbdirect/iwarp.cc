// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/iwarp.h"

#include <algorithm>

namespace rdmaready::smbdirect {
namespace {

// No device has a depth of 2^16; one of 1 to 65535 read in the wrong order is at least that.
constexpr std::uint32_t kImpossible = 0x10000;

void PutWord(std::span<std::byte, 4> bytes, std::uint32_t value, DepthsOrder order) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t shift = order == DepthsOrder::kBigEndian ? 8 * (3 - i) : 8 * i;
    bytes[i] = static_cast<std::byte>((value >> shift) & 0xff);
  }
}

std::uint32_t GetWord(Bytes bytes, DepthsOrder order) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t shift = order == DepthsOrder::kBigEndian ? 8 * (3 - i) : 8 * i;
    value |= std::to_integer<std::uint32_t>(bytes[i]) << shift;
  }
  return value;
}

std::optional<Depths> Bounded(const Depths& depths) {
  if (depths.ird == 0 || depths.ord == 0) return std::nullopt;
  return depths;
}

}  // namespace

std::array<std::byte, kDepthsBytes> EncodeDepths(const Depths& depths, DepthsOrder order) {
  std::array<std::byte, kDepthsBytes> bytes{};
  PutWord(std::span(bytes).first<4>(), depths.ird, order);
  PutWord(std::span(bytes).last<4>(), depths.ord, order);
  return bytes;
}

std::optional<PeerDepths> DecodeDepths(Bytes private_data) {
  if (private_data.size() != kDepthsBytes) return std::nullopt;
  for (const DepthsOrder order : {DepthsOrder::kBigEndian, DepthsOrder::kLittleEndian}) {
    const Depths depths{.ird = GetWord(private_data.first(4), order),
                        .ord = GetWord(private_data.last(4), order)};
    if (depths.ird == 0 || depths.ord == 0) return std::nullopt;
    if (depths.ird >= kImpossible || depths.ord >= kImpossible) continue;
    return PeerDepths{.depths = {std::min(depths.ird, kMaxDepth), std::min(depths.ord, kMaxDepth)},
                      .order = order};
  }
  return std::nullopt;
}

std::optional<Depths> AcceptDepths(const Depths& own, const Depths& peer) {
  return Bounded({.ird = std::min(own.ord, peer.ird), .ord = std::min(own.ird, peer.ord)});
}

std::optional<Depths> AdoptDepths(const Depths& own, const Depths& reply) {
  return Bounded({.ird = std::min(own.ird, reply.ird), .ord = std::min(own.ord, reply.ord)});
}

}  // namespace rdmaready::smbdirect
