// SPDX-License-Identifier: Apache-2.0
// StoreFile: one open database of runs and transfers: WAL, synchronous=FULL, so that what was put survives a
// power cut. It knows nothing of who else uses the file, nor of what to do when it is damaged (SqliteStore).
//
// Errors are those of sqlite.h. Threads: one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/store/baseline_rows.h"
#include "agent/store/retention.h"
#include "api/sqlite/sqlite.h"
#include "api/model/history.h"

namespace rdmaready {

class StoreFile {
 public:
  // Creates the file when it is absent, and brings an older one up to date. Looks for damage no longer than
  // `check_time` (a check that was cut short found nothing); zero: does not look. What the check does not find,
  // reading will: every row carries a checksum.
  static absl::StatusOr<std::unique_ptr<StoreFile>> Open(const std::string& path,
                                                         std::chrono::milliseconds check_time);

  // To look at a file that another process writes: Puts fail.
  static absl::StatusOr<std::unique_ptr<StoreFile>> OpenToRead(const std::string& path);

  bool Moved() const { return database_.Moved(); }

  // Closing changes nothing more: the file is evidence now.
  absl::Status LeaveAsItIs() { return database_.SetCheckpointOnClose(false); }

  // kAlreadyExists when a run of this id is there. A run that found the same as the newest of its kind whose
  // report is kept (RunRecord::digest) is put without its own, and refers to that.
  absl::Status PutRun(const RunRecord& record);
  absl::Status PutTransfer(const TransferRecord& record);
  absl::Status PutEvent(const StoreEvent& event);

  // Newest first. A record whose bytes are not those that were put is returned with what its columns say and
  // says so in report.error, or in result.failure (kSetup: nothing is known of the transfer).
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) const;
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery& query) const;
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery& query) const;
  // Oldest first within each port, case, role and peer.
  absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery& query) const {
    return ReadBaselineDays(database_, query);
  }

  absl::Status Prune(const StoreLimits& limits, std::int64_t now_unix_ns) {
    return rdmaready::Prune(database_, limits, now_unix_ns);
  }

 private:
  explicit StoreFile(Database database) : database_(std::move(database)) {}
  // The run whose report the record may refer to; empty: none.
  absl::StatusOr<std::string> SameAs(const RunRecord& record) const;
  absl::Status PutProfiles(const RunRecord& record);
  absl::Status PutFindings(const RunRecord& record);

  Database database_;
};

}  // namespace rdmaready
