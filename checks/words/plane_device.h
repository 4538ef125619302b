// SPDX-License-Identifier: Apache-2.0
// A multi-plane InfiniBand port (ConnectX-8, XDR) has a second RDMA device, of type SMI, whose ports are its
// planes.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// The device whose planes the ports of this port's device are; empty: the port is one for traffic; missing: it
// is not known on which PCI function the devices are, or of which transport. Linux 6.11 names the type of such
// a device, and the collectors leave it out (collectors/rdma/rdma_devices.h). A vendor's kernel may not: then
// two InfiniBand devices stand on one PCI function, and the one with more ports has the planes of the other.
// Planes have QP0, for management, and no verbs.
Fact<std::string> PlanesOf(const Facts& host, const Port& port);

// Whether the port is known to be a plane.
bool IsPlane(const Facts& host, const Port& port);

}  // namespace rdmaready
