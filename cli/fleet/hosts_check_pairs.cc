// SPDX-License-Identifier: Apache-2.0
// The part of a check that compares hosts, and tests them with each other.
#include <algorithm>
#include <iterator>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/model/cases.h"
#include "checks/fleet/agreement.h"
#include "checks/fleet/outlier_ports.h"
#include "checks/live/effective_class.h"
#include "checks/live/transfer.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/hosts_check.h"
#include "cli/fleet/pair_class.h"
#include "cli/fleet/tested_pairs.h"

namespace rdmaready {
namespace {

// The cases between two hosts, in the order in which they are made.
std::vector<TransferCase> PairCases(Rung level) {
  std::vector<TransferCase> cases = CheckedCasesOn(Rung::kPeer);
  if (level >= Rung::kSmbDirect) std::ranges::copy(CheckedCasesOn(Rung::kSmbDirect), std::back_inserter(cases));
  return cases;
}

std::vector<std::vector<Finding>> FindingsOf(const Report& report) {
  std::vector<std::vector<Finding>> findings;
  for (const HostReport& host : report.hosts) findings.push_back(host.findings);
  return findings;
}

}  // namespace

// Side by side, before any traffic.
void HostsCheck::CompareHosts() {
  const std::lock_guard lock(mutex_);
  const std::vector<std::vector<Finding>> findings = FindingsOf(run_.report);
  AppendAgreement(CompareFleets(Following(findings)), run_.report);
}

void HostsCheck::TestPairs() {
  // The pairs have their own copy: the report may be read at the same time.
  const std::vector<std::vector<Finding>> findings = FindingsOf(run_.report);
  FleetPlan fleets = PlanFleets(Following(findings), options_.shape);
  PairPlan& plan = fleets.pairs;
  std::vector<std::size_t> slots;
  for (const PairJob& job : plan.jobs) {
    std::vector<Finding>& of_pair = plan.pairs[job.pair].findings;
    slots.push_back(of_pair.size());
    for (const TransferCase& test : PairCases(options_.level)) of_pair.push_back(NotYet(test, job.place));
    of_pair.push_back(ClassNotJudged(job.place, std::string(kInterrupted)));
  }
  std::vector<TestedWay> ways;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<JoinedPair> places = JoinPairs(std::move(plan.pairs), run_.report);
    FoldPairs(run_.report);
    AppendAgreement({.of_hosts = std::move(fleets.alone)}, run_.report);
    const PairIndex index(run_.report.pairs);
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      PairJob& job = plan.jobs[i];
      slots[i] += places[job.pair].before;
      job.pair = places[job.pair].pair;
      ways.push_back(WayOf(job, slots[i], PairCases(options_.level).size(),
                           EndOf(job.from, job.from_port, findings[job.from]),
                           EndOf(job.to, job.to_port, findings[job.to]), index));
    }
  }
  // A route is known by the test alone: the other direction may say more of it.
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    plan.jobs[i].is_explained = [&way = ways[i]](const Failure& failure) {
      return std::ranges::any_of(way.causes,
                                 [&](const KnownCause& cause) { return Explains(cause.kind, failure); });
    };
  }
  PairEngine engine(hosts_, run_.report.run_id, progress_);
  for (const std::vector<std::size_t>& round : Rounds(plan.jobs)) {
    FanOut(round.size(),
           [&](std::size_t i) { RunJob(engine, plan.jobs[round[i]], slots[round[i]], ways[round[i]]); });
  }
  const std::lock_guard lock(mutex_);
  ExplainPairs(ways, run_.report);
  if (options_.shape == PairShape::kMesh) NameOutliers(ways, run_.report);
}

MeshWay HostsCheck::RecordedWay(const PairJob& job) const {
  std::string connect;
  for (const ConnectionKind kind : options_.connections)
    connect += Cat(connect.empty() ? "" : "+", kind == ConnectionKind::kVerbs ? "verbs" : "cm");
  return {.from = hosts_[job.from].name,
          .to = hosts_[job.to].name,
          .subject = job.place.subject,
          .level = std::string(Name(options_.level)),
          .connect = connect,
          .profile = job.profile->digest,
          .in_production = options_.in_production};
}

