// SPDX-License-Identifier: Apache-2.0
// The wire of rdmaready-pauser's one verb, of both ends. An order names an interface, a priority and times: the
// pauser makes the frames itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/helper/pauser/pauser.h"
#include "agent/helper/verb.h"

namespace rdmaready::helper {

inline constexpr std::string_view kPauserName = "pauser";
inline constexpr std::string_view kPauseVerb = "pause";
inline constexpr std::chrono::milliseconds kMostGap{1'000};
// No order lasts longer: all bursts together, a gap for each, and what sleeps are late.
inline constexpr std::chrono::seconds kLongestOrder{120};

// kInvalidArgument for a text that names no interface, a priority above 7, a burst that is not 10 to 100 ms
// long, and no burst at all. The same for bursts that take more than a second together, and for a gap that is
// shorter than a burst or longer than kMostGap. The requester is printable, without quotes. Each end checks.
absl::Status CheckPauseOrder(const PauseOrder& order);

Json ToJson(const PauseOrder& order);
// An order that CheckPauseOrder takes, or its error.
absl::StatusOr<PauseOrder> DecodePauseOrder(Arguments& arguments);

Json ToJson(const PausesSent& sent);
// kInternal for what no pauser answers.
absl::StatusOr<PausesSent> ReadPausesSent(const Json& answer);

}  // namespace rdmaready::helper
