// SPDX-License-Identifier: Apache-2.0
#include "checks/device/bus.h"

#include "checks/words/verdicts.h"

namespace rdmaready {

std::uint64_t CapacityMbps(const PciLink& link) {
  constexpr std::uint32_t kLast8b10bMtps = 5000;
  const std::uint64_t raw = std::uint64_t{link.speed_mtps} * link.width;
  return link.speed_mtps <= kLast8b10bMtps ? raw * 8 / 10 : raw * 128 / 130;
}

bool ManagesSwitches(const Port& port) {
  constexpr std::uint64_t kLeastPart = 4;
  if (!IsInfiniBand(port) || IsSoftware(port) || !port.rate_mbps || !port.pci || !port.pci->path) return false;
  if (port.pci->path->empty()) return false;
  const std::uint64_t most = CapacityMbps(port.pci->path->front().max);
  return most > 0 && most * kLeastPart < *port.rate_mbps;
}

}  // namespace rdmaready
