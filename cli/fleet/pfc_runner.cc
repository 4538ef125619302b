// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pfc_runner.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "api/base/status.h"
#include "api/model/pause_filters.h"
#include "checks/live/direct_link.h"
#include "checks/words/ethernet.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kPauser = 0;
constexpr std::size_t kJudged = 1;
// Both transfers alone, before the pauses: the control part.
constexpr milliseconds kControl{3'000};
// The agent reads its host before it pauses, and the transfers go on for a while after the last burst.
constexpr milliseconds kAround{4'000};
constexpr std::uint32_t kGapOfBurst = 2;  // times a burst, between two of them
// The initiator begins so much later than its caller lets it, at most.
constexpr milliseconds kSlack{200};
constexpr std::uint32_t kPfcIntervalMs = 20;

milliseconds GapOf(const PfcPlan& plan) { return plan.burst * kGapOfBurst; }

// The Ethernet port under the RDMA port; null: there is not exactly one, or it is not known.
const Netdev* OnlyNetdevOf(const Port& port) {
  const std::vector<NetdevRef> netdevs = EthernetPortsOf(port);
  return netdevs.size() == 1 && netdevs.front() ? &*netdevs.front() : nullptr;
}

// kUnknown: a NIC under the port of `pauser` is known to drop the pauses that its host sends.
absl::Status MayPause(const std::string& pauser, const std::string& judged, const Port& port) {
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    const PauseFilter* const filter = netdev ? FindPauseFilter(netdev->driver) : nullptr;
    if (filter == nullptr) continue;
    return absl::UnknownError(Printable(fmt::format(
        "{} cannot pause {}: its NIC {} drops the pause frames that its host sends (driver {}, {}). Nothing "
        "was sent",
        pauser, judged, netdev->name, filter->driver, filter->where)));
  }
  return absl::OkStatus();
}

std::int64_t NsSince(steady_clock::time_point begun) {
  return std::chrono::nanoseconds(steady_clock::now() - begun).count();
}

}  // namespace

PfcRunner::PfcRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                     AgentClient::Progress progress)
    : clients_(hosts),
      hosts_(hosts, std::move(run_id), std::move(progress)),
      profile_(profile),
      caller_(CallerName()) {}

absl::StatusOr<PfcRunner::Chosen> PfcRunner::Choose(const PfcPlan& plan) const {
  const std::vector<PlanHost> hosts = hosts_.Hosts();
  RR_ASSIGN_OR_RETURN(const StressPairing pairing, StressPairing::Between(hosts, plan.ports, profile_));
  RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs, pairing.Jobs(kJudged, kPauser));
  Chosen chosen{.pair = pairing.PairOf(std::move(jobs.front()))};
  const Port* const judged = pairing.PortOf(kJudged, chosen.pair.job.from_port);
  const Port* const pauser = pairing.PortOf(kPauser, chosen.pair.job.to_port);
  if (judged == nullptr || pauser == nullptr) return absl::InternalError("a port of the pair is not known");
  RR_RETURN_IF_ERROR(MayPause(hosts_.name(kPauser), hosts_.name(kJudged), *pauser));
  chosen.judged = *judged;
  chosen.pauser = *pauser;
  return chosen;
}

absl::StatusOr<Facts> PfcRunner::Listen(const HostClient& host, const PfcPlan& plan) const {
  RR_ASSIGN_OR_RETURN(CheckAnswer answer, host.agent->Check({.level = Rung::kHost,
                                                             .caller = caller_,
                                                             .run_id = hosts_.run_id(),
                                                             .watch = plan.listen,
                                                             .with_facts = true},
                                                            {}, {}));
  if (!answer.facts)
    return absl::InternalError(fmt::format("host {}: no facts came with its check", host.name));
  return *std::move(answer.facts);
}

