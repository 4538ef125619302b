// SPDX-License-Identifier: Apache-2.0
// IncastRunner: the victim alone, twice, then several senders and the victim at once (api/model/incast.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/client/peer_test.h"
#include "api/model/facts.h"
#include "api/model/incast.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

// Hosts are named by their index.
struct IncastPlan {
  std::vector<std::size_t> senders{};
  std::size_t receiver = 0;
  std::optional<std::pair<std::size_t, std::size_t>> victim{};         // from, to
  std::optional<std::pair<std::size_t, std::size_t>> second_victim{};  // the same, of a sender
  std::vector<PortSelection> ports{};  // one: of that name on every host; empty: those that share a subnet
  std::string case_name{};             // of the senders
  std::string victim_case{};
  TransferOptions how{};                       // of the senders; of the victim the mark alone
  std::uint64_t victim_bytes_per_s = 0;        // on the wire
  std::chrono::milliseconds duration{10'000};  // of the incast, and of each measurement of the victim alone
  std::optional<std::uint64_t> drain_bytes_per_s{};  // absent: by the receiver's link
};

class IncastRunner {
 public:
  // `hosts` are connected. Both outlive it.
  IncastRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
               AgentClient::Progress progress);

  // Blocks until all transfers are over. A transfer that failed after it was connected is a part of the answer.
  // Errors: a host could not be asked, takes no part in stress tests, or has no way to the other; the senders
  // reach different ports of the receiver (kInvalidArgument); not all transfers were connected. The text names
  // the host.
  absl::StatusOr<IncastRun> Run(const IncastPlan& plan);

 private:
  struct Pair {
    PairJob job{};
    IncastFlow flow{};
  };

  absl::Status ReadHosts();
  absl::StatusOr<std::vector<Pair>> SendersOf(const IncastPlan& plan) const;
  absl::StatusOr<Pair> PairOf(std::size_t from, std::size_t to, const IncastPlan& plan) const;
  // One transfer. `at_start`: see PeerTest.
  absl::StatusOr<IncastFlow> Transfer(const Pair& pair, const std::string& case_name,
                                      const TransferOptions& how, const std::function<bool()>& at_start) const;
  struct Pairs {
    std::vector<Pair> senders{};
    std::optional<Pair> victim{};
    std::optional<Pair> second_victim{};
  };
  absl::StatusOr<Pairs> PairsOf(const IncastPlan& plan) const;
  absl::StatusOr<IncastFlow> Alone(const Pair& victim, const IncastPlan& plan) const;
  absl::Status Together(const IncastPlan& plan, const Pairs& pairs, IncastRun& run) const;

  const std::vector<HostClient>& hosts_;
  const Profile& profile_;
  const std::string run_id_;
  const std::string caller_;
  const AgentClient::Progress progress_;
  std::vector<Facts> facts_{};  // of each host
};

}  // namespace rdmaready
