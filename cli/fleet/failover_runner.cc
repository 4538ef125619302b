// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/failover_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/fleet/chosen_paths.h"
#include "cli/fleet/fan_out.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// From the first call until all paths are connected; the set-up of a test has 10 s.
constexpr std::chrono::seconds kUntilPathsConnected{8};
// Before another attempt to connect; twice as long after each that failed.
constexpr milliseconds kShortestPause{100};
constexpr milliseconds kLongestPause{1'000};
// After the last new write: writes under way are answered and memory is looked at again, in 10 s at most
// (NumberedWrites::kDrain of agent/transfer), and the result comes.
constexpr milliseconds kUntilDrained{13'000};
constexpr milliseconds kLeastAttempt{1'000};

milliseconds TimeBetween(steady_clock::time_point from, steady_clock::time_point to) {
  return std::chrono::duration_cast<milliseconds>(to - from);
}

std::int64_t MsBetween(steady_clock::time_point from, steady_clock::time_point to) {
  return std::max<std::int64_t>(TimeBetween(from, to).count(), 0);
}

}  // namespace

FailoverRunner::FailoverRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                               AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress), StressHosts::Part::kTest),
      clients_(hosts),
      profile_(profile) {}

absl::Status FailoverRunner::Prepare(const FailoverPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  for (const HostClient& host : clients_) {
    RR_ASSIGN_OR_RETURN(const AgentVersion version, host.agent->GetVersion());
    instances_.push_back(version.instance_id);
  }
  RR_ASSIGN_OR_RETURN(ChosenPaths chosen, ChoosePaths(hosts_.Hosts(), profile_, plan.how.connection));
  known_ = {.run_id = hosts_.run_id(),
            .from = hosts_.name(0),
            .to = hosts_.name(1),
            .case_name = plan.case_name,
            .duration_ms = plan.how.duration.count(),
            .without = std::move(chosen.without)};
  pairs_ = std::move(chosen.pairs);
  for (const StressPair& pair : pairs_) known_.paths.push_back({.subject = pair.job.place.subject});
  if (plan.cut && pairs_.size() == kMaxParallel) {  // the program takes a thread, too
    known_.without.push_back(
        {.host = known_.from, .port = pairs_.back().job.place.subject, .why = "too many paths"});
    known_.paths.pop_back();
    pairs_.pop_back();
  }
  if (pairs_.size() > 1) return absl::OkStatus();
  std::string why = known_.from + " -> " + known_.to + ": the hosts have one path, so nothing can fail over";
  for (const PortWithoutPath& one : known_.without)
    why += fmt::format("; {} of {}: {}", one.port, one.host, one.why);
  return absl::FailedPreconditionError(why);
}

// Until the run is over: connects the path, writes on it until it is lost, and connects it again.
absl::Status FailoverRunner::Keep(const FailoverPlan& plan, const StressPair& pair, Shared& shared,
                                  FailoverPath& path) const {
  const When deadline = steady_clock::now() + kUntilPathsConnected;
  milliseconds pause = kShortestPause;
  for (bool first = true; first || !shared.over; first = false) {
    const milliseconds left =
        first ? milliseconds::zero()
              : TimeBetween(steady_clock::now(), shared.begun.load() + plan.how.duration + kUntilDrained);
    if (!first && left < kLeastAttempt) break;
    When began{};
    const auto at_start = [&] {
      if (first && !shared.barrier.Arrive(deadline)) return false;
      began = steady_clock::now();
      if (When none{}; first) shared.begun.compare_exchange_strong(none, began);
      return true;
    };
    absl::StatusOr<StressFlow> flow = hosts_.Beside({&pair, plan.case_name, plan.how}, at_start, left);
    if (began == When{}) {
      const std::string why = flow.ok() ? flow->result.failure.detail : Message(flow.status());
      if (first) {
        shared.barrier.Break();
        return flow.ok() ? absl::UnavailableError(pair.job.place.subject + ": " + why) : flow.status();
      }
      ++path.attempts;
      path.last_failure = why;
      path.refused = flow.ok() ? std::string() : why;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongestPause);
      continue;
    }
    TransferResult result = flow.ok()
                                ? std::move(flow->result)
                                : TransferResult{.failure = {FailureKind::kPeerGone, Message(flow.status())}};
    if (result.failure.kind == FailureKind::kNone) shared.over = true;
    pause = kShortestPause;
    path.refused.clear();
    if (path.uses.size() == kMostPathUses) path.uses.pop_back();
    path.uses.push_back({.begin_ms = MsBetween(shared.begun, began),
                         .end_ms = MsBetween(shared.begun, steady_clock::now()),
                         .result = std::move(result)});
  }
  return absl::OkStatus();
}

void FailoverRunner::Cut(const FailoverPlan& plan, Shared& shared, CutProgram& cut) const {
  if (!shared.barrier.Arrive(steady_clock::now() + kUntilPathsConnected + std::chrono::seconds(1))) return;
  const When all_began = steady_clock::now();
  std::this_thread::sleep_until(all_began + kBeforeCut);
  hosts_.Say("running " + plan.command.front());
  cut.begin_ms = MsBetween(all_began, steady_clock::now());
  const absl::Status ended = plan.cut();
  cut.end_ms = MsBetween(all_began, steady_clock::now());
  cut.failure = ended.ok() ? std::string() : Message(ended);
  hosts_.Say(fmt::format("writing over {}", CountText(pairs_.size(), "path")));
}

std::string FailoverRunner::AgentGone() const {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const absl::StatusOr<AgentVersion> version = clients_[i].agent->GetVersion();
    if (!version.ok()) return "the agent of " + clients_[i].name + " went away: " + Message(version.status());
    if (version->instance_id != instances_[i])
      return "the agent of " + clients_[i].name + " began anew while the test ran";
  }
  return {};
}

absl::StatusOr<FailoverRun> FailoverRunner::Run(const FailoverPlan& plan) const {
  FailoverRun run = known_;
  if (plan.cut) run.cut = CutProgram{.command = plan.command};
  const std::size_t parties = pairs_.size() + (plan.cut ? 1 : 0);
  Shared shared(parties);
  std::vector<absl::Status> failed(pairs_.size());
  hosts_.Say(fmt::format("writing over {}{}", CountText(pairs_.size(), "path"),
                         plan.cut
                             ? ""
                             : fmt::format(" for {}: cut one now",
                                           DurationText(std::chrono::nanoseconds(plan.how.duration).count()))));
  FanOut(
      parties,
      [&](std::size_t i) {
        if (i == pairs_.size())
          Cut(plan, shared, *run.cut);
        else
          failed[i] = Keep(plan, pairs_[i], shared, run.paths[i]);
      },
      parties);
  if (shared.barrier.begun()) {
    run.agent_gone = AgentGone();
    return run;
  }
  // A path that was given up since another one failed says nothing.
  for (const absl::Status& status : failed)
    if (!absl::IsCancelled(status)) RR_RETURN_IF_ERROR(status);
  return absl::DeadlineExceededError(
      fmt::format("not all {} paths were connected within {} s", pairs_.size(), kUntilPathsConnected.count()));
}

}  // namespace rdmaready
