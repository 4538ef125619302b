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
#include "checks/live/transfer.h"
#include "checks/past_address.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "checks/remembered.h"
#include "checks/waiving.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/tested_pairs.h"

namespace rdmaready {
namespace {

// What is still as NotYet and its like made it was not done for that reason.
void SayWhy(std::string_view cut, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const std::size_t at = finding.outcome == Outcome::kUnknown
                               ? finding.observed.find(HostsCheck::kInterrupted)
                               : std::string::npos;
    if (at != std::string::npos) finding.observed.replace(at, HostsCheck::kInterrupted.size(), cut);
  }
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
      Finding missing = HostsCheck::NotYet(test, {.rung = Rung::kLoopback, .subject = subject});
      const bool made = std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.id == missing.id && finding.subject == missing.subject;
      });
      if (!made) findings.push_back(std::move(missing));
    }
  }
}

// An agent of an older version does not send it: then its last runs are read. Nothing where it cannot read
// them: the result says that the store is broken.
Remembered WhatItRemembers(AgentClient& agent, const CheckAnswer& now, std::int64_t began_unix_ns) {
  if (now.remembered) return *now.remembered;
  const absl::StatusOr<History> history = agent.ListHistory(
      {.kind = HistoryQuery::Kind::kRuns, .limit = kRunsRemembered, .before_unix_ns = began_unix_ns});
  if (!history.ok()) return {};
  return RememberedOf({.started_unix_ns = began_unix_ns, .report = now.report}, history->runs);
}

// A port that lost its address has it in the history of its agent.
void FillInWhatItHad(AgentClient& agent, std::int64_t began_unix_ns, std::vector<Finding>& findings) {
  constexpr int kRunsLookedAt = 100;
  if (!AskForAddress(findings)) return;
  const absl::StatusOr<History> history = agent.ListHistory(
      {.kind = HistoryQuery::Kind::kRuns, .limit = kRunsLookedAt, .before_unix_ns = began_unix_ns});
  if (history.ok()) FillInPastAddress(history->runs, findings);
}

// Of a host whose check did not end, what passed so far is not all: no rung is proven.
void LeaveOpen(HostReport& host) {
  for (RungResult& rung : host.ladder) {
    if (rung.outcome == RungOutcome::kPass) rung.outcome = RungOutcome::kUnknown;
  }
}

// Each once, in the order of the groups.
void AddProfilesOf(const Site& site, std::vector<ProfileRef>& refs) {
  for (const Site::Group& group : site.groups) {
    for (const Profile& profile : group.profiles) {
      const ProfileRef ref{profile.name, profile.digest};
      if (std::ranges::find(refs, ref) == refs.end()) refs.push_back(ref);
    }
  }
}

// What the hosts that answered were judged by; where none did, what was asked for stays.
void TakeProfiles(Report& report) {
  std::vector<ProfileRef> refs;
  for (const HostReport& host : report.hosts) {
    for (const ProfileRef& ref : host.profiles) {
      if (std::ranges::find(refs, ref) == refs.end()) refs.push_back(ref);
    }
  }
  if (!refs.empty()) report.profiles = std::move(refs);
}

}  // namespace

Finding HostsCheck::NotYet(const TransferCase& test, TransferPlace place) {
  if (place.rung != Rung::kLoopback) place.rung = PairRungOf(test.name);
  return NotTested(test.name, place, std::string(HostsCheck::kInterrupted));
}

