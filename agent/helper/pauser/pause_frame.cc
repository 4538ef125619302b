// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_frame.h"

#include <algorithm>

#include "api/base/octets.h"

namespace rdmaready::helper {
namespace {

// The group address that bridges never forward: IEEE 802.1Q table 8-1.
constexpr std::array<std::uint8_t, kMacBytes> kDestination{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
constexpr std::uint16_t kTypeMacControl = 0x8808;
constexpr std::uint16_t kOpcodePriorities = 0x0101;

constexpr std::size_t kSourceAt = 6;
constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kOpcodeAt = 14;
constexpr std::size_t kVectorAt = 16;
constexpr std::size_t kTimesAt = 18;  // two octets for each priority

constexpr std::uint64_t kNanosecondsOfQuantumAtOneMbps = 512'000;

}  // namespace

PauseFrame MakePauseFrame(const Mac& source, std::uint32_t priority, std::uint16_t quanta) {
  PauseFrame frame{};
  for (std::size_t i = 0; i < kMacBytes; ++i) frame[i] = static_cast<std::byte>(kDestination[i]);
  std::ranges::copy(source, frame.begin() + kSourceAt);
  PutBig(frame, kTypeAt, kTypeMacControl);
  PutBig(frame, kOpcodeAt, kOpcodePriorities);
  PutBig(frame, kVectorAt, static_cast<std::uint16_t>(1U << priority));
  PutBig(frame, kTimesAt + std::size_t{2} * priority, quanta);
  return frame;
}

std::chrono::nanoseconds TimeOfQuanta(std::uint16_t quanta, std::uint32_t speed_mbps) {
  return std::chrono::nanoseconds(kNanosecondsOfQuantumAtOneMbps * quanta / speed_mbps);
}

std::uint16_t QuantaWithin(std::chrono::nanoseconds time, std::uint32_t speed_mbps) {
  // A second is more than any pause, and keeps the product within 64 bits at every speed.
  const auto ns = static_cast<std::uint64_t>(std::clamp<std::int64_t>(time.count(), 0, 1'000'000'000));
  const std::uint64_t quanta = ns * speed_mbps / kNanosecondsOfQuantumAtOneMbps;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(quanta, kMostQuanta));
}

}  // namespace rdmaready::helper
