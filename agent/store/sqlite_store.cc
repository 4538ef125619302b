// SPDX-License-Identifier: Apache-2.0
#include "agent/store/sqlite_store.h"

#include <filesystem>
#include <system_error>

#include "api/base/status.h"
#include "api/convert/report.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

// What a person may want to ask in SQL stands in columns; `body` is the whole record as its wire message.
constexpr char kSchema[] = R"(
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, started_unix_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, level INTEGER NOT NULL,
  profile_name TEXT NOT NULL, profile_digest TEXT NOT NULL, verdict INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX runs_by_time ON runs (started_unix_ns);
CREATE TABLE findings (
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, position INTEGER NOT NULL, id TEXT NOT NULL,
  subject TEXT NOT NULL, outcome INTEGER NOT NULL, observed TEXT NOT NULL,
  PRIMARY KEY (run_id, position)) STRICT, WITHOUT ROWID;
CREATE TABLE transfers (
  number INTEGER PRIMARY KEY, run_id TEXT NOT NULL, started_unix_ns INTEGER NOT NULL, port TEXT NOT NULL,
  role TEXT NOT NULL, peer TEXT NOT NULL, case_name TEXT NOT NULL, failure INTEGER NOT NULL,
  throughput_bytes_per_s INTEGER NOT NULL, latency_p50_ns INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX transfers_by_time ON transfers (started_unix_ns);
)";

absl::Status MakeDirectory(const std::string& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (error) return ErrnoStatus(error.value(), "create state directory " + directory);
  if (made) std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& directory) {
  RR_RETURN_IF_ERROR(MakeDirectory(directory));
  absl::StatusOr<Database> database = Database::Open(directory + "/rdmaready.db");
  if (!database.ok()) return database.status();
  RR_RETURN_IF_ERROR(
      database->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
  std::unique_ptr<SqliteStore> store(new SqliteStore(*std::move(database)));
  RR_RETURN_IF_ERROR(store->CreateSchema());
  return store;
}

absl::Status SqliteStore::CreateSchema() {
  Transaction transaction(database_);
  RR_RETURN_IF_ERROR(transaction.Begin());
  std::int64_t version = 0;
  {
    absl::StatusOr<Statement> statement = Statement::Prepare(database_, "PRAGMA user_version");
    if (!statement.ok()) return statement.status();
    if (const absl::StatusOr<bool> row = statement->Step(); !row.ok()) return row.status();
    version = statement->Int(0);
  }
  if (version > kSchemaVersion) {
    return absl::FailedPreconditionError("store: written by a newer rdmaready (schema " +
                                         std::to_string(version) + ", this version knows " +
                                         std::to_string(kSchemaVersion) + ")");
  }
  if (version == 0) {
    RR_RETURN_IF_ERROR(database_.Execute(kSchema));
    RR_RETURN_IF_ERROR(database_.Execute("PRAGMA user_version = 1"));
  }
  return transaction.Commit();
}

absl::Status SqliteStore::PutRun(const RunRecord& record) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  RR_RETURN_IF_ERROR(transaction.Begin());
  absl::StatusOr<Statement> statement =
      Statement::Prepare(database_, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement.ok()) return statement.status();
  statement->Bind(record.run_id)
      .Bind(record.started_unix_ns)
      .Bind(record.duration_ns)
      .Bind(static_cast<std::int64_t>(record.level))
      .Bind(record.profile_name)
      .Bind(record.profile_digest)
      .Bind(static_cast<std::int64_t>(record.report.verdict))
      .BindBlob(ToProto(record.report).SerializeAsString());
  if (const absl::StatusOr<bool> done = statement->Step(); !done.ok()) return done.status();
  RR_RETURN_IF_ERROR(PutFindings(record));
  return transaction.Commit();
}

absl::Status SqliteStore::PutFindings(const RunRecord& record) {
  std::int64_t position = 0;
  for (const Finding& finding : record.report.findings) {
    absl::StatusOr<Statement> statement =
        Statement::Prepare(database_, "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?)");
    if (!statement.ok()) return statement.status();
    statement->Bind(record.run_id)
        .Bind(position++)
        .Bind(finding.id)
        .Bind(finding.subject)
        .Bind(static_cast<std::int64_t>(finding.outcome))
        .Bind(finding.observed);
    if (const absl::StatusOr<bool> done = statement->Step(); !done.ok()) return done.status();
  }
  return absl::OkStatus();
}

absl::Status SqliteStore::PutTransfer(const TransferRecord& record) {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<Statement> statement =
      Statement::Prepare(database_, "INSERT INTO transfers VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement.ok()) return statement.status();
  statement->Bind(record.run_id)
      .Bind(record.started_unix_ns)
      .Bind(record.port)
      .Bind(record.role)
      .Bind(record.peer)
      .Bind(record.result.case_name)
      .Bind(static_cast<std::int64_t>(record.result.failure.kind))
      .Bind(static_cast<std::int64_t>(record.result.throughput_bytes_per_s))
      .Bind(record.result.latency.p50_ns)
      .BindBlob(ToProto(record.result).SerializeAsString());
  return statement->Step().status();
}

absl::StatusOr<std::vector<RunRecord>> SqliteStore::Runs(int limit) {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<Statement> statement = Statement::Prepare(
      database_,
      "SELECT run_id, started_unix_ns, duration_ns, level, profile_name, profile_digest, body FROM runs "
      "ORDER BY started_unix_ns DESC, rowid DESC LIMIT ?");
  if (!statement.ok()) return statement.status();
  statement->Bind(std::int64_t{limit});
  std::vector<RunRecord> records;
  while (true) {
    const absl::StatusOr<bool> row = statement->Step();
    if (!row.ok()) return row.status();
    if (!*row) return records;
    v1::HostReport body;
    if (!body.ParseFromString(statement->Text(6))) return absl::DataLossError("store: a run cannot be read");
    records.push_back({.run_id = statement->Text(0),
                       .started_unix_ns = statement->Int(1),
                       .duration_ns = statement->Int(2),
                       .level = static_cast<Rung>(statement->Int(3)),
                       .profile_name = statement->Text(4),
                       .profile_digest = statement->Text(5),
                       .report = FromProto(body)});
  }
}

absl::StatusOr<std::vector<TransferRecord>> SqliteStore::Transfers(int limit) {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<Statement> statement = Statement::Prepare(
      database_,
      "SELECT run_id, started_unix_ns, port, role, peer, body FROM transfers ORDER BY number DESC LIMIT ?");
  if (!statement.ok()) return statement.status();
  statement->Bind(std::int64_t{limit});
  std::vector<TransferRecord> records;
  while (true) {
    const absl::StatusOr<bool> row = statement->Step();
    if (!row.ok()) return row.status();
    if (!*row) return records;
    v1::TransferResult body;
    if (!body.ParseFromString(statement->Text(5)))
      return absl::DataLossError("store: a transfer cannot be read");
    records.push_back({.run_id = statement->Text(0),
                       .started_unix_ns = statement->Int(1),
                       .port = statement->Text(2),
                       .role = statement->Text(3),
                       .peer = statement->Text(4),
                       .result = FromProto(body)});
  }
}

}  // namespace rdmaready
