// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_engine.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "api/base/status.h"
#include "api/model/cases.h"

namespace rdmaready {
namespace {

bool IsGone(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsUnimplemented(status) || absl::IsDeadlineExceeded(status);
}

// One direction of one pair of ports, for one kind of connection.
std::string Way(std::size_t from, std::size_t to, const std::string& subject, ConnectionKind connection) {
  const bool plain = connection == ConnectionKind::kVerbs;
  return fmt::format("{} {} {}{}", from, to, subject, plain ? " verbs" : "");
}
std::string WayOf(const PairJob& job, ConnectionKind connection) {
  return Way(job.from, job.to, job.place.subject, connection);
}
std::string WayBack(const PairJob& job, ConnectionKind connection) {
  return Way(job.to, job.from, job.back.subject, connection);
}

bool BothAnswered(const CaseOutcome& outcome) { return outcome.from.status.ok() && outcome.to.status.ok(); }

// A kernel says at once that it has no route or no device.
constexpr std::chrono::milliseconds kShortPatience{2'500};
// An agent notices within 100 ms that nobody waits for its test, and then gives the port back.
constexpr std::chrono::milliseconds kUntilPortIsFree{300};

CaseOutcome NotMade(const std::string& case_name, Finding finding) {
  return {.finding = std::move(finding), .result = {.case_name = case_name}};
}

EndOutcome EndOf(const absl::Status& status, std::string store_error) {
  return {.status = status,
          .gone = IsGone(status) ? std::string(Message(status)) : std::string(),
          .store_error = std::move(store_error)};
}

}  // namespace

CaseOutcome JudgePeer(PeerAnswer answer, std::string_view case_name, const TransferPlace& place,
                      const std::string& from_host) {
  CaseOutcome outcome{.result = std::move(answer.result),
                      .reverse = std::move(answer.reverse),
                      .counters = std::move(answer.counters),
                      .from = EndOf(answer.from_status, std::move(answer.from_store_error)),
                      .to = EndOf(answer.to_status, std::move(answer.to_store_error))};
  outcome.result.case_name = case_name;
  const std::string gone = !outcome.from.gone.empty() ? outcome.from.gone : outcome.to.gone;
  const absl::Status& refusal = answer.from_status.ok() ? answer.to_status : answer.from_status;
  // Bytes that arrived wrong are proven, whatever became of the agents afterwards; bytes that did not arrive,
  // unless an agent went away with them.
  const FailureKind seen = outcome.result.failure.kind;
  const bool proven = seen == FailureKind::kCorrupt || (seen == FailureKind::kLost && gone.empty());
  TransferPlace judged = place;
  if (!gone.empty() && !proven) {
    // Whatever the other end saw (a stall, a broken connection) follows from that.
    outcome.result.failure = {FailureKind::kPeerGone, gone};
    if (!outcome.from.gone.empty()) {
      judged.host = place.peer_host;
      judged.peer_host = from_host;
    }
  } else if (!refusal.ok() && !proven) {
    outcome.finding = NotTested(case_name, place, Message(refusal));
    return outcome;
  }
  outcome.finding = JudgeTransfer(outcome.result, judged, outcome.counters);
  return outcome;
}

PairEngine::PairEngine(const std::vector<HostClient>& hosts, std::string run_id, AgentClient::Progress progress)
    : hosts_(hosts),
      run_id_(std::move(run_id)),
      caller_(CallerName()),
      progress_(std::move(progress)),
      lost_(hosts.size()) {}

CaseOutcome PairEngine::Run(const PairJob& job, std::string_view case_name, const TransferOptions& options) {
  TransferPlace place = job.place;
  place.rung = PairRungOf(case_name);
  const std::string name(case_name);
  if (const std::optional<Finding> cause = LossOf(job)) {
    return NotMade(name, Explained(NotTested(case_name, place, cause->observed), *cause));
  }
  if (const auto lack = job.impossible.find(name); lack != job.impossible.end()) {
    return NotMade(name, NotPossible(name, place, lack->second));
  }
  const bool plain = options.connection == ConnectionKind::kVerbs;
  if (plain && !job.no_verbs.empty()) return NotMade(name, NotPossible(name, place, job.no_verbs));
  if (const std::optional<Unreached> cause = UnreachedBy(WayOf(job, options.connection))) {
    return NotMade(name, Explained(NotTested(case_name, place, cause->finding.observed), cause->finding));
  }
  const HostClient& from = hosts_[job.from];
  const HostClient& to = hosts_[job.to];
  if (progress_) progress_(fmt::format("{} -> {} {}: {}", from.name, to.name, place.subject, name));
  const std::optional<Unreached> back = UnreachedBy(WayBack(job, options.connection));
  PeerTest test{name, job.from_port, job.to_port, caller_, run_id_, options};
  if (back && back->kind == FailureKind::kUnreachable && !Reached(WayOf(job, options.connection)))
    test.patience = kShortPatience;
  CaseOutcome outcome = JudgePeer(RunPeerTest(*from.agent, *to.agent, test), name, place, from.name);
  outcome.made = true;
  if (plain && BothAnswered(outcome) && outcome.result.connection != ConnectionKind::kVerbs) {
    outcome.finding = NotTested(name, place, "an agent is older and has no plain verbs connection");
    outcome.result = {.case_name = name};
    return outcome;
  }
  Note(job, options.connection, back, outcome);
  return outcome;
}

void PairEngine::Note(const PairJob& job, ConnectionKind connection, const std::optional<Unreached>& back,
                      CaseOutcome& outcome) {
  const FailureKind kind = outcome.result.failure.kind;
  const bool failed = outcome.finding.outcome == Outcome::kFail;
  const bool unreached = failed && CannotConnect(outcome.result.failure, outcome.result.case_name);
  Unreached cause{outcome.finding, kind};
  if (unreached && back && (back->kind == kind || back->kind == FailureKind::kUnreachable)) {
    if (back->kind == FailureKind::kUnreachable) std::this_thread::sleep_for(kUntilPortIsFree);
    outcome.finding = Explained(std::move(outcome.finding), back->finding);
    cause.finding = back->finding;
  }
  const std::lock_guard lock(mutex_);
  if (!outcome.from.gone.empty() && !lost_[job.from]) lost_[job.from] = outcome.finding;
  if (!outcome.to.gone.empty() && !lost_[job.to]) lost_[job.to] = outcome.finding;
  const bool both_ways = unreached && job.is_explained && job.is_explained(outcome.result.failure);
  if (both_ways) unreached_.try_emplace(WayBack(job, connection), cause);
  if (unreached) unreached_.try_emplace(WayOf(job, connection), std::move(cause));
  if (!failed) reached_.insert(WayOf(job, connection));
}

bool PairEngine::Reached(const std::string& way) const {
  const std::lock_guard lock(mutex_);
  return reached_.contains(way);
}

std::optional<PairEngine::Unreached> PairEngine::UnreachedBy(const std::string& way) const {
  const std::lock_guard lock(mutex_);
  const auto found = unreached_.find(way);
  return found == unreached_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Finding> PairEngine::ObstacleOf(const PairJob& job) const {
  if (const std::optional<Finding> loss = LossOf(job)) return loss;
  const std::optional<Unreached> unreached = UnreachedBy(WayOf(job, ConnectionKind::kRdmaCm));
  return unreached ? std::optional(unreached->finding) : std::nullopt;
}

std::optional<Finding> PairEngine::LossOf(const PairJob& job) const {
  const std::lock_guard lock(mutex_);
  return lost_[job.from] ? lost_[job.from] : lost_[job.to];
}

}  // namespace rdmaready
