// SPDX-License-Identifier: Apache-2.0
#include "cli/render/live_parts.h"

#include <array>

#include "checks/words/names.h"

namespace rdmaready {

std::string_view NameOf(LatencyMeaning meaning) {
  constexpr std::array<std::string_view, 3> kNames{"unknown", "half-round-trip", "completion"};
  const auto number = static_cast<std::size_t>(meaning);
  return number < kNames.size() ? kNames[number] : kNames[0];
}

LatencyMeaning MeaningOf(Operation operation) {
  switch (operation) {
    case Operation::kUnknown:
      return LatencyMeaning::kUnknown;
    case Operation::kSend:
      return LatencyMeaning::kHalfRoundTrip;
    case Operation::kWrite:
    case Operation::kRead:
      return LatencyMeaning::kCompletion;
  }
  return LatencyMeaning::kUnknown;
}

std::string FailureText(const Failure& failure) {
  if (failure.kind == FailureKind::kNone) return {};
  return std::string(Name(failure.kind)) + (failure.detail.empty() ? "" : ": " + failure.detail);
}

std::optional<std::uint64_t> WatchedIn(const CounterChanges& changes) {
  return changes ? std::optional<std::uint64_t>(changes->size()) : std::nullopt;
}

std::string UnknownIn(const CounterChanges& changes) {
  if (changes) return {};
  const Missing& why = changes.missing();
  return std::string(Name(why.kind)) + (why.detail.empty() ? "" : ": " + why.detail);
}

std::optional<std::vector<NicChange>> ChangedIn(const NicChanges& changes) {
  if (!changes) return std::nullopt;
  std::vector<NicChange> changed;
  for (const NicChange& one : *changes)
    if (one.change.kind != CounterChange::Kind::kUnchanged) changed.push_back(one);
  return changed;
}

std::vector<CounterChange> ChangedIn(const CounterChanges& changes) {
  std::vector<CounterChange> changed;
  if (!changes) return changed;
  for (const CounterChange& change : *changes)
    if (change.kind != CounterChange::Kind::kUnchanged) changed.push_back(change);
  return changed;
}

std::optional<PriorityPackets> KnownIn(const Fact<PriorityPackets>& packets) {
  return packets ? std::optional(*packets) : std::nullopt;
}

}  // namespace rdmaready
