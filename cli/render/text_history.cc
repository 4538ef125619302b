// SPDX-License-Identifier: Apache-2.0
// What hosts remember: a line for each run and what changed in it, a line for each transfer; or one run, as its
// check showed it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/verdict_sentence.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kHistoryMargin = 2;

// "4f1c09aa" of "20261120T191700Z-4f1c09aa": the rest of it is the time. Ids that a caller chose stay whole.
std::string ShortId(const std::string& run_id) {
  constexpr std::size_t kTimeBytes = 16;  // "20261120T191700Z"
  const bool ours = run_id.size() > kTimeBytes + 1 && run_id[kTimeBytes] == '-' && run_id[8] == 'T';
  return Printable(ours ? run_id.substr(kTimeBytes + 1) : run_id);
}

std::string_view Word(Readiness verdict) {
  return verdict == Readiness::kNotReady ? "not ready" : Name(verdict);
}

// Each id once, in order.
std::vector<std::string> IdsOf(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    std::string id = Printable(finding.id);
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
  }
  return ids;
}

std::string FirstFew(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + words[i];
  return words.size() > kMost ? text + fmt::format(" and {} more", words.size() - kMost) : text;
}

// "pfc.lossless-priority (new), ets.map; ok again: link.state"
// `newest`: how long what it found has stood is told once.
std::string Story(const RunRecord& run, const RunChanges& changes, bool newest) {
  if (!run.report.error.empty()) return Printable(run.report.error);
  std::vector<Finding> all;
  std::ranges::copy_if(run.report.findings, std::back_inserter(all), PreventsReadiness);
  const std::vector<std::string> fresh = IdsOf(changes.newly_failing);
  std::vector<std::string> words;
  for (const std::string& id : fresh) words.push_back(id + " (new)");
  for (const std::string& id : IdsOf(all)) {
    if (std::ranges::find(fresh, id) != fresh.end()) continue;
    const auto since = std::ranges::find(changes.standing, id, &Standing::id);
    const bool told = newest && since != changes.standing.end();
    words.push_back(told ? Cat(id, " (since ", TimeText(since->since_unix_ns), ")") : id);
  }
  std::string text = FirstFew(words);
  if (changes.newly_passing.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "ok again: " + FirstFew(IdsOf(changes.newly_passing));
}

std::string Padded(std::string_view text, std::size_t width) { return Column(text, width + 2); }

struct RunColumns {
  std::size_t id = 3;
  std::size_t level = 5;
  std::size_t profile = 7;
};

constexpr std::size_t kTimeWidth = 19;
constexpr std::size_t kVerdictWidth = 12;

std::string RunLine(const RunRecord& run, const RunChanges& changes, bool newest, const RunColumns& columns,
                    const Style& style) {
  const std::size_t story_column = kHistoryMargin + kTimeWidth + 2 + columns.id + 2 + kVerdictWidth + 2 +
                                   columns.level + 2 + columns.profile + 2;
  std::string line = std::string(kHistoryMargin, ' ') + Padded(TimeText(run.started_unix_ns), kTimeWidth) +
                     Padded(ShortId(run.run_id), columns.id) +
                     style.Paint(ToneOf(run.report.verdict), Padded(Word(run.report.verdict), kVerdictWidth)) +
                     Padded(Name(run.level), columns.level) +
                     Padded(Printable(NamesOf(run.report.profiles)), columns.profile);
  const std::string story = Story(run, changes, newest);
  if (story.empty()) return TrimRight(line) + "\n";
  // Where too little room is left beside the columns, the story goes below them.
  constexpr std::size_t kEnough = 40;
  constexpr std::size_t kBelow = kHistoryMargin + kTimeWidth + 2;
  const bool beside = style.width == 0 || style.width >= story_column + kEnough;
  const std::size_t column = beside ? story_column : kBelow;
  if (!beside) line = TrimRight(line) + "\n" + std::string(column, ' ');
  const std::size_t room = style.width == 0 ? 0 : style.width - std::min(style.width, column);
  const std::vector<std::string> parts = Wrap(story, room);
  for (std::size_t i = 0; i < parts.size(); ++i)
    line += (i == 0 ? "" : std::string(column, ' ')) + parts[i] + "\n";
  return line;
}

std::string RunsText(const HostHistory& host, const Style& style) {
  if (host.history.runs.empty()) return {};
  RunColumns columns;
  for (const RunRecord& run : host.history.runs) {
    columns.id = std::max(columns.id, ShortId(run.run_id).size());
    columns.level = std::max(columns.level, Name(run.level).size());
    columns.profile = std::max(columns.profile, Printable(NamesOf(run.report.profiles)).size());
  }
  std::string text =
      std::string(kHistoryMargin, ' ') +
      style.Paint(Tone::kStrong, Padded("when (UTC)", kTimeWidth) + Padded("run", columns.id) +
                                     Padded("verdict", kVerdictWidth) + Padded("level", columns.level) +
                                     Padded("profile", columns.profile) + "what stands in the way") +
      "\n";
  for (std::size_t i = 0; i < host.history.runs.size(); ++i) {
    text += RunLine(host.history.runs[i], i < host.changes.size() ? host.changes[i] : RunChanges{}, i == 0,
                    columns, style);
  }
  return text;
}

std::string PeerText(const TransferRecord& transfer) {
  if (transfer.role == "loopback") return "loopback";
  return (transfer.role == "initiator" ? "to " : "from ") + Printable(transfer.peer);
}

std::string TransfersTable(const std::vector<TransferRecord>& transfers, const Style& style) {
  if (transfers.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"when (UTC)", "run", "case", "port", "peer", "rate", "p99"}};
  for (const TransferRecord& transfer : transfers) {
    const TransferResult& result = transfer.result;
    std::vector<std::string> row{TimeText(transfer.started_unix_ns), ShortId(transfer.run_id),
                                 Printable(result.case_name), Printable(transfer.port), PeerText(transfer)};
    if (result.failure.kind == FailureKind::kNone) {
      row.push_back(RateText(result.throughput_bytes_per_s) + (result.unverified ? " unverified" : ""));
      row.push_back(DurationText(result.latency.p99_ns));
    } else {
      row.push_back("FAIL " + std::string(Name(result.failure.kind)));
      row.push_back(Printable(result.failure.detail));
    }
    rows.push_back(std::move(row));
  }
  return Table(style, rows, kHistoryMargin);
}

