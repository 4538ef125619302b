// SPDX-License-Identifier: Apache-2.0
// StressPair: the ports of one transfer of a stress test, and what is known of them before it is made. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/stress_flow.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

struct StressPair {
  PairJob job{};      // between hosts of the test, by their index
  StressFlow flow{};  // without a result
};

// The port of each host; absent: one that the others reach.
using StressPortChoice = std::vector<std::optional<PortSelection>>;

// From options: "node4=mlx5_2/1" names the port of that host, "mlx5_0/1" that of every other one.
// kInvalidArgument: the text is not a port, `names` do not have the host, or a host has two. One clear line.
absl::StatusOr<StressPortChoice> ChoosePorts(std::span<const std::string> options,
                                             std::span<const std::string> names);

// The hosts of a stress test, with the ports that each of them may use.
class StressPairing {
 public:
  // Each host has all of its ports, or the chosen one. Errors: a host has no such port (kNotFound); its ports
  // are not known (kUnknown). `hosts` and `profile` outlive it.
  static absl::StatusOr<StressPairing> Between(std::span<const PlanHost> hosts, const StressPortChoice& ports,
                                               const Profile& profile);

  const std::string& name(std::size_t host) const { return hosts_[host].name; }
  const Facts& facts(std::size_t host) const { return facts_[host]; }
  // Null where the host may not use such a port.
  const Port* PortOf(std::size_t host, const PortSelection& port) const;

  // The ways from one host to another, best first: those of JobsBetween(), whose errors they have. Not empty.
  absl::StatusOr<std::vector<PairJob>> Jobs(std::size_t from, std::size_t to) const;
  // The same to one port of the other host.
  absl::StatusOr<std::vector<PairJob>> JobsTo(std::size_t from, std::size_t to, const Port& port) const;

  StressPair PairOf(PairJob job) const;

 private:
  StressPairing(std::span<const PlanHost> hosts, const Profile& profile) : hosts_(hosts), profile_(&profile) {}
  absl::StatusOr<std::vector<PairJob>> JobsWith(std::size_t from, std::size_t to, const Facts& to_facts) const;

  std::span<const PlanHost> hosts_;
  const Profile* profile_;
  std::vector<Facts> facts_{};  // of each host
};

// The rate of its Ethernet port, else as the RDMA stack has it. 0: not known, as of a bond: one member may
// carry all, or each of them its part.
std::uint64_t LinkBytesPerSecond(const Port& port);

// A host that has nothing but that port.
Facts FactsOf(const Port& port);

}  // namespace rdmaready
