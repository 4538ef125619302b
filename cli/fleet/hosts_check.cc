// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/hosts_check.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/model/cases.h"
#include "checks/fleet/agreement.h"
#include "checks/live/effective_class.h"
#include "checks/live/transfer.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "cli/fleet/fan_out.h"

namespace rdmaready {
namespace {

// The cases between two hosts, in the order in which they are made.
std::vector<TransferCase> PairCases(Rung level) {
  std::vector<TransferCase> cases = CheckedCasesOn(Rung::kPeer);
  if (level >= Rung::kSmbDirect) std::ranges::copy(CheckedCasesOn(Rung::kSmbDirect), std::back_inserter(cases));
  return cases;
}

// Writes and reads go the two ways: what one of them shows to be wrong is.
bool IsWorse(const Finding& finding, const Finding& other) {
  const auto bad = [](const Finding& one) {
    return one.outcome == Outcome::kFail || one.outcome == Outcome::kWarn;
  };
  return bad(finding) && !bad(other);
}

// A case as it stands until it was run.
Finding NotYet(const TransferCase& test, TransferPlace place) {
  if (place.rung != Rung::kLoopback) place.rung = PairRungOf(test.name);
  return NotTested(test.name, place, "interrupted");
}

// The loopback tests that the host's check did not come to. Its settings are judged before: they name
// the ports.
void AddMissingLoopbacks(std::vector<Finding>& findings) {
  std::set<std::string> subjects;
  for (const Finding& finding : findings) {
    if (finding.scope == Scope::kPort) subjects.insert(finding.subject);
  }
  if (subjects.empty()) subjects.insert("");
  for (const std::string& subject : subjects) {
    for (const TransferCase& test : CheckedCasesOn(Rung::kLoopback)) {
      Finding missing = NotYet(test, {.rung = Rung::kLoopback, .subject = subject});
      const bool made = std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.id == missing.id && finding.subject == missing.subject;
      });
      if (!made) findings.push_back(std::move(missing));
    }
  }
}

// Of a host whose check did not end, what passed so far is not all: no rung is proven.
void LeaveOpen(HostReport& host) {
  for (RungResult& rung : host.ladder) {
    if (rung.outcome == RungOutcome::kPass) rung.outcome = RungOutcome::kUnknown;
  }
}

}  // namespace

HostsCheck::HostsCheck(std::vector<HostClient>& hosts, Rung level, std::optional<Profile> profile,
                       AgentClient::Progress progress, ProbeOptions server, std::chrono::seconds watch)
    : hosts_(hosts),
      level_(level),
      profile_(std::move(profile)),
      server_(std::move(server)),
      watch_(watch),
      progress_(std::move(progress)),
      caller_(CallerName()),
      facts_(hosts.size()),
      used_(hosts.size()) {
  server_.caller = caller_;
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
    // What the caller gave stays: an older agent gives back only what it knows of it.
    if (!profile_) profile_ = **used;
  }
  if (CheckNoTwins(hosts_).ok()) {
    if (hosts_.size() > 1 && profile_) CompareHosts();
    if (level_ >= Rung::kPeer && hosts_.size() > 1 && profile_) TestPairs();
    if (level_ >= Rung::kServer) FanOut(hosts_.size(), [this](std::size_t i) { ProbeFrom(i); });
  }
  const std::lock_guard lock(mutex_);
  run_.report.duration_ns = UnixNowNs() - run_.report.started_unix_ns;
  ConcludeLocked(run_.report);
  return run_;
}

CheckSummary HostsCheck::Snapshot() {
  const std::lock_guard lock(mutex_);
  CheckSummary run = run_;
  run.report.duration_ns = UnixNowNs() - run.report.started_unix_ns;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i) {
    HostReport& host = run.report.hosts[i];
    const auto of_server = [](const Finding& finding) { return finding.rung == Rung::kServer; };
    if (level_ >= Rung::kServer && std::ranges::none_of(host.findings, of_server)) {
      host.findings.push_back(NotProbed(Protocol::kSmb, server_.target, "interrupted"));
    }
    if (used_[i] || !host.error.empty()) continue;
    host.error = "host " + host.host + ": interrupted before its check was done";
    run.notes[i].failure = ExitStatus::kOwnFailure;
    if (level_ >= Rung::kLoopback) AddMissingLoopbacks(host.findings);
  }
  ConcludeLocked(run.report);
  return run;
}

void HostsCheck::ConcludeLocked(Report& report) const {
  Conclude(report);
  for (std::size_t i = 0; i < report.hosts.size(); ++i) {
    if (!used_[i]) LeaveOpen(report.hosts[i]);
  }
}

bool HostsCheck::Connect(std::size_t index) {
  HostClient& host = hosts_[index];
  host.Open();
  const std::lock_guard lock(mutex_);
  run_.report.hosts[index].host = host.name;
  run_.report.hosts[index].error = host.error;
  run_.notes[index].failure = host.failure;
  return host.agent != nullptr;
}

