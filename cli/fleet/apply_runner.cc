// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/apply_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>
#include <utility>

#include "api/base/plan_digest.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/model/open_change.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/pair_engine.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {
namespace {

constexpr std::array<const char*, 2> kPeerProofCases{"send-1k", "write-512k"};

// The id of a change that awaits its proof or its confirmation; empty: none does. Where nobody changes settings
// nothing is open.
absl::StatusOr<std::string> OpenChangeOf(AgentClient& agent) {
  const absl::StatusOr<ApplierStatus> status = agent.GetApplier();
  if (absl::IsFailedPrecondition(status.status())) return "";
  if (!status.ok()) return status.status();
  const auto open = std::ranges::find_if(status->changes, StillOpen, &Change::state);
  return open == status->changes.end() ? "" : open->id;
}

// What is written, and when the port is usable again: as the drivers are known to take.
std::chrono::milliseconds EstimateOf(const Plan& plan) {
  std::chrono::milliseconds sum{};
  for (const PlanStep& step : plan.steps) sum += std::chrono::milliseconds(step.disturbance.estimate_ms);
  return sum;
}

// How the change stands now. Where nobody says so what was heard last stays, and is said to be that.
void HearNow(AgentClient& agent, HostChange& host) {
  constexpr std::chrono::milliseconds kWithin{5000};
  const absl::StatusOr<ApplierStatus> status = agent.GetApplier(kWithin);
  const auto missed = [&host](ExitStatus failure, const std::string& why) {
    host.heard_last = true;
    host.failure = Worse(host.failure, failure);
    host.error += (host.error.empty() ? "" : "; ") + ("how it stands now is not known: " + why);
  };
  if (!status.ok()) return missed(CallFailure(status.status()), Message(status.status()));
  const auto found = std::ranges::find(status->changes, host.change->id, &Change::id);
  if (found == status->changes.end()) {
    return missed(ExitStatus::kOwnFailure,
                  fmt::format("its applier tells nothing of change {}", host.change->id));
  }
  host.change = *found;
}

// The same agent, without owning it.
HostClient Borrowed(const HostClient& host) { return {.name = host.name, .agent = host.agent}; }

// No answer of the host's: the connection, or the time, ended.
bool WasCut(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

}  // namespace

std::string TestBothWays(const HostClient& host, const HostClient& peer, const std::string& run_id,
                         const AgentClient::Progress& progress) {
  std::vector<HostClient> ends;
  ends.push_back(Borrowed(host));
  ends.push_back(Borrowed(peer));
  std::array<absl::StatusOr<Facts>, 2> facts{ends[0].agent->GetFacts(), ends[1].agent->GetFacts()};
  for (const absl::StatusOr<Facts>& one : facts) {
    if (!one.ok()) return Message(one.status());
  }
  PairEngine engine(ends, run_id, progress);
  std::string failed;
  for (const bool back : {false, true}) {
    const PlanHost from{.name = ends[back ? 1 : 0].name, .facts = &*facts[back ? 1 : 0]};
    const PlanHost to{.name = ends[back ? 0 : 1].name, .facts = &*facts[back ? 0 : 1]};
    absl::StatusOr<std::vector<PairJob>> jobs = JobsBetween(from, to, {});
    if (!jobs.ok()) return Message(jobs.status());
    for (PairJob& job : *jobs) {
      if (back) std::swap(job.from, job.to);  // 0 and 1 of JobsBetween: as they stand in `ends`
      for (const char* name : kPeerProofCases) {
        const CaseOutcome outcome = engine.Run(job, name, {});
        const Outcome seen = outcome.finding.outcome;
        if (seen == Outcome::kPass || seen == Outcome::kWarn) continue;
        failed += fmt::format("{}{} {}: {}", failed.empty() ? "" : "; ", job.place.subject, name,
                              outcome.finding.observed);
      }
    }
  }
  return failed;
}

ApplyRunner::ApplyRunner(std::vector<HostClient>& hosts, PeerFinder peer, ApplyOptions options, Watch watch,
                         std::vector<HostOrigin> origins)
    : hosts_(hosts),
      peer_(std::move(peer)),
      options_(std::move(options)),
      watch_(std::move(watch)),
      origins_(std::move(origins)) {}

absl::StatusOr<std::vector<Profile>> ApplyRunner::ProfilesFor(std::size_t index) const {
  const bool said = index < origins_.size() && origins_[index].site != nullptr;
  if (!options_.profiles.empty() || !said) return options_.profiles;
  return origins_[index].site->ProfilesOf(hosts_[index].name);
}

PlanRun ApplyRunner::Plan(bool persist) {
  PlanRun run;
  run.hosts.resize(hosts_.size());
  FanOut(hosts_.size(), [&](std::size_t i) {
    HostClient& host = hosts_[i];
    host.Open();
    HostPlan& planned = run.hosts[i];
    planned.host = host.name;
    if (host.agent == nullptr) {
      planned.error = host.error;
      planned.failure = host.failure;
      return;
    }
    if (watch_.progress) watch_.progress(host.name + ": planning");
    const absl::StatusOr<std::vector<Profile>> profiles = ProfilesFor(i);
    if (!profiles.ok()) {
      planned.error = Message(profiles.status());
      planned.failure = ExitStatus::kUsage;
      return;
    }
    absl::StatusOr<rdmaready::Plan> plan = host.agent->MakePlan(*profiles, options_.ports, persist);
    if (plan.ok()) {
      planned.plan = *std::move(plan);
    } else {
      planned.error = Message(plan.status());
      planned.failure = CallFailure(plan.status());
    }
  });
  return run;
}

void ApplyRunner::Hear(std::size_t index, HostChange host) {
  const std::lock_guard lock(mutex_);
  known_[index] = {std::move(host), std::chrono::steady_clock::now()};
}

ChangeRun ApplyRunner::Snapshot() const {
  ChangeRun run{.told_unix_ns = UnixNowNs()};
  const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    HostChange& host = run.hosts.emplace_back(known.host);
    if (!host.change || host.change->deadline_in_ms == 0) continue;
    const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(now - known.at).count();
    const std::int64_t left = std::int64_t{host.change->deadline_in_ms} - gone;
    host.change->deadline_in_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0));
  }
  return run;
}

