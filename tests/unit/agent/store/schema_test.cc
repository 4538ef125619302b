// SPDX-License-Identifier: Apache-2.0
// Files of other versions: older ones are brought up to date without losing a row, newer ones are left alone.
#include "agent/store/schema.h"

#include "api/convert/records.h"
#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The schema of version 1, as it was released.
constexpr char kVersion1[] = R"(
PRAGMA journal_mode = WAL;
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
PRAGMA user_version = 1;
)";

// Bodies of version 1: their enums had no zero for unknown.
std::string EarlierBody(const HostReport& report) {
  v1::HostReport message = ToProto(report);
  message.clear_profiles();  // it stood in columns
  for (v1::Finding& finding : *message.mutable_findings()) {
    finding.set_scope(static_cast<v1::Scope>(finding.scope() - 1));
    finding.set_rung(static_cast<v1::Rung>(finding.rung() - 1));
  }
  return message.SerializeAsString();
}

std::string EarlierBody(const TransferResult& result) {
  v1::TransferResult message = ToProto(result);
  v1::Failure& failure = *message.mutable_failure();
  failure.set_kind(static_cast<v1::Failure::Kind>(failure.kind() - 1));
  return message.SerializeAsString();
}

class SchemaTest : public StoreTest {
 protected:
  Database OpenDatabase(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    absl::StatusOr<Database> database = Database::Open(path);
    EXPECT_TRUE(database.ok()) << database.status();
    return *std::move(database);
  }
  Database OpenDatabase() { return OpenDatabase(path_); }

  // A file of version 1 with a run and a transfer in it.
  void MakeVersion1() {
    Database database = OpenDatabase();
    ASSERT_TRUE(database.Execute(kVersion1).ok());
    absl::StatusOr<Statement> run =
        Statement::Prepare(database, "INSERT INTO runs VALUES ('old', 7, 5, 1, 'p', 'd', 2, ?)");
    ASSERT_TRUE(run.ok() && run->BindBlob(EarlierBody(MakeRun("old", 7).report)).Run().ok());
    absl::StatusOr<Statement> transfer = Statement::Prepare(
        database,
        "INSERT INTO transfers VALUES (NULL, 'old', 8, 'rxe0/1', 'initiator', 'b', 'send-1k', 7, 0, 0, ?)");
    ASSERT_TRUE(transfer.ok() && transfer->BindBlob(EarlierBody(MakeTransfer("old", 8).result)).Run().ok());
    ASSERT_TRUE(
        database.Execute("INSERT INTO findings VALUES ('old', 0, 'link.state', 'rxe0/1', 3, 'down')").ok());
  }
};

TEST_F(SchemaTest, AStoreOfVersion1KeepsItsRows) {
  MakeVersion1();
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("new", 9)).ok());
  const absl::StatusOr<std::vector<RunRecord>> runs = store->Runs({});
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->back().run_id, "old");
  EXPECT_EQ(runs->back().report, MakeRun("old", 7).report);
  const absl::StatusOr<std::vector<TransferRecord>> transfers = store->Transfers({});
  ASSERT_TRUE(transfers.ok()) << transfers.status();
  EXPECT_EQ(transfers->at(0).result, MakeTransfer("old", 8).result);
}

