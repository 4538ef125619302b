// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "api/base/status.h"
#include "api/client/peer_test.h"
#include "checks/words/ethernet.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/incast_start.h"
#include "cli/fleet/start_barrier.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kBytesPerMegabit = 125'000;
// From the first call until all are connected. Each agent waits for longer (kStressSetUp of agent/transfer).
constexpr std::chrono::seconds kUntilAllConnected{20};

// Whether the priority is lossless at each Ethernet port under the RDMA port.
std::optional<bool> HasPfc(const Port& port, std::optional<std::uint32_t> priority) {
  if (!priority) return std::nullopt;
  bool has = true;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev || !netdev->dcb.pfc) return std::nullopt;
    has = has && (static_cast<std::uint32_t>(netdev->dcb.pfc->enabled) >> *priority & 1U) != 0;
  }
  return has;
}

// The rate of the slowest Ethernet port under it; 0: not known.
std::uint64_t LinkBytesPerSecond(const Port& port) {
  std::uint64_t mbps = 0;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev || !netdev->speed_mbps) return 0;
    mbps = mbps == 0 ? *netdev->speed_mbps : std::min<std::uint64_t>(mbps, *netdev->speed_mbps);
  }
  return mbps * kBytesPerMegabit;
}

const Port* PortOf(const Facts& facts, const PortSelection& port) {
  if (!facts.ports) return nullptr;
  const auto found = std::ranges::find_if(*facts.ports, [&port](const Port& one) {
    return one.device == port.device && one.number == port.number;
  });
  return found == facts.ports->end() ? nullptr : &*found;
}

// As long alone as beside the incast: as many messages, so that all p99 mean the same.
TransferOptions OptionsOfVictim(const IncastPlan& plan) {
  TransferOptions options = plan.how;
  options.qps = 1;
  options.depth = 0;
  options.duration = plan.duration;
  options.max_bytes_per_s = plan.victim_bytes_per_s;
  return options;
}

}  // namespace

IncastRunner::IncastRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                           AgentClient::Progress progress)
    : hosts_(hosts),
      profile_(profile),
      run_id_(std::move(run_id)),
      caller_(CallerName()),
      progress_(std::move(progress)) {}

absl::Status IncastRunner::ReadHosts() {
  facts_.resize(hosts_.size());
  std::mutex mutex;
  absl::Status failed = absl::OkStatus();
  FanOut(hosts_.size(), [&](std::size_t i) {
    const HostClient& host = hosts_[i];
    const auto read = [&]() -> absl::Status {
      RR_ASSIGN_OR_RETURN(const AgentVersion version, host.agent->GetVersion());
      if (!version.stress)
        return absl::FailedPreconditionError(fmt::format(
            "host {}: its agent takes no part in stress tests: root of that host has to start it with "
            "--allow-stress",
            host.name));
      RR_ASSIGN_OR_RETURN(facts_[i], host.agent->GetFacts());
      return absl::OkStatus();
    }();
    const std::lock_guard lock(mutex);
    failed.Update(read);
  });
  return failed;
}

absl::StatusOr<IncastRunner::Pair> IncastRunner::PairOf(std::size_t from, std::size_t to,
                                                        const IncastPlan& plan) const {
  RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs,
                      JobsBetween({.name = hosts_[from].name, .facts = &facts_[from]},
                                  {.name = hosts_[to].name, .facts = &facts_[to]}, plan.ports));
  Pair pair{.job = std::move(jobs.front()), .flow = {.from = hosts_[from].name, .to = hosts_[to].name}};
  // The job's own hosts are 0 and 1.
  pair.job.from = from;
  pair.job.to = to;
  if (const Port* port = PortOf(facts_[from], pair.job.from_port))
    pair.flow.sender_has_pfc = HasPfc(*port, profile_.rdma_priority);
  return pair;
}

absl::StatusOr<std::vector<IncastRunner::Pair>> IncastRunner::SendersOf(const IncastPlan& plan) const {
  std::vector<Pair> senders;
  for (const std::size_t from : plan.senders) {
    RR_ASSIGN_OR_RETURN(Pair pair, PairOf(from, plan.receiver, plan));
    const PortSelection& port = pair.job.to_port;
    const PortSelection& first = senders.empty() ? port : senders.front().job.to_port;
    if (port.device != first.device || port.number != first.number) {
      return absl::InvalidArgumentError(fmt::format(
          "the senders reach different ports of {}, {}/{} and {}/{}, so none is filled: choose one by "
          "--port",
          hosts_[plan.receiver].name, first.device, first.number, port.device, port.number));
    }
    senders.push_back(std::move(pair));
  }
  return senders;
}