absl::StatusOr<std::string> PfcRunner::LinkOf(const Chosen& chosen) const {
  if (profile_.direct_link) return fmt::format("by profile {}, the link is direct", profile_.name);
  const Netdev* const judged = OnlyNetdevOf(chosen.judged);
  const Netdev* const pauser = OnlyNetdevOf(chosen.pauser);
  if (judged == nullptr || pauser == nullptr)
    return absl::UnknownError("a port of the two is not one Ethernet port, or that is not known");
  LinkProof link = FindDirectLink({hosts_.name(kPauser), pauser}, {hosts_.name(kJudged), judged});
  if (link.direct) return std::move(link.text);
  return absl::UnknownError(
      fmt::format("it is not known that a cable joins the two, and a switch consumes pauses: {}. Nothing was "
                  "sent. A profile with `direct_link: true` says that the link is direct",
                  link.text));
}

absl::Status PfcRunner::Prepare(const PfcPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  RR_ASSIGN_OR_RETURN(Chosen chosen, Choose(plan));
  if (!profile_.direct_link) {
    hosts_.Say(fmt::format("listening for LLDP for {} s", plan.listen.count()));
    RR_RETURN_IF_ERROR(hosts_.Read([&](const HostClient& host) { return Listen(host, plan); }));
    RR_ASSIGN_OR_RETURN(chosen, Choose(plan));
  }
  RR_ASSIGN_OR_RETURN(link_, LinkOf(chosen));
  pair_ = std::move(chosen.pair);
  return absl::OkStatus();
}

void PfcRunner::Pause(const PfcPlan& plan, const std::atomic<bool>& is_over, PfcRun& run) const {
  const steady_clock::time_point begun = steady_clock::now();
  std::this_thread::sleep_until(begun + kControl);
  if (is_over) {
    run.pause_failure = "a transfer was over before, so nothing was paused";
    return;
  }
  hosts_.Say(fmt::format("{} pauses priority {}", run.pauser, plan.priority));
  run.pauses_from_ns = NsSince(begun) - std::chrono::nanoseconds(kSlack).count();
  absl::StatusOr<PauseAnswer> answer = clients_[kPauser].agent->SendPauses({.port = pair_.job.to_port,
                                                                            .priority = plan.priority,
                                                                            .burst = plan.burst,
                                                                            .bursts = plan.bursts,
                                                                            .gap = GapOf(plan),
                                                                            .caller = caller_,
                                                                            .run_id = run.run_id});
  run.pauses_until_ns = NsSince(begun);
  if (answer.ok()) {
    run.bursts = std::move(answer->bursts);
    run.pause_failure = std::move(answer->failure);
  } else {
    run.pause_failure = Message(answer.status());
  }
}

absl::StatusOr<PfcRun> PfcRunner::Run(const PfcPlan& plan) const {
  PfcRun run{.run_id = hosts_.run_id(),
             .pauser = hosts_.name(kPauser),
             .judged = hosts_.name(kJudged),
             .priority = plan.priority,
             .link = link_,
             .link_is_heard = !profile_.direct_link,
             .burst_ns = std::chrono::nanoseconds(plan.burst).count(),
             .gap_ns = std::chrono::nanoseconds(GapOf(plan)).count()};
  StressTransfer paused{&pair_, plan.case_name, plan.how};
  paused.how.interval_ms = kPfcIntervalMs;
  paused.how.duration = kControl + (plan.burst + GapOf(plan)) * plan.bursts + kAround;
  StressTransfer beside = paused;
  paused.how.tos = plan.tos;
  beside.how.tos = plan.beside_tos;
  hosts_.Say(fmt::format("two transfers, {} -> {}", run.judged, run.pauser));
  RR_ASSIGN_OR_RETURN(std::vector<StressFlow> both, hosts_.Together({paused, beside}, [&](const auto& is_over) {
    Pause(plan, is_over, run);
  }));
  run.paused = std::move(both[0]);
  run.beside = std::move(both[1]);
  return run;
}

}  // namespace rdmaready
