// SPDX-License-Identifier: Apache-2.0
// Journal: what the applier is doing to the host, on the medium before the host has it. A chained file
// (chain.h) that is never pruned. It begins a change with a snapshot, says what is about to be written, and
// ends it; a change that it does not end is rolled back by the next life. A full segment is sealed when no
// change is open, so that a new life reads the last one only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/audit.h"
#include "agent/apply/boot_record.h"
#include "agent/apply/chain.h"
#include "agent/apply/host_writer.h"
#include "api/model/change.h"
#include "api/model/setting.h"

namespace rdmaready::apply {

// A change, and what it takes to undo it.
struct Undertaking {
  Change change{};
  std::string boot_id{};
  std::vector<Setting> snapshot{};  // of the ports that it touches, before its first write
  // Settings of the snapshot that a write of a step may change, too: of the driver or of the kernel. Only these
  // and the steps are written when the change is rolled back.
  std::set<SettingObject> rewritten{};
  // Which hardware had each of these, and of its steps (ApplierSeams::identity); absent: not known.
  std::map<SettingObject, std::string> identities{};
  // For the next boot: written once the change is confirmed.
  std::vector<PlannedFile> files{};

  // Empty: not known.
  std::string IdentityOf(const SettingObject& object) const {
    const auto found = identities.find(object);
    return found == identities.end() ? "" : found->second;
  }

  bool operator==(const Undertaking&) const = default;
};

// Whether nothing of it is under way any more: it is confirmed, or all is as it was.
bool HasEnded(const Change& change);

// Why something is written.
inline constexpr std::string_view kWhyApply = "apply";
inline constexpr std::string_view kWhyTakeBack = "take back";
inline constexpr std::string_view kWhyRestore = "restore";

inline constexpr std::size_t kMostPastChanges = 64;
inline constexpr std::size_t kMostOwnWrites = 8192;
inline constexpr std::size_t kMostBegun = 1000;

// What the records come to.
struct JournalPast {
  std::optional<Undertaking> open{};
  std::vector<Undertaking> failed{};    // rollbacks that failed, and nobody mended
  std::optional<Undertaking> unkept{};  // confirmed, or files alone; and not yet said to be kept
  std::deque<Change> ended{};           // the last ones, newest last
  std::deque<OwnWrite> own{};           // of this boot, newest last
  std::deque<std::int64_t> begun{};  // when the last kMostBegun ones were, newest last; nanoseconds since 1970
  ChainMark audit{};                 // what the audit must have

  bool operator==(const JournalPast&) const = default;
};

// One record's text. kDataLoss: it makes no sense where it stands. Pure.
absl::Status FoldRecord(std::string_view record, std::string_view boot_id, JournalPast& past);

// One thread at a time. What is written by a method is on the medium when it returns; an error: it is not, and
// what it announces must not be done.
class Journal {
 public:
  // `known`: a line that the audit names. `past`: what was read, up to the damage where that is the error.
  // Errors: those of ChainedFile::Open.
  static absl::StatusOr<Journal> Open(Disk& disk, const std::string& path, std::string boot_id,
                                      const ChainMark& known, JournalPast& past);

  // Begins a change. Room for the rest of it is reserved first.
  absl::Status Begin(const Undertaking& undertaking, const ChainMark& audit, std::int64_t unix_ns);
  // That the object is about to be set; `why` is a kWhy..; `change_id` empty: of no change.
  absl::Status WillWrite(std::string_view change_id, std::string_view why, const Setting& to,
                         std::string_view from, std::int64_t unix_ns);
  // That this request is about to be sent.
  absl::Status WillSend(const OwnWrite& own);
  // What became of a step.
  absl::Status Step(std::string_view change_id, std::size_t index, const ChangeStep& step);
  // That the change is in its state now.
  absl::Status State(const Change& change, const ChainMark& audit, std::int64_t unix_ns);
  // That the settings of a confirmed change are in the file of kept ones. It has the states of its files, too.
  absl::Status Kept(const Change& change);

  // How a change ended could not be written: it is, before anything else, by the next method that is called.
  void Owe(const Change& change, const ChainMark& audit, std::int64_t unix_ns);
  bool owes() const { return !owed_.empty(); }
  // Writes what is owed now.
  absl::Status PayOwed() { return AppendOwed(); }

  ChainMark mark() const { return MarkOf(file_.end()); }
  const std::string& path() const { return file_.path(); }
  std::uint64_t torn_bytes() const { return torn_bytes_; }

  // Begins a new segment, unless a change is open, was not rolled back or is not kept yet: then it does
  // nothing. Errors: those of ChainedFile::Seal.
  absl::Status Seal(const ChainMark& audit, std::int64_t unix_ns);
  std::uint64_t bytes() const { return file_.end().bytes; }  // of this segment
  const std::string& missing() const { return file_.missing(); }

 private:
  Journal(ChainedFile file, std::string boot_id) : file_(std::move(file)), boot_id_(std::move(boot_id)) {}
  absl::Status Append(const std::string& record);
  absl::Status AppendOwed();
  absl::Status AppendOne(const std::string& record);

  ChainedFile file_;
  std::string boot_id_;
  std::uint64_t torn_bytes_ = 0;
  std::vector<std::string> owed_{};
  JournalPast past_{};  // what the records come to, these of this life as well
};

}  // namespace rdmaready::apply
