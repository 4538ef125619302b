// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/verdict_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "api/inventory/host_list.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/render/report/causes.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLinkDown = "link.state";

std::string PortOf(std::string_view subject) { return std::string(subject.substr(0, subject.find(' '))); }

using Findings = std::vector<const Finding*>;

// The findings that keep the host from being ready on its lowest rung, also of pairs in which it takes part.
Findings InTheWay(const HostReport& host, const Report& report, Outcome outcome) {
  Findings found;
  const auto take = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (BlocksReadiness(finding) && finding.outcome == outcome && finding.rung <= report.level)
        found.push_back(&finding);
    }
  };
  take(host.findings);
  for (const PairReport& pair : report.pairs) {
    if (pair.from == host.host || pair.to == host.host) take(pair.findings);
  }
  std::ranges::stable_sort(found, {}, [](const Finding* finding) { return finding->rung; });
  if (!found.empty())
    std::erase_if(found,
                  [lowest = found.front()->rung](const Finding* finding) { return finding->rung != lowest; });
  return found;
}

std::set<std::string> PortsOf(const HostReport& host) {
  std::set<std::string> ports;
  for (const JudgedPort& port : host.ports) {
    if (!port.profile.empty()) ports.insert(PortOf(port.subject));
  }
  if (!ports.empty()) return ports;
  for (const Finding& finding : host.findings) {
    if (finding.scope == Scope::kPort) ports.insert(PortOf(finding.subject));
  }
  return ports;
}

std::string ProfilesOf(const HostReport& host) {
  const std::string names = Printable(NamesOf(host.profiles));
  return names.empty() ? "the profile" : names;
}

// "1 of 8 RDMA ports is", "the RDMA port is".
std::string Share(std::size_t part, std::size_t all, std::string_view one, std::string_view many) {
  if (all <= 1) return fmt::format("the RDMA port {}", one);
  return fmt::format("{} of {} RDMA ports {}", part, all, part == 1 ? one : many);
}

// "and 2 more"; empty: one check says it all.
std::string MoreWords(const Findings& findings) {
  std::set<std::string> ids;
  for (const Finding* finding : findings) ids.insert(finding->id);
  return ids.size() > 1 ? fmt::format("and {} more", ids.size() - 1) : "";
}

std::string More(const Findings& findings) {
  const std::string words = MoreWords(findings);
  return words.empty() ? "" : " (" + words + ")";
}

bool IsTrueOfAll(const Finding& first, const Findings& failures, std::size_t ports) {
  return ports == static_cast<std::size_t>(std::ranges::count_if(failures, [&first](const Finding* other) {
           return other->id == first.id && other->observed == first.observed;
         }));
}

// "PFC off (pfc.lossless-priority, and 2 more)": the first part of what was seen. Only the check, where that is
// long, or not true of all `ports` that are named before it.
std::string InShort(const Findings& failures, std::size_t ports) {
  constexpr std::size_t kMostChars = 64;
  const Finding& first = *failures.front();
  std::string_view seen = first.observed;
  seen = seen.substr(0, seen.find(';'));
  if (seen.empty() || seen.size() > kMostChars || !IsTrueOfAll(first, failures, ports))
    return Printable(first.id) + More(failures);
  const std::string more = MoreWords(failures);
  return fmt::format("{} ({}{})", Printable(seen), Printable(first.id), more.empty() ? "" : ", " + more);
}

std::string OfPorts(const HostReport& host, const Findings& failures) {
  std::set<std::string> ports;
  std::set<std::string> down;
  for (const Finding* finding : failures) {
    if (finding->scope != Scope::kPort) continue;
    ports.insert(PortOf(finding->subject));
    if (finding->id == kLinkDown) down.insert(PortOf(finding->subject));
  }
  const std::size_t all = std::max(PortsOf(host).size(), ports.size());
  const std::string where = Printable(FoldHosts({ports.begin(), ports.end()}));
  if (down == ports)
    return fmt::format("{}: {}{}", Share(down.size(), all, "is down", "are down"), where, More(failures));
  const std::string what = Share(ports.size(), all, "does not meet", "do not meet");
  return fmt::format("{} {}: {}: {}", what, ProfilesOf(host), where, InShort(failures, ports.size()));
}

