// SPDX-License-Identifier: Apache-2.0
#include "cli/render/baseline.h"

#include <fmt/format.h>

#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"

namespace rdmaready {
namespace {

constexpr std::size_t kBaselineMargin = 2;

std::string DayOf(std::int64_t unix_ns) { return TimeText(unix_ns).substr(0, 10); }

std::string WithWhom(const CaseBaseline& baseline) {
  if (baseline.role == "loopback") return "loopback";
  return (baseline.role == "initiator" ? "to " : "from ") + Printable(baseline.peer);
}

// "since 2026-11-20; 97.0 MB/s for 90 days before"
std::string ChangeWords(const CaseBaseline& baseline) {
  if (baseline.changed_unix_ns == 0) return fmt::format("since {}", DayOf(baseline.first_unix_ns));
  return fmt::format("since {}; {} for {} before", DayOf(baseline.changed_unix_ns),
                     RateText(baseline.before_bytes_per_s), CountText(baseline.before_days, "day"));
}

}  // namespace

std::vector<std::string> BaselineTitles() {
  return {"port", "case", "peer", "last", "on", "p50", "p10", "days", "it is so"};
}

std::vector<std::string> BaselineCells(const CaseBaseline& baseline) {
  const auto of_past = [&](std::uint64_t rate) { return baseline.days == 0 ? "-" : RateText(rate); };
  return {Printable(baseline.port),
          Printable(baseline.case_name),
          WithWhom(baseline),
          RateText(baseline.last_bytes_per_s),
          DayOf(baseline.last_unix_ns),
          of_past(baseline.p50_bytes_per_s),
          of_past(baseline.p10_bytes_per_s),
          fmt::format("{}", baseline.days),
          ChangeWords(baseline)};
}

std::string BaselineText(const BaselineRun& run, const Style& style) {
  std::string text;
  for (const HostBaselines& host : run.hosts) {
    if (!host.error.empty()) continue;
    text += (text.empty() ? "" : "\n") + style.Paint(Tone::kStrong, Printable(host.host)) + "\n";
    std::vector<std::vector<std::string>> rows{BaselineTitles()};
    for (const CaseBaseline& baseline : host.baselines) rows.push_back(BaselineCells(baseline));
    text += host.baselines.empty() ? "  no live test is remembered\n" : Table(style, rows, kBaselineMargin);
  }
  return text;
}

}  // namespace rdmaready
