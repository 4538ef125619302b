// SPDX-License-Identifier: Apache-2.0
// Live parts: what JSON says of a live test besides the members of its structs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/counter_change.h"
#include "api/model/transfer.h"

namespace rdmaready {

enum class LatencyMeaning { kUnknown, kHalfRoundTrip, kCompletion };
std::string_view NameOf(LatencyMeaning meaning);
LatencyMeaning MeaningOf(Operation operation);

// Empty where nothing failed.
std::string FailureText(const Failure& failure);

// How many counters were compared; nothing where that is not known, and then why.
std::optional<std::uint64_t> WatchedIn(const CounterChanges& changes);
std::string UnknownIn(const CounterChanges& changes);

// Counters that did not change are left out.
std::vector<CounterChange> ChangedIn(const CounterChanges& changes);
std::optional<std::vector<NicChange>> ChangedIn(const NicChanges& changes);

std::optional<PriorityPackets> KnownIn(const Fact<PriorityPackets>& packets);

}  // namespace rdmaready
