// SPDX-License-Identifier: Apache-2.0
// Ledger: the state directory of the applier: journal, audit and kept settings, which know of each other.
//
//   lock     one applier at a time
//   journal  journal.h; journal.000001 and so on are its sealed segments
//   audit    audit.h; the same
//   kept     kept.h
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "agent/apply/audit.h"
#include "agent/apply/board.h"
#include "agent/apply/disk.h"
#include "agent/apply/journal.h"
#include "agent/apply/kept.h"

namespace rdmaready::apply {

// One thread at a time.
class Ledger {
 public:
  // A segment of the journal or the audit is full at `segment_bytes`.
  Ledger(Disk& disk, std::string dir, std::string boot_id, std::uint64_t segment_bytes,
         std::function<std::int64_t()> unix_now_ns, Board& board)
      : disk_(disk),
        dir_(std::move(dir)),
        boot_id_(std::move(boot_id)),
        segment_bytes_(segment_bytes),
        unix_now_ns_(std::move(unix_now_ns)),
        board_(board) {}

  // kFailedPrecondition: the directory is not this user's alone; any other error: it cannot be read just now,
  // or another applier has it (kUnavailable): another try may find it otherwise. What is damaged, or no file of
  // this user's alone, is no error: CheckSound() tells. `past`: what the journal comes to, up to its damage.
  absl::Status Open(JournalPast& past);

  // kFailedPrecondition: what is damaged, and what a person has to do: nothing may be written to the host.
  absl::Status CheckSound() const;
  // kFailedPrecondition, with that: what is kept cannot be read. What is open can be taken back all the same;
  // nothing new may be begun, restored or forgotten.
  absl::Status CheckKept() const;
  // Why what is kept could not be read just now: for who has taken back what is open. OK: it was.
  absl::Status KeptUnread() const { return kept_unread_; }

  Journal& journal() { return *journal_; }  // once sound
  KeptSettings& kept() { return kept_; }
  const KeptSettings& kept() const { return kept_; }
  const std::string& boot_id() const { return boot_id_; }
  std::int64_t Now() const { return unix_now_ns_(); }

  // A line of the audit. An error is told on the board, too, until a line was written again.
  absl::Status Audit(const AuditEntry& entry);
  // How a change stands now; without `must`, what cannot be written is owed (Journal::Owe) and told on the
  // board.
  absl::Status Record(const Change& change, bool must);
  absl::Status Begin(const Undertaking& undertaking);
  // Seals full segments, where nothing is open. The board shows a segment that could not be sealed, and the
  // next call tries it again.
  void SealFull();
  // Writes the end of a change that could not be written before. False: it still cannot be.
  bool PayOwed();
  // Writes the kept settings, and shows them. A file that could not be read is left alone: CheckKept().
  absl::Status SaveKept();
  void ShowKept();

 private:
  absl::Status Lock();
  void OpenKept();
  std::string MissingSegments() const;
  std::string ByHand(const absl::Status& damage, const JournalPast& past) const;

  Disk& disk_;
  const std::string dir_;
  const std::string boot_id_;
  const std::uint64_t segment_bytes_;
  const std::function<std::int64_t()> unix_now_ns_;
  Board& board_;
  UniqueFd lock_{};
  std::optional<Journal> journal_{};
  std::optional<AuditTrail> audit_{};
  KeptSettings kept_{};
  std::string trouble_ = "the applier has not begun";  // empty: sound
  std::string kept_trouble_{};
  absl::Status kept_unread_{};
};

}  // namespace rdmaready::apply
