// SPDX-License-Identifier: Apache-2.0
// Outlier ports: of a mesh of hosts, the ports whose tests fail with every partner while the partners are fine
// with others. That port is the cause of its failed tests. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "api/model/report.h"
#include "checks/fleet/explained_pairs.h"

namespace rdmaready {

// A port is named only with so many partners, of which so many are fine with somebody else. With fewer nobody
// can tell which end of a failed test is the cause.
inline constexpr std::size_t kLeastPartners = 3;
inline constexpr std::size_t kLeastFinePartners = 2;

// After ExplainPairs: a failed test that is explained does not count. Adds the finding peer.outlier to the host
// of each such port, and hides that port's failed tests behind it. A port that could not be tested with a
// partner to the end is not fine with it, and has not failed with it.
void NameOutliers(std::span<const TestedWay> ways, Report& report);

}  // namespace rdmaready
