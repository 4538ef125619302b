// SPDX-License-Identifier: Apache-2.0
// SqliteStore: the memory of an agent in its state directory, through everything that befalls a disk.
//
//   no room          the Put fails (kResourceExhausted), the next one tries again
//   damage           found when the file is opened or while it is used: file and log are renamed
//                    ("rdmaready.db.damaged-20261120T191700Z"), never deleted, and a fresh file takes the
//                    record; said in the log, in the next report (TakeNotice) and permanently in Events
//   another process  holds the store (FileLock): waits a moment, then fails (kUnavailable); reading goes on
//   file taken away  by someone who removed or replaced it: opens what is there, before the next record
//
// Threads: every method may be called from any thread; one at a time is at work.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agent/store/retention.h"
#include "agent/store/store.h"
#include "agent/store/store_file.h"
#include "api/base/clock.h"
#include "api/sqlite/file_lock.h"

namespace rdmaready {

struct StoreOptions {
  // Made when it is absent (mode 0700), as is DIRECTORY/rdmaready.db.
  std::string directory{};
  StoreLimits limits{};
  // An agent keeps its store for life. Commands that run beside each other each take it for an instant.
  bool hold = true;
  // For another process to let go of it; spent once, so that not every record waits.
  std::chrono::milliseconds lock_wait{3000};
  // At most, for the look at the file's structure when it is opened first.
  std::chrono::milliseconds check_time{1000};
  // What an administrator should read: damage, and what could not be pruned. May be empty.
  std::function<void(const std::string& line)> log{};
  Clock* clock = &RealClock();
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(StoreOptions options) : options_(std::move(options)) {}

  // Opens what the first use would open, and says whether it can be used.
  absl::Status Open();

  absl::Status PutRun(const RunRecord& record) override;
  absl::Status PutTransfer(const TransferRecord& record) override;
  absl::Status PutEvent(const StoreEvent& event) override;
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) override;
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery& query) override;
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery& query) override;
  absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery& query) override;
  std::string TakeNotice() override;

 private:
  std::string path() const { return options_.directory + "/rdmaready.db"; }

  absl::Status Write(const std::function<absl::Status(StoreFile&)>& put);
  template <class Record>
  absl::StatusOr<std::vector<Record>> Read(
      const std::function<absl::StatusOr<std::vector<Record>>(const StoreFile&)>& get);

  // All below with the mutex held.
  // Opens, works, and once more with a fresh file when this one turns out to be damaged.
  absl::Status Use(const std::function<absl::Status(StoreFile&)>& work);
  absl::Status PruneAfterWrite(StoreFile& file);
  absl::Status EnsureOpen();
  absl::Status TakeLock();
  absl::Status OpenFile();
  void TellEvents(StoreFile& file);
  absl::Status SetAside(const absl::Status& damage);
  void Log(const std::string& line) const;
  void LetGoUnlessHeld();

  const StoreOptions options_;
  std::mutex mutex_;
  std::optional<FileLock> lock_;
  std::unique_ptr<StoreFile> file_;  // only with the lock
  bool waited_ = false;
  bool checked_ = false;
  std::vector<StoreEvent> untold_{};  // not yet in the file
  std::string notice_{};
  std::string last_prune_error_{};
};

}  // namespace rdmaready
