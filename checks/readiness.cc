// SPDX-License-Identifier: Apache-2.0
#include "checks/readiness.h"

#include <algorithm>

#include "checks/catalog.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsProof(const Finding& finding) {
  if (!finding.blocking) return false;
  if (finding.outcome != Outcome::kPass && finding.outcome != Outcome::kWarn) return false;
  return finding.rung == Rung::kHost || ProvesItsRung(finding.id);
}

bool IsHiddenByNothing(const Finding& finding, std::span<const Finding* const> findings) {
  if (finding.rung != Rung::kHost || !finding.blocking || finding.hidden_by.empty()) return false;
  return std::ranges::none_of(findings, [&finding](const Finding* other) {
    return other->id == finding.hidden_by && (BlocksReadiness(*other) || (other->blocking && other->waived));
  });
}

std::vector<const Finding*> PointersTo(std::span<const Finding> findings) {
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings) pointers.push_back(&finding);
  return pointers;
}

std::vector<const Finding*> FindingsOfPairs(const Report& report, const std::string& host) {
  std::vector<const Finding*> findings;
  for (const PairReport& pair : report.pairs) {
    if (pair.from != host && pair.to != host) continue;
    for (const Finding& finding : pair.findings) findings.push_back(&finding);
  }
  return findings;
}

const Finding* FirstOn(std::span<const Finding> findings, Rung rung, Outcome outcome) {
  const auto found = std::ranges::find_if(findings, [=](const Finding& finding) {
    return BlocksReadiness(finding) && finding.rung == rung && finding.outcome == outcome;
  });
  return found == findings.end() ? nullptr : &*found;
}

// The ids of what prevents readiness with that outcome, each once, from the lowest rung up.
std::vector<std::string> IdsInTheWay(std::span<const Finding* const> findings, Outcome outcome) {
  std::vector<std::string> ids;
  for (const Rung rung : kRungs) {
    for (const Finding* finding : findings) {
      if (!BlocksReadiness(*finding) || finding->rung != rung || finding->outcome != outcome) continue;
      if (std::ranges::find(ids, finding->id) == ids.end()) ids.push_back(finding->id);
    }
  }
  return ids;
}

// Why one host did not get there: the first reason, and how many more there are.
std::string ReasonFor(const Report& report, const HostReport& host) {
  if (!host.error.empty()) return Printable(host.error);
  const std::vector<const Finding*> pairs = FindingsOfPairs(report, host.host);
  std::vector<const Finding*> all = PointersTo(host.findings);
  all.insert(all.end(), pairs.begin(), pairs.end());
  for (const Outcome outcome : {Outcome::kFail, Outcome::kUnknown}) {
    const std::vector<std::string> ids = IdsInTheWay(all, outcome);
    if (ids.empty()) continue;
    const std::string more = ids.size() > 1 ? Cat(" and ", ids.size() - 1, " more") : std::string();
    if (outcome == Outcome::kFail) return ids.front() + more;
    return Cat(ids.front(), more, more.empty() ? " is" : " are", " not known");
  }
  for (const RungResult& rung : host.ladder) {
    if (IsAlone(report) && NeedsSecondHost(rung.rung)) continue;
    if (rung.outcome != RungOutcome::kPass) return Cat(Name(rung.rung), " ", Name(rung.outcome));
  }
  return "no answer";
}

// The names of those, the first few of them; with the reason of each where `reasons`. Empty without any.
std::string ListOf(const Report& report, std::span<const HostReport* const> hosts, bool reasons) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (const HostReport* host : hosts.first(std::min(hosts.size(), kShown))) {
    text += Cat(text.empty() ? "" : ", ", Printable(host->host));
    if (reasons) text += Cat(" (", ReasonFor(report, *host), ")");
  }
  return hosts.size() > kShown ? Cat(text, " and ", hosts.size() - kShown, " more") : text;
}

// Every host of a run is in one of them.
struct HostGroups {
  std::vector<const HostReport*> not_ready{};
  std::vector<const HostReport*> undetermined{};  // of those that answered
  std::vector<const HostReport*> no_answer{};
  std::vector<const HostReport*> ready{};
};

HostGroups GroupsOf(const Report& report) {
  HostGroups groups;
  for (const HostReport& host : report.hosts) {
    switch (host.verdict) {
      case Readiness::kReady:
        groups.ready.push_back(&host);
        break;
      case Readiness::kNotReady:
        groups.not_ready.push_back(&host);
        break;
      case Readiness::kUndetermined:
        (host.error.empty() ? groups.undetermined : groups.no_answer).push_back(&host);
        break;
    }
  }
  return groups;
}

// Where every host answered, who is not named is ready; else that would be no more than a guess.
std::string ReadyToo(const Report& report, const HostGroups& groups) {
  if (groups.no_answer.empty() || groups.ready.empty()) return {};
  return "; ready: " + ListOf(report, groups.ready, false);
}

std::string NotReadyLine(const Report& report) {
  const HostGroups groups = GroupsOf(report);
  std::string text = "not ready: " + ListOf(report, groups.not_ready, true);
  if (!groups.undetermined.empty()) text += "; undetermined: " + ListOf(report, groups.undetermined, true);
  if (!groups.no_answer.empty()) text += "; no answer: " + ListOf(report, groups.no_answer, false);
  return text + ReadyToo(report, groups);
}