ChangeRun ApplyRunner::Apply(const PlanRun& planned, std::size_t at_a_time) {
  {
    const std::lock_guard lock(mutex_);
    known_.clear();
    for (const HostPlan& host : planned.hosts)
      known_.push_back({{.host = host.host,
                         .plan = host.plan,
                         .error = host.error,
                         .failure = host.failure,
                         .not_begun = true},
                        {}});
  }
  ChangeRun run;
  run.hosts.resize(planned.hosts.size());
  FanOut(
      planned.hosts.size(),
      [&](std::size_t mine) {
        HostChange& made = run.hosts[mine];
        made = ApplyOne(mine, planned.hosts[mine]);
        Hear(mine, made);
        if (watch_.ended) watch_.ended(mine, made);
        if (made.not_begun) return;
        const ExitStatus status = made.change ? StatusOfApply(*made.change) : ExitStatus::kOk;
        if (Worse(made.failure, status) != ExitStatus::kOk) failed_ = true;
      },
      at_a_time);
  return run;
}

HostChange ApplyRunner::ApplyOne(std::size_t index, const HostPlan& planned) {
  HostChange made{
      .host = planned.host, .plan = planned.plan, .error = planned.error, .failure = planned.failure};
  if (!planned.plan) return made;
  const bool has_files = options_.persist && std::ranges::any_of(planned.plan->persist, &PersistFile::by_apply);
  if (planned.plan->steps.empty() && !has_files) {
    const bool refused = !planned.plan->refusals.empty();
    if (refused || !planned.plan->unknown.empty()) {
      made.error = refused ? "nothing can be set: what is wanted is refused"
                           : "nothing can be planned: " + planned.plan->unknown.front();
      made.failure = refused ? ExitStatus::kNotReady : ExitStatus::kOwnFailure;
      return made;
    }
    // All is as wanted, and goes back unless somebody confirms.
    const absl::StatusOr<std::string> open = OpenChangeOf(*hosts_[index].agent);
    if (!open.ok()) {
      made.error = "whether a change is open is not known: " + Message(open.status());
      made.failure = ExitStatus::kOwnFailure;
    } else if (!open->empty()) {
      made.error = fmt::format("change {} is open: confirm it or take it back first", *open);
      made.failure = ExitStatus::kUsage;
    }
    return made;
  }
  if (failed_) {
    made.not_begun = true;
    return made;
  }
  return Write(index, planned);
}

