// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready::apply {
namespace {

// The settings that a damaged journal still tells, for a person's eyes.
std::string BeforeText(const Undertaking& open) {
  std::string text = fmt::format("change {} was open; before it stood", open.change.id);
  const char* between = " ";
  for (const ChangeStep& step : open.change.steps) {
    text += fmt::format("{}{} = {}", between, TextOf(step.step.object), step.step.from);
    between = ", ";
  }
  return text;
}

// A medium that answers with an error, or a table of files that is full, says nothing of the content.
bool IsDamage(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsFailedPrecondition(status);
}

}  // namespace

absl::Status Ledger::Lock() {
  struct ::stat info {};
  if (::lstat(dir_.c_str(), &info) != 0) {
    const absl::Status why = ErrnoStatus(errno, dir_);
    return absl::IsNotFound(why) ? absl::FailedPreconditionError(Message(why)) : why;
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: it must be a directory of user {} that nobody else may write", dir_, ::geteuid()));
  }
  const std::string path = dir_ + "/lock";
  lock_ = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) return ErrnoStatus(errno, "open " + path);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    return absl::UnavailableError("another applier is at work: it holds " + path);
  return absl::OkStatus();
}

absl::Status Ledger::Open(JournalPast& past) {
  RR_RETURN_IF_ERROR(Lock());
  trouble_.clear();
  absl::StatusOr<AuditSummary> summary = VerifyAudit(dir_ + "/audit");
  if (absl::IsNotFound(summary.status())) summary = AuditSummary{};
  absl::Status damage = summary.status();
  if (!damage.ok() && !IsDamage(damage)) return damage;
  // The journal is read although the audit is damaged: a person wants to know what was open.
  auto journal =
      Journal::Open(disk_, dir_ + "/journal", boot_id_, summary.ok() ? summary->journal : ChainMark{}, past);
  if (!journal.ok() && !IsDamage(journal.status())) return journal.status();
  if (damage.ok()) damage = journal.status();
  if (damage.ok()) {
    auto audit = AuditTrail::Open(disk_, dir_ + "/audit", past.audit);
    damage = audit.status();
    if (!damage.ok() && !IsDamage(damage)) return damage;
    if (audit.ok()) audit_ = *std::move(audit);
  }
  if (!damage.ok()) trouble_ = ByHand(damage, past);
  OpenKept();
  if (journal.ok()) journal_ = *std::move(journal);
  board_.Note("missing segments", MissingSegments());
  // Without a line there is no sum of one.
  if (audit_ && audit_->mark().lines > 0) board_.ShowAudit(audit_->mark().head);
  board_.Note("damage", trouble_);
  board_.Note("damage of what is kept", kept_trouble_);
  ShowKept();
  return absl::OkStatus();
}

void Ledger::OpenKept() {
  absl::StatusOr<KeptSettings> kept = LoadKept(dir_ + "/kept");
  if (kept.ok()) {
    kept_ = *std::move(kept);
    return;
  }
  kept_trouble_ = fmt::format(
      "{}: apply is refused, and nothing is restored; move the file away, start the applier again, and apply "
      "and confirm again what it kept",
      Message(kept.status()));
  if (!IsDamage(kept.status())) kept_unread_ = kept.status();
}

std::string Ledger::MissingSegments() const {
  std::string missing = journal_ ? journal_->missing() : "";
  if (audit_ && !audit_->missing().empty()) missing += (missing.empty() ? "" : " and ") + audit_->missing();
  if (!missing.empty()) missing += ": not there, and what it said of earlier changes cannot be verified";
  return missing;
}

std::string Ledger::ByHand(const absl::Status& damage, const JournalPast& past) const {
  return fmt::format(
      "{}: apply is refused, and nothing is rolled back or restored. By hand: {}; set right what is wrong, "
      "then move "
      "journal and audit away together (mkdir {}/damaged && mv {}/journal* {}/audit* {}/damaged/) and start "
      "the "
      "applier "
      "again",
      Message(damage),
      past.open ? BeforeText(*past.open)
                : "as far as it can be read no change was open, compare with `rdmaready plan`",
      dir_, dir_, dir_, dir_);
}

absl::Status Ledger::CheckSound() const {
  return trouble_.empty() ? absl::OkStatus() : absl::FailedPreconditionError(trouble_);
}

absl::Status Ledger::CheckKept() const {
  RR_RETURN_IF_ERROR(CheckSound());
  return kept_trouble_.empty() ? absl::OkStatus() : absl::FailedPreconditionError(kept_trouble_);
}

absl::Status Ledger::Audit(const AuditEntry& entry) {
  if (!audit_) return absl::FailedPreconditionError("there is no sound audit");
  const absl::Status written = audit_->Write(entry, Now(), journal_ ? journal_->mark() : ChainMark{});
  board_.Note("audit", written.ok() ? "" : "the audit could not be written: " + Message(written));
  if (written.ok()) board_.ShowAudit(audit_->mark().head);
  return written;
}

absl::Status Ledger::Record(const Change& change, bool must) {
  const absl::Status written = journal_->State(change, audit_->mark(), Now());
  if (!written.ok() && !must) journal_->Owe(change, audit_->mark(), Now());
  board_.Note("journal", written.ok() ? "" : "the journal could not be written: " + Message(written));
  board_.ShowUnwritten(journal_->owes());
  return written;
}

void Ledger::SealFull() {
  if (!CheckSound().ok() || !journal_ || !audit_) return;
  absl::Status sealed;
  if (journal_->bytes() >= segment_bytes_) sealed = journal_->Seal(audit_->mark(), Now());
  if (audit_->bytes() >= segment_bytes_) {
    const absl::Status audit = audit_->Seal(Now(), journal_->mark());
    if (sealed.ok()) sealed = audit;
    if (audit.ok()) board_.ShowAudit(audit_->mark().head);
  }
  board_.Note("segments", sealed.ok() ? "" : "a full segment could not be sealed: " + Message(sealed));
}

bool Ledger::PayOwed() {
  if (!journal_ || !journal_->owes()) return true;
  const absl::Status paid = journal_->PayOwed();
  board_.Note("journal", paid.ok() ? "" : "the journal could not be written: " + Message(paid));
  board_.ShowUnwritten(journal_->owes());
  return paid.ok();
}

absl::Status Ledger::Begin(const Undertaking& undertaking) {
  return journal_->Begin(undertaking, audit_->mark(), Now());
}

void Ledger::ShowKept() {
  std::vector<Setting> settings;
  for (const KeptSetting& entry : kept_.kept) settings.push_back(entry.setting);
  board_.ShowKept(std::move(settings), !kept_.owed.empty());
  std::vector<BootFile> files;
  for (const KeptFile& file : kept_.files) {
    files.push_back(
        {.path = file.path, .state = BootFileState::kWritten, .sha256 = file.sha256, .keeps = file.keeps});
  }
  board_.ShowFiles(std::move(files));
}

absl::Status Ledger::SaveKept() {
  ShowKept();
  RR_RETURN_IF_ERROR(CheckKept());
  const absl::Status saved = apply::SaveKept(disk_, dir_ + "/kept", kept_);
  board_.Note("kept", saved.ok() ? "" : "the kept settings could not be written: " + Message(saved));
  return saved;
}

}  // namespace rdmaready::apply
