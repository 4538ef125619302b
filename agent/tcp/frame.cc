// SPDX-License-Identifier: Apache-2.0
#include "agent/tcp/frame.h"

#include <algorithm>
#include <string_view>

namespace rdmaready {
namespace {

constexpr std::string_view kHelloMark = "rdmaTCP1";
constexpr std::string_view kWelcomeMark = "rdmaTCP+";
static_assert(kHelloMark.size() == kMarkBytes && kWelcomeMark.size() == kMarkBytes);

// kind, flags, 2 bytes of zeros, key, id, address, length, 4 bytes of zeros
constexpr std::size_t kFlagsAt = 1;
constexpr std::size_t kZerosAt = 2;
constexpr std::size_t kKeyAt = 4;
constexpr std::size_t kIdAt = 8;
constexpr std::size_t kAddressAt = 16;
constexpr std::size_t kLengthAt = 24;
constexpr std::size_t kMoreZerosAt = 28;

constexpr std::uint8_t kSignaled = 1;

bool IsKnown(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(FrameKind::kSend) &&
         kind <= static_cast<std::uint8_t>(FrameKind::kRefused);
}

// Whether a frame of that kind may have what this one has.
bool Fits(const Frame& frame) {
  const bool places = frame.kind == FrameKind::kWrite || frame.kind == FrameKind::kRead;
  const bool answered = frame.kind == FrameKind::kSend || frame.kind == FrameKind::kWrite;
  const bool empty = frame.kind == FrameKind::kDone || frame.kind == FrameKind::kRefused;
  if (!places && (frame.address != 0 || frame.key != 0)) return false;
  if (!answered && frame.signaled) return false;
  return empty ? frame.length == 0 : frame.length <= kMostFramePayload;
}

}  // namespace

FrameHeader EncodeFrame(const Frame& frame) {
  FrameHeader header{};
  header[0] = static_cast<std::byte>(frame.kind);
  header[kFlagsAt] = static_cast<std::byte>(frame.signaled ? kSignaled : 0);
  PutLittle(header, kKeyAt, frame.key);
  PutLittle(header, kIdAt, frame.id);
  PutLittle(header, kAddressAt, frame.address);
  PutLittle(header, kLengthAt, frame.length);
  return header;
}

std::optional<Frame> DecodeFrame(Octets header) {
  const auto kind = std::to_integer<std::uint8_t>(header[0]);
  const auto flags = std::to_integer<std::uint8_t>(header[kFlagsAt]);
  if (!IsKnown(kind) || flags > kSignaled) return std::nullopt;
  if (GetLittle<std::uint16_t>(header, kZerosAt) != 0 || GetLittle<std::uint32_t>(header, kMoreZerosAt) != 0)
    return std::nullopt;
  const Frame frame{.kind = static_cast<FrameKind>(kind),
                    .signaled = flags == kSignaled,
                    .key = GetLittle<std::uint32_t>(header, kKeyAt),
                    .id = GetLittle<std::uint64_t>(header, kIdAt),
                    .address = GetLittle<std::uint64_t>(header, kAddressAt),
                    .length = GetLittle<std::uint32_t>(header, kLengthAt)};
  if (frame.id >= kFrameIdLimit || !Fits(frame)) return std::nullopt;
  return frame;
}

Greeting GreetingOf(const Nonce& nonce) {
  Greeting greeting{};
  PutText(greeting, 0, kMarkBytes, kHelloMark);
  std::ranges::transform(nonce, greeting.begin() + kMarkBytes,
                         [](std::uint8_t octet) { return std::byte{octet}; });
  return greeting;
}

Welcome MakeWelcome() {
  Welcome welcome{};
  PutText(welcome, 0, kMarkBytes, kWelcomeMark);
  return welcome;
}

bool SameGreeting(const Greeting& greeting, const Nonce& nonce) {
  const Greeting right = GreetingOf(nonce);
  std::byte difference{0};
  for (std::size_t i = 0; i < right.size(); ++i) difference |= greeting[i] ^ right[i];
  return difference == std::byte{0};
}

}  // namespace rdmaready
