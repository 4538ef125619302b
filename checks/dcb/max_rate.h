// SPDX-License-Identifier: Apache-2.0
// The NIC's limit of RDMA's class.
#pragma once

#include <optional>

#include "checks/check.h"

namespace rdmaready {

// `now` with the limit that the profile wants on the class that RDMA is in: as the driver will take it, which
// on mlx5 is in whole steps. Nothing where that class is not known.
std::optional<MaxRatesKbps> WantedMaxRates(const EthernetView& view, const MaxRatesKbps& now);

}  // namespace rdmaready
