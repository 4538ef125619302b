// SPDX-License-Identifier: Apache-2.0
// The report of a check: a block for each host, a block for each pair, the ladder, the verdict, what to
// do first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/fleet/remembered.h"
#include "cli/layout.h"
#include "cli/render/findings_block.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

// From this many hosts on, live tests that all passed are one line.
constexpr std::size_t kFoldFromHosts = 3;
constexpr std::size_t kLabelColumn = 8;
constexpr std::size_t kPortsColumn = 9;
constexpr std::size_t kRememberedColumn = 10;

// How many of what is unknown somebody with more rights would have been told.
std::string NotAllowed(std::span<const Finding> findings) {
  const auto count = std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.outcome == Outcome::kUnknown && finding.hidden_by.empty() &&
           finding.observed.starts_with(kNotAllowed);
  });
  return count == 0 ? "" : fmt::format(" ({} not allowed: ask an agent with its helpers, or as root)", count);
}

std::string Summary(std::span<const Finding> findings) {
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
      if (finding.outcome == outcome && finding.hidden_by.empty()) ++count;
    }
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
    if (outcome == Outcome::kUnknown) text += NotAllowed(findings);
  }
  for (const Finding& finding : findings) hidden += finding.hidden_by.empty() ? 0U : 1U;
  if (hidden > 0) text += fmt::format("{}{} not judged", text.empty() ? "" : ", ", hidden);
  return text.empty() ? "nothing was checked" : text;
}

std::string HostHeading(const HostReport& host, const std::string& profile, const HostNotes& notes,
                        const Style& style) {
  const std::string dot = fmt::format(" {} ", style.Dot());
  std::string rest;
  if (!notes.recorded_by.empty()) rest += dot + "recorded " + UtcText(notes.recorded_unix_ns);
  if (!host.kernel_release.empty()) rest += dot + "Linux " + Printable(host.kernel_release);
  if (!profile.empty()) rest += dot + "profile " + Printable(profile);
  if (host.kernel_release.empty() && profile.empty() && host.findings.empty()) rest = dot + "no report";
  return style.Paint(Tone::kStrong, Printable(host.host)) + rest + "\n";
}

Detail DetailOf(const Report& report, bool verbose) {
  if (verbose) return Detail::kEveryCheck;
  return report.hosts.size() >= kFoldFromHosts ? Detail::kFolded : Detail::kBrief;
}

// Which port was judged by which profile, where that is not all of them by one.
std::string PortsText(const HostReport& host, const Style& style) {
  std::string text;
  const auto line = [&](const std::string& profile, std::string_view label) {
    std::string ports;
    for (const JudgedPort& port : host.ports) {
      if (port.profile == profile) ports += (ports.empty() ? "" : ", ") + Printable(port.subject);
    }
    if (!ports.empty()) text += Labelled(style, Tone::kFaint, "  ports", kPortsColumn, Cat(label, ": ", ports));
  };
  if (host.profiles.size() > 1) {
    for (const ProfileRef& profile : host.profiles) line(profile.name, Printable(profile.name));
  }
  line("", "judged by no profile");
  return text;
}

// Since when, of what stands in the way for longer than somebody who mends it takes from one check to the next.
std::string StandingText(const std::vector<Standing>& standing, std::int64_t now_unix_ns, const Style& style) {
  constexpr std::int64_t kWorthSayingNs = 600'000'000'000;  // ten minutes
  struct Since {
    std::vector<std::string> ids{};
    int checks = 0;
  };
  std::map<std::int64_t, Since> by_time;
  for (const Standing& one : standing) {
    if (now_unix_ns - one.since_unix_ns < kWorthSayingNs) continue;
    Since& since = by_time[one.since_unix_ns];
    if (std::ranges::find(since.ids, one.id) == since.ids.end()) since.ids.push_back(one.id);
    since.checks = std::max(since.checks, one.checks);
  }
  std::string text;
  for (const auto& [unix_ns, since] : by_time) {
    text += Labelled(style, Tone::kFaint, "  since", kRememberedColumn,
                     Printable(fmt::format("{}{}, in {} checks: {}", UtcText(unix_ns),
                                           since.checks > kRunsRemembered ? " or before" : "", since.checks,
                                           fmt::join(since.ids, ", "))));
  }
  return text;
}

