// SPDX-License-Identifier: Apache-2.0
// Boards whose one port has two PCI functions, one at each processor (Socket Direct, multi-host): one cable,
// not two.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// Whether two RDMA ports are functions of one Ethernet port: physical functions of hardware in two slots, whose
// interfaces have one permanent MAC address. False where any of that is not known.
bool ShareCable(const Port& port, const Port& other);

// The port that carries RDMA by the cable of this one, which has no address of its own: "mlx5_0/1 ens1f0".
// Empty: there is no such port. A fault of the cable is that port's.
std::string CarriedOverOneCable(const Facts& host, const Port& port);

// Whether another port before this one in the list has its cable: of two, the second.
bool IsSecondOnCable(const Facts& host, const Port& port);

// The interface that a port without one may share: of an active port of the same board in another slot. Empty:
// there is no such port, or this one has a link of its own.
std::string PerhapsInterfaceOfBoth(const Facts& host, const Port& port);

}  // namespace rdmaready
