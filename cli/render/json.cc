// SPDX-License-Identifier: Apache-2.0
// Checks, live tests, probes and history: one view of findings and transfers for all of them.
#include "cli/render/json.h"

#include <array>
#include <optional>
#include <utility>

#include "api/base/version.h"
#include "checks/probe/answers.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "cli/render/documents.h"
#include "cli/render/live_parts.h"
#include "cli/render/remedy_view.h"
#include "cli/render/report/causes.h"

namespace rdmaready {
namespace {

// ---- rows: parts of a document that no struct has as it is ----

struct Recorded {
  std::int64_t unix_ns = 0;
  std::string version{};
  std::vector<ProfileRef> profiles{};  // that it keeps
};

struct HostRow {
  const HostReport* report = nullptr;
  const HostNotes* notes = nullptr;
};

struct FindingKey {
  std::string id{};
  std::string subject{};
};

// In a list of runs, findings are without texts; one run is shown in full.
struct PastFinding {
  const Finding* finding = nullptr;
  bool with_texts = false;
};

struct PastRun {
  const RunRecord* run = nullptr;
  const RunChanges* changes = nullptr;
  bool with_texts = false;
};

struct PastCounters {
  const TransferResult* result = nullptr;
};

struct HistoryRow {
  const HostHistory* host = nullptr;
  bool with_texts = false;
};

// All rungs, also those that were not asked for.
std::vector<RungResult> LadderOf(const HostReport& report) {
  std::vector<RungResult> ladder;
  for (const Rung rung : kRungs) ladder.push_back({rung, OutcomeOn(report.ladder, rung)});
  return ladder;
}

std::vector<HostRow> HostRowsOf(const CheckSummary& run) {
  static const HostNotes kNone{};
  std::vector<HostRow> rows;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i)
    rows.push_back({&run.report.hosts[i], i < run.notes.size() ? &run.notes[i] : &kNone});
  return rows;
}

// Repaired by the same steps as another one; it has no others of its own.
struct OtherCause {
  Cause cause{};
};

const Cause* Main(const Cause& cause) { return &cause; }
const Cause* Main(const OtherCause& other) { return &other.cause; }

std::vector<OtherCause> OthersOf(const Cause& cause) {
  std::vector<OtherCause> others;
  for (const Cause& other : cause.also) others.push_back({other});
  return others;
}

std::optional<Recorded> RecordedOf(const HostNotes& notes) {
  if (notes.recorded_by.empty()) return std::nullopt;
  return Recorded{notes.recorded_unix_ns, notes.recorded_by, notes.recorded_under};
}

std::vector<FindingKey> KeysOf(const std::vector<Finding>& findings) {
  std::vector<FindingKey> keys;
  for (const Finding& finding : findings) keys.push_back({finding.id, finding.subject});
  return keys;
}

std::vector<PastFinding> FindingsOf(const PastRun& row) {
  std::vector<PastFinding> findings;
  for (const Finding& finding : row.run->report.findings) findings.push_back({&finding, row.with_texts});
  return findings;
}

std::vector<PastRun> RunsOf(const HistoryRow& row) {
  static const RunChanges kNone{};
  const HostHistory& host = *row.host;
  std::vector<PastRun> runs;
  for (std::size_t i = 0; i < host.history.runs.size(); ++i) {
    const RunChanges& changes = i < host.changes.size() ? host.changes[i] : kNone;
    runs.push_back({&host.history.runs[i], &changes, row.with_texts});
  }
  return runs;
}

std::vector<HistoryRow> HistoryRowsOf(const HistoryRun& run) {
  std::vector<HistoryRow> rows;
  for (const HostHistory& host : run.hosts) rows.push_back({&host, run.with_texts});
  return rows;
}

std::vector<TransferRow> TransferRowsOf(const ProbeResult& result) {
  std::vector<TransferRow> rows;
  for (const TransferResult& transfer : result.transfers) rows.push_back({.result = transfer});
  return rows;
}

const CounterChanges& ChangesIn(const EndCounters& end) { return end.changes; }
const CounterChanges& ChangesIn(const PastCounters& end) { return end.result->error_counters; }

std::string MarkingOf(const TransferRow& row) { return MarkingText(row.result, row.software); }
std::string MarkingOf(const TransferRecord& record) { return MarkingText(record.result, false); }

// ---- the view ----

struct ReportView : RemedyView {
  using RemedyView::Fields;
  static void Fields(const Finding& one, auto& list) {
    list("id", one.id, "title", one.title, "scope", one.scope, "rung", one.rung, "subject", one.subject,
         "outcome", one.outcome, "blocking", one.blocking, "observed", one.observed, "expected", one.expected,
         "source", one.source, "why", one.why, "fix", one.fix, "hidden_by", one.hidden_by, "duration_ns",
         one.duration_ns, "profile", one.profile);
    list("waived", one.waived, "remedy", one.remedy, "class_proof", one.class_proof).WhenThere();
  }
  static void Fields(const RungResult& one, auto& list) {
    list("rung", one.rung).Known();
    list("outcome", one.outcome);
  }
  static void Fields(const Standing& one, auto& list) {
    list("id", one.id, "subject", one.subject, "since_unix_ns", one.since_unix_ns, "checks", one.checks);
  }
  static void Fields(const SeenBefore& one, auto& list) {
    list("id", one.id, "subject", one.subject, "observed", one.observed, "last_unix_ns", one.last_unix_ns,
         "checks", one.checks);
  }
  static void Fields(const Recorded& one, auto& list) {
    list("unix_ns", one.unix_ns, "version", one.version, "profiles", one.profiles);
  }

