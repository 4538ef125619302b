// SPDX-License-Identifier: Apache-2.0
#include "checks/hiding.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "checks/words/ethernet.h"
#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsAbout(const Finding& finding, std::string_view subject) {
  return finding.scope == Scope::kHost || SamePlace(finding.subject, subject);
}

const Finding* Lookup(std::string_view id, std::string_view subject, const Evidence& evidence) {
  const auto found = std::ranges::find_if(
      evidence.findings, [&](const Finding& finding) { return finding.id == id && IsAbout(finding, subject); });
  return found == evidence.findings.end() ? nullptr : &*found;
}

// Follows a hidden finding to the one that hides it. Each step leads to an earlier finding; the bound keeps a
// damaged report (they come over the wire) from sending us in circles.
const Finding* Root(const Finding* finding, const Evidence& evidence) {
  for (std::size_t steps = 0; finding != nullptr && !finding->hidden_by.empty(); ++steps) {
    if (steps > evidence.findings.size()) return nullptr;
    finding = Lookup(finding->hidden_by, finding->subject, evidence);
  }
  return finding;
}

// A chain repeats what the check of a broken link said.
bool Repeats(const Finding& finding) { return finding.id.starts_with("chain."); }

// Advice behind advice: one fault is one line.
bool NeitherBlocks(const Finding& dependency, const Finding& finding) {
  return !dependency.blocking && !finding.blocking;
}

bool Explains(const Finding& dependency, const Finding& finding) {
  switch (dependency.outcome) {
    case Outcome::kFail:
      return true;
    case Outcome::kUnknown:
      return finding.outcome == Outcome::kUnknown;
    case Outcome::kWarn:
      return finding.outcome == Outcome::kWarn &&
             (finding.scope == Scope::kPair || Repeats(finding) || NeitherBlocks(dependency, finding));
    case Outcome::kPass:
    case Outcome::kNotApplicable:
      return false;
  }
  return false;
}

std::string_view Verb(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFail:
      return " fails";
    case Outcome::kWarn:
      return " warns";
    case Outcome::kUnknown:
    case Outcome::kPass:
    case Outcome::kNotApplicable:
      return " is not known";
  }
  return " is not known";
}

}  // namespace

std::vector<Finding> Explaining(std::span<const Finding> findings) {
  std::vector<Finding> explaining;
  for (const Finding& finding : findings) {
    if (CallsForAction(finding.outcome) || !finding.hidden_by.empty()) explaining.push_back(finding);
  }
  return explaining;
}

const Finding* HidingFinding(const std::vector<std::string_view>& depends_on, const Finding& finding,
                             const Evidence& evidence) {
  for (const std::string_view id : depends_on) {
    for (const Finding& earlier : evidence.findings) {
      if (earlier.id != id || !IsAbout(earlier, evidence.subject)) continue;
      const Finding* dependency = Root(&earlier, evidence);
      if (dependency == nullptr || (finding.blocking && !dependency->blocking)) continue;
      if (Explains(*dependency, finding)) return dependency;
    }
  }
  return nullptr;
}

const Finding* UnknownWith(const std::vector<std::string_view>& read_with, const Finding& finding,
                           const Evidence& evidence) {
  const Finding* behind = HidingFinding(read_with, finding, evidence);
  return behind != nullptr && behind->outcome == Outcome::kUnknown ? behind : nullptr;
}

const Finding* AdvisingCause(const std::vector<std::string_view>& depends_on, const Finding& finding,
                             const Evidence& evidence) {
  // A chain has every link among its dependencies, and breaks at one of them.
  if (!finding.blocking || finding.outcome != Outcome::kFail || Repeats(finding)) return nullptr;
  for (const std::string_view id : depends_on) {
    for (const Finding& cause : evidence.findings) {
      const bool advises = cause.outcome == Outcome::kWarn && !cause.blocking && cause.scope == Scope::kPort;
      if (advises && cause.id == id && IsAbout(cause, evidence.subject)) return &cause;
    }
  }
  return nullptr;
}

void TakeOver(Finding& failure, Finding& advice) {
  failure.observed += Cat("; ", advice.id, ": ", advice.observed);
  if (advice.remedy) {
    Remedy both = *advice.remedy;
    if (failure.remedy) {
      std::ranges::copy_if(
          failure.remedy->steps, std::back_inserter(both.steps),
          [&both](const RemedyStep& step) { return std::ranges::find(both.steps, step) == both.steps.end(); });
      if (!failure.remedy->check.empty()) both.check = failure.remedy->check;
    }
    SetRemedy(failure, IsWithinLimits(both) ? std::move(both) : *advice.remedy);
  }
  Hide(advice, failure, {});
  advice.observed = Cat("said with ", failure.id, ", which follows from it");
}

void Hide(Finding& finding, const Finding& behind, std::string_view host) {
  finding.outcome = Outcome::kNotApplicable;
  finding.hidden_by = behind.id;
  finding.observed = Cat("not judged: ", behind.id, Verb(behind.outcome));
  if (!host.empty()) finding.observed += Cat(" on ", Printable(host));
  finding.expected.clear();
  finding.source.clear();
  SetFix(finding, {});
}

}  // namespace rdmaready
