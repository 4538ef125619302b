// SPDX-License-Identifier: Apache-2.0
// The report of a probe: the findings, what the server told, the verdict.
#include <algorithm>

#include "api/base/text.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/findings_block.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

// "smb fs1 (10.0.0.9) from node1 - rxe0/1 - roce-v2 - port 445"
std::string Heading(const ProbeSummary& run, const Style& style) {
  const ProbeResult& result = run.answer.result;
  const std::string dot = Cat(" ", style.Dot(), " ");
  std::string rest;
  if (!result.address.empty() && result.address != result.target)
    rest += Cat(" (", Printable(result.address), ")");
  rest += " from " + Printable(run.host);
  if (!result.local_port.empty()) rest += dot + Printable(result.local_port);
  if (!result.transport.empty()) rest += dot + Printable(result.transport);
  if (result.port_number != 0) rest += Cat(dot, "port ", result.port_number);
  return style.Paint(Tone::kStrong, ProbeSubject(result.protocol, result.target)) + rest + "\n";
}

std::string ValuesText(const ProbeSummary& run, const Style& style) {
  if (run.answer.result.values.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const ProbeValue& value : run.answer.result.values)
    rows.push_back({Printable(value.name), Printable(value.value)});
  return "\n" + Table(style, rows, 2);
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
  const std::string time = Cat("  (", DurationText(duration_ns), ")\n");
  const Readiness verdict = ReadinessOfProbe(findings);
  if (verdict == Readiness::kReady) {
    const std::string_view rung = Name(LadderOfProbe(findings).back().rung);
    return style.Paint(Tone::kGood, "ready") + Cat(": up to the ", rung) + time;
  }
  const bool failed = verdict == Readiness::kNotReady;
  const Finding* first = FirstInTheWay(findings, failed ? Outcome::kFail : Outcome::kUnknown);
  const std::string word = failed ? style.Paint(Tone::kBad, "not ready") : "undetermined";
  return word + (first == nullptr ? std::string() : ": " + Printable(first->id)) + time;
}

}  // namespace

std::string ProbeText(const ProbeSummary& run, const Style& style) {
  return Heading(run, style) + FindingsBlock(style, run.answer.findings, Detail::kEveryCheck) +
         ValuesText(run, style) + "\n" + VerdictLine(run, style);
}

}  // namespace rdmaready