// What the host's error counters did during those transfers; nothing of those in which they stood still.
std::string ErrorCountersText(const std::vector<TransferRecord>& transfers, const Style& style) {
  std::string text;
  for (const TransferRecord& transfer : transfers) {
    const EndCounters counters{.port = transfer.port, .changes = transfer.result.error_counters};
    const std::string growth = GrowthText({&counters, 1});
    if (growth.empty()) continue;
    const std::string test = Printable(transfer.result.case_name) + ", " + PeerText(transfer);
    text +=
        Labelled(style, Tone::kWarning, std::string(kHistoryMargin, ' ') + TimeText(transfer.started_unix_ns),
                 kHistoryMargin + kTimeWidth + 2, test + ": " + growth);
  }
  return text;
}

std::string EventsText(const std::vector<StoreEvent>& events, const Style& style) {
  std::string text;
  for (const StoreEvent& event : events) {
    text += Labelled(style, Tone::kWarning, std::string(kHistoryMargin, ' ') + TimeText(event.unix_ns),
                     kHistoryMargin + kTimeWidth + 2, Printable(event.text));
  }
  return text;
}

// Whoever wrote it down can tell later that no line of the audit before it was changed or taken out.
std::string AuditText(const std::string& head, const Style& style) {
  return Labelled(style, Tone::kFaint, "  audit of changes", kHistoryMargin + kTimeWidth + 2,
                  "ends in the line of SHA-256 " + Printable(head));
}

// The report that is shown is another run's.
std::string BorrowedText(const std::string& host, const RunRecord& run, const Style& style) {
  const std::string words =
      fmt::format("{}: as in run {} of {} UTC: nothing differed; own counters, figures and times were not kept",
                  Printable(host), Printable(run.as_in_run_id), TimeText(run.as_in_unix_ns));
  std::string text;
  for (const std::string& line : Wrap(words, style.width)) text += line + "\n";
  return text;
}

}  // namespace

std::string HistoryText(const HistoryRun& run, const Style& style) {
  std::string text;
  for (const HostHistory& host : run.hosts) {
    if (!host.error.empty()) continue;
    text += (text.empty() ? "" : "\n") + style.Paint(Tone::kStrong, Printable(host.host)) + "\n";
    std::string block;
    for (const std::string& part : {RunsText(host, style), TransfersTable(host.history.transfers, style),
                                    EventsText(host.history.events, style)}) {
      if (!part.empty()) block += (block.empty() ? "" : "\n") + part;
    }
    text += block.empty() ? "  nothing is remembered\n" : block;
    if (!host.audit_head.empty()) text += (block.empty() ? "" : "\n") + AuditText(host.audit_head, style);
  }
  return text;
}

std::string RememberedText(const HistoryRun& run, const Style& style) {
  std::map<std::string, CheckSummary> checks;   // by run id: hosts of one check share it
  std::map<std::string, std::string> borrowed;  // whose report it is, where it is not the run's own
  for (const HostHistory& host : run.hosts) {
    for (const RunRecord& record : host.history.runs) {
      CheckSummary& check = checks[record.run_id];
      Report& report = check.report;
      report.run_id = record.run_id;
      report.started_unix_ns = record.started_unix_ns;
      report.duration_ns = std::max(report.duration_ns, record.duration_ns);
      report.level = std::max(report.level, record.level);
      report.hosts.push_back(record.report);
      report.hosts.back().host = host.host;
      check.notes.emplace_back();
      if (record.as_in_run_id.empty()) continue;
      borrowed[record.run_id] += BorrowedText(host.host, record, style);
    }
  }
  std::string text;
  for (auto& [id, check] : checks) {
    check.report.verdict = ReadinessOf(check.report.hosts);
    text += (text.empty() ? "" : "\n") +
            style.Paint(Tone::kStrong,
                        fmt::format("run {}, {} UTC", Printable(id), TimeText(check.report.started_unix_ns))) +
            "\n" + borrowed[id] + CheckText(check, style);
  }
  for (const HostHistory& host : run.hosts) {
    if (host.history.transfers.empty()) continue;
    text += (text.empty() ? "" : "\n") + style.Paint(Tone::kStrong, Printable(host.host) + ": transfers") +
            "\n" + TransfersTable(host.history.transfers, style) +
            ErrorCountersText(host.history.transfers, style);
  }
  return text;
}

}  // namespace rdmaready
