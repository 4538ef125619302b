// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/cause_text.h"
#include "cli/render/report/verdict_sentence.h"

namespace rdmaready {
namespace {

// How many of what is unknown somebody with more rights would have been told.
std::string NotAllowed(std::span<const Finding> findings) {
  const auto count = std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.outcome == Outcome::kUnknown && finding.hidden_by.empty() && !finding.waived &&
           finding.observed.starts_with(kNotAllowed);
  });
  return count == 0 ? "" : fmt::format(" ({} not allowed: ask an agent with its helpers, or as root)", count);
}

}  // namespace

std::string SummaryText(std::span<const Finding> findings) {
  constexpr std::array<std::pair<Outcome, std::string_view>, 5> kWords{
      {{Outcome::kPass, "ok"},
       {Outcome::kFail, "fail"},
       {Outcome::kWarn, "warn"},
       {Outcome::kUnknown, "unknown"},
       {Outcome::kNotApplicable, "not applicable"}}};
  std::string text;
  std::size_t hidden = 0;
  for (const auto& [outcome, word] : kWords) {
    std::size_t count = 0;
    for (const Finding& finding : findings) {
      if (finding.outcome == outcome && finding.hidden_by.empty() && !finding.waived) ++count;
    }
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
    if (outcome == Outcome::kUnknown) text += NotAllowed(findings);
  }
  if (const std::size_t waived = WaivedOf(findings); waived > 0)
    text += fmt::format("{}{} waived", text.empty() ? "" : ", ", waived);
  for (const Finding& finding : findings) hidden += finding.hidden_by.empty() ? 0U : 1U;
  if (hidden > 0) text += fmt::format("{}{} not judged", text.empty() ? "" : ", ", hidden);
  return text.empty() ? "nothing was checked" : text;
}

std::string WaivedText(const Waived& waived) {
  return fmt::format("until {}, {}: {}", Printable(waived.until), Printable(waived.who),
                     Printable(waived.reason));
}

std::string RungText(const RungResult& rung, const Style& style) {
  std::string_view word;
  Tone tone = Tone::kPlain;
  switch (rung.outcome) {
    case RungOutcome::kNotRun:
      word = "not run";
      tone = Tone::kFaint;
      break;
    case RungOutcome::kPass:
      word = "ok";
      tone = Tone::kGood;
      break;
    case RungOutcome::kFail:
      word = "FAIL";
      tone = Tone::kBad;
      break;
    case RungOutcome::kUnknown:
      word = "unknown";
      tone = Tone::kWarning;
      break;
  }
  return std::string(Name(rung.rung)) + " " + style.Paint(tone, word);
}

std::vector<std::size_t> OddFirst(const Report& report) {
  const auto place = [&report](std::size_t i) {
    const HostReport& host = report.hosts[i];
    if (host.verdict == Readiness::kNotReady) return 0;
    if (!host.error.empty()) return 1;
    if (host.verdict != Readiness::kReady) return 2;
    const bool odd = std::ranges::any_of(host.findings, [](const Finding& finding) {
      return finding.hidden_by.empty() && !finding.waived && finding.outcome != Outcome::kPass &&
             finding.outcome != Outcome::kNotApplicable;
    });
    return odd ? 3 : 4;
  };
  std::vector<std::size_t> order(report.hosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() >= kGroupFromHosts) std::ranges::stable_sort(order, {}, place);
  return order;
}

std::string WaitedText(const CheckSummary& run, const Style& style) {
  if (!run.waited || run.waited->tries < 2) return {};
  return LabelledLine(
      style, Tone::kFaint, "WAITED",
      fmt::format("{}, {}", DurationText(run.waited->ns), CountText(run.waited->tries, "check")));
}

std::string VerdictText(const Report& report, const Style& style) {
  const std::string line = Printable(Headline(report, true));
  const std::string time = report.duration_ns > 0 ? "  (" + DurationText(report.duration_ns) + ")" : "";
  const std::size_t colon = std::min(line.find(':'), line.size());
  std::string text;
  for (const std::string& part : Wrap(line + time, style.width)) {
    const std::size_t painted = text.empty() ? std::min(colon, part.size()) : 0;
    text += style.Paint(ToneOf(report.verdict), part.substr(0, painted)) + part.substr(painted) + "\n";
  }
  return text;
}

}  // namespace rdmaready