void HostsCheck::AskHost(std::size_t index) {
  if (!Connect(index)) return;
  const HostClient& host = hosts_[index];
  CheckOptions options;
  options.profile = profile_;
  options.level = std::min(level_, Rung::kLoopback);
  options.caller = caller_;
  options.run_id = run_.report.run_id;
  options.watch = watch_;
  options.with_facts = hosts_.size() > 1;
  absl::StatusOr<CheckAnswer> answer = host.agent->Check(
      options, [&](const std::string& what) { Progress(host.name + ": " + what); },
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
  notes.software = answer->software_devices_only;
  notes.profile_name = answer->profile.name;
  notes.profile_digest = answer->profile.digest;
  notes.store_error = answer->store_error;
  notes.store_notice = answer->store_notice;
  facts_[index] = std::move(answer->facts);
  used_[index] = std::move(answer->profile);
}

// Side by side, before any traffic.
void HostsCheck::CompareHosts() {
  const std::lock_guard lock(mutex_);
  std::vector<FleetHost> fleet;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    fleet.push_back({hosts_[i].name, facts_[i] ? &*facts_[i] : nullptr, run_.report.hosts[i].findings});
  }
  AppendAgreement(JudgeAgreement(fleet, *profile_), run_.report);
}

void HostsCheck::TestPairs() {
  std::vector<PlanHost> hosts;
  std::vector<std::vector<Finding>> findings;  // the pairs' own copy: the report may be read meanwhile
  for (const HostReport& host : run_.report.hosts) findings.push_back(host.findings);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    hosts.push_back({hosts_[i].name, facts_[i] ? &*facts_[i] : nullptr, findings[i]});
  }
  PairPlan plan = PlanPairs(hosts, Ring(hosts.size()), *profile_);
  std::vector<std::size_t> slots;
  for (const PairJob& job : plan.jobs) {
    std::vector<Finding>& of_pair = plan.pairs[job.pair].findings;
    slots.push_back(of_pair.size());
    for (const TransferCase& test : PairCases(level_)) of_pair.push_back(NotYet(test, job.place));
    of_pair.push_back(ClassNotJudged(job.place, "interrupted"));
  }
  {
    const std::lock_guard lock(mutex_);
    run_.report.pairs = std::move(plan.pairs);
  }
  PairEngine engine(hosts_, run_.report.run_id, progress_);
  for (const std::vector<std::size_t>& round : Rounds(plan.jobs)) {
    FanOut(round.size(), [&](std::size_t i) { RunJob(engine, plan.jobs[round[i]], slots[round[i]]); });
  }
}

// From each host by itself: what one reaches says nothing about another.
void HostsCheck::ProbeFrom(std::size_t index) {
  if (hosts_[index].agent == nullptr || !used_[index]) return;
  const absl::StatusOr<ProbeAnswer> answer = hosts_[index].agent->Probe(
      server_, [&](const std::string& step) { Progress(hosts_[index].name + ": probe, " + step); });
  const std::lock_guard lock(mutex_);
  std::vector<Finding>& findings = run_.report.hosts[index].findings;
  if (!answer.ok()) {
    findings.push_back(NotProbed(Protocol::kSmb, server_.target, Message(answer.status())));
    if (CallFailure(answer.status()) == ExitStatus::kUnreachable) {
      NoteEnd(index, {.gone = Message(answer.status())});
    }
    return;
  }
  findings.insert(findings.end(), answer->findings.begin(), answer->findings.end());
  HostNotes& notes = run_.notes[index];
  if (!answer->store_error.empty()) notes.store_error = answer->store_error;
  if (!answer->store_notice.empty()) notes.store_notice = answer->store_notice;
}

void HostsCheck::RunJob(PairEngine& engine, const PairJob& job, std::size_t slot) {
  const TransferOptions marked{.tos = profile_->tos, .system_tos = !profile_->tos.has_value()};
  Finding of_class = ClassNotJudged(job.place, "no RDMA write went through");
  std::uint64_t most_bytes = 0;  // of the transfers that show the class, of those that show the same of it
  for (const TransferCase& test : PairCases(level_)) {
    CaseOutcome outcome = engine.Run(job, test.name, marked);
    const bool plain = test.wrapping == Wrapping::kNone;
    if (plain && ShowsClass(outcome.result)) {
      Finding judged = JudgeEffectiveClass(outcome.result, job.place, outcome.counters, *profile_);
      if (most_bytes == 0 || IsWorse(judged, of_class) ||
          (!IsWorse(of_class, judged) && outcome.result.bytes > most_bytes)) {
        most_bytes = outcome.result.bytes;
        of_class = std::move(judged);
      }
    }
    const std::lock_guard lock(mutex_);
    NoteEnd(job.from, outcome.from);
    NoteEnd(job.to, outcome.to);
    run_.report.pairs[job.pair].findings[slot++] = std::move(outcome.finding);
  }
  if (const std::optional<Finding> cause = engine.LossOf(job); cause && most_bytes == 0) {
    of_class = Explained(of_class, *cause);
  }
  const std::lock_guard lock(mutex_);
  run_.report.pairs[job.pair].findings[slot] = std::move(of_class);
}

void HostsCheck::NoteEnd(std::size_t host, const EndOutcome& end) {
  HostNotes& notes = run_.notes[host];
  if (!end.store_error.empty()) notes.store_error = end.store_error;
  if (end.gone.empty() || notes.failure == ExitStatus::kUnreachable) return;
  run_.report.hosts[host].error = end.gone;
  notes.failure = ExitStatus::kUnreachable;
}

}  // namespace rdmaready