  static void CauseFields(auto& list) {
    constexpr auto kFinding = [](const auto& cause) { return Main(cause)->finding; };
    list.Of(kFinding, [](const Finding& one, auto& part) {
      part("id", one.id, "subject", one.subject, "outcome", one.outcome, "blocking", one.blocking);
    });
    list.Derived("ids", [](const auto& cause) { return Main(cause)->ids; });
    list.Derived("ports", [](const auto& cause) { return Main(cause)->ports; });
  }
  static void Fields(const OtherCause&, auto& list) { CauseFields(list); }
  static void Fields(const Cause& cause, auto& list) {
    CauseFields(list);
    list("follow", cause.follow);
    list.Derived("also", [](const Cause& one) { return OthersOf(one); });
  }
  static void Fields(const HostRow&, auto& list) {
    constexpr auto kReport = [](const HostRow& row) { return row.report; };
    constexpr auto kNotes = [](const HostRow& row) { return row.notes; };
    list.Of(kReport, [](const HostReport& report, auto& part) {
      part("host", report.host, "agent_version", report.agent_version, "kernel_release", report.kernel_release,
           "verdict", report.verdict, "error", report.error, "profiles", report.profiles, "ports",
           report.ports);
    });
    list.Of(kNotes, [](const HostNotes& notes, auto& part) {
      part("store_error", notes.store_error, "store_notice", notes.store_notice, "standing",
           notes.remembered.standing, "seen_before", notes.remembered.seen);
    });
    list.Derived("ladder", [](const HostRow& row) { return LadderOf(*row.report); });
    list.Of(kReport, [](const HostReport& report, auto& part) { part("findings", report.findings); });
    list.Derived("causes", [](const HostRow& row) { return Joined(CausesOf(row.report->findings)); });
    list.Of(kNotes, [](const HostNotes& notes, auto& part) { part("group", notes.group, "rack", notes.rack); })
        .WhenThere();
    list.Derived("recorded", [](const HostRow& row) { return RecordedOf(*row.notes); }).WhenThere();
  }
  static void Fields(const PairReport& pair, auto& list) {
    list("from", pair.from, "to", pair.to, "findings", pair.findings);
  }
  static void Fields(const CheckSummary& run, auto& list) {
    const Report& report = run.report;
    list("version", report.version, "run_id", report.run_id, "started_unix_ns", report.started_unix_ns,
         "duration_ns", report.duration_ns, "verdict", report.verdict);
    list.Derived("waived",
                 [](const CheckSummary& one) { return static_cast<std::int64_t>(WaivedOf(one.report)); });
    list("level", report.level, "profiles", report.profiles);
    list.Derived("hosts", [](const CheckSummary& one) { return HostRowsOf(one); });
    list("pairs", report.pairs);
    list.Derived(
            "waited_ns",
            [](const CheckSummary& one) { return one.waited ? std::optional(one.waited->ns) : std::nullopt; })
        .WhenThere();
    list.Derived("tries",
                 [](const CheckSummary& one) {
                   return one.waited ? std::optional(one.waited->tries) : std::nullopt;
                 })
        .WhenThere();
  }

