// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/paths_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/base/status.h"
#include "checks/fleet/pairing.h"
#include "checks/words/words.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/pair_plan.h"

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

PathsRunner::PathsRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                         AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress), StressHosts::Part::kTest), profile_(profile) {}

absl::Status PathsRunner::Prepare(const PathsPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  known_ = {
      .run_id = hosts_.run_id(), .from = hosts_.name(0), .to = hosts_.name(1), .case_name = plan.case_name};
  std::vector<PlanHost> hosts = hosts_.Hosts();
  std::vector<Facts> active;
  for (const PlanHost& host : hosts) {
    active.push_back(FactsOfActivePorts(host, known_.without));
    if (active.back().ports && active.back().ports->empty() && !host.facts->ports->empty())
      return absl::FailedPreconditionError("no RDMA port of " + host.name + " is active");
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].facts = &active[i];
  RR_ASSIGN_OR_RETURN(const StressPairing pairing, StressPairing::Between(hosts, {}, profile_));
  RR_ASSIGN_OR_RETURN(const std::vector<PairJob> jobs, pairing.Jobs(0, 1));
  std::vector<PortSelection> from;
  std::vector<PortSelection> to;
  const std::vector<std::vector<std::size_t>> rounds = Rounds(jobs);
  for (const std::size_t job : rounds.front()) {
    if (pairs_.size() == kMaxParallel) break;
    if (plan.how.connection == ConnectionKind::kVerbs && !jobs[job].no_verbs.empty())
      return absl::FailedPreconditionError("--connect verbs: " + jobs[job].no_verbs);
    pairs_.push_back(pairing.PairOf(jobs[job]));
    known_.paths.push_back({.subject = jobs[job].place.subject});
    from.push_back(jobs[job].from_port);
    to.push_back(jobs[job].to_port);
  }
  const Pairing ports = PairPorts(*hosts[0].facts, *hosts[1].facts, hosts[0].name, hosts[1].name);
  AddWithout(hosts[0], ports.a_unpaired, from, known_.without);
  AddWithout(hosts[1], ports.b_unpaired, to, known_.without);
  return absl::OkStatus();
}

absl::Status PathsRunner::Alone(const PathsPlan& plan, StressFlow TestedPath::*when, PathsRun& run) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    hosts_.Say(fmt::format("{} alone", run.paths[i].subject));
    RR_ASSIGN_OR_RETURN(run.paths[i].*when, hosts_.Alone({&pairs_[i], plan.case_name, plan.how}));
  }
  return absl::OkStatus();
}

absl::Status PathsRunner::Together(const PathsPlan& plan, PathsRun& run) const {
  hosts_.Say(fmt::format("{} at once", CountText(pairs_.size(), "path")));
  std::vector<StressTransfer> parts;
  for (const StressPair& pair : pairs_) parts.push_back({&pair, plan.case_name, plan.how});
  RR_ASSIGN_OR_RETURN(std::vector<StressFlow> flows, hosts_.Together(parts));
  for (std::size_t i = 0; i < flows.size(); ++i) run.paths[i].together = std::move(flows[i]);
  return absl::OkStatus();
}

absl::StatusOr<PathsRun> PathsRunner::Run(const PathsPlan& plan) const {
  PathsRun run = known_;
  RR_RETURN_IF_ERROR(Alone(plan, &TestedPath::before, run));
  RR_RETURN_IF_ERROR(Together(plan, run));
  RR_RETURN_IF_ERROR(Alone(plan, &TestedPath::after, run));
  return run;
}

}  // namespace rdmaready
