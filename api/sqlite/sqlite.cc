// SPDX-License-Identifier: Apache-2.0
#include "api/sqlite/sqlite.h"

#include <cerrno>
#include <cstring>

#include "api/base/status.h"

namespace rdmaready {
namespace {

// Our own processes exclude each other before they open the file: this is for a person's sqlite3 beside us.
constexpr int kBusyTimeoutMs = 5000;

absl::StatusCode CodeOfErrno(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // RLIMIT_FSIZE
      return absl::StatusCode::kResourceExhausted;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::StatusCode CodeOf(int result, int error_number) {
  if (result == SQLITE_CONSTRAINT_PRIMARYKEY || result == SQLITE_CONSTRAINT_UNIQUE) {
    return absl::StatusCode::kAlreadyExists;
  }
  switch (result & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return CodeOfErrno(error_number);
    default:
      return absl::StatusCode::kUnknown;
  }
}

int LastErrno(sqlite3_file* file) {
  int number = 0;
  if (file != nullptr && file->pMethods != nullptr) {
    static_cast<void>(file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number));
  }
  return number;
}

// The kernel's word behind "disk I/O error": 0 where there is none. SQLite tells it of a file that could not be
// opened; of one that could not be written (quota, file size limit) only the file itself knows it.
int ErrnoOf(sqlite3* database) {
  const int primary = sqlite3_errcode(database) & 0xff;
  if (primary != SQLITE_CANTOPEN && primary != SQLITE_IOERR) return 0;
  if (const int number = sqlite3_system_errno(database); number != 0) return number;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(database, "main", which, static_cast<void*>(&file)) != SQLITE_OK) continue;
    if (const int number = LastErrno(file); number != 0) return number;
  }
  return 0;
}

// A null pointer would be bound as NULL, which is not the empty text.
const char* NotNull(std::string_view value) { return value.data() == nullptr ? "" : value.data(); }

}  // namespace

absl::StatusOr<Database> Database::Open(const std::string& path, Access access) {
  sqlite3* raw = nullptr;
  const int mode =
      access == Access::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int result =
      sqlite3_open_v2(path.c_str(), &raw, mode | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(path, raw);  // SQLite hands out a handle even when it fails
  if (result != SQLITE_OK) return database.Error("open");
  if (sqlite3_busy_timeout(raw, kBusyTimeoutMs) != SQLITE_OK) return database.Error("open");
  if (access == Access::kReadOnly) RR_RETURN_IF_ERROR(database.SetCheckpointOnClose(false));
  return database;
}

absl::Status Database::SetCheckpointOnClose(bool on) {
  const int result = sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1,
                                       static_cast<int*>(nullptr));
  return result == SQLITE_OK ? absl::OkStatus() : Error("use");
}

absl::Status Database::Execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Error("write");
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> Database::Number(const char* sql) const {
  RR_ASSIGN_OR_RETURN(Statement statement, Statement::Prepare(*this, sql));
  RR_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::UnknownError("read store " + path_ + ": no answer to " + sql);
  return statement.Int(0);
}

absl::Status Database::Error(std::string_view action) const {
  const int result = sqlite3_extended_errcode(handle_.get());
  const int error_number = ErrnoOf(handle_.get());
  const char* words = error_number != 0 ? std::strerror(error_number) : sqlite3_errmsg(handle_.get());
  return {CodeOf(result, error_number), std::string(action) + " store " + path_ + ": " + words};
}

bool Database::Moved() const {
  int moved = 0;
  const int result = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return result == SQLITE_OK && moved != 0;
}

absl::StatusOr<Statement> Statement::Prepare(const Database& database, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK) {
    return database.Error("use");
  }
  return Statement(database, raw);
}

Statement& Statement::Bound(int result) {
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::Bind(std::int64_t value) {
  return Bound(sqlite3_bind_int64(handle_.get(), ++bound_, value));
}

Statement& Statement::Bind(std::string_view value) {
  return Bound(sqlite3_bind_text64(handle_.get(), ++bound_, NotNull(value), value.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8));
}

Statement& Statement::BindBlob(std::string_view value) {
  return Bound(sqlite3_bind_blob64(handle_.get(), ++bound_, NotNull(value), value.size(), SQLITE_TRANSIENT));
}

absl::Status Statement::Error() const {
  return database_->Error(sqlite3_stmt_readonly(handle_.get()) != 0 ? "read" : "write");
}

absl::StatusOr<bool> Statement::Step() {
  if (bind_result_ != SQLITE_OK) {
    return absl::UnknownError("write store " + database_->path() + ": " + sqlite3_errstr(bind_result_));
  }
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return Error();
}

void Statement::Reset() {
  sqlite3_reset(handle_.get());  // what it returns was told by the step that failed
  bound_ = 0;
  bind_result_ = SQLITE_OK;
}

absl::Status Statement::Run() {
  while (true) {
    RR_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) break;
  }
  bound_ = 0;
  return sqlite3_reset(handle_.get()) == SQLITE_OK ? absl::OkStatus() : Error();
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