HostsCheck::HostsCheck(std::vector<HostClient>& hosts, HostsCheckOptions options,
                       AgentClient::Progress progress)
    : hosts_(hosts),
      options_(std::move(options)),
      progress_(std::move(progress)),
      caller_(CallerName()),
      facts_(hosts.size()),
      profiles_(hosts.size()),
      checked_(hosts.size()),
      parts_(hosts.size()) {
  options_.server.caller = caller_;
  options_.origins.resize(hosts.size());
  Report& report = run_.report;
  report.version = kVersion;
  report.run_id = MakeRunId();
  report.started_unix_ns = UnixNowNs();
  report.level = options_.level;
  run_.profiles_of_agents = true;
  std::set<const Site*> sites;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostOrigin& origin = options_.origins[i];
    report.hosts.push_back({.host = hosts[i].name, .error = hosts[i].error});
    run_.notes.push_back(
        {.failure = hosts[i].failure, .lasting = hosts[i].lasting, .group = origin.group, .rack = origin.rack});
    const Site* site = SiteFor(i);
    if (site == nullptr) continue;
    run_.profiles_of_agents = false;
    if (sites.insert(site).second) AddProfilesOf(*site, report.profiles);
  }
}

CheckSummary HostsCheck::Run() {
  FanOut(hosts_.size(), [this](std::size_t i) { AskHost(i); });
  {
    const std::lock_guard lock(mutex_);
    TakeProfiles(run_.report);
  }
  Climbed();
  if (CheckNoTwins(hosts_).ok()) {
    if (hosts_.size() > 1) {
      CompareHosts();
      Climbed();
      if (options_.level >= Rung::kPeer) TestPairs();
      Climbed();
    }
    if (options_.level >= Rung::kServer) FanOut(hosts_.size(), [this](std::size_t i) { ProbeFrom(i); });
  }
  const std::lock_guard lock(mutex_);
  run_.report.duration_ns = UnixNowNs() - run_.report.started_unix_ns;
  ConcludeLocked(run_.report);
  return run_;
}

void HostsCheck::Climbed() {
  if (!options_.climbed) return;
  Report report;
  {
    const std::lock_guard lock(mutex_);
    report = run_.report;
    ConcludeLocked(report);
  }
  options_.climbed(report);
}

CheckSummary HostsCheck::Snapshot(std::string_view cut) {
  const std::lock_guard lock(mutex_);
  CheckSummary run = run_;
  run.report.duration_ns = UnixNowNs() - run.report.started_unix_ns;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i) {
    HostReport& host = run.report.hosts[i];
    const auto of_server = [](const Finding& finding) { return finding.rung == Rung::kServer; };
    if (options_.level >= Rung::kServer && std::ranges::none_of(host.findings, of_server)) {
      host.findings.push_back(NotProbed(Protocol::kSmb, options_.server.target, std::string(cut)));
    }
    if (checked_[i] || !host.error.empty()) continue;
    host.error = "host " + host.host + ": " + std::string(cut) + " before its check was done";
    run.notes[i].failure = ExitStatus::kOwnFailure;
    if (options_.level >= Rung::kLoopback) AddMissingLoopbacks(host.findings);
  }
  for (HostReport& host : run.report.hosts) SayWhy(cut, host.findings);
  for (PairReport& pair : run.report.pairs) SayWhy(cut, pair.findings);
  ConcludeLocked(run.report);
  return run;
}

// Hosts have waived what they judged themselves, by their own names; what is judged here, and names by which
// hosts are called here, come on top.
void HostsCheck::WaiveLocked(Report& report) const {
  for (std::size_t i = 0; i < report.hosts.size(); ++i)
    Waive(profiles_[i], {&report.hosts[i].host, 1}, report.started_unix_ns, report.hosts[i].findings);
  WaivePairs(profiles_, report);
}

void HostsCheck::ConcludeLocked(Report& report) const {
  WaiveLocked(report);
  Conclude(report);
  for (std::size_t i = 0; i < report.hosts.size(); ++i) {
    if (!checked_[i]) LeaveOpen(report.hosts[i]);
  }
}

const Site* HostsCheck::SiteFor(std::size_t index) const {
  return options_.site ? &*options_.site : options_.origins[index].site.get();
}

