// SPDX-License-Identifier: Apache-2.0
#include "agent/store/sqlite_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rdmaready {
namespace {

class SqliteStoreTest : public testing::Test {
 protected:
  ~SqliteStoreTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<SqliteStore> Open() {
    absl::StatusOr<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(directory_);
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  const std::string directory_ = testing::TempDir() + "a store " + std::to_string(::getpid()) + "/deep";
};

RunRecord MakeRun(const std::string& id, std::int64_t started) {
  RunRecord record{.run_id = id, .started_unix_ns = started, .duration_ns = 5, .level = Rung::kLoopback};
  record.profile_name = "p";
  record.report.verdict = Readiness::kNotReady;
  record.report.findings = {
      {.id = "link.state", .subject = "rxe0/1", .outcome = Outcome::kFail, .observed = "down"},
      {.id = "mtu.ethernet", .subject = "rxe0/1", .outcome = Outcome::kPass}};
  return record;
}

TEST_F(SqliteStoreTest, GivesBackWhatWasPutNewestFirst) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  ASSERT_TRUE(store->PutRun(MakeRun("b", 2)).ok());
  const absl::StatusOr<std::vector<RunRecord>> runs = store->Runs(10);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->front().run_id, "b");
  EXPECT_EQ(runs->back().report, MakeRun("a", 1).report);
  EXPECT_EQ(runs->back().level, Rung::kLoopback);
  EXPECT_EQ(store->Runs(1)->size(), 1u);
}

TEST_F(SqliteStoreTest, KeepsTransfers) {
  const auto store = Open();
  TransferRecord record{
      .run_id = "a", .started_unix_ns = 3, .port = "rxe0/1", .role = "initiator", .peer = "b"};
  record.result.case_name = "send-1k";
  record.result.failure = {FailureKind::kStalled, "nothing for 5 s"};
  ASSERT_TRUE(store->PutTransfer(record).ok());
  const absl::StatusOr<std::vector<TransferRecord>> transfers = store->Transfers(10);
  ASSERT_TRUE(transfers.ok()) << transfers.status();
  ASSERT_EQ(transfers->size(), 1u);
  EXPECT_EQ(transfers->front().result, record.result);
  EXPECT_EQ(transfers->front().peer, "b");
}

TEST_F(SqliteStoreTest, RemembersAcrossOpening) {
  ASSERT_TRUE(Open()->PutRun(MakeRun("a", 1)).ok());
  EXPECT_EQ(Open()->Runs(10)->size(), 1u);
}

TEST_F(SqliteStoreTest, TakesARunIdOnce) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  EXPECT_FALSE(store->PutRun(MakeRun("a", 2)).ok());
  EXPECT_EQ(store->Runs(10)->size(), 1u);
  EXPECT_TRUE(store->PutRun(MakeRun("b", 3)).ok()) << "a failed put leaves no open transaction";
}

TEST_F(SqliteStoreTest, RefusesAFileOfANewerVersion) {
  ASSERT_NE(Open(), nullptr);
  {
    absl::StatusOr<Database> database = Database::Open(directory_ + "/rdmaready.db");
    ASSERT_TRUE(database->Execute("PRAGMA user_version = 999").ok());
  }
  const absl::Status status = SqliteStore::Open(directory_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST_F(SqliteStoreTest, SaysWhenTheFileIsNoDatabase) {
  std::filesystem::create_directories(directory_);
  std::ofstream(directory_ + "/rdmaready.db") << std::string(8192, 'x');
  const absl::Status status = SqliteStore::Open(directory_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(SqliteStoreTest, SaysWhenTheDirectoryCannotBe) {
  const absl::Status status = SqliteStore::Open("/proc/none").status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("/proc/none"), absl::string_view::npos) << status;
}

TEST_F(SqliteStoreTest, KeepsItsDirectoryToItself) {
  const auto store = Open();
  EXPECT_EQ(std::filesystem::status(directory_).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace rdmaready
