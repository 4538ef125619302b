// SPDX-License-Identifier: Apache-2.0
// Why a stress test did not begin, and how a transfer of one that did ended. Pure.
#pragma once

#include <chrono>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/stress_flow.h"

namespace rdmaready {

// A transfer of a test that began. An agent that went away, or gave it up for another reason than the
// network's, is its failure.
StressFlow AfterTheStart(StressFlow flow, const absl::Status& status);

// OK where each transfer was begun. Else the cause before what follows from it: a refusal of an agent, a
// transfer that could not be made, then `late` (not all were connected within `limit`), then whatever else is
// known. The text names the host or the two hosts. kUnknown: no agent refused.
absl::Status WhyNotBegun(std::span<const absl::StatusOr<StressFlow>> flows, bool late,
                         std::chrono::seconds limit);

}  // namespace rdmaready
