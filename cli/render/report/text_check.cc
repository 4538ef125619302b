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

struct CauseBlocks {
  std::vector<std::string> above{};  // what is well follows
  std::vector<std::string> below{};  // below what is well, of a host that is ready
};

// Each cause; what is in the way in full.
CauseBlocks CauseBlocksOf(std::span<const Finding> findings, Readiness verdict, const Style& style) {
  CauseBlocks blocks;
  std::vector<std::string> more;
  std::size_t full = 0;
  std::size_t warnings = 0;
  std::size_t unknown = 0;
  for (const Cause& cause : Joined(CausesOf(findings))) {
    if (IsInTheWay(cause)) {
      blocks.above.push_back((full > 0 ? "\n" : "") +
                             (full < kFullCauses ? CauseText(style, cause) : CauseInBrief(style, cause)));
      ++full;
      continue;
    }
    const bool is_unknown = cause.finding->outcome == Outcome::kUnknown;
    std::size_t& shown = is_unknown ? unknown : warnings;
    const bool note = IsOnlyNoted(cause, verdict);
    if (shown++ >= (is_unknown ? kUnknown : kWarnings)) {
      more.push_back(cause.IdsText());
    } else if (note) {
      blocks.below.push_back(CauseInALine(style, cause));
    } else {
      blocks.above.push_back((full > 0 && warnings + unknown == 1 ? "\n" : "") + CauseInBrief(style, cause));
    }
  }
  std::vector<std::string>& last = blocks.below.empty() ? blocks.above : blocks.below;
  last.push_back(AlsoText(style, more));
  last.push_back(WaivedLines(findings, style));
  return blocks;
}

std::string Whole(const std::vector<std::string>& blocks) { return fmt::format("{}", fmt::join(blocks, "")); }

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

std::string HeadText(const HostReport& host, const Report& report, const Style& style) {
  const std::string name = style.Paint(Tone::kStrong, Printable(host.host));
  return name + "  " + style.Paint(ToneOf(host.verdict), VerdictSentence(host, report)) + "\n";
}

std::string HostText(const HostReport& host, const HostNotes& notes, const Report& report, const Style& style) {
  const std::string head = HeadText(host, report, style);
  const CauseBlocks blocks = CauseBlocksOf(host.findings, host.verdict, style);
  std::string causes = Whole(blocks.above) + SkippedText(host.findings, style);
  if (!causes.empty()) causes = "\n" + causes + "\n";
  std::string text = head + causes + FineText(style, host.findings) + Whole(blocks.below) +
                     PortsText(host, style) +
                     StandingText(notes.remembered.standing, report.started_unix_ns, style) +
                     SeenText(notes.remembered.seen, style);
  const bool said = host.verdict == Readiness::kUndetermined;  // by the sentence
  if (!host.error.empty() && !said) text += LabelledLine(style, Tone::kBad, "ERROR", Printable(host.error));
  return text;
}

bool AreTwoReadyHosts(const Report& report) {
  return report.hosts.size() == 2 && std::ranges::all_of(report.hosts, [](const HostReport& host) {
           return host.verdict == Readiness::kReady && host.error.empty();
         });
}

// The blocks of each host. A block of all hosts is shown once, another one with its host.
using BlocksOfHosts = std::vector<std::pair<std::string, std::vector<std::string>>>;
bool IsOfAll(const std::string& block, const BlocksOfHosts& hosts) {
  return std::ranges::all_of(hosts, [&block](const auto& other) {
    return std::ranges::find(other.second, block) != other.second.end();
  });
}

std::string Folded(const BlocksOfHosts& hosts, const Style& style) {
  std::vector<std::string> shown;
  std::string text;
  for (const auto& [host, blocks] : hosts) {
    for (const std::string& block : blocks) {
      if (block.empty() || std::ranges::find(shown, block) != shown.end()) continue;
      const bool of_all = IsOfAll(block, hosts);
      text += block + (of_all ? "" : LabelledLine(style, Tone::kPlain, "ON", Printable(host)));
      if (of_all) shown.push_back(block);
    }
  }
  return text;
}

// The lines of FINE: equal ones once, others with their host in front.
std::string FoldedFine(const Report& report, const Style& style) {
  BlocksOfHosts hosts;
  for (const HostReport& host : report.hosts) hosts.emplace_back(host.host, FineLines(host.findings));
  std::vector<std::string> shown;
  std::string text;
  for (const auto& [host, lines] : hosts) {
    for (const std::string& line : lines) {
      const bool of_all = IsOfAll(line, hosts);
      if (of_all && std::ranges::find(shown, line) != shown.end()) continue;
      if (of_all) shown.push_back(line);
      text += LabelledLine(style, Tone::kGood, text.empty() ? "FINE" : "",
                           of_all ? line : Cat(Printable(host), ": ", line));
    }
  }
  return text;
}

// Two hosts that are ready: what is the same of both is shown once.
std::string TwoReadyText(const CheckSummary& run, const Style& style) {
  std::string heads;
  BlocksOfHosts above;
  BlocksOfHosts below;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i) {
    const HostReport& host = run.report.hosts[i];
    const HostNotes notes = NotesOf(run, i);
    heads += HeadText(host, run.report, style);
    CauseBlocks blocks = CauseBlocksOf(host.findings, host.verdict, style);
    blocks.above.push_back(SkippedText(host.findings, style));
    blocks.below.push_back(PortsText(host, style));
    blocks.below.push_back(StandingText(notes.remembered.standing, run.report.started_unix_ns, style));
    blocks.below.push_back(SeenText(notes.remembered.seen, style));
    above.emplace_back(host.host, std::move(blocks.above));
    below.emplace_back(host.host, std::move(blocks.below));
  }
  std::string causes = Folded(above, style);
  if (!causes.empty()) causes = "\n" + causes + "\n";
  return heads + causes + FoldedFine(run.report, style) + Folded(below, style) + "\n";
}

// In a line where nothing is wrong.
std::string PairText(const PairReport& pair, const Style& style) {
  const std::string head = style.Paint(Tone::kStrong, Printable(pair.from) + " -> " + Printable(pair.to));
  const CauseBlocks blocks = CauseBlocksOf(pair.findings, Readiness::kUndetermined, style);
  const std::string wrong = Whole(blocks.above) + SkippedText(pair.findings, style);
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

// Hosts that were recorded at different times, or judged by different profiles.
std::string JudgedOfEach(const CheckSummary& run, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < run.report.hosts.size(); ++i) {
    const HostReport& host = run.report.hosts[i];
    text += JudgedText(host, NotesOf(run, i), run.report, style) +
            LabelledLine(style, Tone::kPlain, "ON", Printable(host.host));
  }
  return text;
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
  const bool folded = AreTwoReadyHosts(report);
  if (folded) text += TwoReadyText(run, style);
  if (folded && judged.empty()) text += JudgedOfEach(run, style);
  for (const std::size_t i : OddFirst(report)) {
    if (folded) break;
    const HostReport& host = report.hosts[i];
    text += HostText(host, NotesOf(run, i), report, style);
    if (judged.empty()) text += JudgedText(host, NotesOf(run, i), report, style);
    if (several) text += "\n";
  }
  for (const PairReport& pair : report.pairs) text += PairText(pair, style);
  text += judged + WaitedText(run, style) + MoreText(report, verbose, style);
  return verbose ? text + Everything(run, style) : text;
}

}  // namespace rdmaready