HostChange ApplyRunner::Write(std::size_t index, const HostPlan& planned) {
  HostChange made{.host = planned.host, .plan = planned.plan, .under_way = true};
  ApplyOptions options = options_;
  options.profiles = ProfilesFor(index).value_or(options_.profiles);  // there is a plan: they are known
  const absl::StatusOr<std::string> agreed_to = PlanDigest(*planned.plan);
  if (!agreed_to.ok()) {
    made.under_way = false;
    made.error = Message(agreed_to.status());
    made.failure = ExitStatus::kOwnFailure;
    return made;
  }
  options.plan_sha256 = *agreed_to;
  options.estimate = EstimateOf(*planned.plan);
  Hear(index, made);
  const HostClient& host = hosts_[index];
  PeerTrouble trouble;
  std::jthread peer_proof;  // joined when its change has ended
  const auto on_change = [&](const Change& change) {
    made.change = change;
    Hear(index, made);
    if (watch_.change) watch_.change(index, change);
    const bool wants =
        change.state == ChangeState::kProving && change.proof.loopback && !change.proof.peer.empty();
    if (!wants || peer_proof.joinable()) return;
    try {
      peer_proof = std::jthread([this, &host, &trouble, change] { trouble = ProveWithPeer(host, change); });
    } catch (const std::system_error& error) {
      trouble = {.error = fmt::format("no proof with {}: {}", change.proof.peer, error.what()),
                 .failure = ExitStatus::kOwnFailure};
      static_cast<void>(host.agent->ProvePeer(change.id));  // it need not wait for tests
    }
  };
  absl::StatusOr<Change> change = host.agent->Apply(options, on_change);
  if (peer_proof.joinable()) peer_proof.join();
  made.under_way = false;
  if (change.ok()) {
    made.change = *std::move(change);
    made.error = trouble.error;
    made.failure = trouble.failure;
    if (options_.persist && !made.change->persist && made.error.empty()) {
      made.error = "no file for the next boot is planned: the agent of this host is too old for --persist";
      made.failure = ExitStatus::kNotReady;
    }
  } else {
    // The call was cut, not the change: who asks has to know what is open, and that it goes back by itself.
    made.error = Message(change.status());
    made.failure = ApplyFailure(change.status());
    // Before the first step was told: it may have begun all the same.
    made.under_way = !made.change && WasCut(change.status());
  }
  return made;
}

ApplyRunner::PeerTrouble ApplyRunner::ProveWithPeer(const HostClient& host, const Change& change) {
  PeerTrouble trouble;
  {
    const std::lock_guard lock(peer_mutex_);
    const HostClient* peer = peer_ ? peer_(change.proof.peer) : nullptr;
    if (peer == nullptr || peer->agent == nullptr) {
      const std::string why = peer == nullptr ? "nobody can be asked there" : peer->error;
      trouble = {.error = fmt::format("no proof with {}: {}", change.proof.peer, why),
                 .failure = peer == nullptr ? ExitStatus::kOwnFailure : peer->failure};
    } else if (IsSameAgent(host, *peer)) {
      trouble = {.error = fmt::format("no proof with {}: it is this host itself", change.proof.peer),
                 .failure = ExitStatus::kNotReady};
    } else {
      const std::string failed = TestBothWays(host, *peer, change.id, watch_.progress);
      if (!failed.empty() && watch_.progress) watch_.progress(host.name + ": " + failed);
    }
  }
  // Whatever these tests showed here: the agent goes by what it saw itself, and the stream tells what came of
  // it.
  static_cast<void>(host.agent->ProvePeer(change.id));
  return trouble;
}

ChangeRun ApplyRunner::AskAgain(ChangeRun run) {
  FanOut(run.hosts.size(), [&](std::size_t i) {
    HostChange& host = run.hosts[i];
    if (!host.change || hosts_[i].agent == nullptr) return;
    if (!StillOpen(host.change->state) && host.change->state != ChangeState::kUnknown) return;
    HearNow(*hosts_[i].agent, host);
    Hear(i, host);
  });
  run.told_unix_ns = UnixNowNs();
  return run;
}

}  // namespace rdmaready
