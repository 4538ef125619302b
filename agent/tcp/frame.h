// SPDX-License-Identifier: Apache-2.0
// Frames: what the two ends of a TcpLink send each other. Pure.
//
//   initiator: greeting (kHelloMark and the nonce)     responder: kWelcomeMark
//   then, either way: kFrameBytes of header, little-endian, and `length` bytes behind those that carry some
//
// A number in a frame comes from the peer. DecodeFrame checks it against the format, and TcpExchange against
// what is registered and posted here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "api/base/octets.h"
#include "api/model/peer_message.h"

namespace rdmaready {

enum class FrameKind : std::uint8_t {
  kSend = 1,     // carries a message into the receive that was posted first
  kWrite = 2,    // carries bytes to `address`
  kRead = 3,     // asks for `length` bytes from `address`; carries nothing
  kDone = 4,     // the signaled send or write `id` has arrived
  kData = 5,     // carries what the read `id` asked for
  kRefused = 6,  // the access or the message `id` is not allowed; the sender of this reads nothing more
};

struct Frame {
  FrameKind kind = FrameKind::kSend;
  bool signaled = false;      // of kSend and kWrite: it is answered by kDone
  std::uint32_t key = 0;      // of kWrite and kRead
  std::uint64_t id = 0;       // below kFrameIdLimit
  std::uint64_t address = 0;  // of kWrite and kRead
  std::uint32_t length = 0;   // up to kMostFramePayload; 0 of kDone and kRefused

  bool operator==(const Frame&) const = default;
};

inline constexpr std::size_t kFrameBytes = 32;
inline constexpr std::uint64_t kFrameIdLimit = std::uint64_t{1} << 56;
inline constexpr std::uint32_t kMostFramePayload = 8U << 20;  // as kMaxCaseBytes

using FrameHeader = std::array<std::byte, kFrameBytes>;

FrameHeader EncodeFrame(const Frame& frame);

// Nothing where the bytes are not a frame. `header` has kFrameBytes.
std::optional<Frame> DecodeFrame(Octets header);

// Whether bytes follow the header.
constexpr bool CarriesPayload(FrameKind kind) {
  return kind == FrameKind::kSend || kind == FrameKind::kWrite || kind == FrameKind::kData;
}

inline constexpr std::size_t kMarkBytes = 8;
inline constexpr std::size_t kGreetingBytes = kMarkBytes + std::tuple_size_v<Nonce>;
using Greeting = std::array<std::byte, kGreetingBytes>;
using Welcome = std::array<std::byte, kMarkBytes>;

Greeting GreetingOf(const Nonce& nonce);
Welcome MakeWelcome();

// Takes the same time wherever the first difference is.
bool SameGreeting(const Greeting& greeting, const Nonce& nonce);

}  // namespace rdmaready
