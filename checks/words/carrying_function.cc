// SPDX-License-Identifier: Apache-2.0
#include "checks/words/carrying_function.h"

#include <algorithm>

#include "checks/words/addresses.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {

bool IsRepresentor(const Port& port) {
  constexpr std::string_view kDriver = "mlx5e_rep";  // en_rep.c of mlx5; the uplink has the ordinary name
  if (!port.netdev) return false;
  const Fact<DriverInfo>& info = port.netdev->driver_info;
  return port.netdev->driver == kDriver || (info && info->driver == kDriver);
}

std::string CarriedByFunction(const Facts& host, const Port& port) {
  if (!host.ports || !port.pci || IsVirtualFunction(port) || !port.uppers) return {};
  if (!AddressesKnown(port) || !AddressesOf(port).empty()) return {};
  const auto carrier = std::ranges::find_if(*host.ports, [&port](const Port& other) {
    return IsVirtualFunction(other) && other.pci->physical &&
           other.pci->physical->address == port.pci->address && !AddressesOf(other).empty();
  });
  if (carrier == host.ports->end()) return {};
  return Cat("RDMA of this adapter goes by its virtual function ", SubjectOf(*carrier),
             ", which has the address");
}

}  // namespace rdmaready
