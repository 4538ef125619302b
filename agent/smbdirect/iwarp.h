// SPDX-License-Identifier: Apache-2.0
// The depths of RDMA reads that two iWARP ends tell each other in 8 bytes of connection private data,
// [MS-SMBD] 6.1: IRD (reads we answer at a time) and ORD (reads we have outstanding). Only on iWARP: on
// InfiniBand and RoCE the connection manager carries them, and the private data an event shows has a fixed
// size, whatever was sent. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

inline constexpr std::size_t kDepthsBytes = 8;
inline constexpr std::uint32_t kMaxDepth = 255;  // of the connection manager, an octet

struct Depths {
  std::uint32_t ird = 0;
  std::uint32_t ord = 0;
  bool operator==(const Depths&) const = default;
};

// Current Linux writes big-endian words; cifs.ko before Linux 6.18 wrote them in the order of its host.
enum class DepthsOrder : std::uint8_t { kBigEndian, kLittleEndian };

struct PeerDepths {
  Depths depths{};
  DepthsOrder order = DepthsOrder::kBigEndian;
  bool operator==(const PeerDepths&) const = default;
};

std::array<std::byte, kDepthsBytes> EncodeDepths(const Depths& depths, DepthsOrder order);

// nullopt when there are not exactly 8 bytes (the peer speaks no such thing: the connection manager's values
// hold), or a depth is 0, or neither byte order gives values below 2^16. Values are clamped to kMaxDepth.
std::optional<PeerDepths> DecodeDepths(Bytes private_data);

// The reply of an acceptor with depths `own` to a connector that told `peer`: what the connector is to use. The
// acceptor itself uses it Turned, and writes it in the byte order it was asked in. nullopt when a depth comes
// out as 0: the connection must be rejected.
std::optional<Depths> AcceptDepths(const Depths& own, const Depths& peer);

// The same depths seen from the other end: one end's IRD is the other one's ORD.
constexpr Depths Turned(const Depths& depths) { return {.ird = depths.ord, .ord = depths.ird}; }

// What the connector uses after the acceptor's reply, never more than its own. nullopt when a depth comes out
// as 0.
std::optional<Depths> AdoptDepths(const Depths& own, const Depths& reply);

}  // namespace rdmaready::smbdirect
