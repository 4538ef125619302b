// SPDX-License-Identifier: Apache-2.0
// The IPoIB netdevs of an InfiniBand port. nldev names none: they belong to the port by the PCI function below
// them and their number at it (SET_NETDEV_DEV and dev_port in ipoib_main.c).
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "collectors/netdev.h"

namespace rdmaready {

// By ifindex; those of partitions too. `over` is empty: they stand on the port itself.
Fact<std::vector<UpperNetdev>> ReadIpoib(HostReader& host, const Network& network, const Port& port);

}  // namespace rdmaready
