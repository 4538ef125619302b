// SPDX-License-Identifier: Apache-2.0
// The report of a probe: the findings, what the server told, the verdict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/base/text.h"
#include "checks/probe/answers.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/findings_block.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

// "smb fs1 (10.0.0.9) from node1 - rxe0/1 - roce-v2 - port 445"
std::string Heading(const ProbeSummary& run, const Style& style) {
  const ProbeResult& result = run.answer.result;
  std::string target = style.Paint(Tone::kStrong, ProbeSubject(result.protocol, result.target));
  if (!result.address.empty() && result.address != result.target)
    target += fmt::format(" ({})", Printable(result.address));
  std::vector<std::string> parts{fmt::format("{} from {}", target, Printable(run.host))};
  if (!result.local_port.empty()) parts.push_back(Printable(result.local_port));
  if (!result.transport.empty()) parts.push_back(Printable(result.transport));
  if (result.port_number != 0) parts.push_back(fmt::format("port {}", result.port_number));
  return fmt::format("{}\n", fmt::join(parts, fmt::format(" {} ", style.Dot())));
}

std::string ValuesText(const ProbeSummary& run, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const AnswerText& answer : AnswerTexts(run.answer.result.answers))
    rows.push_back({Printable(answer.name), Printable(answer.text)});
  return rows.empty() ? std::string() : "\n" + Table(style, rows, 2);
}

const Finding* FirstInTheWay(const std::vector<Finding>& findings, Outcome outcome) {
  const auto found = std::ranges::find_if(
      findings, [=](const Finding& finding) { return finding.blocking && finding.outcome == outcome; });
  return found == findings.end() ? nullptr : &*found;
}

std::string VerdictLine(const ProbeSummary& run, const Style& style) {
  const std::vector<Finding>& findings = run.answer.findings;
  std::int64_t duration_ns = 0;
  for (const ProbeStep& step : run.answer.result.steps) duration_ns += step.duration_ns;
  const std::string time = fmt::format("  ({})\n", DurationText(duration_ns));
  const Readiness verdict = ReadinessOfProbe(findings);
  if (verdict == Readiness::kReady) {
    const std::string_view rung = Name(LadderOfProbe(findings).back().rung);
    return fmt::format("{}: up to the {}{}", style.Paint(Tone::kGood, "ready"), rung, time);
  }
  const bool failed = verdict == Readiness::kNotReady;
  const Finding* first = FirstInTheWay(findings, failed ? Outcome::kFail : Outcome::kUnknown);
  const std::string word = failed ? style.Paint(Tone::kBad, "not ready") : "undetermined";
  if (first == nullptr) return word + time;
  return fmt::format("{}: {}{}", word, Printable(first->id), time);
}

}  // namespace

std::string ProbeText(const ProbeSummary& run, const Style& style) {
  return Heading(run, style) + FindingsBlock(style, run.answer.findings) + ValuesText(run, style) + "\n" +
         VerdictLine(run, style);
}

}  // namespace rdmaready
