// SPDX-License-Identifier: Apache-2.0
#include "checks/device/bus.h"

#include "checks/words/verdicts.h"

namespace rdmaready {

std::uint64_t CapacityMbps(const PciLink& link) {
  constexpr std::uint32_t kLast8b10bMtps = 5000;
  const std::uint64_t raw = std::uint64_t{link.speed_mtps} * link.width;
  return link.speed_mtps <= kLast8b10bMtps ? raw * 8 / 10 : raw * 128 / 130;
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
