// SPDX-License-Identifier: Apache-2.0
// Why an incast did not begin. Pure.
#pragma once

#include <chrono>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/incast.h"

namespace rdmaready {

// OK where each transfer was begun. Else the cause before what follows from it: a refusal of an agent, a
// transfer that could not be made, then `late` (not all were connected within `limit`), then whatever else is
// known. The text names the host or the two hosts. kUnknown: no agent refused.
absl::Status WhyNotBegun(std::span<const absl::StatusOr<IncastFlow>> flows, bool late,
                         std::chrono::seconds limit);

}  // namespace rdmaready
