// SPDX-License-Identifier: Apache-2.0
#include "agent/change_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/base/status.h"
#include "api/model/open_change.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr auto kFreshFor = std::chrono::seconds(2);
constexpr std::size_t kIdShown = 8;

// Empty: nothing is settled yet.
std::string_view SettledAs(ChangeState state) {
  switch (state) {
    case ChangeState::kUnknown:
    case ChangeState::kNothingToDo:
    case ChangeState::kWriting:
    case ChangeState::kProving:
      return {};
    case ChangeState::kAwaitingConfirm:
      return "awaits its confirmation";
    case ChangeState::kConfirmed:
      return "confirmed";
    case ChangeState::kRolledBack:
      return "taken back";
    case ChangeState::kRollbackFailed:
      return "COULD NOT BE TAKEN BACK";
  }
  return {};
}

bool Stands(ChangeState state) {
  return StillOpen(state) || state == ChangeState::kRollbackFailed || state == ChangeState::kUnknown;
}

// Whether a change may come from one state to the other: a status may have been asked for before it ended.
bool Follows(ChangeState before, ChangeState now) {
  switch (before) {
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
      return false;
    case ChangeState::kRollbackFailed:
      return now == ChangeState::kRolledBack;
    case ChangeState::kUnknown:
    case ChangeState::kNothingToDo:
    case ChangeState::kWriting:
    case ChangeState::kProving:
    case ChangeState::kAwaitingConfirm:
      return now != before;
  }
  return false;
}

}  // namespace

std::string ChangeLine(const Change& change) {
  const std::size_t count = change.steps.size();
  return Printable(fmt::format("change {}: {}, {} setting{}, asked for by {}{}", change.id.substr(0, kIdShown),
                               SettledAs(change.state), count, count == 1 ? "" : "s", change.requester,
                               change.reason.empty() ? "" : ": " + change.reason));
}

ApplyState StateOf(const ApplierStatus& status) {
  ApplyState state{.notices = status.notices};
  for (const Change& change : status.changes) {
    if (!Stands(change.state)) continue;
    state.changes.push_back({.id = change.id,
                             .state = change.state,
                             .requester = change.requester,
                             .settings = static_cast<std::uint32_t>(change.steps.size()),
                             .back_in_ms = change.deadline_in_ms,
                             .reason = change.reason});
  }
  return state;
}

void ChangeBook::Note(const Change& change) {
  const std::lock_guard lock(mutex_);
  NoteLocked(change);
  ++noted_;
}

void ChangeBook::NoteLocked(const Change& change) {
  if (change.id.empty() || change.state == ChangeState::kNothingToDo) return;
  const auto [known, is_new] = told_.try_emplace(change.id, change.state);
  if (!is_new && !Follows(known->second, change.state)) return;
  known->second = change.state;
  if (!SettledAs(change.state).empty()) keep_(ChangeLine(change));
}

void ChangeBook::Heard(const ApplierStatus& status) {
  const std::lock_guard lock(mutex_);
  for (const Change& change : status.changes) NoteLocked(change);
  std::erase_if(told_, [&status](const auto& told) {
    return std::ranges::find(status.changes, told.first, &Change::id) == status.changes.end();
  });
}

Fact<ApplyState> ChangeBook::State(const Ask& ask, TimePoint now) {
  const std::lock_guard lock(asking_);
  const std::uint64_t noted = noted_;
  if (last_ && now - asked_ < kFreshFor && noted == asked_after_) return *last_;
  const absl::StatusOr<ApplierStatus> status = ask();
  asked_ = now;
  asked_after_ = noted;
  if (status.ok()) {
    answered_ = true;
    Heard(*status);
    last_ = StateOf(*status);
  } else if (absl::IsUnavailable(status.status()) && !answered_ && !(trace_ && trace_())) {
    last_ = Missing{Missing::Kind::kUnsupported, "no applier: " + Message(status.status())};
  } else {
    last_ = Missing{Missing::Kind::kFailed, Message(status.status())};
  }
  return *last_;
}

}  // namespace rdmaready