  // ---- transfers ----

  static void Fields(const LatencySummary& one, auto& list) {
    list("p50", one.p50_ns, "p99", one.p99_ns, "p999", one.p999_ns, "max", one.max_ns);
  }
  static void Fields(const Marking& one, auto& list) {
    list("tos", one.tos, "traffic_class", one.traffic_class, "service_level", one.service_level);
  }
  static void CounterFields(auto& list) {
    list.Derived("watched", [](const auto& end) { return WatchedIn(ChangesIn(end)); });
    list.Derived("unknown", [](const auto& end) { return UnknownIn(ChangesIn(end)); });
    list.Derived("changes", [](const auto& end) { return ChangedIn(ChangesIn(end)); });
  }
  static void Fields(const NicChange& one, auto& list) {
    list("netdev", one.netdev, "priority", one.priority);
    list.Derived("name", [](const NicChange& of) { return of.change.name; });
    list.Derived("kind", [](const NicChange& of) { return of.change.kind; });
    list.Derived("by", [](const NicChange& of) { return of.change.by; });
  }
  static void Fields(const EndCounters& end, auto& list) {
    list("host", end.host, "port", end.port);
    CounterFields(list);
    list("foreign_permille", end.foreign_permille);
    list.Derived("priority_packets", [](const EndCounters& one) { return KnownIn(one.packets); });
    list("counted_ns", end.counted_ns);
    list.Derived("idle_packets", [](const EndCounters& one) { return KnownIn(one.idle_packets); });
    list("idle_ns", end.idle_ns, "path_mtu_bytes", end.path_mtu_bytes);
    list.Derived("nic_changes", [](const EndCounters& one) { return ChangedIn(one.nic); });
  }
  static void Fields(const PastCounters&, auto& list) {
    CounterFields(list);
    constexpr auto kResult = [](const PastCounters& end) { return end.result; };
    list.Of(kResult, [](const TransferResult& result, auto& part) {
      part("foreign_permille", result.foreign_permille);
      part.Derived("priority_packets", [](const TransferResult& one) { return KnownIn(one.priority_packets); });
      part("counted_ns", result.counted_ns);
      part.Derived("idle_packets", [](const TransferResult& one) { return KnownIn(one.idle_packets); });
      part("idle_ns", result.idle_ns, "path_mtu_bytes", result.path_mtu_bytes);
      part.Derived("nic_changes", [](const TransferResult& one) { return ChangedIn(one.nic_counters); });
    });
  }
  static void WhatFields(const TransferResult& result, auto& list) {
    list("case", result.case_name, "operation", result.operation, "message_bytes", result.message_bytes);
  }
  static void FigureFields(const TransferResult& result, auto& list) {
    list("transport", result.transport, "local_gid", result.local_gid, "remote_gid", result.remote_gid,
         "messages", result.messages, "bytes", result.bytes, "bytes_verified", result.bytes_verified,
         "bytes_wrong", result.bytes_wrong, "first_wrong_offset", result.first_wrong_offset);
    list.Derived("failure", [](const auto& row) { return FailureText(row.result.failure); });
    list("elapsed_ns", result.elapsed_ns, "throughput_bytes_per_s", result.throughput_bytes_per_s,
         "worst_interval_bytes_per_s", result.worst_interval_bytes_per_s, "operations_per_s",
         result.operations_per_s, "latency_ns", result.latency);
    list.Derived("latency_is", [](const auto& row) { return MeaningOf(row.result.operation); });
    list.Derived("verified", [](const auto& row) { return !row.result.unverified; });
    list("busy_poll", result.busy_poll, "qps", result.qps, "depth", result.depth, "bidirectional",
         result.bidirectional, "connection", result.connection, "marking", result.marking);
    list.Derived("marking_is", [](const auto& row) { return MarkingOf(row); });
    list("cpu_ns_initiator", result.cpu_initiator_ns, "cpu_ns_responder", result.cpu_responder_ns);
  }
  static void TesterFields(const TransferResult& result, auto& list) {
    list("tester_cpu", result.tester_cpu, "tester_numa_node", result.tester_numa_node, "limit_bytes_per_s",
         result.limit_bytes_per_s);
  }
  static void Fields(const TransferRow& row, auto& list) {
    WhatFields(row.result, list);
    list("from", row.from, "to", row.to, "subject", row.subject);
    FigureFields(row.result, list);
    list("error_counters", row.counters, "findings", row.findings);
    TesterFields(row.result, list);
  }
  static void Fields(const TransferRecord& record, auto& list) {
    list("run_id", record.run_id, "started_unix_ns", record.started_unix_ns, "port", record.port, "role",
         record.role, "peer", record.peer);
    WhatFields(record.result, list);
    FigureFields(record.result, list);
    list.Derived("error_counters",
                 [](const TransferRecord& one) { return std::vector<PastCounters>{{&one.result}}; });
    TesterFields(record.result, list);
  }
  static void Fields(const TransferRun& run, auto& list) {
    list("run_id", run.run_id, "error", run.error, "store_errors", run.store_errors, "results", run.rows);
  }

