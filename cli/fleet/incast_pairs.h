// SPDX-License-Identifier: Apache-2.0
// IncastPairs: which ports an incast uses, and what is known of them. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/model/incast.h"
#include "api/model/profile.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

// Hosts are named by their index.
struct IncastPlan {
  std::vector<std::size_t> senders{};
  std::size_t receiver = 0;
  std::optional<std::pair<std::size_t, std::size_t>> victim{};         // from, to
  std::optional<std::pair<std::size_t, std::size_t>> second_victim{};  // the same, of a sender
  StressPortChoice ports{};
  std::string case_name{};  // of the senders
  std::string victim_case{};
  TransferOptions how{};                       // of the senders; of the victim the mark alone
  std::uint64_t victim_bytes_per_s = 0;        // on the wire
  std::chrono::milliseconds duration{10'000};  // of the incast, and of each measurement of the victim alone
  std::optional<std::uint64_t> drain_bytes_per_s{};  // absent: by the receiver's link
};

struct IncastPairs {
  std::vector<StressPair> senders{};
  std::optional<StressPair> victim{};
  std::optional<StressPair> second_victim{};
  IncastRun run{};  // what is known before any transfer
};

// All senders to one port of the receiver, its first one that each of them reaches. The victim uses ports of
// the same subnet, where it has some. It is not judged where it has none, or where LLDP shows several switches.
// Errors: a host has no such port (kNotFound); two hosts have no path (kFailedPrecondition), or nobody could
// say (kUnknown); the senders reach no port together (kInvalidArgument).
absl::StatusOr<IncastPairs> ChooseIncastPairs(std::span<const PlanHost> hosts, const IncastPlan& plan,
                                              const Profile& profile);

}  // namespace rdmaready