// CRC-32 (IEEE 802.3) bit by bit.
std::int64_t Crc32Of(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

// Or a store that an earlier release wrote would be taken for damaged.
TEST_F(SchemaTest, ARowHasTheChecksumThatEveryReleaseGaveIt) {
  ASSERT_EQ(Crc32Of("123456789"), 0xCBF43926);
  ASSERT_TRUE(Open()->PutTransfer(MakeTransfer("r", 0x0102)).ok());
  const Database database = OpenDatabase();
  absl::StatusOr<Statement> row = Statement::Prepare(database, "SELECT body FROM transfers");
  ASSERT_TRUE(row.ok() && row->Step().ok());
  const std::string body = row->Text(0);
  ASSERT_FALSE(body.empty());
  ASSERT_LT(body.size(), 128u);
  const auto number = [](char low, char high = 0) { return std::string{low, high} + std::string(6, '\0'); };
  EXPECT_EQ(*database.Number("SELECT checksum FROM transfers"),
            Crc32Of(number(1) + number(1) + "r" + number(2, 1) + number(6) + "rxe0/1" + number(9) +
                    "initiator" + number(1) + "b" + number(static_cast<char>(body.size())) + body));
}

TEST_F(SchemaTest, AStoreOfVersion1CanShrinkFromThenOn) {
  MakeVersion1();
  Open();
  EXPECT_EQ(*OpenDatabase().Number("PRAGMA auto_vacuum"), 2);
  EXPECT_EQ(*OpenDatabase().Number("PRAGMA user_version"),
            static_cast<std::int64_t>(StoreSchema().steps.size()));
}

TEST_F(SchemaTest, EveryOlderVersionEndsInTheSameSchemaAsAFreshFile) {
  const auto schema = [](const Database& database) {
    absl::StatusOr<Statement> rows =
        Statement::Prepare(database,
                           "SELECT group_concat(sql, ';' || char(10)) FROM "
                           "(SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name)");
    EXPECT_TRUE(rows.ok() && *rows->Step());
    return rows->Text(0);
  };
  Database fresh = OpenDatabase(root_ + "/fresh.db");
  ASSERT_TRUE(Migrate(fresh, StoreSchema()).ok());
  for (std::size_t version = 1; version < StoreSchema().steps.size(); ++version) {
    Database old = OpenDatabase(root_ + "/old" + std::to_string(version) + ".db");
    ASSERT_TRUE(Migrate(old, {.name = "store", .steps = StoreSchema().steps.first(version)}).ok());
    ASSERT_TRUE(Migrate(old, StoreSchema()).ok());
    EXPECT_EQ(schema(old), schema(fresh)) << "from version " << version;
  }
  MakeVersion1();
  Open();
  EXPECT_EQ(schema(OpenDatabase()), schema(fresh)) << "what was released as version 1 is no longer step 1";
}

TEST_F(SchemaTest, AStepThatFailsLeavesTheVersionBeforeIt) {
  MakeVersion1();
  Database database = OpenDatabase();
  const std::vector<const char*> steps{
      StoreSchema().steps[0], "ALTER TABLE runs ADD COLUMN extra INTEGER; CREATE TABLE runs (again INTEGER);"};
  EXPECT_FALSE(Migrate(database, {.name = "store", .steps = steps}).ok());
  EXPECT_EQ(*database.Number("PRAGMA user_version"), 1);
  EXPECT_FALSE(Statement::Prepare(database, "SELECT extra FROM runs").ok());
  EXPECT_EQ(*database.Number("SELECT count(*) FROM runs"), 1);
}

TEST_F(SchemaTest, AMigrationThatWasCutShortStartsAgain) {
  MakeVersion1();
  std::string copy;
  {
    Database database = OpenDatabase();
    Transaction transaction(database);
    ASSERT_TRUE(transaction.Begin().ok());
    ASSERT_TRUE(database.Execute(StoreSchema().steps[1]).ok());
    ASSERT_TRUE(database.Execute("PRAGMA user_version = 2").ok());
    ASSERT_EQ(sqlite3_db_cacheflush(database.get()), SQLITE_OK) << "as far as it gets without a commit";
    copy = CopyAsAfterACrash();
  }
  EXPECT_EQ(*OpenDatabase(copy + "/rdmaready.db").Number("PRAGMA user_version"), 1);
  SqliteStore after({.directory = copy});
  EXPECT_THAT(Ids(after), ElementsAre("old"));
}

TEST_F(SchemaTest, ANewerVersionsFileIsRefusedAndLeftAsItIs) {
  MakeVersion1();
  ASSERT_TRUE(OpenDatabase().Execute("PRAGMA user_version = 999; PRAGMA journal_mode = DELETE").ok());
  const std::string before = ReadFile("rdmaready.db");
  const absl::Status status = SqliteStore(Options()).Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("newer rdmaready (schema 999"));
  EXPECT_EQ(ReadFile("rdmaready.db"), before);
  EXPECT_THAT(SetAside(), IsEmpty());
}

TEST_F(SchemaTest, AnotherProgramsDatabaseIsRefusedAndLeftAsItIs) {
  ASSERT_TRUE(OpenDatabase().Execute("CREATE TABLE theirs (a INTEGER)").ok());
  const std::string before = ReadFile("rdmaready.db");
  const absl::Status status = SqliteStore(Options()).Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("not a store of rdmaready"));
  EXPECT_EQ(ReadFile("rdmaready.db"), before);
}

}  // namespace
}  // namespace rdmaready
