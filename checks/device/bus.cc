// SPDX-License-Identifier: Apache-2.0
#include "checks/device/bus.h"

#include <algorithm>
#include <cstddef>

#include "checks/words/verdicts.h"

namespace rdmaready {

std::uint64_t CapacityMbps(const PciLink& link) {
  constexpr std::uint32_t kLast8b10bMtps = 5000;
  const std::uint64_t raw = std::uint64_t{link.speed_mtps} * link.width;
  return link.speed_mtps <= kLast8b10bMtps ? raw * 8 / 10 : raw * 128 / 130;
}

std::uint64_t BestMbps(const std::vector<PciHop>& path) {
  std::uint64_t best = CapacityMbps(path.front().max);
  for (std::size_t i = 0; i + 1 < path.size(); i += 2) {
    const PciLink& card = path[i].max;
    const PciLink& slot = path[i + 1].max;
    best = std::min(best, CapacityMbps({.speed_mtps = std::min(card.speed_mtps, slot.speed_mtps),
                                        .width = std::min(card.width, slot.width)}));
  }
  return best;
}

Fact<bool> ManagesSwitchesOf(const Port& port) {
  constexpr std::uint64_t kLeastPart = 4;
  if (!IsInfiniBand(port) || IsSoftware(port) || NotOffered(port.rate_mbps) || NotOffered(port.pci))
    return false;
  if (!port.rate_mbps) return port.rate_mbps.missing();
  if (!port.pci) return port.pci.missing();
  const Fact<std::vector<PciHop>>& path = port.pci->path;
  if (NotOffered(path)) return false;
  if (!path) return path.missing();
  const std::uint64_t most = path->empty() ? 0 : CapacityMbps(path->front().max);
  if (most == 0) return Missing{Missing::Kind::kFailed, "the bus does not say what its links can run at"};
  return most * kLeastPart < *port.rate_mbps;
}

bool ManagesSwitches(const Port& port) {
  const Fact<bool> manages = ManagesSwitchesOf(port);
  return manages && *manages;
}

}  // namespace rdmaready
