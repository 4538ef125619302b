// SPDX-License-Identifier: Apache-2.0
// Board: what the engine shows while it works, so that nobody waits for the host to be told how things stand.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "agent/apply/host_writer.h"
#include "agent/apply/journal.h"
#include "api/base/clock.h"
#include "api/model/change.h"
#include "api/model/setting.h"

namespace rdmaready::apply {

// Any thread.
class Board {
 public:
  explicit Board(Clock& clock) : clock_(clock) {}

  // Of what an earlier life left.
  void Begin(const JournalPast& past);

  // One change at a time, from before it is planned. kFailedPrecondition, naming it: there is one.
  absl::Status Claim(const std::string& requester);
  void Release();
  bool Busy() const;

  void ShowOpen(const Change& change, std::optional<Clock::TimePoint> deadline);
  // Not open any more; a failed rollback is kept apart until it ends otherwise.
  void ShowEnded(const Change& change);

  // The open change, a failed or an ended one, with its time left.
  std::optional<Change> Find(const std::string& id) const;
  // Why a change is not (or no longer) what a caller takes it for: "change 4f.. was rolled back: ...".
  std::string WhatBecameOf(const std::string& id) const;
  std::vector<Change> Changes() const;
  // The words of a rollback that failed; none: there is none.
  std::optional<std::string> Failed() const;

  // Who wants the open change taken back while its writing goes on. False: it is not open.
  bool AskBack(const std::string& id, const std::string& requester);
  std::optional<std::string> AskedBack() const;

  void AddOwn(const OwnWrite& own);
  std::vector<OwnWrite> Own() const;

  // Whether the end of a change is still to be written to the journal.
  void ShowUnwritten(bool unwritten);
  bool HasUnwritten() const;

  // `owes`: a device that is away still has to get something back.
  void ShowKept(std::vector<Setting> kept, bool owes);
  bool Owes() const;
  std::vector<Setting> Kept() const;
  void ShowFiles(std::vector<BootFile> files);
  std::vector<BootFile> Files() const;
  void ShowAudit(std::string head);
  std::string AuditHead() const;

  // One line of each `about`; an empty text takes it away.
  void Note(const std::string& about, std::string text);
  std::vector<std::string> Notices() const;

 private:
  Change WithTimeLeft(Change change) const;

  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<std::string> claimed_by_{};
  std::optional<Change> open_{};
  std::optional<Clock::TimePoint> deadline_{};
  std::optional<std::string> asked_back_{};
  std::vector<Change> failed_{};
  std::deque<Change> ended_{};
  std::deque<OwnWrite> own_{};
  std::vector<Setting> kept_{};
  std::vector<BootFile> files_{};
  bool owes_ = false;
  bool unwritten_ = false;
  std::string audit_head_{};
  std::map<std::string, std::string> notices_{};
};

// "is being written", "awaits its confirmation", "was rolled back".
std::string_view WordsOf(ChangeState state);

}  // namespace rdmaready::apply
