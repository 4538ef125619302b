// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_fleet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/base/text.h"
#include "api/inventory/host_list.h"
#include "cli/layout.h"
#include "cli/render/report/remedy_notes.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsInSecond = 1'000'000'000;
constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::size_t kFleetIndent = 2;
constexpr std::int64_t kClockWorthSayingNs = kNsInSecond;

Tone ToneOfCondition(HostCondition condition) {
  switch (condition) {
    case HostCondition::kReady:
      return Tone::kGood;
    case HostCondition::kNotReady:
      return Tone::kBad;
    case HostCondition::kUnknown:
    case HostCondition::kUndetermined:
    case HostCondition::kSilent:
    case HostCondition::kNeverReported:
      return Tone::kWarning;
    case HostCondition::kRevoked:
      return Tone::kPlain;
  }
  return Tone::kPlain;
}

std::string CountsText(const ConditionCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, const char* word) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
  };
  add(counts.not_ready, "not ready");
  add(counts.silent, "silent");
  add(counts.undetermined, "undetermined");
  add(counts.never_reported, "never reported");
  add(counts.ready, "ready");
  add(counts.revoked, "revoked");
  std::string text = parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
  if (counts.maintenance > 0) text += fmt::format(" ({} in maintenance)", counts.maintenance);
  if (counts.unlisted > 0) text += fmt::format(" ({} not in the inventory)", counts.unlisted);
  return text;
}

std::string Safe(const std::string& text) {
  constexpr std::size_t kMostFleetText = 200;
  return SafeLine(text, kMostFleetText);
}

// Why it is in its condition.
std::string ReasonOf(const FleetHost& host) {
  if (host.condition == HostCondition::kReady) return {};
  if (host.condition == HostCondition::kSilent) return "nothing heard since then";
  if (host.condition == HostCondition::kNeverReported)
    return "in the inventory, and nothing was ever heard of it";
  if (host.condition == HostCondition::kRevoked) return Safe(host.revoked_why);
  if (!host.trouble.empty()) return Safe(host.trouble);
  if (host.first_check.empty()) return {};
  return host.first_check + ": " + Safe(host.first_observed);
}

std::string ClockText(std::int64_t ahead_ns) {
  if (ahead_ns > -kClockWorthSayingNs && ahead_ns < kClockWorthSayingNs) return {};
  return fmt::format("clock {} {} ms", ahead_ns > 0 ? "ahead" : "behind",
                     (ahead_ns > 0 ? ahead_ns : -ahead_ns) / kNsInMs);
}

std::vector<std::string> HostCells(const FleetHost& host, std::int64_t now, const Style& style) {
  std::string notes = ReasonOf(host);
  if (const std::string clock = ClockText(host.clock_ahead_ns); !clock.empty())
    notes += (notes.empty() ? "" : "; ") + clock;
  if (host.maintenance_until_unix_ns > now)
    notes += fmt::format("{}maintenance until {}", notes.empty() ? "" : "; ",
                         TimeText(host.maintenance_until_unix_ns));
  if (host.unlisted) notes += notes.empty() ? "not in the inventory" : "; not in the inventory";
  return {style.Paint(ToneOfCondition(host.condition), ConditionWord(host.condition)), Safe(host.name),
          Safe(host.group), host.since_unix_ns == 0 ? "" : AgeText(host.since_unix_ns, now), notes};
}

std::string OddOnesText(const FleetStatus& status, const Style& style) {
  std::string text;
  for (const OddOnes& odd : status.odd_ones) {
    const std::string more = odd.hosts > odd.names.size()
                                 ? fmt::format(" and {} more", odd.hosts - odd.names.size())
                                 : std::string();
    text +=
        fmt::format("\n{}  {}\n  {}; {}\n  odd: {}{}\n", style.Paint(Tone::kWarning, odd.check),
                    Safe(odd.title), Safe(odd.observed), Safe(odd.expected), Safe(FoldHosts(odd.names)), more);
  }
  if (status.undecided > 0)
    text += fmt::format("\n{} compared {} without a majority: rdmaready fleet baseline\n", status.undecided,
                        status.undecided == 1 ? "value is" : "values are");
  return text;
}

std::string StateWord(ComparisonState state) {
  switch (state) {
    case ComparisonState::kAlike:
      return "alike";
    case ComparisonState::kOddOnes:
      return "odd ones";
    case ComparisonState::kNoMajority:
      return "no majority";
    case ComparisonState::kTooFew:
      return "too few hosts";
    case ComparisonState::kNoQuorum:
      return "most hosts are away";
    case ComparisonState::kUnknown:
      return "?";
  }
  return "?";
}

