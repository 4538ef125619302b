// SPDX-License-Identifier: Apache-2.0
// The report of a check, for a person who is tired. Each host begins with its verdict in a sentence. Then come
// the causes with their remedies, what is unknown, and what is well. text_check_fleet.cc has the report of many
// hosts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/remembered.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/render/report/cause_text.h"
#include "cli/render/report/check_parts.h"
#include "cli/render/report/findings_block.h"
#include "cli/render/report/fine_text.h"
#include "cli/render/report/verdict_sentence.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

// How many of them are said in lines of their own; the others are named by their ids.
constexpr std::size_t kFullCauses = 3;
constexpr std::size_t kWarnings = 3;
constexpr std::size_t kUnknown = 2;

// Which port was judged by which profile, where that is not all of them by one.
std::string PortsText(const HostReport& host, const Style& style) {
  std::string text;
  const auto line = [&](const std::string& profile, std::string_view label) {
    std::string ports;
    for (const JudgedPort& port : host.ports) {
      if (port.profile == profile) ports += (ports.empty() ? "" : ", ") + Printable(port.subject);
    }
    if (!ports.empty()) text += LabelledLine(style, Tone::kFaint, "PORTS", Cat(label, ": ", ports));
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
    std::uint32_t checks = 0;
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
    text += LabelledLine(style, Tone::kFaint, "SINCE",
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
    text += LabelledLine(style, Tone::kWarning, "BEFORE",
                         Cat(UtcText(one.last_unix_ns), again, ": ", Printable(one.id), " on ",
                             Printable(one.subject), ": ", Printable(one.observed)));
  }
  return text;
}

// The ids of those that are not shown.
std::string AlsoText(const Style& style, const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  return LabelledLine(style, Tone::kFaint, "ALSO",
                      Printable(fmt::format("{}  (-v has all of it)", fmt::join(ids, ", "))));
}

std::string WaivedLines(std::span<const Finding> findings, const Style& style) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!finding.waived) continue;
    text += LabelledLine(style, Tone::kFaint, "WAIVED",
                         Cat(Printable(finding.subject), ": ", Printable(Sentence(finding)), "  (",
                             Printable(finding.id), ", ", WaivedText(*finding.waived), ")"));
  }
  return text;
}

// Each cause; what is in the way in full.
std::string CausesText(std::span<const Finding> findings, const Style& style) {
  std::string text;
  std::vector<std::string> more;
  std::size_t full = 0;
  std::size_t warnings = 0;
  std::size_t unknown = 0;
  for (const Cause& cause : Joined(CausesOf(findings))) {
    if (IsInTheWay(cause)) {
      text +=
          (full > 0 ? "\n" : "") + (full < kFullCauses ? CauseText(style, cause) : CauseInBrief(style, cause));
      ++full;
      continue;
    }
    const bool is_unknown = cause.finding->outcome == Outcome::kUnknown;
    std::size_t& shown = is_unknown ? unknown : warnings;
    if (shown++ < (is_unknown ? kUnknown : kWarnings)) {
      text += (full > 0 && warnings + unknown == 1 ? "\n" : "") + CauseInBrief(style, cause);
    } else {
      more.push_back(cause.IdsText());
    }
  }
  return text + AlsoText(style, more) + WaivedLines(findings, style);
}

// Checks that were not judged because of a finding of another host, or of one that is waived.
std::string SkippedText(std::span<const Finding> findings, const Style& style) {
  std::map<std::string, std::size_t> behind;
  for (const Finding& finding : findings) {
    const auto is_cause = [&finding](const Finding& other) {
      return other.id == finding.hidden_by && !other.waived;
    };
    if (!finding.hidden_by.empty() && std::ranges::none_of(findings, is_cause)) ++behind[finding.hidden_by];
  }
  std::string text;
  for (const auto& [id, count] : behind)
    text += LabelledLine(style, Tone::kFaint, "SKIPPED",
                         Cat(CountText(count, "check"), ", because of ", Printable(id)));
  return text;
}

std::string LadderText(const HostReport& host, const Style& style) {
  std::string text;
  for (const RungResult& rung : host.ladder) text += (text.empty() ? "" : ", ") + RungText(rung, style);
  return text;
}

// The profile, the kernel, and the levels.
std::string JudgedText(const HostReport& host, const HostNotes& notes, const Report& report,
                       const Style& style) {
  const std::string profile = NamesOf(host.profiles);
  std::vector<std::string> parts;
  if (!profile.empty()) parts.push_back("profile " + Printable(profile));
  if (!host.kernel_release.empty()) parts.push_back("Linux " + Printable(host.kernel_release));
  if (!notes.recorded_by.empty()) parts.push_back("recorded " + UtcText(notes.recorded_unix_ns));
  if (const std::string ladder = LadderText(host, style); !ladder.empty()) parts.push_back(ladder);
  if (report.duration_ns > 0 && report.hosts.size() == 1) parts.push_back(DurationText(report.duration_ns));
  if (notes.software) parts.emplace_back("software device: functional verdict only");
  if (parts.empty()) return {};
  return LabelledLine(style, Tone::kFaint, "JUDGED", fmt::format("{}", fmt::join(parts, "; ")));
}

