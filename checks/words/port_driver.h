// SPDX-License-Identifier: Apache-2.0
// Which driver a port's PCI function has, InfiniBand's too, where no Ethernet interface names it.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// The driver's name, "mlx5_core": by the port's interface, else by its function on the bus. A function without
// an interface of its own (erdma, efa) always says it itself. Missing with the reason why neither is known.
Fact<std::string> DriverOf(const Facts& host, const Port& port);

}  // namespace rdmaready
