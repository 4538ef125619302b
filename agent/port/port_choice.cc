// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

bool IsV4(const std::string& address) { return address.find(':') == std::string::npos; }

// sysfs gives the rate of signals for SDR, DDR, QDR and FDR, and that of data from EDR on (rate_show of
// drivers/infiniband/core/sysfs.c). FDR10 has the rates of QDR, so its limit is a fifth lower than it could be.
std::uint32_t DataRateOf(std::uint32_t rate_mbps) {
  constexpr std::array<std::uint32_t, 9> kTenBitsAByte{2'500,  5'000,  10'000, 20'000, 30'000,
                                                       40'000, 60'000, 80'000, 120'000};
  constexpr std::uint32_t kFdrLane = 14'000;
  if (std::ranges::find(kTenBitsAByte, rate_mbps) != kTenBitsAByte.end()) return rate_mbps / 10 * 8;
  return rate_mbps % kFdrLane == 0 ? rate_mbps / 66 * 64 : rate_mbps;
}

// The port's netdev and those below it.
std::set<std::string> NetdevsUnder(const Port& port) {
  std::set<std::string> names;
  if (port.netdev) names.insert(port.netdev->name);
  if (!port.lowers) return names;
  for (const Netdev& lower : *port.lowers) names.insert(lower.name);
  return names;
}

// Empty: it has none, or that is not known.
std::string PhysicalFunctionOf(const Port& port) {
  if (!port.pci) return "";
  return port.pci->physical ? port.pci->physical->address : port.pci->address;
}

bool SharesWire(const Port& a, const Port& b) {
  const std::set<std::string> netdevs = NetdevsUnder(a);
  if (std::ranges::any_of(NetdevsUnder(b), [&](const std::string& name) { return netdevs.contains(name); }))
    return true;
  const std::string function = PhysicalFunctionOf(a);
  return !function.empty() && function == PhysicalFunctionOf(b) && a.number == b.number;
}

}  // namespace

std::vector<std::string> RoutableAddresses(const Port& port) {
  std::vector<std::string> addresses;
  for (const PlacedAddress& placed : AddressesOf(port)) addresses.push_back(placed.ip.address);
  std::stable_partition(addresses.begin(), addresses.end(), IsV4);
  return addresses;
}

std::string LockNameOf(const Port& port) {
  const std::string guid =
      port.node_guid && *port.node_guid != 0 ? fmt::format("{:016x}", *port.node_guid) : "";
  const std::string place = port.pci ? port.pci->address : "";
  if (place.empty()) return fmt::format("{}{}{}/{}", port.device, guid.empty() ? "" : "/", guid, port.number);
  return fmt::format("{}/{}/{}", place, guid.empty() ? port.device : guid, port.number);
}

Fact<std::uint32_t> RateOf(const Port& port) {
  if (!port.transport) return port.transport.missing();
  if (*port.transport == Transport::kInfiniBand)
    return port.rate_mbps ? Fact<std::uint32_t>(DataRateOf(*port.rate_mbps)) : port.rate_mbps;
  std::uint32_t slowest = 0;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev) return netdev.missing();
    if (!netdev->speed_mbps) return netdev->speed_mbps.missing();
    if (*netdev->speed_mbps == 0) break;
    slowest = slowest == 0 ? *netdev->speed_mbps : std::min(slowest, *netdev->speed_mbps);
  }
  if (slowest == 0) return Missing{Missing::Kind::kFailed, "no speed of its Ethernet port is known"};
  return slowest;
}

std::vector<SharingPort> SharingWith(const Facts& facts, const Port& port) {
  std::vector<SharingPort> sharing;
  if (!facts.ports) return sharing;
  for (const Port& other : *facts.ports) {
    if (other.device != port.device && SharesWire(port, other)) sharing.push_back({other.device, other.number});
  }
  return sharing;
}

PortAddress AddressedBy(const Facts& facts, const Port& port, const std::string& address) {
  return {.port = PortName(port),
          .address = address,
          .device = port.device,
          .number = port.number,
          .nics = EthernetNicsOf(port),
          .lock = LockNameOf(port),
          .rate_mbps = RateOf(port),
          .sharing = SharingWith(facts, port)};
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
      return AddressedBy(facts, port, own.front());
    }
    if (std::find(own.begin(), own.end(), address) == own.end()) {
      return absl::InvalidArgumentError("port " + PortName(port) + " does not have the address " + address);
    }
    return AddressedBy(facts, port, address);
  }
  return absl::NotFoundError(fmt::format("no RDMA port {}/{} on this host", device, number));
}

}  // namespace rdmaready
