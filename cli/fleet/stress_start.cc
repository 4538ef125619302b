// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/status.h"
#include "api/client/peer_test.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// The caller ended it since another one did not begin.
bool IsCancelled(const absl::StatusOr<StressFlow>& flow) {
  if (!flow.ok()) return absl::IsCancelled(flow.status());
  return flow->result.failure.kind == FailureKind::kCancelled;
}

// The transfer was never connected. A later end is a result of the test.
bool WasNotMade(const absl::StatusOr<StressFlow>& flow) {
  if (!flow.ok()) return false;
  switch (flow->result.failure.kind) {
    case FailureKind::kSetup:
    case FailureKind::kRejected:
    case FailureKind::kUnreachable:
    case FailureKind::kPeerGone:
      return true;
    case FailureKind::kUnknown:
    case FailureKind::kNone:
    case FailureKind::kCompletion:
    case FailureKind::kDisconnected:
    case FailureKind::kStalled:
    case FailureKind::kLost:
    case FailureKind::kCorrupt:
    case FailureKind::kCancelled:
      return false;
  }
  return false;
}

}  // namespace

StressFlow AfterTheStart(StressFlow flow, const absl::Status& status) {
  if (!status.ok() && flow.result.failure.kind == FailureKind::kNone)
    flow.result.failure = {FailureKind::kPeerGone, Message(status)};
  return flow;
}

absl::Status WhyNotBegun(std::span<const absl::StatusOr<StressFlow>> flows, bool late,
                         std::chrono::seconds limit) {
  const auto first = [&flows](const auto& is) { return std::ranges::find_if(flows, is); };
  const auto refused = first([](const auto& flow) { return !flow.ok() && !IsCancelled(flow); });
  if (refused != flows.end()) return refused->status();
  const bool ended = late || std::ranges::any_of(flows, IsCancelled);
  const auto failed = first(WasNotMade);
  if (failed != flows.end() && ended) {
    const StressFlow& flow = **failed;
    return absl::UnknownError(
        Printable(fmt::format("{} -> {}: {}", flow.from, flow.to, flow.result.failure.detail)));
  }
  if (late)
    return absl::UnknownError(fmt::format("not all transfers were connected within {} s", limit.count()));
  const auto cancelled = first(IsCancelled);
  if (cancelled == flows.end()) return absl::OkStatus();
  if (!cancelled->ok()) return cancelled->status();
  return absl::UnknownError(Printable(
      fmt::format("{} -> {}: {}", (*cancelled)->from, (*cancelled)->to, (*cancelled)->result.failure.detail)));
}

bool MayBeginAgain(std::span<const absl::StatusOr<StressFlow>> flows) {
  const auto is_busy = [](const auto& flow) { return IsPortBusy(flow.status()); };
  const auto follows = [&](const auto& flow) { return flow.ok() || IsCancelled(flow) || is_busy(flow); };
  return std::ranges::any_of(flows, is_busy) && std::ranges::all_of(flows, follows);
}

std::chrono::milliseconds WaitAfterAttempt(std::uint32_t attempt, double random) {
  constexpr std::chrono::milliseconds kUntilGivenBack{1'000};
  constexpr std::chrono::milliseconds kFirstSpread{2'000};
  constexpr std::uint32_t kMostDoublings = 2;
  const auto spread = kFirstSpread * (1U << std::min(attempt - 1, kMostDoublings));
  return kUntilGivenBack +
         std::chrono::milliseconds(static_cast<std::int64_t>(random * static_cast<double>(spread.count())));
}

}  // namespace rdmaready
