// SPDX-License-Identifier: Apache-2.0
// One schema for the statistics that every NIC driver names in its own way (ethtool -S).
//
// Readings since the driver was loaded, never differences. What a driver does not count is left out and is
// never 0: "no drops" and "drops are not counted" are different answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdmaready {

enum class NicCounter : std::uint8_t {
  kUnknown,
  // PFC pauses of a priority; without a priority those of all together.
  kPauseReceived,  // frames
  kPauseSent,
  kPauseReceivedUs,  // microseconds for which the other end kept us silent
  kPauseSentUs,
  kPauseReceivedTransitions,  // from sending to paused
  // Pauses of 802.3x.
  kGlobalPauseReceived,
  kGlobalPauseSent,
  // Traffic of a priority.
  kPacketsReceived,
  kBytesReceived,
  kPacketsSent,
  kBytesSent,
  // Frames lost here; of a priority, or of a class of the NIC's own (no priority).
  kDropReceived,
  kNoReceiveBuffer,  // of the software's queues
  // Congestion.
  kEcnMarked,          // frames that this NIC marked
  kPauseStormWarning,  // pausing went on for long
  kPauseStormError,    // and the NIC gave it up
  // The link.
  kLinkDown,
  kFecCorrectedBits,
  kFecUncorrectableBlocks,
  kBitsReceived,
  kSymbolErrors,
  kCrcErrors,
  // PCI Express.
  kPciStalledRead,
  kPciStalledWrite,
  kPciBufferOverflow,
  // Frames that this NIC dropped before they reached the wire. Some NICs count here what waits while the link
  // is down.
  kDropSent,
  kLast = kDropSent,
};

// Losses, pauses and congestion marks on the wire: a live test asks both NICs for them. The software's queues
// (kNoReceiveBuffer) do not count. A link that went down does: it explains kDropSent.
constexpr bool IsAboutLoss(NicCounter counter) {
  switch (counter) {
    case NicCounter::kPauseReceived:
    case NicCounter::kPauseSent:
    case NicCounter::kGlobalPauseReceived:
    case NicCounter::kGlobalPauseSent:
    case NicCounter::kDropReceived:
    case NicCounter::kDropSent:
    case NicCounter::kLinkDown:
    case NicCounter::kEcnMarked:
    case NicCounter::kPauseStormWarning:
    case NicCounter::kPauseStormError:
    case NicCounter::kFecUncorrectableBlocks:
    case NicCounter::kSymbolErrors:
    case NicCounter::kCrcErrors:
      return true;
    default:
      return false;
  }
}

struct NicStatistic {
  NicCounter counter = NicCounter::kUnknown;
  std::optional<std::uint8_t> priority{};  // 0..7
  std::string name{};                      // as the driver calls it
  std::uint64_t value = 0;

  void Fields(auto& list) {
    list.Setting("counter", counter, "priority", priority, "name", name);
    list.Reading("value", value);
  }

  bool operator==(const NicStatistic&) const = default;
};

}  // namespace rdmaready
