// SPDX-License-Identifier: Apache-2.0
// The report of a check: a block for each host, a block for each pair, the ladder, the verdict, what to
// do first. Of many hosts: text_check_fleet.cc.
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
#include "checks/remembered.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/check_parts.h"
#include "cli/render/findings_block.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kPortsColumn = 9;
constexpr std::size_t kRememberedColumn = 10;

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

Detail DetailOf(bool verbose) { return verbose ? Detail::kEveryCheck : Detail::kBrief; }

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
  text += FindingsBlock(style, host.findings, DetailOf(verbose)) + PortsText(host, style) +
          StandingText(notes.remembered.standing, report.started_unix_ns, style) +
          SeenText(notes.remembered.seen, style);
  if (!host.error.empty()) {
    text += Labelled(style, Tone::kBad, "  error", 9, Printable(host.error));
    if (host.findings.empty()) return text;
  }
  const std::string note = notes.software ? "; software device: functional verdict only" : "";
  return text + Labelled(style, Tone::kPlain, " ", 2, SummaryText(host.findings) + note);
}

std::string PairText(const PairReport& pair, bool verbose, const Style& style) {
  const std::string heading = Printable(pair.from) + " -> " + Printable(pair.to);
  return style.Paint(Tone::kStrong, heading) + "\n" + FindingsBlock(style, pair.findings, DetailOf(verbose));
}

std::string LadderText(const Report& report, const Style& style) {
  std::size_t widest = 0;
  for (const HostReport& host : report.hosts) widest = std::max(widest, host.host.size());
  std::string text;
  for (const std::size_t of_host : OddFirst(report)) {
    const HostReport& host = report.hosts[of_host];
    text += Column(text.empty() ? "ladder" : "", kVerdictColumn) + Column(Printable(host.host), widest + 2);
    for (std::size_t i = 0; i < host.ladder.size(); ++i) {
      text += (i == 0 ? "" : ", ") + RungText(host.ladder[i], style);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string CheckText(const CheckSummary& run, const Style& style, bool verbose) {
  const Report& report = run.report;
  if (!verbose && report.hosts.size() >= kGroupFromHosts) return FleetText(run, style);
  std::string text;
  for (const std::size_t i : OddFirst(report)) {
    text +=
        HostText(report.hosts[i], i < run.notes.size() ? run.notes[i] : HostNotes{}, report, verbose, style) +
        "\n";
  }
  for (const PairReport& pair : report.pairs) text += PairText(pair, verbose, style);
  if (!report.pairs.empty()) text += "\n";
  return text + LadderText(report, style) + VerdictText(report, style) + FirstText(report, style);
}

}  // namespace rdmaready
