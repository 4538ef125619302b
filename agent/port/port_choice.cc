// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/words/addresses.h"

namespace rdmaready {
namespace {

bool IsV4(const std::string& address) { return address.find(':') == std::string::npos; }

}  // namespace

std::vector<std::string> RoutableAddresses(const Port& port) {
  std::vector<std::string> addresses;
  for (const PlacedAddress& placed : AddressesOf(port)) addresses.push_back(placed.ip.address);
  std::stable_partition(addresses.begin(), addresses.end(), IsV4);
  return addresses;
}

absl::Status PortsUnknown(const Facts& facts) {
  return absl::InternalError("the RDMA ports of this host are not known: " + facts.ports.missing().detail);
}

absl::StatusOr<PortAddress> ChoosePort(const Facts& facts, const std::string& device, std::uint32_t number,
                                       const std::string& address) {
  if (!facts.ports) return PortsUnknown(facts);
  for (const Port& port : *facts.ports) {
    if (port.device != device || port.number != number) continue;
    const std::vector<std::string> own = RoutableAddresses(port);
    if (address.empty()) {
      if (own.empty() && !AddressesKnown(port)) {
        return absl::InternalError("the addresses of port " + PortName(port) +
                                   " are not known: " + WhyAddressesUnknown(port).detail);
      }
      if (own.empty()) {
        return absl::FailedPreconditionError("port " + PortName(port) + " has no routable IP address");
      }
      return PortAddress{PortName(port), own.front(), device, number, EthernetNicsOf(port)};
    }
    if (std::find(own.begin(), own.end(), address) == own.end()) {
      return absl::InvalidArgumentError("port " + PortName(port) + " does not have the address " + address);
    }
    return PortAddress{PortName(port), address, device, number, EthernetNicsOf(port)};
  }
  return absl::NotFoundError(fmt::format("no RDMA port {}/{} on this host", device, number));
}

}  // namespace rdmaready
