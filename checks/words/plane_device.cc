// SPDX-License-Identifier: Apache-2.0
#include "checks/words/plane_device.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

// The PCI function of an InfiniBand port; empty for any other port.
Fact<std::string> FunctionOf(const Port& port) {
  if (IsSoftware(port) || NotOffered(port.transport) || NotOffered(port.pci)) return std::string();
  if (port.transport && !IsInfiniBand(port)) return std::string();
  if (!port.transport) return port.transport.missing();
  if (!port.pci) return port.pci.missing();
  return port.pci->address;
}

// All ports of a device are of one function: one that is known is enough.
Fact<std::string> FunctionOf(const std::vector<Port>& ports, const std::string& device) {
  Fact<std::string> function = std::string();
  for (const Port& port : ports) {
    if (port.device != device) continue;
    Fact<std::string> one = FunctionOf(port);
    if (one) return one;
    function = std::move(one);
  }
  return function;
}

}  // namespace

Fact<std::string> PlanesOf(const Facts& host, const Port& port) {
  if (!host.ports) return std::string();
  const std::vector<Port>& ports = *host.ports;
  const auto count = [&ports](const std::string& device) {
    return std::ranges::count(ports, device, &Port::device);
  };
  const auto planes = count(port.device);
  if (planes < 2) return std::string();
  const Fact<std::string> here = FunctionOf(ports, port.device);
  if (here && here->empty()) return std::string();
  std::optional<Missing> doubt;
  std::string_view looked_at = port.device;
  for (const Port& other : ports) {
    if (other.device == looked_at || count(other.device) >= planes) continue;
    looked_at = other.device;
    const Fact<std::string> there = FunctionOf(ports, other.device);
    if (here && there && *here == *there) return other.device;
    if (there && there->empty()) continue;
    if (!here) doubt = here.missing();
    if (!there) doubt = there.missing();
  }
  if (doubt) return *doubt;
  return std::string();
}

bool IsPlane(const Facts& host, const Port& port) {
  const Fact<std::string> whole = PlanesOf(host, port);
  return whole && !whole->empty();
}

}  // namespace rdmaready