std::string UsualText(const UsualValue& usual) {
  std::string text = fmt::format("{} on {} of {} hosts", Safe(usual.value), usual.hosts, usual.of);
  if (usual.hosts == 0) text = fmt::format("not one value on any of {} hosts", usual.of);
  for (const ValueShare& other : usual.others) {
    text += fmt::format("; {} on {}", Safe(other.value), Safe(other.host));
    if (other.hosts > 1) text += fmt::format(" and {} more", other.hosts - 1);
  }
  return text;
}

// Ports that have one finding and the same steps share them.
std::string RemediesText(const std::vector<FleetFinding>& findings, const Style& style) {
  std::string text;
  const FleetFinding* last = nullptr;
  for (const FleetFinding& finding : findings) {
    if (!finding.remedy || finding.over_unix_ns != 0) continue;
    if (last != nullptr && last->check == finding.check && last->remedy == finding.remedy) continue;
    text += fmt::format("\n{}  {}\n{}", style.Paint(ToneOf(finding.outcome), finding.check),
                        Safe(finding.subject), RemedyNotes(style, *finding.remedy));
    last = &finding;
  }
  return text;
}

std::string OutcomeWord(Outcome outcome) {
  // What is well has no row: a pass stands for it.
  return outcome == Outcome::kPass ? "ok" : std::string(Symbol(outcome));
}

std::string ChangeText(const FleetChange& change) {
  if (change.check.empty()) return Safe(change.observed);
  std::string text = fmt::format("{} {} -> {}  {}  {}", change.check, OutcomeWord(change.before),
                                 OutcomeWord(change.after), Safe(change.subject), Safe(change.observed));
  if (change.times > 1) text += fmt::format("  ({} times)", change.times);
  return text;
}

}  // namespace

std::string_view ConditionWord(HostCondition condition) {
  switch (condition) {
    case HostCondition::kReady:
      return "ready";
    case HostCondition::kNotReady:
      return "not ready";
    case HostCondition::kUndetermined:
      return "undetermined";
    case HostCondition::kSilent:
      return "silent";
    case HostCondition::kNeverReported:
      return "never reported";
    case HostCondition::kRevoked:
      return "revoked";
    case HostCondition::kUnknown:
      return "?";
  }
  return "?";
}

std::string AgeText(std::int64_t unix_ns, std::int64_t now_unix_ns) {
  const std::int64_t seconds = std::max<std::int64_t>(0, now_unix_ns - unix_ns) / kNsInSecond;
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds >= 2 * kDay) return fmt::format("{} d", seconds / kDay);
  if (seconds >= 2 * kHour) return fmt::format("{} h", seconds / kHour);
  if (seconds >= 2 * kMinute) return fmt::format("{} min", seconds / kMinute);
  return fmt::format("{} s", seconds);
}

std::string FleetStatusText(const FleetStatus& status, const Style& style) {
  std::string text = fmt::format("{} {} {} {}: {}\n", Safe(status.hub), style.Dot(), status.hosts,
                                 status.hosts == 1 ? "host" : "hosts", CountsText(status.counts));
  if (status.hosts > 0 && status.counts.maintenance == status.hosts)
    text += "  all hosts are in maintenance: whether the fleet is ready is not known\n";
  const bool grouped =
      status.groups.size() > 1 || (status.groups.size() == 1 && !status.groups.front().group.empty());
  if (grouped) {
    std::vector<std::vector<std::string>> rows;
    for (const GroupStatus& group : status.groups)
      rows.push_back({group.group.empty() ? "(no group)" : Safe(group.group), CountsText(group.counts)});
    text += Table(style, rows, kFleetIndent);
  }
  text += OddOnesText(status, style);
  for (const CommonFinding& finding : status.findings) {
    const std::string names = FoldHosts(finding.names);
    const std::string more = finding.hosts > finding.names.size()
                                 ? fmt::format(" and {} more", finding.hosts - finding.names.size())
                                 : std::string();
    text += fmt::format("\n{}  {}\n  {}\n  on {}{}\n", style.Paint(Tone::kBad, finding.check),
                        Safe(finding.title), Safe(finding.observed), Safe(names), more);
  }
  if (!status.odd.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const FleetHost& host : status.odd) rows.push_back(HostCells(host, status.unix_ns, style));
    text += "\n" + Table(style, rows, kFleetIndent);
  }
  const std::uint64_t unwell = status.hosts - status.counts.ready;
  if (unwell > status.odd.size() && !status.odd.empty())
    text += fmt::format(
        "  and {} more: rdmaready fleet hosts --condition not-ready,silent,undetermined,never-reported\n",
        unwell - status.odd.size());
  return text;
}

