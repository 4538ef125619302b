// SPDX-License-Identifier: Apache-2.0
// The store in a SQLite file: WAL, synchronous=FULL, one connection per file and process, guarded by a mutex.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "agent/store/sqlite.h"
#include "agent/store/store.h"

namespace rdmaready {

class SqliteStore : public Store {
 public:
  // Makes `directory` (mode 0700) and DIRECTORY/rdmaready.db when they are absent. Refuses a file that a newer
  // version wrote (kFailedPrecondition).
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& directory);

  absl::Status PutRun(const RunRecord& record) override;
  absl::Status PutTransfer(const TransferRecord& record) override;
  absl::StatusOr<std::vector<RunRecord>> Runs(int limit) override;
  absl::StatusOr<std::vector<TransferRecord>> Transfers(int limit) override;

 private:
  explicit SqliteStore(Database database) : database_(std::move(database)) {}
  absl::Status CreateSchema();
  absl::Status PutFindings(const RunRecord& record);

  std::mutex mutex_;
  Database database_;
};

}  // namespace rdmaready
