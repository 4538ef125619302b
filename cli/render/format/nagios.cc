// SPDX-License-Identifier: Apache-2.0
// The line of a monitoring plugin: Nagios plugin guidelines, sections 2.2 and 2.6.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"
#include "cli/exit_status.h"
#include "cli/render/format/judged.h"

namespace rdmaready {
namespace {

std::string_view NagiosWord(int status) {
  constexpr std::array<std::string_view, 4> kWords{"OK", "WARNING", "CRITICAL", "UNKNOWN"};
  return kWords.at(static_cast<std::size_t>(status));
}

constexpr std::size_t kMostNagiosText = 1024;

// The bar divides text from figures; what is longer is cut off by the reader at a place of its own.
std::string NagiosText(std::string text) {
  text = Printable(text);
  std::ranges::replace(text, '|', '/');
  if (text.size() > kMostNagiosText) text = Printable(text.substr(0, kMostNagiosText)) + "...";
  return text;
}

// The remedy of what is to be done first; empty where it would not be whole in at most so many bytes.
std::string NagiosFix(const Report& report, std::size_t most) {
  const std::optional<FirstStep> first = FirstThingToDo(report);
  if (!first || !first->finding->remedy) return {};
  std::string text = "; fix " + first->where + ": " + OneLine(*first->finding->remedy);
  const bool whole = text.size() <= most && text.find('|') == std::string::npos && Printable(text) == text;
  return whole ? text : std::string();
}

}  // namespace

std::string CheckNagios(const CheckSummary& run, const Look&) {
  const Report& report = run.report;
  std::uint64_t failed = 0;
  std::uint64_t warned = 0;
  std::uint64_t unknown = 0;
  for (const Judged& judged : JudgedIn(report)) {
    if (judged.finding->waived) continue;
    const Outcome outcome = judged.finding->outcome;
    failed += outcome == Outcome::kFail ? 1U : 0U;
    warned += outcome == Outcome::kWarn ? 1U : 0U;
    unknown += outcome == Outcome::kUnknown ? 1U : 0U;
  }
  const auto verdicts = [&](Readiness verdict) {
    return std::ranges::count(report.hosts, verdict, &HostReport::verdict);
  };
  std::string text = Headline(report);
  if (report.verdict == Readiness::kReady && warned > 0)
    text += fmt::format("; {} to look at", CountText(warned, "warning"));
  // A full disk of an agent changes no verdict: somebody has to make room, and history lacks this run.
  const std::vector<std::string> not_stored = NotStored(run);
  for (const std::string& line : not_stored) text += "; " + line;
  const std::string fix =
      NagiosFix(report, kMostNagiosText - std::min(kMostNagiosText, Printable(text).size()));
  return fmt::format(
      "RDMAREADY {} - {} | hosts={};;;0 ready={};;;0 not_ready={};;;0 undetermined={};;;0 failures={};;;0 "
      "warnings={};;;0 "
      "unknown={};;;0 waived={};;;0 time={:.3f}s;;;0\n",
      NagiosWord(NagiosStatusOf(VerdictStatusOf(run), warned > 0 || !not_stored.empty())),
      NagiosText(text) + fix, report.hosts.size(), verdicts(Readiness::kReady), verdicts(Readiness::kNotReady),
      verdicts(Readiness::kUndetermined), failed, warned, unknown, WaivedOf(report),
      static_cast<double>(report.duration_ns) / 1e9);
}

std::string FailureNagios(ExitStatus status, std::string_view host, std::string_view error) {
  const bool named = host.empty() || error.find(host) != std::string_view::npos;
  return fmt::format("RDMAREADY {} - {}{}\n", NagiosWord(NagiosStatusOf(status, false)),
                     named ? "" : NagiosText(std::string(host)) + ": ", NagiosText(std::string(error)));
}

}  // namespace rdmaready