std::string NotReady(const HostReport& host, const Report& report) {
  const Findings failures = InTheWay(host, report, Outcome::kFail);
  if (failures.empty()) return "a live transfer did not pass";
  const Finding& first = *failures.front();
  if (first.scope == Scope::kPair && first.rung == Rung::kHost)
    return fmt::format("it does not fit another host of this run: {}{}", Printable(first.id), More(failures));
  if (first.scope == Scope::kPair)
    return fmt::format("RDMA between hosts fails: {}, {}{}", Printable(first.subject), Printable(first.id),
                       More(failures));
  if (first.rung != Rung::kHost)
    return fmt::format("RDMA transfers fail at level {}: {}{}", Name(first.rung), Printable(first.id),
                       More(failures));
  if (first.scope == Scope::kHost) return Printable(first.observed) + More(failures);
  return OfPorts(host, failures);
}

std::string WaivedWords(const HostReport& host) {
  const std::size_t waived = WaivedOf(host.findings);
  return waived == 0 ? "" : fmt::format(", but for {} waived", CountText(waived, "finding"));
}

std::string WarningWords(const HostReport& host) {
  const std::vector<Cause> causes = CausesOf(host.findings);
  const auto warnings = static_cast<std::size_t>(std::ranges::count_if(
      causes, [](const Cause& cause) { return cause.finding->outcome == Outcome::kWarn; }));
  return warnings == 0 ? "" : ", with " + CountText(warnings, "warning");
}

std::string Ready(const HostReport& host, const Report& report) {
  const std::string ports = CountText(PortsOf(host).size(), "RDMA port");
  if (report.level <= Rung::kHost)
    return fmt::format("the settings of {} meet {}{}{}; no traffic was sent", ports, ProfilesOf(host),
                       WaivedWords(host), WarningWords(host));
  const std::string alone = IsAlone(report) ? ", but not between two hosts: there was one" : "";
  return fmt::format("RDMA transfers pass through {}, up to level {}{}{}{}", ports, Name(report.level), alone,
                     WaivedWords(host), WarningWords(host));
}

// The host is named already: "connect to 10.0.0.2:7471: Connection refused".
std::string ErrorWithoutHost(const HostReport& host) {
  const std::string named = "host " + host.host + ": ";
  return Printable(host.error.starts_with(named) ? host.error.substr(named.size()) : host.error);
}

std::string Undetermined(const HostReport& host, const Report& report) {
  if (!host.error.empty()) return "the host did not answer: " + ErrorWithoutHost(host);
  const Findings unknown = InTheWay(host, report, Outcome::kUnknown);
  if (!unknown.empty())
    return fmt::format("nothing that was read keeps it from being ready, but {} unknown: {}{}",
                       unknown.size() == 1 ? "1 answer is" : fmt::format("{} answers are", unknown.size()),
                       Printable(unknown.front()->id), More(unknown));
  for (const RungResult& rung : host.ladder) {
    if (rung.outcome != RungOutcome::kPass && !(IsAlone(report) && NeedsSecondHost(rung.rung)))
      return fmt::format("level {}: {}", Name(rung.rung), Name(rung.outcome));
  }
  return "no answer";
}

}  // namespace

std::string VerdictSentence(const HostReport& host, const Report& report) {
  switch (host.verdict) {
    case Readiness::kReady:
      return "READY: " + Ready(host, report);
    case Readiness::kNotReady:
      return "NOT READY: " + NotReady(host, report);
    case Readiness::kUndetermined:
      return "UNDETERMINED: " + Undetermined(host, report);
  }
  return "UNDETERMINED";
}

Tone ToneOf(Readiness verdict) {
  switch (verdict) {
    case Readiness::kReady:
      return Tone::kGood;
    case Readiness::kNotReady:
      return Tone::kBad;
    case Readiness::kUndetermined:
      return Tone::kWarning;
  }
  return Tone::kWarning;
}

}  // namespace rdmaready