bool HostsCheck::Connect(std::size_t index) {
  HostClient& host = hosts_[index];
  host.Open();
  const std::lock_guard lock(mutex_);
  run_.report.hosts[index].host = host.name;
  run_.report.hosts[index].error = host.error;
  run_.notes[index].failure = host.failure;
  run_.notes[index].lasting = host.lasting;
  return host.agent != nullptr;
}

void HostsCheck::AskHost(std::size_t index) {
  if (!Connect(index)) return;
  const HostClient& host = hosts_[index];
  CheckOptions options{.ports = options_.ports,
                       .level = std::min(options_.level, Rung::kLoopback),
                       .caller = caller_,
                       .run_id = run_.report.run_id,
                       .watch = options_.watch,
                       .with_facts = hosts_.size() > 1,
                       .in_production = options_.in_production};
  const Site* site = SiteFor(index);
  if (site != nullptr) {
    absl::StatusOr<std::vector<Profile>> profiles = site->ProfilesOf(host.name);
    const std::lock_guard lock(mutex_);
    if (!profiles.ok()) return Refuse(index, profiles.status(), ExitStatus::kUsage);
    options.profiles = *profiles;
    profiles_[index] = *std::move(profiles);
  }
  absl::StatusOr<CheckAnswer> answer = host.agent->Check(
      options, [&](const std::string& what) { Progress(host.name + ": " + what); },
      [&](const Finding& finding) {
        const std::lock_guard lock(mutex_);
        run_.report.hosts[index].findings.push_back(finding);
      });
  Remembered remembered;
  if (answer.ok()) {
    remembered = WhatItRemembers(*host.agent, *answer, run_.report.started_unix_ns);
    FillInWhatItHad(*host.agent, run_.report.started_unix_ns, answer->report.findings);
  }
  const std::lock_guard lock(mutex_);
  if (!answer.ok()) return Refuse(index, answer.status(), CallFailure(answer.status()));
  HostReport& report = run_.report.hosts[index];
  HostNotes& notes = run_.notes[index];
  report = std::move(answer->report);
  report.host = host.name;
  notes.software = answer->software_devices_only;
  notes.store_error = answer->store_error;
  notes.store_notice = answer->store_notice;
  notes.remembered = std::move(remembered);
  facts_[index] = std::move(answer->facts);
  checked_[index] = true;
  if (site == nullptr) profiles_[index] = std::move(answer->profiles);
  if (!facts_[index]) return;
  absl::StatusOr<HostParts> parts = HostParts::Divide(*facts_[index], profiles_[index], options_.ports);
  if (parts.ok()) parts_[index] = *std::move(parts);  // else the agent would have refused
}

void HostsCheck::Refuse(std::size_t index, const absl::Status& why, ExitStatus failure) {
  run_.report.hosts[index].error = Message(why);
  run_.notes[index].failure = failure;
  // A port that is named may not be there yet.
  run_.notes[index].lasting = !MayPass(why) && (options_.ports.empty() || !absl::IsInvalidArgument(why));
}

std::vector<FollowingHost> HostsCheck::Following(std::span<const std::vector<Finding>> findings) {
  std::vector<FollowingHost> hosts;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    hosts.push_back({hosts_[i].name, profiles_[i], parts_[i] ? &*parts_[i] : nullptr, findings[i],
                     options_.origins[i].group});
  }
  return hosts;
}

// From each host by itself: what one reaches says nothing about another.
void HostsCheck::ProbeFrom(std::size_t index) {
  if (hosts_[index].agent == nullptr || !checked_[index]) return;
  const absl::StatusOr<ProbeAnswer> answer = hosts_[index].agent->Probe(
      options_.server, [&](const std::string& step) { Progress(hosts_[index].name + ": probe, " + step); });
  const std::lock_guard lock(mutex_);
  std::vector<Finding>& findings = run_.report.hosts[index].findings;
  if (!answer.ok()) {
    findings.push_back(NotProbed(Protocol::kSmb, options_.server.target, Message(answer.status())));
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

}  // namespace rdmaready
