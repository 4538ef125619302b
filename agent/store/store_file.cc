// SPDX-License-Identifier: Apache-2.0
#include "agent/store/store_file.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "agent/store/baseline_rows.h"
#include "agent/store/earlier_body.h"
#include "agent/store/schema.h"
#include "api/base/status.h"
#include "api/convert/records.h"
#include "api/sqlite/row_checksum.h"
#include "api/sqlite/soundness.h"

namespace rdmaready {
namespace {

constexpr char kDamagedRow[] = "the stored result is damaged";

// Files of version 1 were made without; space that is free is used again there too, only not given back.
absl::Status EnableVacuum(Database& database) {
  constexpr std::int64_t kIncremental = 2;
  RR_ASSIGN_OR_RETURN(const std::int64_t mode, database.Number("PRAGMA auto_vacuum"));
  if (mode == kIncremental) return absl::OkStatus();
  const absl::Status done = database.Execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  return absl::IsDataLoss(done) ? done : absl::OkStatus();
}

// Rows without a form were written before there was one.
RowChecksum ChecksumOfForm(std::int64_t form) {
  RowChecksum checksum;
  if (form != 0) checksum.Add(form);
  return checksum;
}

// What the column `form` of rows says that are written now; 0 stands for NULL. Runs of the first form have one
// profile, which their checksum is over and their body does not name.
constexpr std::int64_t kRunForm = 2;
constexpr std::int64_t kTransferForm = 1;

// In their columns the first versions' numbers stay: they had no zero for unknown, which is -1 there.
std::int64_t ColumnOf(Rung level) { return static_cast<std::int64_t>(level) - 1; }
std::int64_t ColumnOf(FailureKind kind) { return static_cast<std::int64_t>(kind) - 1; }

std::int64_t ChecksumOf(const RunRecord& record, const ProfileRef& only, std::string_view body,
                        std::int64_t form) {
  RowChecksum checksum = ChecksumOfForm(form);
  checksum.Add(record.run_id).Add(record.started_unix_ns).Add(record.duration_ns).Add(ColumnOf(record.level));
  if (form < kRunForm) checksum.Add(only.name).Add(only.digest);
  checksum.Add(body);
  for (const std::string* text : {&record.kind, &record.digest, &record.as_in_run_id}) {
    if (!text->empty()) checksum.Add(*text);  // rows of version 4 have none of them
  }
  return checksum.value();
}

std::int64_t ChecksumOf(const TransferRecord& record, std::string_view body, std::int64_t form) {
  return ChecksumOfForm(form)
      .Add(record.run_id)
      .Add(record.started_unix_ns)
      .Add(record.port)
      .Add(record.role)
      .Add(record.peer)
      .Add(body)
      .value();
}

// Rows of version 1 carry none.
bool Matches(const Statement& statement, int column, std::int64_t checksum) {
  return statement.IsNull(column) || statement.Int(column) == checksum;
}

// What both kinds of rows are chosen by, bound in this order.
constexpr char kWhere[] =
    "WHERE started_unix_ns >= ?1 AND started_unix_ns < ?2 AND "
    "(?3 = '' OR run_id = ?3 OR substr(run_id, -length(?3) - 1) = '-' || ?3) ";

std::int64_t EndOf(const HistoryQuery& query) {
  return query.before_unix_ns != 0 ? query.before_unix_ns : std::numeric_limits<std::int64_t>::max();
}

void BindQuery(const HistoryQuery& query, Statement& statement) {
  statement.Bind(query.since_unix_ns).Bind(EndOf(query)).Bind(query.run_id).Bind(std::int64_t{query.limit});
}

template <class Record>
absl::StatusOr<std::vector<Record>> ReadAll(absl::StatusOr<Statement> statement,
                                            Record (*read)(const Statement&)) {
  if (!statement.ok()) return statement.status();
  std::vector<Record> records;
  while (true) {
    RR_ASSIGN_OR_RETURN(const bool row, statement->Step());
    if (!row) return records;
    records.push_back(read(*statement));
  }
}

// Any number may stand in a damaged row.
Rung RungOf(std::int64_t column) {
  return column >= 0 && column <= ColumnOf(Rung::kShare) ? static_cast<Rung>(column + 1) : Rung::kUnknown;
}

// False for a damaged body. An earlier one is made what would be written today.
template <class Message>
bool ReadBody(const std::string& body, std::int64_t form, Message& message) {
  if (!message.ParseFromString(body)) return false;
  if (form == 0) RenewBody(message);
  return true;
}

// The columns that ReadRun reads, of the run and of the one whose body is its too.
constexpr char kRunColumns[] =
    "own.run_id, own.started_unix_ns, own.duration_ns, own.level, name, run_profiles.digest, own.body, "
    "own.checksum, own.form, own.kind, own.digest, own.as_in, held.run_id, held.started_unix_ns, "
    "held.duration_ns, held.level, held.body, held.checksum, held.form, held.kind, held.digest ";
constexpr char kRunTables[] =
    "AS own LEFT JOIN run_profiles ON run_profiles.run_id = own.run_id AND position = 0 "
    "LEFT JOIN runs AS held ON held.run_id = own.as_in ";

// A run as its own row has it; false when its bytes are not those that were put. `first`: where the columns
// from run_id to level begin, `body`: those from body to digest.
bool ReadOwn(const Statement& row, int first, int body, const ProfileRef& only, RunRecord& record) {
  record.run_id = row.Text(first);
  record.started_unix_ns = row.Int(first + 1);
  record.duration_ns = row.Int(first + 2);
  record.level = RungOf(row.Int(first + 3));
  record.kind = row.Text(body + 3);
  record.digest = row.Text(body + 4);
  const std::string bytes = row.Text(body);
  const std::int64_t form = row.Int(body + 2);
  v1::HostReport message;
  if (!Matches(row, body + 1, ChecksumOf(record, only, bytes, form)) || !ReadBody(bytes, form, message))
    return false;
  record.report = FromProto(message);
  return true;
}

RunRecord ReadRun(const Statement& row) {
  constexpr int kHeld = 12;  // where its columns begin
  RunRecord record{.as_in_run_id = row.Text(11)};
  const ProfileRef only{.name = row.Text(4), .digest = row.Text(5)};
  bool sound = false;
  if (record.as_in_run_id.empty()) {
    sound = ReadOwn(row, 0, 6, only, record);
  } else {
    RunRecord held;
    sound = ReadOwn(row, kHeld, kHeld + 4, {}, held);
    record.report = held.report;
    record.kind = held.kind;
    record.digest = held.digest;
    record.as_in_unix_ns = held.started_unix_ns;
    record.run_id = row.Text(0);
    record.started_unix_ns = row.Int(1);
    record.duration_ns = row.Int(2);
    record.level = RungOf(row.Int(3));
    sound = sound && row.Int(7) == ChecksumOf(record, {}, {}, row.Int(8));
  }
  if (!sound) {
    record.report = {};
    record.report.error = kDamagedRow;
  }
  if (record.report.profiles.empty() && !only.name.empty()) record.report.profiles = {only};
  return record;
}

TransferRecord ReadTransfer(const Statement& row) {
  TransferRecord record{.run_id = row.Text(0),
                        .started_unix_ns = row.Int(1),
                        .port = row.Text(2),
                        .role = row.Text(3),
                        .peer = row.Text(4)};
  const std::string body = row.Text(5);
  const std::int64_t form = row.Int(8);
  v1::TransferResult message;
  if (Matches(row, 6, ChecksumOf(record, body, form)) && ReadBody(body, form, message)) {
    record.result = FromProto(message);
  } else {
    record.result.case_name = row.Text(7);
    record.result.failure = {FailureKind::kSetup, kDamagedRow};
  }
  return record;
}

StoreEvent ReadEvent(const Statement& row) { return {.unix_ns = row.Int(0), .text = row.Text(1)}; }

// Leaves a file of this version that is known to be sound, or one that is not written to when it is closed.
absl::Status Prepare(Database& database, std::chrono::milliseconds check_time) {
  RR_RETURN_IF_ERROR(database.SetCheckpointOnClose(false));
  // Before anything is changed: a newer version's file stays as it is.
  RR_RETURN_IF_ERROR(CheckVersion(database, StoreSchema()));
  RR_ASSIGN_OR_RETURN(const std::int64_t pages, database.Number("PRAGMA page_count"));
  if (pages == 0) RR_RETURN_IF_ERROR(database.Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  RR_RETURN_IF_ERROR(
      database.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                       "PRAGMA journal_size_limit = 4194304;"
                       "PRAGMA cache_size = -256"));  // KiB: a row is written once and seldom read again
  RR_RETURN_IF_ERROR(LookForDamage(database, check_time));
  RR_RETURN_IF_ERROR(Migrate(database, StoreSchema()));
  // A fresh file's tables leave the log: what room there is belongs to results.
  if (pages == 0) RR_RETURN_IF_ERROR(database.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  RR_RETURN_IF_ERROR(EnableVacuum(database));
  return database.SetCheckpointOnClose(true);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StoreFile>> StoreFile::Open(const std::string& path,
                                                           std::chrono::milliseconds check_time) {
  RR_RETURN_IF_ERROR(CheckFileKind(path));
  MakePrivateFile(path);
  RR_ASSIGN_OR_RETURN(Database database, Database::Open(path));
  RR_RETURN_IF_ERROR(Prepare(database, check_time));
  return std::unique_ptr<StoreFile>(new StoreFile(std::move(database)));
}

absl::StatusOr<std::unique_ptr<StoreFile>> StoreFile::OpenToRead(const std::string& path) {
  RR_RETURN_IF_ERROR(CheckFileKind(path));
  RR_ASSIGN_OR_RETURN(Database database, Database::Open(path, Database::Access::kReadOnly));
  RR_RETURN_IF_ERROR(CheckUpToDate(database, StoreSchema()));
  return std::unique_ptr<StoreFile>(new StoreFile(std::move(database)));
}

absl::StatusOr<std::string> StoreFile::SameAs(const RunRecord& record) const {
  if (record.kind.empty() || record.digest.empty()) return std::string();
  const std::string sql =
      fmt::format("SELECT {} FROM (SELECT * FROM runs WHERE kind = ?1 ORDER BY rowid DESC LIMIT 1) {}",
                  kRunColumns, kRunTables);
  absl::StatusOr<Statement> statement = Statement::Prepare(database_, sql);
  if (!statement.ok()) return statement.status();
  statement->Bind(record.kind);
  RR_ASSIGN_OR_RETURN(const std::vector<RunRecord> newest, ReadAll(std::move(statement), ReadRun));
  // A damaged body is nobody else's.
  const bool same = !newest.empty() && newest.front().digest == record.digest &&
                    newest.front().report.error == record.report.error;
  return same ? newest.front().run_id : std::string();
}

absl::Status StoreFile::PutRun(const RunRecord& record) {
  Transaction transaction(database_);
  RR_RETURN_IF_ERROR(transaction.Begin());
  RunRecord row = record;
  RR_ASSIGN_OR_RETURN(row.as_in_run_id, SameAs(record));
  const bool refers = !row.as_in_run_id.empty();
  const std::string body = refers ? std::string() : ToProto(record.report).SerializeAsString();
  RR_ASSIGN_OR_RETURN(
      Statement statement,
      Statement::Prepare(database_,
                         "INSERT INTO runs (run_id, started_unix_ns, duration_ns, level, verdict, body, "
                         "checksum, form, kind, digest, as_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), "
                         "nullif(?, ''), nullif(?, ''))"));
  RR_RETURN_IF_ERROR(statement.Bind(record.run_id)
                         .Bind(record.started_unix_ns)
                         .Bind(record.duration_ns)
                         .Bind(ColumnOf(record.level))
                         .Bind(static_cast<std::int64_t>(record.report.verdict))
                         .BindBlob(body)
                         .Bind(ChecksumOf(row, {}, body, kRunForm))
                         .Bind(kRunForm)
                         .Bind(refers ? "" : record.kind)
                         .Bind(refers ? "" : record.digest)
                         .Bind(row.as_in_run_id)
                         .Run());
  if (!refers) {
    RR_RETURN_IF_ERROR(PutProfiles(record));
    RR_RETURN_IF_ERROR(PutFindings(record));
  }
  return transaction.Commit();
}

absl::Status StoreFile::PutProfiles(const RunRecord& record) {
  RR_ASSIGN_OR_RETURN(Statement statement,
                      Statement::Prepare(database_, "INSERT INTO run_profiles VALUES (?, ?, ?, ?)"));
  std::int64_t position = 0;
  for (const ProfileRef& profile : record.report.profiles) {
    RR_RETURN_IF_ERROR(
        statement.Bind(record.run_id).Bind(position++).Bind(profile.name).Bind(profile.digest).Run());
  }
  return absl::OkStatus();
}

absl::Status StoreFile::PutFindings(const RunRecord& record) {
  RR_ASSIGN_OR_RETURN(Statement statement,
                      Statement::Prepare(database_, "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?)"));
  std::int64_t position = 0;
  for (const Finding& finding : record.report.findings) {
    RR_RETURN_IF_ERROR(statement.Bind(record.run_id)
                           .Bind(position++)
                           .Bind(finding.id)
                           .Bind(finding.subject)
                           .Bind(static_cast<std::int64_t>(finding.outcome))
                           .Bind(finding.observed)
                           .Run());
  }
  return absl::OkStatus();
}

absl::Status StoreFile::PutTransfer(const TransferRecord& record) {
  Transaction transaction(database_);
  RR_RETURN_IF_ERROR(transaction.Begin());
  RR_ASSIGN_OR_RETURN(
      Statement statement,
      Statement::Prepare(
          database_,
          "INSERT INTO transfers (run_id, started_unix_ns, port, role, peer, case_name, failure, "
          "throughput_bytes_per_s, latency_p50_ns, body, checksum, form) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?)"));
  const std::string body = ToProto(record.result).SerializeAsString();
  RR_RETURN_IF_ERROR(statement.Bind(record.run_id)
                         .Bind(record.started_unix_ns)
                         .Bind(record.port)
                         .Bind(record.role)
                         .Bind(record.peer)
                         .Bind(record.result.case_name)
                         .Bind(ColumnOf(record.result.failure.kind))
                         .Bind(static_cast<std::int64_t>(record.result.throughput_bytes_per_s))
                         .Bind(record.result.latency.p50_ns)
                         .BindBlob(body)
                         .Bind(ChecksumOf(record, body, kTransferForm))
                         .Bind(kTransferForm)
                         .Run());
  RR_RETURN_IF_ERROR(CountInBaseline(database_, record));
  return transaction.Commit();
}

absl::Status StoreFile::PutEvent(const StoreEvent& event) {
  RR_ASSIGN_OR_RETURN(Statement statement,
                      Statement::Prepare(database_, "INSERT INTO events (unix_ns, text) VALUES (?, ?)"));
  RR_RETURN_IF_ERROR(statement.Bind(event.unix_ns).Bind(event.text).Run());
  return database_.Execute("DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - 1000");
}

absl::StatusOr<std::vector<RunRecord>> StoreFile::Runs(const HistoryQuery& query) const {
  // The bodies are joined to the chosen rows only.
  const std::string sql = fmt::format(
      "SELECT {} FROM (SELECT *, rowid AS place FROM runs {} AND body_only IS NULL ORDER BY started_unix_ns "
      "DESC, "
      "rowid DESC LIMIT ?4) {} ORDER BY own.started_unix_ns DESC, place DESC",
      kRunColumns, kWhere, kRunTables);
  absl::StatusOr<Statement> statement = Statement::Prepare(database_, sql);
  if (statement.ok()) BindQuery(query, *statement);
  return ReadAll(std::move(statement), ReadRun);
}

absl::StatusOr<std::vector<TransferRecord>> StoreFile::Transfers(const HistoryQuery& query) const {
  absl::StatusOr<Statement> statement = Statement::Prepare(
      database_,
      fmt::format("SELECT run_id, started_unix_ns, port, role, peer, body, checksum, case_name, form "
                  "FROM transfers {} ORDER BY started_unix_ns DESC, number DESC LIMIT ?4",
                  kWhere));
  if (statement.ok()) BindQuery(query, *statement);
  return ReadAll(std::move(statement), ReadTransfer);
}

absl::StatusOr<std::vector<StoreEvent>> StoreFile::Events(const HistoryQuery& query) const {
  absl::StatusOr<Statement> statement =
      Statement::Prepare(database_,
                         "SELECT unix_ns, text FROM events WHERE unix_ns >= ?1 AND unix_ns < ?2 AND ?3 = '' "
                         "ORDER BY unix_ns DESC, number DESC LIMIT ?4");
  if (!statement.ok()) return statement.status();
  BindQuery(query, *statement);
  return ReadAll(std::move(statement), ReadEvent);
}

}  // namespace rdmaready
