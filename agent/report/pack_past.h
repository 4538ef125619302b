// SPDX-License-Identifier: Apache-2.0
// From what live tests showed to what travels of it.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/report/report_client.h"
#include "api/model/baseline.h"

namespace rdmaready::report {

// The tests that were made last, as many as kMostPastTests and kMostPastBytes allow. Those that no hub would
// take (IsPlausible) stay here. The same tests in another order are the same past. kInternal: zlib or libcrypto
// cannot.
absl::StatusOr<std::shared_ptr<const HostPast>> PackPast(std::vector<CaseBaseline> tests);

}  // namespace rdmaready::report
