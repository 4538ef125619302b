// SPDX-License-Identifier: Apache-2.0
// Ports whose RDMA goes by another function of the same adapter on this host.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// The switch's end of the wire to a virtual function (mlx5e_rep): a port without a protocol, judged for
// nothing.
bool IsRepresentor(const Port& port);

// Why a physical function needs neither address nor GID: it has no address, and one of its virtual functions on
// this host has. Empty where that is not so, or not known.
std::string CarriedByFunction(const Facts& host, const Port& port);

}  // namespace rdmaready
