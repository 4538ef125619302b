// SPDX-License-Identifier: Apache-2.0
// Why a stress test did not begin, and how a transfer of one that did ended. Pure.
#pragma once

#include <chrono>
#include <cstdint>
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

// Whether nothing but ports that are busy with another live test kept the transfers from beginning. Two callers
// whose tests share hosts may each have what the other one wants: both give everything back and try again.
// Admission in the order of names would need no second attempt. But each host would wait for the one before it,
// which takes a second or more, and all of up to 33 have to be connected within 20 s.
bool MayBeginAgain(std::span<const absl::StatusOr<StressFlow>> flows);

// From the end of that attempt (the first is 1) to the next, more after each; `random` is from 0 to 1. In the
// first second the agents give their ports back.
std::chrono::milliseconds WaitAfterAttempt(std::uint32_t attempt, double random);

}  // namespace rdmaready