  // ---- probes ----

  static void Fields(const ProbeStep& step, auto& list) {
    list("step", step.name, "outcome", step.outcome);
    list.Derived("failure", [](const ProbeStep& one) { return FailureText(one.failure); });
    list("duration_ns", step.duration_ns);
  }
  static void Fields(const AnswerText& answer, auto& list) { list("name", answer.name, "text", answer.text); }
  static void Fields(const ProbeSummary& run, auto& list) {
    const ProbeResult& result = run.answer.result;
    list.Derived("version", [](const ProbeSummary&) { return std::string_view(kVersion); });
    list("run_id", run.answer.run_id);
    list.Derived("verdict", [](const ProbeSummary& one) { return ReadinessOfProbe(one.answer.findings); });
    list("protocol", result.protocol, "target", result.target, "from", run.host, "address", result.address,
         "port_number", result.port_number, "local_port", result.local_port, "transport", result.transport,
         "steps", result.steps);
    list.Derived("values", [](const ProbeSummary& one) { return AnswerTexts(one.answer.result.answers); })
        .Keyed();
    list.Derived("transfers", [](const ProbeSummary& one) { return TransferRowsOf(one.answer.result); });
    list("store_error", run.answer.store_error, "store_notice", run.answer.store_notice, "findings",
         run.answer.findings);
  }

  // ---- history ----

