// SPDX-License-Identifier: Apache-2.0
// cfg.rollback-failed: what rdmaready itself changed on this host is confirmed, or as it was before.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAppliedSource = "rdmaready-applier";
constexpr std::string_view kAppliedWanted = "all that was applied is confirmed, or as it was";

std::string ChangeText(const StandingChange& change) {
  constexpr std::size_t kIdShown = 8;
  return fmt::format("change {} of {} setting{}, asked for by {}", change.id.substr(0, kIdShown),
                     change.settings, change.settings == 1 ? "" : "s", change.requester);
}

std::string ReasonText(const StandingChange& change) {
  return change.reason.empty() ? "" : ": " + change.reason;
}

Verdict JudgeRollbackFailed(const HostView& view) {
  const Fact<ApplyState>& state = view.host.apply_state;
  if (NotOffered(state)) return NotApplicable("no applier was heard");
  if (!state) return NoAnswer(state.missing(), kAppliedWanted, kAppliedSource);
  const auto failed = std::ranges::find(state->changes, ChangeState::kRollbackFailed, &StandingChange::state);
  if (failed != state->changes.end()) {
    return Judged(false, Printable(Cat("could not be taken back: ", ChangeText(*failed), ReasonText(*failed))),
                  kAppliedWanted, kAppliedSource);
  }
  if (!state->notices.empty())
    return Unclear(Printable(state->notices.front()), kAppliedWanted, kAppliedSource);
  const auto unknown = std::ranges::find(state->changes, ChangeState::kUnknown, &StandingChange::state);
  if (unknown != state->changes.end())
    return Unclear(Printable("what became of it is not known: " + ChangeText(*unknown)), kAppliedWanted,
                   kAppliedSource);
  if (state->changes.empty()) return Judged(true, "no change is open", kAppliedWanted, kAppliedSource);
  const StandingChange& open = state->changes.front();
  const std::string what = open.state == ChangeState::kAwaitingConfirm ? "not confirmed yet" : "being made";
  const std::string back = open.back_in_ms == 0
                               ? std::string()
                               : fmt::format(", goes back by itself in {} s", (open.back_in_ms + 999) / 1000);
  return Warned(Printable(Cat(what, ": ", ChangeText(open), back)), kAppliedWanted, kAppliedSource,
                "rdmaready confirm  # or rdmaready rollback");
}

}  // namespace

std::vector<Check> AppliedChecks() {
  return {
      {.id = "cfg.rollback-failed",
       .title = "What was applied is confirmed, or as it was before",
       .why =
           "A change that could not be taken back leaves settings that nobody chose: neither the old ones nor "
           "the new ones",
       .fix = Fix("rdmaready rollback")
                  .Because("a value could not be written when the change was rolled back", Certainty::kCertain)
                  .Caution("what it cannot write this time it lists"),
       .blocks_for = &kDemandsRdma,
       .judge = JudgeRollbackFailed}};
}

}  // namespace rdmaready
