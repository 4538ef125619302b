// SPDX-License-Identifier: Apache-2.0
#include "checks/words/carrying_function.h"

#include "api/model/rdma_drivers.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {

namespace {

// Whether it is a virtual function with an address, of the adapter of `port` as far as that is known.
Fact<bool> Carries(const Port& other, const Port& port) {
  if (NotOffered(other.pci) || IsSoftware(other)) return false;
  if (!other.pci) return other.pci.missing();
  if (NotOffered(other.pci->physical)) return false;
  if (!other.pci->physical) return other.pci->physical.missing();
  if (port.pci && other.pci->physical->address != port.pci->address) return false;
  if (!AddressesOf(other).empty()) return true;
  if (!AddressesKnown(other)) return WhyAddressesUnknown(other);
  return false;
}

// The part of the port itself that is not known.
Missing GapOf(const Port& port) {
  if (!port.pci) return port.pci.missing();
  return port.uppers ? WhyAddressesUnknown(port) : port.uppers.missing();
}

}  // namespace

bool IsRepresentor(const Port& port) {
  constexpr std::string_view kDriver = "mlx5e_rep";  // en_rep.c of mlx5; the uplink has the ordinary name
  if (!port.netdev) return false;
  const Fact<DriverInfo>& info = port.netdev->driver_info;
  return port.netdev->driver == kDriver || (info && info->driver == kDriver);
}

Fact<bool> RepresentorOf(const Port& port) {
  // Without switchdev an mlx5 device has one port, or two (dual-port RoCE).
  const Fact<std::string>& mode = port.devlink.eswitch_mode;
  const bool mlx5 = !port.pci || DriverOfModel(port.pci->vendor_id, port.pci->device_id) == "mlx5_core";
  const bool may_be = port.number > 1 && mlx5 && (!mode || *mode == "switchdev");
  if (may_be && !port.netdev && !NotOffered(port.netdev)) return port.netdev.missing();
  return IsRepresentor(port);
}

Fact<std::string> CarriedByFunction(const Facts& host, const Port& port) {
  if (!host.ports || IsVirtualFunction(port) || IsSoftware(port) || IsInfiniBand(port)) return std::string();
  if (NotOffered(port.pci) || !AddressesOf(port).empty()) return std::string();
  const bool bare = port.pci && port.uppers && AddressesKnown(port);
  std::optional<Missing> gap;
  for (const Port& other : *host.ports) {
    if (other.device == port.device) continue;
    const Fact<bool> carries = Carries(other, port);
    if (!carries) gap = carries.missing();
    if (!carries || !*carries) continue;
    if (!bare) return GapOf(port);
    return Cat("RDMA of this adapter goes by its virtual function ", SubjectOf(other),
               ", which has the address");
  }
  if (gap) return *gap;
  return std::string();
}

std::optional<Verdict> CarriedElsewhere(const Facts& host, const Port& port, std::string_view expected,
                                        std::string_view source) {
  const Fact<std::string> carried = CarriedByFunction(host, port);
  if (!carried) return NoAnswer(carried.missing(), expected, source);
  if (carried->empty()) return std::nullopt;
  return NotApplicable(*carried);
}

}  // namespace rdmaready
