// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/base/text.h"

namespace rdmaready::apply {

std::string_view WordsOf(ChangeState state) {
  switch (state) {
    case ChangeState::kUnknown:
      return "is in no known state";
    case ChangeState::kNothingToDo:
      return "had nothing to do";
    case ChangeState::kWriting:
      return "is being written";
    case ChangeState::kProving:
      return "is being proven";
    case ChangeState::kAwaitingConfirm:
      return "awaits its confirmation";
    case ChangeState::kConfirmed:
      return "was confirmed";
    case ChangeState::kRolledBack:
      return "was rolled back";
    case ChangeState::kRollbackFailed:
      return "could not be rolled back";
  }
  return "is in no known state";
}

void Board::Begin(const JournalPast& past) {
  const std::lock_guard lock(mutex_);
  if (past.open) open_ = past.open->change;
  for (const Undertaking& failed : past.failed) failed_.push_back(failed.change);
  ended_ = past.ended;
  own_ = past.own;
}

absl::Status Board::Claim(const std::string& requester) {
  const std::lock_guard lock(mutex_);
  if (open_) {
    return absl::FailedPreconditionError(
        fmt::format("change {} of {} is open and {}: confirm it or roll it back first", open_->id,
                    SafeLine(open_->requester, 256), WordsOf(open_->state)));
  }
  if (claimed_by_) {
    return absl::FailedPreconditionError(
        fmt::format("a change of {} is being planned", SafeLine(*claimed_by_, 256)));
  }
  claimed_by_ = requester;
  return absl::OkStatus();
}

void Board::Release() {
  const std::lock_guard lock(mutex_);
  claimed_by_.reset();
}

bool Board::Busy() const {
  const std::lock_guard lock(mutex_);
  return open_ || claimed_by_;
}

void Board::ShowOpen(const Change& change, std::optional<Clock::TimePoint> deadline) {
  const std::lock_guard lock(mutex_);
  open_ = change;
  deadline_ = deadline;
}

void Board::ShowEnded(const Change& change) {
  const std::lock_guard lock(mutex_);
  if (open_ && open_->id == change.id) {
    open_.reset();
    deadline_.reset();
    asked_back_.reset();
  }
  std::erase_if(failed_, [&](const Change& failed) { return failed.id == change.id; });
  if (change.state == ChangeState::kRollbackFailed) {
    failed_.push_back(change);
    return;
  }
  ended_.push_back(change);
  if (ended_.size() > kMostPastChanges) ended_.pop_front();
}

Change Board::WithTimeLeft(Change change) const {
  change.deadline_in_ms = 0;
  if (!deadline_) return change;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - clock_.Now()).count();
  change.deadline_in_ms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(left, 1, UINT32_MAX));
  return change;
}

std::optional<Change> Board::Find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  if (open_ && open_->id == id) return WithTimeLeft(*open_);
  for (const Change& failed : failed_)
    if (failed.id == id) return failed;
  for (const Change& ended : ended_)
    if (ended.id == id) return ended;
  return std::nullopt;
}

std::string Board::WhatBecameOf(const std::string& id) const {
  const std::optional<Change> change = Find(id);
  if (!change) return "no such change: " + SafeLine(id, 64);
  const std::string when = change->ended_unix_ns == 0 ? "" : " at " + UtcText(change->ended_unix_ns);
  return fmt::format("change {} {}{}{}", id, WordsOf(change->state), when,
                     change->reason.empty() ? "" : ": " + change->reason);
}

std::vector<Change> Board::Changes() const {
  const std::lock_guard lock(mutex_);
  std::vector<Change> changes;
  if (open_)
    changes.push_back(WithTimeLeft(*open_));
  else if (!ended_.empty())
    changes.push_back(ended_.back());
  changes.insert(changes.end(), failed_.begin(), failed_.end());
  return changes;
}

std::optional<std::string> Board::Failed() const {
  const std::lock_guard lock(mutex_);
  if (failed_.empty()) return std::nullopt;
  return fmt::format(
      "change {} could not be rolled back: {}; put right what it names, then roll it back once more",
      failed_.front().id, failed_.front().reason);
}

bool Board::AskBack(const std::string& id, const std::string& requester) {
  const std::lock_guard lock(mutex_);
  if (!open_ || open_->id != id) return false;
  asked_back_ = requester;
  return true;
}

std::optional<std::string> Board::AskedBack() const {
  const std::lock_guard lock(mutex_);
  return asked_back_;
}

void Board::AddOwn(const OwnWrite& own) {
  const std::lock_guard lock(mutex_);
  own_.push_back(own);
  if (own_.size() > kMostOwnWrites) own_.pop_front();
}

std::vector<OwnWrite> Board::Own() const {
  const std::lock_guard lock(mutex_);
  return {own_.begin(), own_.end()};
}

void Board::ShowUnwritten(bool unwritten) {
  const std::lock_guard lock(mutex_);
  unwritten_ = unwritten;
}

bool Board::HasUnwritten() const {
  const std::lock_guard lock(mutex_);
  return unwritten_;
}

void Board::ShowKept(std::vector<Setting> kept, bool owes) {
  const std::lock_guard lock(mutex_);
  kept_ = std::move(kept);
  owes_ = owes;
}

bool Board::Owes() const {
  const std::lock_guard lock(mutex_);
  return owes_;
}

void Board::ShowFiles(std::vector<BootFile> files) {
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

std::vector<BootFile> Board::Files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

std::vector<Setting> Board::Kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void Board::ShowAudit(std::string head) {
  const std::lock_guard lock(mutex_);
  audit_head_ = std::move(head);
}

std::string Board::AuditHead() const {
  const std::lock_guard lock(mutex_);
  return audit_head_;
}

void Board::Note(const std::string& about, std::string text) {
  const std::lock_guard lock(mutex_);
  if (text.empty())
    notices_.erase(about);
  else
    notices_[about] = std::move(text);
}

std::vector<std::string> Board::Notices() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [about, text] : notices_) lines.push_back(text);
  return lines;
}

}  // namespace rdmaready::apply
