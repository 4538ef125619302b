// SPDX-License-Identifier: Apache-2.0
#include "agent/link/pacer.h"

#include <algorithm>
#include <chrono>

#include "api/model/transfer.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kBytesPerMegabit = 1'000'000 / 8;
constexpr std::uint64_t kPacketBytes = 1024;  // the least MTU of RoCE that is in use, and less than iWARP's

// Ethernet with a VLAN tag and FCS 22, IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4; iWARP's are about the same.
constexpr std::uint64_t kHeaderBytes = 110;

// Beside the packets of the message: acknowledgements, a notice and a credit, of this message or of the other
// direction's.
constexpr std::uint64_t kOtherPackets = 4;

constexpr std::uint64_t kMostSharesOfSecond = 5;  // a message costs at most a fifth of a second of the limit

}  // namespace

std::uint64_t ShareOf(std::uint64_t rate_mbps) {
  return rate_mbps * kBytesPerMegabit * kInProductionPercent / 100;
}

std::uint64_t WireBytesOf(std::uint64_t message_bytes) {
  const std::uint64_t packets = (message_bytes + kPacketBytes - 1) / kPacketBytes + kOtherPackets;
  return message_bytes + packets * kHeaderBytes;
}

bool FitsShare(std::uint64_t message_bytes, std::uint64_t limit_bytes_per_s) {
  return WireBytesOf(message_bytes) * kMostSharesOfSecond <= limit_bytes_per_s;
}

std::uint64_t Pacer::limit_bytes_per_s() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

void Pacer::LowerTo(std::uint64_t limit_bytes_per_s) {
  const std::lock_guard lock(mutex_);
  if (limit_bytes_per_s > 0) limit_ = std::min(limit_, limit_bytes_per_s);
}

std::optional<TimePoint> Pacer::Take(std::uint64_t message_bytes, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (now < free_) return free_;
  const double seconds =
      static_cast<double>(WireBytesOf(message_bytes)) / static_cast<double>(std::max<std::uint64_t>(limit_, 1));
  free_ = now + std::chrono::ceil<TimePoint::duration>(std::chrono::duration<double>(seconds));
  return std::nullopt;
}

}  // namespace rdmaready