std::string FleetHostsText(const std::vector<FleetHost>& hosts, std::int64_t now_unix_ns, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const FleetHost& host : hosts) rows.push_back(HostCells(host, now_unix_ns, style));
  return rows.empty() ? "no host that fits has reported\n" : Table(style, rows, 0);
}

std::string FleetFindingsText(const std::vector<FleetFinding>& findings, std::int64_t now_unix_ns,
                              const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const FleetFinding& finding : findings) {
    const bool over = finding.over_unix_ns != 0;
    std::string notes = Safe(finding.observed);
    if (!finding.switch_port.empty()) notes += "; at " + Safe(finding.switch_port);
    if (over) notes += fmt::format("; over since {}", AgeText(finding.over_unix_ns, now_unix_ns));
    if (finding.acknowledged_unix_ns != 0) notes += "; known to " + Safe(finding.acknowledged_by);
    const Tone tone = over ? Tone::kFaint : ToneOf(finding.outcome);
    rows.push_back({Safe(finding.host), style.Paint(tone, over ? "over" : Symbol(finding.outcome)),
                    finding.check, Safe(finding.subject), AgeText(finding.since_unix_ns, now_unix_ns), notes});
  }
  return rows.empty() ? "nothing\n" : Table(style, rows, 0) + RemediesText(findings, style);
}

std::string FleetChangeLine(const FleetChange& change, const Style& style) {
  return fmt::format("{}  {}  {}\n", TimeText(change.last_unix_ns),
                     style.Paint(Tone::kStrong, Safe(change.host)), ChangeText(change));
}

std::string FleetBaselineText(const std::vector<UsualValue>& usual, bool complete, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const UsualValue& one : usual) {
    const Tone tone = one.state == ComparisonState::kAlike ? Tone::kGood : Tone::kWarning;
    std::string among = Safe(one.among);
    if (!one.model.empty())
      among += fmt::format("{}{}", among.empty() ? "model " : ", model ", Safe(one.model));
    rows.push_back({one.group.empty() ? "(no group)" : Safe(one.group), one.check,
                    style.Paint(tone, StateWord(one.state)), among, UsualText(one)});
  }
  std::string text = complete ? "" : "the hub has not compared all hosts yet\n";
  return text + (rows.empty() ? "nothing is compared\n" : Table(style, rows, 0));
}

std::string FleetChangesText(const std::vector<FleetChange>& changes, const Style& style) {
  std::string text;
  for (const FleetChange& change : changes) text += FleetChangeLine(change, style);
  return text.empty() ? "nothing changed\n" : text;
}

std::string FleetDiffText(const std::vector<FleetDifference>& differences, std::int64_t at_unix_ns,
                          std::int64_t kept_since_unix_ns, const Style& style) {
  std::string text;
  if (at_unix_ns < kept_since_unix_ns)
    text += fmt::format("what changed before {} is forgotten\n", TimeText(kept_since_unix_ns));
  std::vector<std::vector<std::string>> rows;
  for (const FleetDifference& difference : differences) {
    const bool whole = difference.check.empty();
    rows.push_back(
        {Safe(difference.host), whole ? "host" : difference.check, Safe(difference.subject),
         whole ? "" : OutcomeWord(difference.then) + " -> " + OutcomeWord(difference.now),
         Safe(difference.observed) +
             (difference.times > 1 ? fmt::format("  ({} changes)", difference.times) : std::string())});
  }
  return text + (rows.empty() ? "as it was\n" : Table(style, rows, 0));
}

std::string FleetAuditText(const std::vector<FleetAuditEntry>& entries, const std::string& broken,
                           const Style& style) {
  if (entries.empty()) return "nothing was asked of this hub\n";
  std::vector<std::vector<std::string>> rows;
  for (const FleetAuditEntry& entry : entries) {
    rows.push_back({std::to_string(entry.number), TimeText(entry.unix_ns),
                    Safe(entry.who.empty() ? entry.peer : entry.who), Safe(entry.verb), Safe(entry.detail),
                    entry.outcome == "asked" ? "" : Safe(entry.outcome)});
  }
  const std::string chain = broken.empty()
                                ? fmt::format("the chain holds: {} entries, the last has digest {}\n",
                                              entries.size(), Safe(entries.back().digest))
                                : fmt::format("the chain is broken: {}\n", broken);
  return Table(style, rows, 0) + chain;
}

}  // namespace rdmaready
