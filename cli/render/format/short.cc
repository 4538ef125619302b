// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/format/judged.h"
#include "cli/render/report/check_parts.h"
#include "cli/render/report/verdict_sentence.h"

namespace rdmaready {
namespace {

// Of the host, and of the pairs that it is in: the worst, and how many more.
std::string WorstOf(const Report& report, const HostReport& host) {
  if (!host.error.empty()) return Printable(host.error);
  std::vector<Finding> all = host.findings;
  for (const PairReport& pair : report.pairs) {
    if (pair.from == host.host || pair.to == host.host)
      all.insert(all.end(), pair.findings.begin(), pair.findings.end());
  }
  std::erase_if(all, [](const Finding& finding) { return !finding.hidden_by.empty(); });
  const std::vector<const Finding*> worth = WorthSaying(all);
  const std::size_t waived = WaivedOf(all);
  if (worth.empty()) return waived > 0 ? fmt::format("{} waived", waived) : std::string();
  const Finding& worst = *worth.front();
  std::string more = worth.size() > 1 ? fmt::format("  (and {} more)", worth.size() - 1) : "";
  if (waived > 0) more += fmt::format("  ({} waived)", waived);
  return Printable(
      fmt::format("{} {} {}: {}{}", Symbol(worst.outcome), worst.id, worst.subject, Sentence(worst), more));
}

}  // namespace

std::string CheckShort(const CheckSummary& run, const Look& look) {
  std::size_t widest = 0;
  for (const HostReport& host : run.report.hosts) widest = std::max(widest, Printable(host.host).size());
  constexpr std::size_t kVerdictWidth = 14;  // "undetermined" and two blanks
  std::string text;
  for (const std::size_t i : OddFirst(run.report)) {
    const HostReport& host = run.report.hosts[i];
    std::string line = Column(Printable(host.host), widest + 2) +
                       look.style.Paint(ToneOf(host.verdict), Column(Name(host.verdict), kVerdictWidth)) +
                       WorstOf(run.report, host);
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string CheckWide(const CheckSummary& run, const Look& look) {
  std::vector<std::vector<std::string>> rows{
      {"HOST", "OUTCOME", "CHECK", "SUBJECT", "BLOCKS", "OBSERVED", "WANTED", "SOURCE", "FIX"}};
  const auto filled = [](const std::string& text) { return text.empty() ? std::string("-") : Printable(text); };
  for (const HostReport& host : run.report.hosts) {
    if (!host.error.empty())
      rows.push_back({Printable(host.host), "error", "-", "-", "-", Printable(host.error), "-", "-", "-"});
  }
  for (const Judged& judged : JudgedIn(run.report)) {
    const Finding& finding = *judged.finding;
    const bool well = finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable;
    if (well && !look.verbose) continue;
    rows.push_back({judged.Where(), Cat(Name(finding.outcome), finding.waived ? ", waived" : ""),
                    filled(finding.id), filled(finding.subject), finding.blocking ? "yes" : "no",
                    filled(finding.observed), filled(finding.expected), filled(finding.source),
                    filled(finding.remedy ? OneLine(*finding.remedy) : "")});
  }
  Style unwrapped = look.style;
  unwrapped.width = 0;
  return (rows.size() > 1 ? Table(unwrapped, rows, 0) + "\n" : "") + Printable(Headline(run.report)) + "\n";
}

}  // namespace rdmaready