absl::StatusOr<IncastFlow> IncastRunner::Transfer(const Pair& pair, const std::string& case_name,
                                                  const TransferOptions& how,
                                                  const std::function<bool()>& at_start) const {
  PeerTest test{case_name, pair.job.from_port, pair.job.to_port, caller_, run_id_, how};
  test.at_start = at_start;
  const HostClient& from = hosts_[pair.job.from];
  const HostClient& to = hosts_[pair.job.to];
  PeerAnswer answer = RunPeerTest(*from.agent, *to.agent, test);
  for (const absl::Status& status : {answer.from_status, answer.to_status}) {
    if (!status.ok()) return status;
  }
  IncastFlow flow = pair.flow;
  flow.result = std::move(answer.result);
  flow.result.case_name = case_name;
  flow.counters = std::move(answer.counters);
  return flow;
}

absl::StatusOr<IncastRunner::Pairs> IncastRunner::PairsOf(const IncastPlan& plan) const {
  Pairs pairs;
  RR_ASSIGN_OR_RETURN(pairs.senders, SendersOf(plan));
  if (plan.victim) {
    RR_ASSIGN_OR_RETURN(pairs.victim, PairOf(plan.victim->first, plan.victim->second, plan));
  }
  if (plan.second_victim) {
    RR_ASSIGN_OR_RETURN(pairs.second_victim,
                        PairOf(plan.second_victim->first, plan.second_victim->second, plan));
  }
  return pairs;
}

absl::StatusOr<IncastFlow> IncastRunner::Alone(const Pair& victim, const IncastPlan& plan) const {
  if (progress_) progress_(fmt::format("the victim alone, {} -> {}", victim.flow.from, victim.flow.to));
  return Transfer(victim, plan.victim_case, OptionsOfVictim(plan), {});
}

absl::Status IncastRunner::Together(const IncastPlan& plan, const Pairs& pairs, IncastRun& run) const {
  TransferOptions of_senders = plan.how;
  of_senders.duration = plan.duration;
  std::vector<const Pair*> parties;
  for (const Pair& sender : pairs.senders) parties.push_back(&sender);
  for (const std::optional<Pair>* const victim : {&pairs.victim, &pairs.second_victim})
    if (*victim) parties.push_back(&**victim);
  StartBarrier barrier(parties.size());
  const auto deadline = std::chrono::steady_clock::now() + kUntilAllConnected;
  std::vector<absl::StatusOr<IncastFlow>> flows(parties.size(), absl::UnknownError(""));
  FanOut(
      parties.size(),
      [&](std::size_t i) {
        const bool sends = i < pairs.senders.size();
        flows[i] =
            Transfer(*parties[i], sends ? plan.case_name : plan.victim_case,
                     sends ? of_senders : OptionsOfVictim(plan), [&] { return barrier.Arrive(deadline); });
        barrier.Break();  // it ended before it arrived
      },
      parties.size());
  RR_RETURN_IF_ERROR(WhyNotBegun(flows, barrier.late(), kUntilAllConnected));
  if (pairs.second_victim) {
    run.second_victim = *std::move(flows.back());
    flows.pop_back();
  }
  if (pairs.victim) {
    run.victim = *std::move(flows.back());
    flows.pop_back();
  }
  for (absl::StatusOr<IncastFlow>& flow : flows) run.senders.push_back(*std::move(flow));
  return absl::OkStatus();
}

absl::StatusOr<IncastRun> IncastRunner::Run(const IncastPlan& plan) {
  RR_RETURN_IF_ERROR(ReadHosts());
  RR_ASSIGN_OR_RETURN(const Pairs pairs, PairsOf(plan));
  IncastRun run{.run_id = run_id_};
  const Port* const receiver = PortOf(facts_[plan.receiver], pairs.senders.front().job.to_port);
  run.drain_bytes_per_s = plan.drain_bytes_per_s ? *plan.drain_bytes_per_s
                          : receiver != nullptr  ? LinkBytesPerSecond(*receiver)
                                                 : 0;
  if (pairs.victim) {
    const auto is_sender = [&](std::size_t host) {
      return std::ranges::find(plan.senders, host) != plan.senders.end();
    };
    run.victim_shares_a_sender = is_sender(plan.victim->first) || is_sender(plan.victim->second);
    RR_ASSIGN_OR_RETURN(run.victim_alone, Alone(*pairs.victim, plan));
    RR_ASSIGN_OR_RETURN(run.victim_again, Alone(*pairs.victim, plan));
  }
  if (pairs.second_victim) {
    RR_ASSIGN_OR_RETURN(run.second_victim_alone, Alone(*pairs.second_victim, plan));
  }
  if (progress_) progress_(fmt::format("{} senders to {}", pairs.senders.size(), hosts_[plan.receiver].name));
  RR_RETURN_IF_ERROR(Together(plan, pairs, run));
  return run;
}

}  // namespace rdmaready
