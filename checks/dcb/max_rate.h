// SPDX-License-Identifier: Apache-2.0
// The NIC's limit of RDMA's class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/check.h"

namespace rdmaready {

// The words behind "tc-maxrate" of `dcb maxrate set`, for classes and their limits in kbit/s, 0 for none. Up to
// iproute2 6.17 `dcb` writes bytes/s into a field that the kernel reads as kbit/s, so no word means the same to
// each version. The shell therefore chooses the words by the version that is installed.
std::string MaxRateWords(const std::vector<std::pair<std::size_t, std::uint64_t>>& limits);

// `now` with the limit that the profile wants on the class that RDMA is in: as the driver will take it, which
// on mlx5 and mlx4 is in whole steps. Nothing where that class is not known.
std::optional<MaxRatesKbps> WantedMaxRates(const EthernetView& view, const MaxRatesKbps& now);

}  // namespace rdmaready
