// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/test_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/base/number.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/model/cases.h"
#include "checks/fleet/agreement.h"
#include "checks/fleet/explained_pairs.h"
#include "checks/judge.h"
#include "checks/live/effective_class.h"
#include "checks/words/words.h"
#include "cli/fleet/pair_plan.h"
#include "cli/fleet/tested_pairs.h"

namespace rdmaready {
namespace {

const Port* FindPort(const Facts& facts, std::string_view name) {
  if (!facts.ports) return nullptr;
  const auto found =
      std::ranges::find_if(*facts.ports, [&](const Port& port) { return PortName(port) == name; });
  return found == facts.ports->end() ? nullptr : &*found;
}

// All of plain RDMA.
std::vector<std::string> NamesOn(Rung rung) {
  std::vector<std::string> names;
  for (const TransferCase& test : CasesOn(rung)) names.emplace_back(test.name);
  return names;
}

}  // namespace

// A host of a test, judged by no profile: what keeps any RDMA from it.
struct TestRunner::TestedHost {
  TestedHost(std::string_view host, const Facts& of_host)
      : name(host), facts(of_host), findings(JudgeHost(of_host, Profile{})) {}

  std::string_view name;
  const Facts& facts;
  std::vector<Finding> findings;
};

// The two ports of a job, with what is known of both.
struct TestRunner::TestedPorts {
  std::optional<CauseEnd> from{};
  std::optional<CauseEnd> to{};
  TestedWay way{};
};

TestRunner::TestedPorts TestRunner::Known(const TestedHost& a, const TestedHost& b, const PairJob& job) {
  TestedPorts ports{.from = CauseEndOf(a.name, &a.facts, job.from_port, a.findings),
                    .to = CauseEndOf(b.name, &b.facts, job.to_port, b.findings)};
  if (!ports.from || !ports.to) return ports;
  const ComparedHost hosts[] = {{a.name, &a.facts, a.findings}, {b.name, &b.facts, b.findings}};
  PairReport pair{.from = std::string(a.name), .to = std::string(b.name)};
  for (PairFinding& one : JudgeAgreement(hosts, Profile{}).between)
    pair.findings.push_back(std::move(one.finding));
  std::ranges::move(JudgePair({a.name, a.facts, *ports.from->port, a.findings},
                              {b.name, b.facts, *ports.to->port, b.findings}, Profile{}),
                    std::back_inserter(pair.findings));
  ports.way = WayOf(job, 0, 1, ports.from, ports.to, PairIndex({&pair, 1}));
  return ports;
}

absl::StatusOr<PortSelection> ParsePort(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos && slash > 0) {
    const auto number = ParseNumber<std::uint32_t>(text.substr(slash + 1));
    if (number && *number > 0)
      return PortSelection{.device = std::string(text.substr(0, slash)), .number = *number};
  }
  return absl::InvalidArgumentError("port '" + std::string(text) + "': DEVICE/NUMBER expected, like mlx5_0/1");
}

ExitStatus RefusedTest(const absl::Status& status, bool port_named) {
  if (absl::IsFailedPrecondition(status)) return ExitStatus::kNotReady;
  if (absl::IsNotFound(status) && !port_named) return ExitStatus::kNotReady;
  return CallFailure(status);
}

TestRunner::TestRunner(AgentClient::Progress progress) : progress_(std::move(progress)), caller_(CallerName()) {
  now_.run.run_id = MakeRunId();
}

TestRunner::Snapshot TestRunner::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

TestRunner::Snapshot TestRunner::CutShort(const std::string& why) const {
  const std::lock_guard lock(mutex_);
  Snapshot cut = now_;
  std::vector<std::string> open;
  for (const TransferRow& planned : planned_) {
    const bool made = std::ranges::any_of(cut.run.rows, [&](const TransferRow& row) {
      return row.result.case_name == planned.result.case_name && row.subject == planned.subject &&
             row.connection == planned.connection;
    });
    const bool plain = planned.connection == ConnectionKind::kVerbs;
    if (!made)
      open.push_back(planned.result.case_name + " on " + planned.subject + (plain ? " by plain verbs" : ""));
  }
  if (!cut.run.error.empty()) return cut;
  cut.run.error = why + (open.empty() ? std::string(" before the host said what can be tested")
                                      : fmt::format(", not made: {}", fmt::join(open, ", ")));
  cut.failure = ExitStatus::kOwnFailure;
  return cut;
}

