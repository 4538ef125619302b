// SPDX-License-Identifier: Apache-2.0
#include "checks/words/plane_device.h"

#include <algorithm>

#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

bool MayHavePlanes(const Port& port) {
  return IsInfiniBand(port) && !IsSoftware(port) && port.pci && !port.pci->address.empty();
}

}  // namespace

std::string PlanesOf(const Facts& host, const Port& port) {
  if (!host.ports || !MayHavePlanes(port)) return {};
  const std::vector<Port>& ports = *host.ports;
  const auto count = [&ports](const std::string& device) {
    return std::ranges::count(ports, device, &Port::device);
  };
  const auto owner = std::ranges::find_if(ports, [&](const Port& other) {
    return other.device != port.device && MayHavePlanes(other) && other.pci->address == port.pci->address &&
           count(other.device) < count(port.device);
  });
  return owner == ports.end() ? std::string() : owner->device;
}

}  // namespace rdmaready
