// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_hosts.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "api/base/status.h"
#include "api/client/peer_test.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/start_barrier.h"
#include "cli/fleet/stress_start.h"

namespace rdmaready {
namespace {

// From the first call until all are connected. Each agent waits for longer (kStressSetUp of agent/transfer).
constexpr std::chrono::seconds kUntilAllConnected{20};
// The same of plain tests, whose whole set-up has the 10 s of the case (TransferCase::deadline).
constexpr std::chrono::seconds kUntilTestsConnected{8};
// From the first attempt to the begin of the last one, while ports are busy.
constexpr std::chrono::seconds kUntilPortsAreFree{40};

}  // namespace

std::uint32_t StressDepthOf(const TransferCase& test) {
  constexpr std::uint64_t kMostPostedBytes = 2 << 20;
  constexpr std::uint64_t kLeast = 2;
  const std::uint64_t fit = std::max(kMostPostedBytes / std::max(test.message_bytes, 1U), kLeast);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit, test.depth));
}

StressHosts::StressHosts(const std::vector<HostClient>& hosts, std::string run_id,
                         AgentClient::Progress progress, Part part)
    : hosts_(hosts),
      run_id_(std::move(run_id)),
      caller_(CallerName()),
      progress_(std::move(progress)),
      part_(part) {}

absl::Status StressHosts::Read(const AskFacts& ask) {
  facts_.resize(hosts_.size());
  std::mutex mutex;
  absl::Status failed = absl::OkStatus();
  FanOut(hosts_.size(), [&](std::size_t i) {
    const HostClient& host = hosts_[i];
    const auto read = [&]() -> absl::Status {
      RR_ASSIGN_OR_RETURN(const AgentVersion version, host.agent->GetVersion());
      if (part_ == Part::kTcpTest && !version.tcp_tests)
        return absl::FailedPreconditionError("host " + host.name + ": its agent (" + version.version +
                                             ") has no tests over TCP: update it. Nothing was sent");
      if (part_ == Part::kStress && !version.stress) return absl::PermissionDeniedError(NoStress(host.name));
      RR_ASSIGN_OR_RETURN(facts_[i], ask ? ask(host) : host.agent->GetFacts());
      return absl::OkStatus();
    }();
    const std::lock_guard lock(mutex);
    failed.Update(read);
  });
  return failed;
}

std::vector<PlanHost> StressHosts::Hosts() const {
  std::vector<PlanHost> hosts;
  for (std::size_t i = 0; i < hosts_.size(); ++i)
    hosts.push_back({.name = hosts_[i].name, .facts = &facts_[i]});
  return hosts;
}

StressHosts::Made StressHosts::Transfer(const StressTransfer& part, const std::function<bool()>& at_start,
                                        std::chrono::milliseconds patience) const {
  const PairJob& job = part.pair->job;
  PeerTest test{part.case_name, job.from_port, job.to_port, caller_, run_id_, part.how};
  test.at_start = at_start;
  test.patience = patience;
  PeerAnswer answer = RunPeerTest(*hosts_[job.from].agent, *hosts_[job.to].agent, test);
  Made made{.flow = part.pair->flow, .status = answer.from_status.ok() ? answer.to_status : answer.from_status};
  made.flow.result = std::move(answer.result);
  made.flow.result.case_name = part.case_name;
  made.flow.counters = std::move(answer.counters);
  return made;
}

absl::StatusOr<StressFlow> StressHosts::Alone(const StressTransfer& part) const { return Beside(part, {}, {}); }

absl::StatusOr<StressFlow> StressHosts::Beside(const StressTransfer& part,
                                               const std::function<bool()>& at_start,
                                               std::chrono::milliseconds patience) const {
  Made made = Transfer(part, at_start, patience);
  RR_RETURN_IF_ERROR(made.status);
  return std::move(made.flow);
}

std::vector<absl::StatusOr<StressFlow>> StressHosts::Begin(const std::vector<StressTransfer>& parts,
                                                           const Besides& beside, absl::Status& why) const {
  const std::size_t parties = parts.size() + (beside ? 1 : 0);
  StartBarrier barrier(parties);
  const std::chrono::seconds longest = part_ == Part::kStress ? kUntilAllConnected : kUntilTestsConnected;
  const auto deadline = std::chrono::steady_clock::now() + longest;
  std::vector<Made> made(parts.size());
  std::atomic<bool> is_over = false;
  FanOut(
      parties,
      [&](std::size_t i) {
        if (i == parts.size()) {
          if (barrier.Arrive(deadline)) beside(is_over);
          return;
        }
        made[i] = Transfer(parts[i], [&] { return barrier.Arrive(deadline); });
        is_over = true;
        barrier.Break();  // it ended before it arrived
      },
      parties);
  std::vector<absl::StatusOr<StressFlow>> begun;
  for (Made& one : made) {
    if (barrier.begun() || one.status.ok())
      begun.emplace_back(AfterTheStart(std::move(one.flow), one.status));
    else
      begun.emplace_back(one.status);
  }
  why = barrier.begun() ? absl::OkStatus() : WhyNotBegun(begun, barrier.late(), longest);
  return begun;
}

absl::StatusOr<std::vector<StressFlow>> StressHosts::Together(const std::vector<StressTransfer>& parts,
                                                              const Besides& beside) const {
  const auto last_attempt = std::chrono::steady_clock::now() + kUntilPortsAreFree;
  std::random_device random;
  std::vector<absl::StatusOr<StressFlow>> begun;
  for (std::uint32_t attempt = 1;; ++attempt) {
    absl::Status why;
    begun = Begin(parts, beside, why);
    if (why.ok()) break;
    const std::chrono::milliseconds wait =
        WaitAfterAttempt(attempt, std::uniform_real_distribution<double>()(random));
    if (!MayBeginAgain(begun) || std::chrono::steady_clock::now() + wait > last_attempt) return why;
    Say("to be tried again: " + Message(why));
    std::this_thread::sleep_for(wait);
  }
  std::vector<StressFlow> flows;
  for (absl::StatusOr<StressFlow>& flow : begun) flows.push_back(*std::move(flow));
  return flows;
}

}  // namespace rdmaready