bool HostsCheck::TakeRecorded(const PairJob& job, std::size_t slot, TestedWay& way) {
  if (options_.record == nullptr) return false;
  const std::int64_t now = UnixNowNs();
  const DoneWay* const done = options_.record->Find(RecordedWay(job), now);
  const std::size_t cases = PairCases(options_.level).size();
  if (done == nullptr || done->findings.size() != cases + 1 || done->failures.size() != cases) return false;
  for (std::size_t i = 0; i < cases; ++i) {
    NoteFailure(done->failures[i], i, EndOf(job.from, job.from_port, {}), EndOf(job.to, job.to_port, {}),
                *job.profile, way);
  }
  const std::lock_guard lock(mutex_);
  const std::span<Finding> findings = std::span(run_.report.pairs[job.pair].findings).subspan(slot, cases + 1);
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (findings[i].id != done->findings[i].id) return false;  // another version has other cases
  for (std::size_t i = 0; i < findings.size(); ++i)
    Restore(done->findings[i], std::chrono::nanoseconds(now - done->ended_unix_ns), findings[i]);
  return true;
}

void HostsCheck::Record(const PairJob& job, std::size_t slot, const TestedWay& way) {
  if (options_.record == nullptr) return;
  DoneWay done{.way = RecordedWay(job), .ended_unix_ns = UnixNowNs(), .failures = way.failures};
  {
    const std::lock_guard lock(mutex_);
    const std::span<const Finding> findings =
        std::span(run_.report.pairs[job.pair].findings).subspan(slot, way.failures.size() + 1);
    if (!HasResult(findings, way.failures)) return;
    for (const Finding& finding : findings) done.findings.push_back(Kept(finding));
  }
  const absl::Status kept = options_.record->Add(done);
  const std::lock_guard lock(mutex_);
  if (!kept.ok()) run_.record_error = Message(kept);
}

std::optional<CauseEnd> HostsCheck::EndOf(std::size_t host, const PortSelection& port,
                                          std::span<const Finding> findings) const {
  return CauseEndOf(hosts_[host].name, facts_[host] ? &*facts_[host] : nullptr, port, findings);
}

std::vector<ConnectionKind> HostsCheck::KindsFor(const TransferCase& test, const PairJob& job) const {
  std::vector<ConnectionKind> kinds = options_.connections;
  if (test.wrapping != Wrapping::kNone) return {ConnectionKind::kRdmaCm};
  // Over one kind alone, the case itself says that it does not apply.
  if (!job.no_verbs.empty() && kinds.size() > 1) std::erase(kinds, ConnectionKind::kVerbs);
  return kinds;
}

void HostsCheck::RunJob(PairEngine& engine, const PairJob& job, std::size_t slot, TestedWay& way) {
  const std::size_t first = slot;
  if (TakeRecorded(job, slot, way)) return;
  const Profile& profile = *job.profile;
  const std::vector<TransferCase> cases = PairCases(options_.level);
  PairClass of_class(job.place, profile, KindsFor(cases.front(), job));
  std::size_t number = 0;
  for (const TransferCase& test : cases) {
    std::vector<KindFinding> findings;
    const std::vector<ConnectionKind> kinds = KindsFor(test, job);
    for (const ConnectionKind connection : kinds) {
      const TransferOptions how{.tos = profile.tos,
                                .system_tos = !profile.tos.has_value(),
                                .connection = connection,
                                .in_production = options_.in_production};
      CaseOutcome outcome = engine.Run(job, test.name, how);
      if (outcome.made && connection == kinds.front()) {
        NoteFailure(outcome.result.failure, number, EndOf(job.from, job.from_port, {}),
                    EndOf(job.to, job.to_port, {}), *job.profile, way);
      }
      of_class.Add(test, connection, outcome);
      const std::lock_guard lock(mutex_);
      NoteEnd(job.from, outcome.from);
      NoteEnd(job.to, outcome.to);
      findings.push_back({connection, std::move(outcome.finding), GidsOf(outcome.result)});
    }
    ++number;
    const std::lock_guard lock(mutex_);
    run_.report.pairs[job.pair].findings[slot++] = OfAllKinds(findings);
  }
  Finding finding = of_class.Finish(engine.ObstacleOf(job));
  {
    const std::lock_guard lock(mutex_);
    run_.report.pairs[job.pair].findings[slot] = std::move(finding);
  }
  Record(job, first, way);
}

void HostsCheck::NoteEnd(std::size_t host, const EndOutcome& end) {
  HostNotes& notes = run_.notes[host];
  if (!end.store_error.empty()) notes.store_error = end.store_error;
  if (end.gone.empty() || notes.failure == ExitStatus::kUnreachable) return;
  run_.report.hosts[host].error = end.gone;
  notes.failure = ExitStatus::kUnreachable;
}

}  // namespace rdmaready