void TestRunner::Plan(const std::string& case_name, const std::string& subject, ConnectionKind connection) {
  const std::lock_guard lock(mutex_);
  planned_.push_back({.subject = subject, .connection = connection, .result = {.case_name = case_name}});
}

void TestRunner::Loopback(const HostClient& host, const PortSelection& port,
                          const std::vector<std::string>& cases, const TransferOptions& options) {
  const absl::StatusOr<Facts> facts = FactsOf(host);
  if (!facts.ok()) return;
  const std::vector<std::string> names = cases.empty() ? NamesOn(Rung::kLoopback) : cases;
  for (const ConnectionKind connection : kinds_) {
    if (!facts->ports) break;
    for (const Port& known : *facts->ports) {
      if (!port.device.empty() && PortName(known) != fmt::format("{}/{}", port.device, port.number)) continue;
      for (const std::string& name : names) Plan(name, SubjectOf(known), connection);
    }
  }
  for (const ConnectionKind connection : kinds_) {
    TransferOptions how = options;
    how.connection = connection;
    LoopbackBy(host, port, *facts, cases, how);
  }
}

void TestRunner::LoopbackBy(const HostClient& host, const PortSelection& port, const Facts& facts,
                            const std::vector<std::string>& cases, const TransferOptions& options) {
  const auto add = [&](const PortTransfer& transfer) {
    const Port* known = FindPort(facts, transfer.port);
    TransferPlace place{.rung = Rung::kLoopback,
                        .subject = known != nullptr ? SubjectOf(*known) : transfer.port};
    if (known != nullptr) {
      place.software = known->software && *known->software;
      if (known->netdev) place.netdev = known->netdev->name;
    }
    const std::vector<EndCounters> counters{{host.name, transfer.port, transfer.result.error_counters}};
    Add({.from = host.name,
         .to = host.name,
         .subject = place.subject,
         .software = place.software,
         .connection = options.connection,
         .result = transfer.result,
         .counters = counters,
         .findings = {JudgeTransfer(transfer.result, place, counters)}});
    if (transfer.reverse) AddReverse(host, host, place, transfer.reverse);
    NotStored(host.name, transfer.store_error);
  };
  const absl::Status status = host.agent->TestLoopback(
      port, cases, caller_, now_.run.run_id,
      [&](const std::string& what) {
        if (progress_) progress_(fmt::format("{}: {}", host.name, what));
      },
      add, options);
  if (!status.ok()) Fail(RefusedTest(status, !port.device.empty()), host.name, Message(status));
}

void TestRunner::Peer(const std::vector<HostClient>& hosts, const std::vector<PortSelection>& ports,
                      const std::vector<std::string>& cases, const TransferOptions& options) {
  const absl::StatusOr<Facts> from = FactsOf(hosts[0]);
  if (!from.ok()) return;
  const absl::StatusOr<Facts> to = FactsOf(hosts[1]);
  if (!to.ok()) return;
  absl::StatusOr<std::vector<PairJob>> jobs =
      JobsBetween({.name = hosts[0].name, .facts = &*from}, {.name = hosts[1].name, .facts = &*to}, ports);
  if (!jobs.ok()) {
    return Fail(RefusedTest(jobs.status(), !ports.empty()), hosts[0].name, Message(jobs.status()));
  }
  const std::vector<std::string> names = cases.empty() ? NamesOn(Rung::kPeer) : cases;
  for (const PairJob& job : *jobs) {
    for (const std::string& name : names)
      for (const ConnectionKind connection : kinds_) Plan(name, job.place.subject, connection);
  }
  if (profile_) {
    for (PairJob& job : *jobs) {
      job.place.lossless = job.back.lossless = kDemandsLossless.made_by(*profile_);
      job.place.rdma_priority = job.back.rdma_priority = profile_->rdma_priority;
    }
  }
  PairEngine engine(hosts, now_.run.run_id, progress_);
  const TestedHost a(hosts[0].name, *from);
  const TestedHost b(hosts[1].name, *to);
  for (const PairJob& job : *jobs) {
    TestedPorts ports_of_job = Known(a, b, job);
    for (const std::string& name : names) {
      for (const ConnectionKind connection : kinds_) {
        TransferOptions how = options;
        how.connection = connection;
        if (!PeerCase(engine, job, name, hosts, how, ports_of_job)) return;
      }
    }
  }
}

