// SPDX-License-Identifier: Apache-2.0
// The table of live tests, one line for each, and what failed below it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "api/base/text.h"
#include "api/model/cases.h"
#include "checks/counted/error_counters.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/remedy_notes.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

struct Rates {
  std::string mean{};
  std::string worst{};  // of the worst whole 100 ms
};

// Of a latency, too, operations say more than bytes.
Rates RatesOf(const TransferResult& result) {
  constexpr std::int64_t kWholeIntervalNs =
      100'000'000;  // 0 in one is a stall; without one it is no rate at all
  const std::uint64_t worst = result.worst_interval_bytes_per_s;
  const bool known = result.elapsed_ns >= kWholeIntervalNs && result.throughput_bytes_per_s > 0;
  if (FigureOf(result) == Figure::kRate) {
    return {RateText(result.throughput_bytes_per_s), known ? RateText(worst) : "-"};
  }
  const double share =
      known ? static_cast<double>(worst) / static_cast<double>(result.throughput_bytes_per_s) : 0;
  return {fmt::format("{} op/s", result.operations_per_s),
          known ? fmt::format("{:.0f} op/s", share * static_cast<double>(result.operations_per_s)) : "-"};
}

// The GIDs are what the ends of a plain verbs connection agreed on.
std::string Title(const TransferRow& row) {
  std::string title = row.from == row.to ? row.from + " loopback " + row.subject
                                         : row.from + " -> " + row.to + " (" + row.subject + ")";
  if (row.connection != ConnectionKind::kVerbs) return Printable(title);
  title += ", plain verbs connection";
  if (!row.result.local_gid.empty())
    title += " of GID " + row.result.local_gid + " with " + row.result.remote_gid;
  return Printable(title);
}

constexpr std::array<const char*, 8> kColumns{"case", "rate",  "worst 100 ms", "p50",
                                              "p99",  "p99.9", "max",          "cpu both ends"};

std::vector<std::string> Cells(const TransferRow& row) {
  const TransferResult& result = row.result;
  std::vector<std::string> cells(kColumns.size(), "-");
  cells[0] = Printable(result.case_name);
  if (result.messages == 0) return cells;
  const Rates rates = RatesOf(result);
  return {cells[0],
          rates.mean,
          rates.worst,
          DurationText(result.latency.p50_ns),
          DurationText(result.latency.p99_ns),
          DurationText(result.latency.p999_ns),
          DurationText(result.latency.max_ns),
          DurationText(result.cpu_initiator_ns) + " + " + DurationText(result.cpu_responder_ns)};
}

bool IsTrouble(const Finding& finding) {
  return finding.outcome != Outcome::kPass && finding.outcome != Outcome::kNotApplicable;
}

// The findings that show trouble, and the shares of the class also where they are right.
std::string JudgedText(const TransferRow& row, const Style& style) {
  std::string text;
  for (const Finding& finding : row.findings) {
    if (!IsTrouble(finding) && !finding.class_proof) continue;
    text += Row(style, "", finding.outcome, Printable(finding.id), Printable(finding.observed));
    if (!finding.why.empty()) text += Note(style, "why", Printable(finding.why));
    if (finding.remedy) text += RemedyNotes(style, *finding.remedy);
  }
  return text;
}

// What was counted during a test of which nothing else is said.
std::string Counted(const TransferRow& row, const Style& style) {
  constexpr std::size_t kTextColumn = 14;
  const std::string growth = GrowthText(row.counters);
  if (growth.empty() || std::ranges::any_of(row.findings, IsTrouble)) return {};
  return Labelled(style, Tone::kWarning, "  " + Printable(row.result.case_name), kTextColumn,
                  growth + (row.software ? " (software device: not judged)" : ""));
}

// The rows from `first` on that belong under one title.
std::size_t SectionEnd(const std::vector<TransferRow>& rows, std::size_t first) {
  std::size_t end = first + 1;
  while (end < rows.size() && Title(rows[end]) == Title(rows[first])) ++end;
  return end;
}

