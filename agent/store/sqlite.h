// SPDX-License-Identifier: Apache-2.0
// SQLite behind RAII, as thin as it can be: a database, and a statement that is bound, stepped and read.
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
  // Creates the file when it is absent.
  static absl::StatusOr<Database> Open(const std::string& path);

  // Runs statements that return nothing.
  absl::Status Execute(const char* sql);

  // "store PATH: what: SQLite's words", with kResourceExhausted for a full disk, kDataLoss for a corrupt file.
  absl::Status Error(std::string_view what) const;

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

  Statement& Bind(std::int64_t value);
  Statement& Bind(std::string_view value);
  Statement& BindBlob(std::string_view value);

  // True: a row stands ready. False: done.
  absl::StatusOr<bool> Step();

  std::int64_t Int(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string Text(int column) const;

 private:
  Statement(const Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  const Database* database_;
  Handle<sqlite3_stmt, sqlite3_finalize> handle_;
  int bound_ = 0;
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
