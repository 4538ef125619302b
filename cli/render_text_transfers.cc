// SPDX-License-Identifier: Apache-2.0
// The table of live tests, one line for each, and what failed below it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/base/text.h"
#include "checks/words.h"
#include "cli/layout.h"
#include "cli/render_text.h"

namespace rdmaready {
namespace {

struct Rates {
  std::string mean{};
  std::string worst{};  // of the worst whole 100 ms
};

// Small messages are looked at for operations, large ones for bandwidth.
Rates RatesOf(const TransferResult& result) {
  constexpr std::uint32_t kLarge = 64 * 1024;
  constexpr std::int64_t kWholeIntervalNs =
      100'000'000;  // 0 in one is a stall; without one it is no rate at all
  const std::uint64_t worst = result.worst_interval_bytes_per_s;
  const bool known = result.elapsed_ns >= kWholeIntervalNs && result.throughput_bytes_per_s > 0;
  if (result.message_bytes >= kLarge) {
    return {RateText(result.throughput_bytes_per_s), known ? RateText(worst) : "-"};
  }
  const double share =
      known ? static_cast<double>(worst) / static_cast<double>(result.throughput_bytes_per_s) : 0;
  return {fmt::format("{} op/s", result.operations_per_s),
          known ? fmt::format("{:.0f} op/s", share * static_cast<double>(result.operations_per_s)) : "-"};
}

std::string Title(const TransferRow& row) {
  if (row.from == row.to) return Printable(row.from + " loopback " + row.subject);
  return Printable(row.from + " -> " + row.to + " (" + row.subject + ")");
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

std::string Troubles(const TransferRow& row, const Style& style) {
  std::string text;
  for (const Finding& finding : row.findings) {
    if (!IsTrouble(finding)) continue;
    text += Row(style, "", finding.outcome, Printable(finding.id), Printable(finding.observed));
    if (!finding.why.empty()) text += Note(style, "why", Printable(finding.why));
    if (!finding.fix.empty()) text += FixNote(style, Printable(finding.fix));
  }
  return text;
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
  if (!result.verify) text += dot + "unverified";
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

}  // namespace

std::string TransfersText(const TransferRun& run, const Style& style) {
  const std::vector<TransferRow> rows = Gathered(run.rows);
  std::string text;
  std::size_t unverified = 0;
  std::size_t failed = 0;
  std::uint64_t verified = 0;
  for (std::size_t first = 0; first < rows.size();) {
    const std::size_t end = SectionEnd(rows, first);
    text += style.Paint(Tone::kStrong, Title(rows[first])) + Marks(rows[first], style) + "\n";
    std::vector<std::vector<std::string>> cells{{kColumns.begin(), kColumns.end()}};
    std::string troubles;
    for (std::size_t i = first; i < end; ++i) {
      cells.push_back(Cells(rows[i]));
      verified += rows[i].result.bytes_verified;
      unverified += rows[i].result.verify ? 0U : 1U;
      const std::string trouble = Troubles(rows[i], style);
      failed += trouble.empty() ? 0U : 1U;
      troubles += trouble;
    }
    text += Table(style, cells, 2) + troubles;
    if (const std::string marking = MarkingText(rows[first].result, rows[first].software); !marking.empty()) {
      text += "  " + marking + "\n";
    }
    text += "\n";
    first = end;
  }
  if (run.rows.empty()) return "no test was made\n";
  if (failed == 0) {
    const std::string looked = unverified == 0 ? VolumeText(verified) + ", every byte verified"
                                               : fmt::format("{} unverified: no byte of {} was looked at",
                                                             unverified, unverified == 1 ? "it" : "them");
    text += style.Paint(Tone::kGood, "ok") +
            fmt::format(": {} of {} tests, {}\n", rows.size(), rows.size(), looked);
  } else {
    text += style.Paint(Tone::kBad, "failed") + fmt::format(": {} of {} tests\n", failed, run.rows.size());
  }
  return text + "latency is half the round trip for send, post to completion for write and read\n";
}

}  // namespace rdmaready
