// SPDX-License-Identifier: Apache-2.0
#include "cli/hosts_check.h"

#include <algorithm>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "checks/readiness.h"
#include "checks/words.h"
#include "cli/explanation.h"
#include "cli/fan_out.h"

namespace rdmaready {
namespace {

bool AllSoftware(const Facts& facts) {
  return facts.ports && !facts.ports->empty() &&
         std::ranges::all_of(*facts.ports, [](const Port& port) { return port.software && *port.software; });
}

}  // namespace

HostsCheck::HostsCheck(std::vector<HostClient>& hosts, Rung level, std::optional<Profile> profile,
                       Console& console)
    : hosts_(hosts),
      level_(level),
      profile_(std::move(profile)),
      console_(console),
      caller_(CallerName()),
      facts_(hosts.size()),
      used_(hosts.size()),
      lost_(hosts.size()) {
  Report& report = run_.report;
  report.version = kVersion;
  report.run_id = MakeRunId();
  report.started_unix_ns = UnixNowNs();
  report.level = level;
  if (profile_) {
    report.profile_name = profile_->name;
    report.profile_digest = profile_->digest;
  }
  for (const HostClient& host : hosts) {
    report.hosts.push_back({.host = host.name, .error = host.error});
    run_.notes.push_back({.failure = host.failure});
  }
}

CheckSummary HostsCheck::Run() {
  FanOut(hosts_.size(), [this](std::size_t i) { AskHost(i); });
  const auto used =
      std::ranges::find_if(used_, [](const std::optional<Profile>& profile) { return profile.has_value(); });
  if (used != used_.end()) {
    const std::lock_guard lock(mutex_);
    run_.report.profile_name = (*used)->name;
    run_.report.profile_digest = (*used)->digest;
    profile_ = **used;
  }
  if (level_ == Rung::kPeer && profile_) TestPairs();
  const std::lock_guard lock(mutex_);
  run_.report.duration_ns = UnixNowNs() - run_.report.started_unix_ns;
  Conclude(run_.report);
  return run_;
}

CheckSummary HostsCheck::Snapshot() {
  const std::lock_guard lock(mutex_);
  CheckSummary run = run_;
  run.report.duration_ns = UnixNowNs() - run.report.started_unix_ns;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i) {
    if (facts_[i] || !run.report.hosts[i].error.empty()) continue;
    run.report.hosts[i].error = "host " + run.report.hosts[i].host + ": interrupted before its check was done";
    run.notes[i].failure = ExitStatus::kOwnFailure;
  }
  Conclude(run.report);
  return run;
}

void HostsCheck::AskHost(std::size_t index) {
  const HostClient& host = hosts_[index];
  if (host.agent == nullptr) return;
  CheckOptions options;
  options.profile = profile_;
  options.level = std::min(level_, Rung::kLoopback);
  options.caller = caller_;
  options.run_id = run_.report.run_id;
  absl::StatusOr<CheckAnswer> answer = host.agent->Check(
      options, [&](const std::string& what) { console_.Progress(Printable(host.name + ": " + what)); },
      [&](const Finding& finding) {
        const std::lock_guard lock(mutex_);
        run_.report.hosts[index].findings.push_back(finding);
      });
  const std::lock_guard lock(mutex_);
  HostReport& report = run_.report.hosts[index];
  HostNotes& notes = run_.notes[index];
  if (!answer.ok()) {
    report.error = Message(answer.status());
    notes.failure = CallFailure(answer.status());
    return;
  }
  report = std::move(answer->report);
  report.host = host.name;
  notes.software = AllSoftware(answer->facts);
  notes.profile_name = answer->profile.name;
  notes.profile_digest = answer->profile.digest;
  notes.store_error = answer->store_error;
  facts_[index] = std::move(answer->facts);
  used_[index] = std::move(answer->profile);
}

void HostsCheck::TestPairs() {
  std::vector<PlanHost> hosts;
  std::vector<std::vector<Finding>> findings;  // the pairs' own copy: the report may be read meanwhile
  for (const HostReport& host : run_.report.hosts) findings.push_back(host.findings);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    hosts.push_back({hosts_[i].name, facts_[i] ? &*facts_[i] : nullptr, findings[i]});
  }
  PairPlan plan = PlanPairs(hosts, Ring(hosts.size()), *profile_);
  {
    const std::lock_guard lock(mutex_);
    run_.report.pairs = std::move(plan.pairs);
  }
  for (const std::vector<std::size_t>& round : Rounds(plan.jobs)) {
    FanOut(round.size(), [&](std::size_t i) { RunJob(plan.jobs[round[i]]); });
  }
}

void HostsCheck::RunJob(const PairJob& job) {
  const HostClient& from = hosts_[job.from];
  const HostClient& to = hosts_[job.to];
  for (const std::string& name : CaseNames()) {
    Finding finding;
    if (const std::optional<Finding> cause = LossOf(job)) {
      finding = Explained(NotTested(name, job.place, cause->observed), *cause);
    } else {
      console_.Progress(Printable(from.name + " -> " + to.name + " " + job.place.subject + ": " + name));
      PeerAnswer answer =
          RunPeerTest(*from.agent, *to.agent, {name, job.from_port, job.to_port, caller_, run_.report.run_id});
      const std::string from_store_error = answer.from_store_error;
      const std::string to_store_error = answer.to_store_error;
      PeerVerdict verdict = JudgePeer(std::move(answer), name, job.place, from.name);
      finding = std::move(verdict.finding);
      const std::lock_guard lock(mutex_);
      HostLost(job.from, verdict.from_error, finding);
      HostLost(job.to, verdict.to_error, finding);
      if (!from_store_error.empty()) run_.notes[job.from].store_error = from_store_error;
      if (!to_store_error.empty()) run_.notes[job.to].store_error = to_store_error;
    }
    const std::lock_guard lock(mutex_);
    run_.report.pairs[job.pair].findings.push_back(std::move(finding));
  }
}

void HostsCheck::HostLost(std::size_t index, const std::string& error, const Finding& finding) {
  if (error.empty() || lost_[index]) return;
  lost_[index] = finding;
  run_.report.hosts[index].error = error;
  run_.notes[index].failure = ExitStatus::kUnreachable;
}

std::optional<Finding> HostsCheck::LossOf(const PairJob& job) {
  const std::lock_guard lock(mutex_);
  return lost_[job.from] ? lost_[job.from] : lost_[job.to];
}

}  // namespace rdmaready
