// SPDX-License-Identifier: Apache-2.0
#include "agent/store/sqlite.h"

#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::StatusCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

constexpr int kBusyTimeoutMs = 5000;

}  // namespace

absl::StatusOr<Database> Database::Open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(
      path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database(path, raw);  // SQLite hands out a handle even when it fails
  if (result != SQLITE_OK) return database.Error("open");
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  return database;
}

absl::Status Database::Execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Error("execute");
  return absl::OkStatus();
}

absl::Status Database::Error(std::string_view what) const {
  return {CodeOf(sqlite3_extended_errcode(handle_.get())),
          "store " + path_ + ": " + std::string(what) + ": " + sqlite3_errmsg(handle_.get())};
}

absl::StatusOr<Statement> Statement::Prepare(const Database& database, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK) {
    return database.Error("prepare");
  }
  return Statement(database, raw);
}

Statement& Statement::Bind(std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::Bind(std::string_view value) {
  sqlite3_bind_text64(handle_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(std::string_view value) {
  sqlite3_bind_blob64(handle_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT);
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return database_->Error("step");
}

std::string Statement::Text(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return data == nullptr ? std::string()
                         : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Transaction::~Transaction() {
  // A failed rollback means that SQLite has rolled back by itself already.
  if (open_) static_cast<void>(database_.Execute("ROLLBACK"));
}

absl::Status Transaction::Begin() {
  RR_RETURN_IF_ERROR(database_.Execute("BEGIN IMMEDIATE"));
  open_ = true;
  return absl::OkStatus();
}

absl::Status Transaction::Commit() {
  RR_RETURN_IF_ERROR(database_.Execute("COMMIT"));
  open_ = false;
  return absl::OkStatus();
}

}  // namespace rdmaready