  static void Fields(const FindingKey& key, auto& list) { list("id", key.id, "subject", key.subject); }
  template <auto kText>
  static constexpr auto kTextIn = [](const PastFinding& row) {
    return row.with_texts ? std::optional<std::string>(row.finding->*kText) : std::nullopt;
  };
  static void Fields(const PastFinding&, auto& list) {
    constexpr auto kFinding = [](const PastFinding& row) { return row.finding; };
    list.Of(kFinding, [](const Finding& one, auto& part) { part("id", one.id); });
    list.Derived("title", kTextIn<&Finding::title>).WhenThere();
    list.Of(kFinding, [](const Finding& one, auto& part) {
      part("scope", one.scope, "rung", one.rung, "subject", one.subject, "outcome", one.outcome, "blocking",
           one.blocking, "observed", one.observed);
    });
    list.Derived("expected", kTextIn<&Finding::expected>).WhenThere();
    list.Derived("source", kTextIn<&Finding::source>).WhenThere();
    list.Derived("why", kTextIn<&Finding::why>).WhenThere();
    list.Derived("fix", kTextIn<&Finding::fix>).WhenThere();
    list.Of(kFinding, [](const Finding& one, auto& part) {
      part("hidden_by", one.hidden_by, "duration_ns", one.duration_ns, "profile", one.profile);
      part("waived", one.waived).WhenThere();
      part("remedy", one.remedy).WhenThere();
    });
  }
  static void Fields(const PastRun&, auto& list) {
    constexpr auto kRun = [](const PastRun& row) { return row.run; };
    list.Of(kRun, [](const RunRecord& run, auto& part) {
      part("run_id", run.run_id, "started_unix_ns", run.started_unix_ns, "duration_ns", run.duration_ns,
           "level", run.level, "agent_version", run.report.agent_version, "kernel_release",
           run.report.kernel_release, "verdict", run.report.verdict, "error", run.report.error, "profiles",
           run.report.profiles, "ports", run.report.ports);
    });
    list.Of([](const PastRun& row) { return row.changes; },
            [](const RunChanges& changes, auto& part) { part("standing", changes.standing); });
    list.Derived("ladder", [](const PastRun& row) { return LadderOf(row.run->report); });
    list.Derived("findings", [](const PastRun& row) { return FindingsOf(row); });
    list.Of(kRun, [](const RunRecord& run, auto& part) {
      part("kind", run.kind, "digest", run.digest, "as_in_run_id", run.as_in_run_id, "as_in_unix_ns",
           run.as_in_unix_ns);
    });
    list.Derived("newly_failing", [](const PastRun& row) { return KeysOf(row.changes->newly_failing); });
    list.Derived("newly_passing", [](const PastRun& row) { return KeysOf(row.changes->newly_passing); });
  }
  static void Fields(const HistoryRow&, auto& list) {
    constexpr auto kHost = [](const HistoryRow& row) { return row.host; };
    list.Of(kHost, [](const HostHistory& host, auto& part) { part("host", host.host, "error", host.error); });
    list.Derived("runs", [](const HistoryRow& row) { return RunsOf(row); });
    list.Of(kHost, [](const HostHistory& host, auto& part) {
      part("transfers", host.history.transfers, "store_events", host.history.events);
      part("audit_head", host.audit_head).Added();
    });
  }
  static void Fields(const HistoryRun&, auto& list) {
    list.Derived("hosts", [](const HistoryRun& run) { return HistoryRowsOf(run); });
  }
};

template <class T>
using InReport = describe::Described<T, ReportView>;

constexpr convert::DocumentOf<CheckSummary> kCheckDocument{
    {"rdmaready.v1.Check", &InReport<CheckSummary>::kType}};
constexpr convert::DocumentOf<TransferRun> kTransferDocument{
    {"rdmaready.v1.Transfer", &InReport<TransferRun>::kType}};
constexpr convert::DocumentOf<ProbeSummary> kProbeDocument{
    {"rdmaready.v1.Probe", &InReport<ProbeSummary>::kType}};
constexpr convert::DocumentOf<HistoryRun> kHistoryDocument{
    {"rdmaready.v1.History", &InReport<HistoryRun>::kType}};

}  // namespace

std::string CheckJson(const CheckSummary& run) { return kCheckDocument.Text(run); }
std::string TransfersJson(const TransferRun& run) { return kTransferDocument.Text(run); }
std::string ProbeJson(const ProbeSummary& run) { return kProbeDocument.Text(run); }
std::string HistoryJson(const HistoryRun& run) { return kHistoryDocument.Text(run); }

std::span<const convert::Document> ReportDocuments() {
  static constexpr std::array<convert::Document, 4> kDocuments{kCheckDocument, kTransferDocument,
                                                               kProbeDocument, kHistoryDocument};
  return kDocuments;
}

}  // namespace rdmaready
