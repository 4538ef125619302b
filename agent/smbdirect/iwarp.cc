// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/iwarp.h"

#include <algorithm>

#include "api/base/octets.h"

namespace rdmaready::smbdirect {
namespace {

// No device has a depth of 2^16; one of 1 to 65535 read in the wrong order is at least that.
constexpr std::uint32_t kImpossible = 0x10000;

void PutWord(MutableOctets bytes, std::size_t at, std::uint32_t value, DepthsOrder order) {
  order == DepthsOrder::kBigEndian ? PutBig(bytes, at, value) : PutLittle(bytes, at, value);
}

std::uint32_t GetWord(Octets bytes, std::size_t at, DepthsOrder order) {
  return order == DepthsOrder::kBigEndian ? GetBig<std::uint32_t>(bytes, at)
                                          : GetLittle<std::uint32_t>(bytes, at);
}

std::optional<Depths> Bounded(const Depths& depths) {
  if (depths.ird == 0 || depths.ord == 0) return std::nullopt;
  return depths;
}

}  // namespace

std::array<std::byte, kDepthsBytes> EncodeDepths(const Depths& depths, DepthsOrder order) {
  std::array<std::byte, kDepthsBytes> bytes{};
  PutWord(bytes, 0, depths.ird, order);
  PutWord(bytes, 4, depths.ord, order);
  return bytes;
}

std::optional<PeerDepths> DecodeDepths(Bytes private_data) {
  if (private_data.size() != kDepthsBytes) return std::nullopt;
  for (const DepthsOrder order : {DepthsOrder::kBigEndian, DepthsOrder::kLittleEndian}) {
    const Depths depths{.ird = GetWord(private_data, 0, order), .ord = GetWord(private_data, 4, order)};
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
