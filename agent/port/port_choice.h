// SPDX-License-Identifier: Apache-2.0
// Which port, and which of its addresses, a live test uses. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/port/priority_packets.h"
#include "api/model/facts.h"

namespace rdmaready {

// A port of another RDMA device of this host that sends through the same NIC.
struct SharingPort {
  std::string device{};
  std::uint32_t number = 0;

  bool operator==(const SharingPort&) const = default;
};

struct PortAddress {
  std::string port{};     // "rxe0/1"
  std::string address{};  // one of the port's own
  std::string device{};
  std::uint32_t number = 0;
  Fact<std::vector<EthernetNic>> nics{};  // which count its packets
  std::string lock{};                     // LockNameOf
  Fact<std::uint32_t> rate_mbps{};        // RateOf
  std::vector<SharingPort> sharing{};     // SharingWith
};

// The ports of other devices whose users share the wire with `port`. They are over the same netdev, or over one
// that both are built on (rxe on a VLAN of an mlx5 NIC), or of the same PCI function and port number. A virtual
// function counts as its physical one. A port whose netdev is not known, or is in another network namespace, is
// found by its PCI function alone.
std::vector<SharingPort> SharingWith(const Facts& facts, const Port& port);

// How fast the port can send: of Ethernet the speed of its netdev, and of the slowest member of a bond; of
// InfiniBand the rate of sysfs, less what the line's code takes: a fifth of SDR, DDR and QDR (8b/10b), 2 of 66
// of FDR. Missing where the driver does not tell the speed: sysfs would say 1 Gb/s (ib_get_eth_speed of
// drivers/infiniband/core/verbs.c).
Fact<std::uint32_t> RateOf(const Port& port);

// Under which name its lock is held: the same for every agent that reaches this port, whatever the device is
// called there, and for no other port. The name of a device is of one network namespace alone where the kernel
// keeps RDMA devices apart ("RDMA/core: Make device names unique per net namespace", 2026), and can be changed.
// Hardware goes by PCI address, node GUID and port number: ports of one function, and devices that stand on it,
// differ in one of them. A software device has no place, and its GUID is that of an interface that may have
// another one: its name counts too.
std::string LockNameOf(const Port& port);

// The address is not looked at. `facts` are those of the whole host, where `port` is one of the ports.
PortAddress AddressedBy(const Facts& facts, const Port& port, const std::string& address);

// The addresses by which the port can be reached (checks/words/addresses.h), IPv4 first.
std::vector<std::string> RoutableAddresses(const Port& port);

// The answer when facts.ports is missing: kInternal, because nothing was determined.
absl::Status PortsUnknown(const Facts& facts);

// Finds `device`/`number` and `address` (empty: the first routable one). kNotFound when the host has no such
// port, kFailedPrecondition when it has no address to use, kInternal when that is not known, kInvalidArgument
// when `address` is not its own.
absl::StatusOr<PortAddress> ChoosePort(const Facts& facts, const std::string& device, std::uint32_t number,
                                       const std::string& address);

}  // namespace rdmaready