// What earlier checks found that this one could not judge.
std::string SeenText(const std::vector<SeenBefore>& seen, const Style& style) {
  std::string text;
  for (const SeenBefore& one : seen) {
    const std::string again = one.checks > 1 ? fmt::format(", and in {} checks before", one.checks - 1) : "";
    text += Labelled(style, Tone::kWarning, "  before", kRememberedColumn,
                     Cat(UtcText(one.last_unix_ns), again, ": ", Printable(one.id), " on ",
                         Printable(one.subject), ": ", Printable(one.observed)));
  }
  return text;
}

std::string HostText(const HostReport& host, const HostNotes& notes, const Report& report, bool verbose,
                     const Style& style) {
  std::string text = HostHeading(host, NamesOf(host.profiles), notes, style);
  text += FindingsBlock(style, host.findings, DetailOf(report, verbose)) + PortsText(host, style) +
          StandingText(notes.remembered.standing, report.started_unix_ns, style) +
          SeenText(notes.remembered.seen, style);
  if (!host.error.empty()) {
    text += Labelled(style, Tone::kBad, "  error", 9, Printable(host.error));
    if (host.findings.empty()) return text;
  }
  const std::string note = notes.software ? "; software device: functional verdict only" : "";
  return text + Labelled(style, Tone::kPlain, " ", 2, Summary(host.findings) + note);
}

std::string PairText(const PairReport& pair, const Report& report, bool verbose, const Style& style) {
  const std::string heading = Printable(pair.from) + " -> " + Printable(pair.to);
  return style.Paint(Tone::kStrong, heading) + "\n" +
         FindingsBlock(style, pair.findings, DetailOf(report, verbose));
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

std::string LadderText(const Report& report, const Style& style) {
  std::size_t widest = 0;
  for (const HostReport& host : report.hosts) widest = std::max(widest, host.host.size());
  std::string text;
  for (const HostReport& host : report.hosts) {
    text += Column(text.empty() ? "ladder" : "", kLabelColumn) + Column(Printable(host.host), widest + 2);
    for (std::size_t i = 0; i < host.ladder.size(); ++i) {
      text += (i == 0 ? "" : ", ") + RungText(host.ladder[i], style);
    }
    text += "\n";
  }
  return text;
}

std::string VerdictText(const Report& report, const Style& style) {
  Tone tone = Tone::kWarning;
  switch (report.verdict) {
    case Readiness::kUndetermined:
      break;
    case Readiness::kReady:
      tone = Tone::kGood;
      break;
    case Readiness::kNotReady:
      tone = Tone::kBad;
      break;
  }
  const std::string line = Printable(Headline(report));
  const std::string time = report.duration_ns > 0 ? "  (" + DurationText(report.duration_ns) + ")" : "";
  const std::size_t colon = std::min(line.find(':'), line.size());
  std::string text;
  for (const std::string& part : Wrap(line + time, style.width)) {
    const std::size_t painted = text.empty() ? std::min(colon, part.size()) : 0;
    text += style.Paint(tone, part.substr(0, painted)) + part.substr(painted) + "\n";
  }
  return text;
}

// Lines of its own: it is what the reader takes along.
std::string FirstText(const Report& report, const Style& style) {
  const std::optional<FirstStep> first = FirstThingToDo(report);
  if (!first || first->finding->fix.empty()) return {};
  return Column("first", kLabelColumn) + first->where + ":\n" + std::string(kLabelColumn, ' ') +
         Typed(style, kLabelColumn, Printable(first->finding->fix));
}

}  // namespace

std::string CheckText(const CheckSummary& run, const Style& style, bool verbose) {
  const Report& report = run.report;
  std::string text;
  for (std::size_t i = 0; i < report.hosts.size(); ++i) {
    text +=
        HostText(report.hosts[i], i < run.notes.size() ? run.notes[i] : HostNotes{}, report, verbose, style) +
        "\n";
  }
  for (const PairReport& pair : report.pairs) text += PairText(pair, report, verbose, style);
  if (!report.pairs.empty()) text += "\n";
  return text + LadderText(report, style) + VerdictText(report, style) + FirstText(report, style);
}

}  // namespace rdmaready
