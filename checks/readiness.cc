// SPDX-License-Identifier: Apache-2.0
#include "checks/readiness.h"

#include <algorithm>

#include "checks/names.h"
#include "checks/transfer.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

bool StandsInTheWay(const Finding& finding) {
  return finding.blocking && (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kUnknown);
}

bool IsProof(const Finding& finding) {
  if (!finding.blocking) return false;
  if (finding.outcome != Outcome::kPass && finding.outcome != Outcome::kWarn) return false;
  return finding.rung == Rung::kHost || FindTransferCheck(finding.id) != nullptr;
}

bool IsHiddenByNothing(const Finding& finding, std::span<const Finding* const> findings) {
  if (finding.rung != Rung::kHost || !finding.blocking || finding.hidden_by.empty()) return false;
  return std::ranges::none_of(findings, [&finding](const Finding* other) {
    return other->id == finding.hidden_by && StandsInTheWay(*other);
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

const Finding* FirstOf(std::span<const Finding> findings, Rung rung, Outcome outcome) {
  const auto found = std::ranges::find_if(findings, [=](const Finding& finding) {
    return finding.blocking && finding.rung == rung && finding.outcome == outcome;
  });
  return found == findings.end() ? nullptr : &*found;
}

// Why one host did not get there, in a word or two.
std::string ReasonFor(const Report& report, const HostReport& host) {
  if (!host.error.empty()) return Printable(host.error);
  const std::vector<const Finding*> pairs = FindingsOfPairs(report, host.host);
  std::vector<const Finding*> all = PointersTo(host.findings);
  all.insert(all.end(), pairs.begin(), pairs.end());
  for (const Outcome outcome : {Outcome::kFail, Outcome::kUnknown}) {
    for (const Rung rung : kRungs) {
      for (const Finding* finding : all) {
        if (!finding->blocking || finding->rung != rung || finding->outcome != outcome) continue;
        return outcome == Outcome::kFail ? finding->id : finding->id + " is not known";
      }
    }
  }
  for (const RungResult& rung : host.ladder) {
    if (rung.outcome != RungOutcome::kPass) return Cat(Name(rung.rung), " ", Name(rung.outcome));
  }
  return "no answer";
}

std::string HostsWith(const Report& report, Readiness verdict) {
  constexpr std::size_t kShown = 4;
  std::string text;
  std::size_t count = 0;
  for (const HostReport& host : report.hosts) {
    if (host.verdict != verdict || ++count > kShown) continue;
    text += Cat(count > 1 ? ", " : "", Printable(host.host));
    if (verdict != Readiness::kReady) text += Cat(" (", ReasonFor(report, host), ")");
  }
  if (count > kShown) text += Cat(" and ", count - kShown, " more");
  return text;
}

}  // namespace

RungOutcome OutcomeOf(Rung rung, std::span<const Finding* const> findings) {
  bool unknown = false;
  bool proof = false;
  for (const Finding* finding : findings) {
    if (finding->rung != rung) continue;
    if (StandsInTheWay(*finding) && finding->outcome == Outcome::kFail) return RungOutcome::kFail;
    unknown = unknown || StandsInTheWay(*finding) || IsHiddenByNothing(*finding, findings);
    proof = proof || IsProof(*finding);
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

Readiness ReadinessOf(std::span<const RungResult> ladder, Rung level) {
  Readiness verdict = Readiness::kReady;
  for (const Rung rung : kRungs) {
    if (rung > level) break;
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
    host.verdict = ReadinessOf(host.ladder, report.level);
    if (!host.error.empty() && host.verdict == Readiness::kReady) host.verdict = Readiness::kUndetermined;
  }
  report.verdict = ReadinessOf(report.hosts);
}

std::optional<FirstStep> FirstThingToDo(const Report& report) {
  for (const Outcome outcome : {Outcome::kFail, Outcome::kUnknown}) {
    for (const Rung rung : kRungs) {
      if (rung > report.level) break;
      for (const HostReport& host : report.hosts) {
        const Finding* finding = FirstOf(host.findings, rung, outcome);
        if (finding != nullptr)
          return FirstStep{.where = "on host " + Printable(host.host), .finding = finding};
      }
      for (const PairReport& pair : report.pairs) {
        const Finding* finding = FirstOf(pair.findings, rung, outcome);
        if (finding == nullptr) continue;
        return FirstStep{.where = Cat("between ", Printable(pair.from), " and ", Printable(pair.to)),
                         .finding = finding};
      }
    }
  }
  return std::nullopt;
}

std::string Headline(const Report& report) {
  switch (report.verdict) {
    case Readiness::kReady:
      return Cat("ready up to ", Name(report.level), ": ", HostsWith(report, Readiness::kReady));
    case Readiness::kNotReady:
      return "not ready: " + HostsWith(report, Readiness::kNotReady);
    case Readiness::kUndetermined:
      return "undetermined: " + HostsWith(report, Readiness::kUndetermined);
  }
  return "undetermined";
}

}  // namespace rdmaready