// The check to read about: what prevents readiness first, else the first cause of any host or pair.
const Finding* FirstToExplain(const Report& report) {
  if (const std::optional<FirstStep> first = FirstThingToDo(report)) return first->finding;
  for (const std::size_t i : OddFirst(report)) {
    const std::vector<Cause> causes = CausesOf(report.hosts[i].findings);
    if (!causes.empty()) return causes.front().finding;
  }
  for (const PairReport& pair : report.pairs) {
    const std::vector<Cause> causes = CausesOf(pair.findings);
    if (!causes.empty()) return causes.front().finding;
  }
  return nullptr;
}

std::string MoreText(const Report& report, bool verbose, const Style& style) {
  const Finding* const finding = FirstToExplain(report);
  if (finding == nullptr) return {};
  const std::string all = verbose ? "" : "; rdmaready check -v";
  return LabelledLine(style, Tone::kFaint, "MORE", "rdmaready explain " + Printable(finding->id) + all);
}

std::string EveryCheck(std::span<const Finding> findings, const Style& style) {
  return "\n" + FindingsBlock(style, findings) + "  " + SummaryText(findings) + "\n";
}

HostNotes NotesOf(const CheckSummary& run, std::size_t i) {
  return i < run.notes.size() ? run.notes[i] : HostNotes{};
}

std::string HostText(const HostReport& host, const HostNotes& notes, const Report& report, const Style& style) {
  const std::string name = style.Paint(Tone::kStrong, Printable(host.host));
  const std::string head =
      name + "  " + style.Paint(ToneOf(host.verdict), VerdictSentence(host, report)) + "\n";
  std::string causes = CausesText(host.findings, style) + SkippedText(host.findings, style);
  if (!causes.empty()) causes = "\n" + causes + "\n";
  std::string text = head + causes + FineText(style, host.findings) + PortsText(host, style) +
                     StandingText(notes.remembered.standing, report.started_unix_ns, style) +
                     SeenText(notes.remembered.seen, style);
  const bool said = host.verdict == Readiness::kUndetermined;  // by the sentence
  if (!host.error.empty() && !said) text += LabelledLine(style, Tone::kBad, "ERROR", Printable(host.error));
  return text;
}

// In a line where nothing is wrong.
std::string PairText(const PairReport& pair, const Style& style) {
  const std::string head = style.Paint(Tone::kStrong, Printable(pair.from) + " -> " + Printable(pair.to));
  const std::string wrong = CausesText(pair.findings, style) + SkippedText(pair.findings, style);
  if (!wrong.empty()) return head + "\n" + wrong + FineText(style, pair.findings) + "\n";
  const std::vector<std::string> lines = FineLines(pair.findings);
  return head + "  " + (lines.empty() ? "" : lines.back()) + "\n";
}

// One line for all hosts, where they were judged alike; else empty.
std::string JudgedOfAll(const CheckSummary& run, const Style& style) {
  std::vector<std::string> texts;
  const Report& report = run.report;
  for (std::size_t i = 0; i < report.hosts.size(); ++i)
    texts.push_back(JudgedText(report.hosts[i], NotesOf(run, i), report, style));
  const bool alike =
      std::ranges::all_of(texts, [&texts](const std::string& text) { return text == texts.front(); });
  return alike && !texts.empty() ? texts.front() : "";
}

std::string Everything(const CheckSummary& run, const Style& style) {
  std::string text;
  for (const std::size_t i : OddFirst(run.report)) {
    const HostReport& host = run.report.hosts[i];
    if (!host.findings.empty()) text += "\n" + Printable(host.host) + EveryCheck(host.findings, style);
  }
  for (const PairReport& pair : run.report.pairs)
    text += "\n" + Printable(pair.from) + " -> " + Printable(pair.to) + EveryCheck(pair.findings, style);
  return text;
}

}  // namespace

std::string CheckText(const CheckSummary& run, const Style& style, bool verbose) {
  const Report& report = run.report;
  if (!verbose && report.hosts.size() >= kGroupFromHosts) return FleetText(run, style);
  const bool several = report.hosts.size() > 1;
  std::string text = several ? VerdictText(report, style) + "\n" : "";
  const std::string judged = JudgedOfAll(run, style);
  for (const std::size_t i : OddFirst(report)) {
    const HostReport& host = report.hosts[i];
    text += HostText(host, NotesOf(run, i), report, style);
    if (judged.empty()) text += JudgedText(host, NotesOf(run, i), report, style);
    if (several) text += "\n";
  }
  for (const PairReport& pair : report.pairs) text += PairText(pair, style);
  text += judged + MoreText(report, verbose, style);
  return verbose ? text + Everything(run, style) : text;
}

}  // namespace rdmaready