// Without one that is not ready there is room for the reasons of those that gave no answer.
std::string UndeterminedLine(const Report& report, bool errors_follow) {
  const HostGroups groups = GroupsOf(report);
  std::string text = "undetermined: " + ListOf(report, groups.undetermined, true);
  if (!groups.no_answer.empty() && !groups.undetermined.empty()) {
    text += "; no answer: " + ListOf(report, groups.no_answer, false);
  } else if (!groups.no_answer.empty()) {
    text += Cat(errors_follow ? "no answer from " : "", ListOf(report, groups.no_answer, !errors_follow));
  }
  return text + ReadyToo(report, groups);
}

std::string VerdictLine(const Report& report, bool errors_follow) {
  switch (report.verdict) {
    case Readiness::kReady:
      return Cat("ready up to ", Name(report.level), ": ", ListOf(report, GroupsOf(report).ready, false),
                 IsAlone(report) ? "; not between two hosts: there was one" : "");
    case Readiness::kNotReady:
      return NotReadyLine(report);
    case Readiness::kUndetermined:
      return UndeterminedLine(report, errors_follow);
  }
  return "undetermined";
}

}  // namespace

bool BlocksReadiness(const Finding& finding) {
  return finding.blocking && !finding.waived &&
         (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kUnknown);
}

RungOutcome OutcomeOf(Rung rung, std::span<const Finding* const> findings) {
  bool unknown = false;
  bool proof = false;
  for (const Finding* finding : findings) {
    if (finding->rung != rung && finding->rung != Rung::kUnknown) continue;
    if (BlocksReadiness(*finding) && finding->outcome == Outcome::kFail) return RungOutcome::kFail;
    unknown = unknown || BlocksReadiness(*finding) || IsHiddenByNothing(*finding, findings);
    proof = proof || (finding->rung == rung && IsProof(*finding));
  }
  if (unknown) return RungOutcome::kUnknown;
  return proof ? RungOutcome::kPass : RungOutcome::kNotRun;
}

std::vector<RungResult> MakeLadder(std::span<const Finding> own, std::span<const Finding* const> of_pairs,
                                   Rung level) {
  std::vector<const Finding*> all = PointersTo(own);
  all.insert(all.end(), of_pairs.begin(), of_pairs.end());
  std::vector<RungResult> ladder;
  for (const Rung rung : kRungs) {
    if (rung > level) break;
    ladder.push_back({.rung = rung, .outcome = OutcomeOf(rung, all)});
  }
  return ladder;
}

RungOutcome OutcomeOn(std::span<const RungResult> ladder, Rung rung) {
  const auto found = std::ranges::find(ladder, rung, &RungResult::rung);
  return found == ladder.end() ? RungOutcome::kNotRun : found->outcome;
}

Readiness ReadinessOf(std::span<const RungResult> ladder, Rung level, bool alone) {
  Readiness verdict = level == Rung::kUnknown ? Readiness::kUndetermined : Readiness::kReady;
  for (const Rung rung : kRungs) {
    if (rung > level) break;
    if (alone && NeedsSecondHost(rung)) continue;
    switch (OutcomeOn(ladder, rung)) {
      case RungOutcome::kPass:
        break;
      case RungOutcome::kFail:
        return Readiness::kNotReady;
      case RungOutcome::kNotRun:
      case RungOutcome::kUnknown:
        verdict = Readiness::kUndetermined;
        break;
    }
  }
  return verdict;
}

Readiness ReadinessOf(std::span<const HostReport> hosts) {
  Readiness verdict = hosts.empty() ? Readiness::kUndetermined : Readiness::kReady;
  for (const HostReport& host : hosts) {
    switch (host.verdict) {
      case Readiness::kReady:
        break;
      case Readiness::kNotReady:
        return Readiness::kNotReady;
      case Readiness::kUndetermined:
        verdict = Readiness::kUndetermined;
        break;
    }
  }
  return verdict;
}

void Conclude(Report& report) {
  for (HostReport& host : report.hosts) {
    host.ladder = MakeLadder(host.findings, FindingsOfPairs(report, host.host), report.level);
    host.verdict = ReadinessOf(host.ladder, report.level, IsAlone(report));
    if (!host.error.empty() && host.verdict == Readiness::kReady) host.verdict = Readiness::kUndetermined;
  }
  report.verdict = ReadinessOf(report.hosts);
}

std::optional<FirstStep> FirstThingToDo(const Report& report) {
  for (const Outcome outcome : {Outcome::kFail, Outcome::kUnknown}) {
    for (const Rung rung : kRungs) {
      if (rung > report.level) break;
      for (const HostReport& host : report.hosts) {
        const Finding* finding = FirstOn(host.findings, rung, outcome);
        if (finding != nullptr)
          return FirstStep{.where = "on host " + Printable(host.host), .finding = finding};
      }
      for (const PairReport& pair : report.pairs) {
        const Finding* finding = FirstOn(pair.findings, rung, outcome);
        if (finding == nullptr) continue;
        return FirstStep{.where = Cat("between ", Printable(pair.from), " and ", Printable(pair.to)),
                         .finding = finding};
      }
    }
  }
  return std::nullopt;
}

std::string Headline(const Report& report, bool errors_follow) {
  const std::size_t waived = WaivedOf(report);
  return VerdictLine(report, errors_follow) +
         (waived > 0 ? Cat("; ", CountText(waived, "finding"), " waived") : std::string());
}

}  // namespace rdmaready