bool TestRunner::PeerCase(PairEngine& engine, const PairJob& job, const std::string& case_name,
                          const std::vector<HostClient>& hosts, const TransferOptions& options,
                          TestedPorts& ports) {
  const HostClient& from = hosts[job.from];
  const HostClient& to = hosts[job.to];
  CaseOutcome outcome = engine.Run(job, case_name, options);
  NotStored(from.name, outcome.from.store_error);
  NotStored(to.name, outcome.to.store_error);
  for (const auto& [host, end] : {std::pair(&from, &outcome.from), std::pair(&to, &outcome.to)}) {
    if (!absl::IsInvalidArgument(end->status)) continue;  // options beyond the agent's limits: no case will do
    Fail(ExitStatus::kUsage, host->name, Message(end->status));
    return false;
  }
  if (outcome.made) NoteFailure(outcome.result.failure, 0, ports.from, ports.to, {}, ports.way);
  const KnownCause* cause =
      outcome.finding.outcome == Outcome::kFail ? CauseOf(ports.way, outcome.result.failure) : nullptr;
  if (cause != nullptr) outcome.finding = WithCause(std::move(outcome.finding), *cause);
  std::vector<Finding> findings{std::move(outcome.finding)};
  AddClass(outcome, job, findings);
  Add({.from = from.name,
       .to = to.name,
       .subject = job.place.subject,
       .software = job.place.software,
       .connection = options.connection,
       .result = std::move(outcome.result),
       .counters = std::move(outcome.counters),
       .findings = std::move(findings)});
  AddReverse(to, from, job.back, outcome.reverse);
  if (!outcome.from.gone.empty()) Fail(ExitStatus::kUnreachable, from.name, outcome.from.gone);
  if (!outcome.to.gone.empty()) Fail(ExitStatus::kUnreachable, to.name, outcome.to.gone);
  return outcome.from.gone.empty() && outcome.to.gone.empty();
}

void TestRunner::AddClass(const CaseOutcome& outcome, const PairJob& job,
                          std::vector<Finding>& findings) const {
  const TransferCase* test = FindCase(outcome.result.case_name);
  const bool plain = test != nullptr && test->wrapping == Wrapping::kNone;
  if (!profile_ || !plain || !ShowsClass(outcome.result)) return;
  findings.push_back(JudgeEffectiveClass(outcome.result, job.place, outcome.counters, *profile_));
}

void TestRunner::AddReverse(const HostClient& from, const HostClient& to, const TransferPlace& place,
                            const std::optional<TransferResult>& result) {
  if (!result) return;
  TransferPlace on_rung = place;
  if (place.rung != Rung::kLoopback) on_rung.rung = PairRungOf(result->case_name);
  Add({.from = from.name,
       .to = to.name,
       .subject = place.subject,
       .software = place.software,
       .result = *result,
       .findings = {JudgeTransfer(*result, on_rung)}});
}

absl::StatusOr<Facts> TestRunner::FactsOf(const HostClient& host) {
  absl::StatusOr<Facts> facts = host.agent->GetFacts();
  if (!facts.ok()) Fail(CallFailure(facts.status()), host.name, Message(facts.status()));
  return facts;
}

void TestRunner::Add(TransferRow row) {
  const std::lock_guard lock(mutex_);
  now_.run.rows.push_back(std::move(row));
}

void TestRunner::NotStored(const std::string& host, const std::string& error) {
  if (error.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::string line = "host " + host + ": the result was not stored: " + error;
  if (std::ranges::find(now_.run.store_errors, line) == now_.run.store_errors.end())
    now_.run.store_errors.push_back(line);
}

void TestRunner::Fail(ExitStatus status, const std::string& host, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (!now_.run.error.empty()) return;
  now_.run.error = error;
  now_.failure = status;
  now_.failed_host = host;
}

}  // namespace rdmaready