// What is not as the cases have it, and how the traffic was marked.
std::string HowText(const TransferResult& result, const std::string& dot) {
  std::string text;
  if (result.qps > 1) text += dot + fmt::format("{} queue pairs", result.qps);
  if (result.bidirectional) text += dot + "both directions at once";
  if (result.busy_poll) text += dot + "busy polling";
  if (result.unverified) text += dot + "unverified";
  if (result.limit_bytes_per_s) text += dot + "in production, at most " + RateText(*result.limit_bytes_per_s);
  return text;
}

// Rows under one title together, in the order in which the titles first came.
std::vector<TransferRow> Gathered(std::vector<TransferRow> rows) {
  for (auto first = rows.begin(); first != rows.end();) {
    const std::string title = Title(*first);
    first =
        std::stable_partition(first, rows.end(), [&](const TransferRow& row) { return Title(row) == title; });
  }
  return rows;
}

std::string Marks(const TransferRow& row, const Style& style) {
  std::string text;
  const std::string dot = fmt::format(" {} ", style.Dot());
  if (!row.result.transport.empty()) text += dot + Printable(row.result.transport);
  text += HowText(row.result, dot);
  if (row.software) text += dot + "software device: functional verdict only";
  return text;
}

struct Tally {
  std::size_t tests = 0;
  std::size_t unverified = 0;
  std::size_t failed = 0;
  std::size_t warned = 0;
  std::uint64_t bytes_verified = 0;
};

void Count(const TransferRow& row, Tally& tally) {
  ++tally.tests;
  tally.bytes_verified += row.result.bytes_verified;
  tally.unverified += row.result.unverified ? 1U : 0U;
  const auto is = [&](auto... outcomes) {
    return std::ranges::any_of(row.findings,
                               [&](const Finding& f) { return ((f.outcome == outcomes) || ...); });
  };
  if (is(Outcome::kFail, Outcome::kUnknown)) {
    ++tally.failed;
  } else if (is(Outcome::kWarn)) {
    ++tally.warned;
  }
}

std::string VerdictText(const Tally& tally, const Style& style) {
  if (tally.failed > 0) {
    return style.Paint(Tone::kBad, "failed") + fmt::format(": {} of {} tests\n", tally.failed, tally.tests);
  }
  const std::string looked = tally.unverified == 0
                                 ? VolumeText(tally.bytes_verified) + ", every byte verified"
                                 : fmt::format("{} unverified: no byte of {} was looked at", tally.unverified,
                                               tally.unverified == 1 ? "it" : "them");
  return style.Paint(Tone::kGood, "ok") +
         fmt::format(": {} of {} tests{}, {}\n", tally.tests, tally.tests,
                     tally.warned == 0 ? "" : fmt::format(", {} with a warning", tally.warned), looked);
}

// The rows that belong under one title.
std::string SectionText(std::span<const TransferRow> rows, const Style& style) {
  std::vector<std::vector<std::string>> cells{{kColumns.begin(), kColumns.end()}};
  std::string below;
  for (const TransferRow& row : rows) {
    cells.push_back(Cells(row));
    below += JudgedText(row, style) + Counted(row, style);
  }
  const std::string marking = MarkingText(rows[0].result, rows[0].software);
  return style.Paint(Tone::kStrong, Title(rows[0])) + Marks(rows[0], style) + "\n" + Table(style, cells, 2) +
         below + (marking.empty() ? "" : "  " + marking + "\n") + "\n";
}

}  // namespace

std::string TransfersText(const TransferRun& run, const Style& style) {
  if (run.rows.empty()) return "no test was made\n";
  const std::vector<TransferRow> rows = Gathered(run.rows);
  std::string text;
  Tally tally;
  for (std::size_t first = 0; first < rows.size();) {
    const std::size_t end = SectionEnd(rows, first);
    text += SectionText(std::span(rows).subspan(first, end - first), style);
    first = end;
  }
  for (const TransferRow& row : rows) Count(row, tally);
  return text + VerdictText(tally, style) +
         "latency is half the round trip for send, post to completion for write and read\n";
}

}  // namespace rdmaready
