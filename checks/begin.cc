// SPDX-License-Identifier: Apache-2.0
#include "checks/begin.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Most texts are that already, and stay where they are.
std::string MadePrintable(std::string text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  return std::ranges::all_of(text, plain) ? std::move(text) : Printable(text);
}

}  // namespace

Fix FixOfVerdict(const Check& check, const Verdict& verdict) {
  if (verdict.fix.empty()) return check.fix;
  const bool judged = verdict.outcome == Outcome::kFail || verdict.outcome == Outcome::kWarn;
  if (!judged || !verdict.fix.remedy().check.empty()) return verdict.fix;
  return Fix(verdict.fix).CheckBy(check.fix.remedy().check);
}

Finding Begin(const Check& check, const Profile& profile, std::string subject) {
  const Scope scope = ScopeOf(check);
  return {.id = std::string(check.id),
          .title = std::string(check.title),
          .scope = scope,
          .rung = scope == Scope::kPair ? Rung::kPeer : Rung::kHost,
          .subject = std::move(subject),
          .blocking = Blocks(check, profile),
          .why = std::string(check.why)};
}

void TakeVerdict(Finding& finding, const Check& check, Verdict verdict) {
  // What nobody asked for cannot fail.
  const bool advice = verdict.outcome == Outcome::kFail && !finding.blocking;
  finding.outcome = advice ? Outcome::kWarn : verdict.outcome;
  finding.observed = MadePrintable(std::move(verdict.observed));
  finding.expected = MadePrintable(std::move(verdict.expected));
  finding.source = std::move(verdict.source);
  if (CallsForAction(verdict.outcome)) SetFix(finding, FixOfVerdict(check, verdict));
}

void HideBehind(Finding& finding, const Check& check, const Evidence& evidence) {
  if (finding.outcome == Outcome::kNotApplicable) return;
  const Finding* behind = HidingFinding(check.depends_on, finding, evidence);
  if (behind == nullptr && finding.outcome == Outcome::kUnknown)
    behind = UnknownWith(check.read_with, finding, evidence);
  if (behind != nullptr) Hide(finding, *behind, evidence.host);
}

}  // namespace rdmaready
