// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/chosen_paths.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/base/status.h"
#include "checks/fleet/pairing.h"
#include "checks/words/words.h"
#include "cli/fleet/fan_out.h"

namespace rdmaready {
namespace {

constexpr const char* kOnAnother = "its partner is on another path, or there are more than 32 paths";

// The host without the ports that are known to be down. They are added to `without`.
Facts FactsOfActivePorts(const PlanHost& host, std::vector<PortWithoutPath>& without) {
  Facts facts = *host.facts;
  if (!facts.ports) return facts;
  std::vector<Port> active;
  for (const Port& port : *facts.ports) {
    if (port.state && *port.state != PortState::kActive && *port.state != PortState::kActiveDefer)
      without.push_back({.host = host.name, .port = PortName(port), .why = "it is not active"});
    else
      active.push_back(port);
  }
  facts.ports = std::move(active);
  return facts;
}

// The ports of one host that no path uses. `unpaired`: why nothing of the other host goes with them.
void AddWithout(const PlanHost& host, const std::vector<UnpairedPort>& unpaired,
                const std::vector<PortSelection>& used, std::vector<PortWithoutPath>& without) {
  if (!host.facts->ports) return;
  for (std::size_t i = 0; i < host.facts->ports->size(); ++i) {
    const Port& port = (*host.facts->ports)[i];
    const bool is_used = std::ranges::any_of(used, [&port](const PortSelection& one) {
      return one.device == port.device && one.number == port.number;
    });
    if (is_used) continue;
    const auto alone = std::ranges::find(unpaired, i, &UnpairedPort::port);
    without.push_back({.host = host.name,
                       .port = PortName(port),
                       .why = alone == unpaired.end() ? kOnAnother : alone->reason});
  }
}

}  // namespace

absl::StatusOr<ChosenPaths> ChoosePaths(std::vector<PlanHost> hosts, const Profile& profile,
                                        ConnectionKind connection) {
  ChosenPaths chosen;
  std::vector<Facts> active;
  for (const PlanHost& host : hosts) {
    active.push_back(FactsOfActivePorts(host, chosen.without));
    if (active.back().ports && active.back().ports->empty() && !host.facts->ports->empty())
      return absl::FailedPreconditionError("no RDMA port of " + host.name + " is active");
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].facts = &active[i];
  RR_ASSIGN_OR_RETURN(const StressPairing pairing, StressPairing::Between(hosts, {}, profile));
  RR_ASSIGN_OR_RETURN(const std::vector<PairJob> jobs, pairing.Jobs(0, 1));
  std::vector<PortSelection> from;
  std::vector<PortSelection> to;
  const std::vector<std::vector<std::size_t>> rounds = Rounds(jobs);
  for (const std::size_t job : rounds.front()) {
    if (chosen.pairs.size() == kMaxParallel) break;
    if (connection == ConnectionKind::kVerbs && !jobs[job].no_verbs.empty())
      return absl::FailedPreconditionError("--connect verbs: " + jobs[job].no_verbs);
    chosen.pairs.push_back(pairing.PairOf(jobs[job]));
    from.push_back(jobs[job].from_port);
    to.push_back(jobs[job].to_port);
  }
  const Pairing ports = PairPorts(*hosts[0].facts, *hosts[1].facts, hosts[0].name, hosts[1].name);
  AddWithout(hosts[0], ports.a_unpaired, from, chosen.without);
  AddWithout(hosts[1], ports.b_unpaired, to, chosen.without);
  return chosen;
}

}  // namespace rdmaready
