// SPDX-License-Identifier: Apache-2.0
// SQLite behind RAII, as thin as it can be: a database, and a statement that is bound, stepped and read.
//
// Errors, told apart because what follows from them differs:
//   kResourceExhausted   no room: disk, quota or file size limit; goes away when there is room again
//   kDataLoss            the file is damaged, or no database at all
//   kPermissionDenied    file or directory may not be written
//   kFailedPrecondition  the path is something else than a file of ours
//   kUnavailable         another process holds it
//   kAlreadyExists       a row with this key is there already
//   kInternal            the disk reports an error
//   kUnknown             what should not happen
// Text: "write store PATH: the kernel's words, or SQLite's".
//
// Threads: none of its own; a database and its statements belong to one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

class Database {
 public:
  enum class Access {
    kReadWrite,  // creates the file when it is absent
    kReadOnly,   // never writes, not even a checkpoint: may be opened beside a writer
  };
  static absl::StatusOr<Database> Open(const std::string& path, Access access = Access::kReadWrite);

  // Whether closing moves the log into the file, as it does at first with kReadWrite: not what one wants of a
  // file that is damaged.
  absl::Status SetCheckpointOnClose(bool on);

  // Runs statements that return nothing of interest.
  absl::Status Execute(const char* sql);

  // The first column of the first row: "PRAGMA page_count". kUnknown when there is no row.
  absl::StatusOr<std::int64_t> Number(const char* sql) const;

  // "ACTION store PATH: words" of what went wrong last.
  absl::Status Error(std::string_view action) const;

  // True when the path names another file than the one that is open, or none: what is written here would be
  // seen by nobody.
  bool Moved() const;

  const std::string& path() const { return path_; }
  sqlite3* get() const { return handle_.get(); }

 private:
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  Handle<sqlite3, sqlite3_close> handle_;
};

// Columns and parameters are numbered as SQLite does: parameters from 1 (in call order here), columns from 0.
class Statement {
 public:
  static absl::StatusOr<Statement> Prepare(const Database& database, std::string_view sql);

  // A value that cannot be bound (out of memory, too large) is told by the next Step or Run.
  Statement& Bind(std::int64_t value);
  Statement& Bind(std::string_view value);
  Statement& BindBlob(std::string_view value);

  // True: a row stands ready. False: done.
  absl::StatusOr<bool> Step();

  // Ready to be bound again, wherever it was: for a statement that is kept.
  void Reset();

  // Steps to the end, then is ready to be bound again.
  absl::Status Run();

  std::int64_t Int(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  bool IsNull(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  std::string Text(int column) const;

 private:
  Statement(const Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}
  Statement& Bound(int result);
  absl::Status Error() const;

  const Database* database_;
  Handle<sqlite3_stmt, sqlite3_finalize> handle_;
  int bound_ = 0;
  int bind_result_ = SQLITE_OK;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  absl::Status Begin();
  absl::Status Commit();

 private:
  Database& database_;
  bool open_ = false;
};

}  // namespace rdmaready
