// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/verdict_sentence.h"

namespace rdmaready {
namespace {

constexpr std::size_t kStatusColumn = 13;
constexpr std::size_t kStatusIdShown = 8;
constexpr std::size_t kMostChecksShown = 4;
constexpr std::int64_t kNanosPerMs = 1'000'000;

std::string StatusLine(const Style& style, Tone tone, std::string_view label, std::string_view text) {
  return Labelled(style, tone, Cat("  ", label), kStatusColumn, text);
}

// "42 s", "12 min", "5 h", "3 days".
std::string SpanWords(std::int64_t ns) {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  const std::int64_t s = std::max<std::int64_t>(ns, 0) / kNsPerS;
  if (s < 120) return fmt::format("{} s", s);
  if (s < 120 * 60) return fmt::format("{} min", s / 60);
  if (s < 48 * 3600) return fmt::format("{} h", s / 3600);
  return fmt::format("{} days", s / 86400);
}

std::string AgoWords(std::int64_t then_unix_ns, const StatusRun& run) {
  return SpanWords(run.told_unix_ns - then_unix_ns) + " ago";
}

std::string_view OpenWords(ChangeState state) {
  switch (state) {
    case ChangeState::kAwaitingConfirm:
      return "a change awaits its confirmation";
    case ChangeState::kWriting:
      return "a change is being written";
    case ChangeState::kProving:
      return "a change is being proven";
    case ChangeState::kRollbackFailed:
      return "a change could not be rolled back";
    case ChangeState::kUnknown:
    case ChangeState::kNothingToDo:
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
      return "what became of a change is not known";
  }
  return "";
}

struct HeadWords {
  Tone tone = Tone::kGood;
  std::string text{};
};

HeadWords StatusHead(const HostStatus& host) {
  if (!host.changes.empty()) {
    const auto failed = std::ranges::find(host.changes, ChangeState::kRollbackFailed, &Change::state);
    const Change& worst = failed == host.changes.end() ? host.changes.front() : *failed;
    return {Tone::kBad, Cat("NEEDS A PERSON: ", OpenWords(worst.state))};
  }
  if (!host.notices.empty()) return {Tone::kBad, "NEEDS A PERSON: its applier has a notice"};
  if (!host.error.empty()) return {Tone::kWarning, "NO ANSWER: " + Printable(host.error)};
  if (!host.applier_error.empty())
    return {Tone::kWarning, "UNKNOWN whether a change is open: " + Printable(host.applier_error)};
  return {Tone::kGood, "nothing is open"};
}

std::string GoesBackText(const HostStatus& host, const Change& change) {
  if (change.deadline_in_ms == 0) return "it does not go back by itself";
  const std::int64_t at = host.heard_unix_ns + std::int64_t{change.deadline_in_ms} * kNanosPerMs;
  return fmt::format("it goes back by itself at {} (in {}) unless it is confirmed", UtcText(at),
                     SpanWords(std::int64_t{change.deadline_in_ms} * kNanosPerMs));
}

std::string SettleLine(const Style& style, std::string_view label, std::string_view verb, const StatusRun& run,
                       const HostStatus& host, const Change& change) {
  const std::string of_host = run.local ? "" : " " + host.host;
  const std::string several = host.changes.size() > 1 ? " --change " + change.id.substr(0, kStatusIdShown) : "";
  return style.Paint(Tone::kStrong, Column(Cat("  ", label), kStatusColumn)) +
         Typed(style, kStatusColumn, Printable(Cat("rdmaready ", verb, of_host, several, run.way)));
}

std::string OpenChangeText(const StatusRun& run, const HostStatus& host, const Change& change,
                           const Style& style) {
  const std::string why = change.reason.empty() ? "" : ": " + change.reason;
  std::string text =
      StatusLine(style, Tone::kStrong, "change",
                 Printable(fmt::format("{} by {}, since {} ({}), {}{}", change.id.substr(0, kStatusIdShown),
                                       change.requester, UtcText(change.begun_unix_ns),
                                       AgoWords(change.begun_unix_ns, run),
                                       CountText(change.steps.size(), "setting"), why)));
  text += StatusLine(style, Tone::kWarning, "", GoesBackText(host, change));
  if (change.state == ChangeState::kAwaitingConfirm)
    text += SettleLine(style, "keep it", "confirm", run, host, change);
  const bool again = change.state == ChangeState::kRollbackFailed;
  return text + SettleLine(style, again ? "retry" : "roll back", "rollback", run, host, change);
}

std::string LastCheckLine(const StatusRun& run, const HostStatus& host, const Style& style) {
  if (!host.history_error.empty())
    return StatusLine(style, Tone::kWarning, "checked", "not known: " + Printable(host.history_error));
  if (!host.last_check) return StatusLine(style, Tone::kFaint, "checked", "no check is kept");
  const LastCheck& last = *host.last_check;
  std::vector<std::string> ids = last.ids;
  const std::size_t more = ids.size() > kMostChecksShown ? ids.size() - kMostChecksShown : 0;
  ids.resize(ids.size() - more);
  const std::string what = ids.empty() ? "" : fmt::format(": {}", fmt::join(ids, ", "));
  const std::string_view verdict = last.verdict == Readiness::kNotReady ? "not ready" : Name(last.verdict);
  return StatusLine(style, ToneOf(last.verdict), "checked",
                    Printable(fmt::format("{}, level {}, {}: {}{}{}", UtcText(last.started_unix_ns),
                                          Name(last.level), AgoWords(last.started_unix_ns, run), verdict, what,
                                          more > 0 ? fmt::format(" and {} more", more) : "")));
}

std::string DriftLine(const StatusRun& run, const HostStatus& host, const Style& style) {
  if (host.drift.empty()) return {};
  const StoreEvent& newest = host.drift.front();
  const std::string more =
      host.drift.size() > 1 ? fmt::format(" (and {} more: rdmaready history)", host.drift.size() - 1) : "";
  return StatusLine(
      style, Tone::kWarning, "changed",
      Printable(fmt::format("since then, {}: {}{}", AgoWords(newest.unix_ns, run), newest.text, more)));
}

std::string HubWords(const StatusRun& run, const HubLink& link) {
  const std::string name = link.hub.empty() ? "hub" : "hub " + link.hub;
  if (link.trouble.empty()) return fmt::format("; {} since {}", name, UtcText(link.since_unix_ns));
  return fmt::format("; {} not reached, {}: {}", name, AgoWords(link.since_unix_ns, run), link.trouble);
}

std::string AgentLine(const StatusRun& run, const HostStatus& host, const Style& style) {
  if (host.agent_version.empty()) return {};
  if (!host.resident)
    return StatusLine(style, Tone::kFaint, "agent", "not running here: this command looked by itself");
  std::string text = host.agent_version;
  if (host.agent_since_unix_ns != 0) text += ", up " + SpanWords(run.told_unix_ns - host.agent_since_unix_ns);
  if (host.hub) text += HubWords(run, *host.hub);
  return StatusLine(style, host.hub && !host.hub->trouble.empty() ? Tone::kWarning : Tone::kFaint, "agent",
                    Printable(text));
}

std::string HostBlock(const StatusRun& run, const HostStatus& host, const Style& style) {
  const HeadWords head = StatusHead(host);
  std::string text =
      style.Paint(Tone::kStrong, Printable(host.host)) + "  " + style.Paint(head.tone, head.text) + "\n";
  for (const Change& change : host.changes) text += OpenChangeText(run, host, change, style);
  for (const std::string& notice : host.notices)
    text += StatusLine(style, Tone::kBad, "notice", Printable(notice));
  if (!host.error.empty()) return text;
  if (!host.no_applier.empty())
    text += StatusLine(style, Tone::kFaint, "changes", "none: " + Printable(host.no_applier));
  if (host.kept > 0)
    text += StatusLine(style, Tone::kFaint, "kept",
                       CountText(host.kept, "setting") + ", set again where the kernel forgets them");
  return text + LastCheckLine(run, host, style) + DriftLine(run, host, style) + AgentLine(run, host, style);
}

}  // namespace

std::string StatusText(const StatusRun& run, const Style& style) {
  std::string text;
  for (const std::size_t i : UrgentFirst(run)) {
    if (run.hosts.size() > 1 && !text.empty()) text += "\n";
    text += HostBlock(run, run.hosts[i], style);
  }
  return text;
}

}  // namespace rdmaready
