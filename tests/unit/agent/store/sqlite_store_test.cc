// SPDX-License-Identifier: Apache-2.0
// What a store remembers, and how it stands beside other processes.
#include "agent/store/sqlite_store.h"

#include "agent/store/schema.h"
#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SqliteStoreTest : public StoreTest {};

TEST_F(SqliteStoreTest, GivesBackWhatWasPutNewestFirst) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  ASSERT_TRUE(store->PutRun(MakeRun("b", 2)).ok());
  const absl::StatusOr<std::vector<RunRecord>> runs = store->Runs({.limit = 10});
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->front().run_id, "b");
  EXPECT_EQ(runs->back().report, MakeRun("a", 1).report);
  EXPECT_EQ(runs->back().level, Rung::kLoopback);
  EXPECT_EQ(store->Runs({.limit = 1})->size(), 1u);
}

TEST_F(SqliteStoreTest, KeepsTransfers) {
  const auto store = Open();
  ASSERT_TRUE(store->PutTransfer(MakeTransfer("a", 3)).ok());
  const absl::StatusOr<std::vector<TransferRecord>> transfers = store->Transfers({});
  ASSERT_TRUE(transfers.ok()) << transfers.status();
  ASSERT_EQ(transfers->size(), 1u);
  EXPECT_EQ(transfers->front().result, MakeTransfer("a", 3).result);
  EXPECT_EQ(transfers->front().peer, "b");
}

TEST_F(SqliteStoreTest, ChoosesByTime) {
  const auto store = Open();
  for (int i = 1; i <= 4; ++i) ASSERT_TRUE(store->PutRun(MakeRun(std::to_string(i), i)).ok());
  EXPECT_THAT(Ids(*store, {.since_unix_ns = 3}), ElementsAre("4", "3"));
  EXPECT_THAT(Ids(*store, {.before_unix_ns = 3}), ElementsAre("2", "1"));
  EXPECT_THAT(Ids(*store, {.limit = 1, .since_unix_ns = 2, .before_unix_ns = 4}), ElementsAre("3"));
}

TEST_F(SqliteStoreTest, FindsARunByItsIdOrTheEndOfIt) {
  const auto store = Open();
  for (const char* id : {"20261120T191700Z-4f1c09aa", "20261120T191800Z-77ab10cd"}) {
    ASSERT_TRUE(store->PutRun(MakeRun(id, 1)).ok());
    ASSERT_TRUE(store->PutTransfer(MakeTransfer(id, 1)).ok());
  }
  for (const char* id : {"20261120T191700Z-4f1c09aa", "4f1c09aa"}) {
    EXPECT_EQ(store->Runs({.run_id = id})->size(), 1u) << id;
    EXPECT_EQ(store->Transfers({.run_id = id})->size(), 1u) << id;
  }
  for (const char* id : {"c09aa", "%", "_f1c09aa", "-4f1c09aa", "20261120T191700Z"}) {
    EXPECT_THAT(*store->Runs({.run_id = id}), IsEmpty()) << id;
  }
}

TEST_F(SqliteStoreTest, RemembersAcrossOpening) {
  ASSERT_TRUE(Open()->PutRun(MakeRun("a", 1)).ok());
  EXPECT_THAT(Ids(*Open()), ElementsAre("a"));
}

TEST_F(SqliteStoreTest, WhatWasPutIsThereAfterACrash) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  SqliteStore after({.directory = CopyAsAfterACrash()});
  EXPECT_THAT(Ids(after), ElementsAre("a"));
}

TEST_F(SqliteStoreTest, TakesARunIdOnce) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  const absl::Status again = store->PutRun(MakeRun("a", 2));
  EXPECT_TRUE(absl::IsAlreadyExists(again)) << again;
  EXPECT_THAT(std::string(again.message()), HasSubstr("run a is there already"));
  EXPECT_THAT(Ids(*store), ElementsAre("a"));
  EXPECT_TRUE(store->PutRun(MakeRun("b", 3)).ok()) << "a failed put leaves no open transaction";
}

TEST_F(SqliteStoreTest, SaysWhenTheDirectoryCannotBe) {
  for (const char* directory : {"/proc/none", "/proc/self/exe/below-a-file"}) {
    const absl::Status status = SqliteStore({.directory = directory}).Open();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(directory));
  }
  EXPECT_FALSE(SqliteStore({.directory = ""}).Open().ok());
}

TEST_F(SqliteStoreTest, KeepsItsDirectoryToItself) {
  const auto store = Open();
  EXPECT_EQ(std::filesystem::status(directory_).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_all);
}

TEST_F(SqliteStoreTest, LookingMakesNoFile) {
  SqliteStore store({.directory = directory_, .hold = false});
  EXPECT_THAT(*store.Runs({}), IsEmpty());
  EXPECT_THAT(*store.Transfers({}), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(SqliteStoreTest, ASecondAgentIsToldWhoHoldsTheStore) {
  const auto first = Open();
  const absl::Status second = SqliteStore(Options()).Open();
  EXPECT_TRUE(absl::IsUnavailable(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr(directory_));
  EXPECT_THAT(std::string(second.message()),
              HasSubstr("in use by agent_test (pid " + std::to_string(::getpid())));
}

TEST_F(SqliteStoreTest, WhoeverHoldsItForAnInstantLetsOthersIn) {
  SqliteStore a({.directory = directory_, .hold = false});
  SqliteStore b({.directory = directory_, .hold = false});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(a.PutRun(MakeRun("a" + std::to_string(i), i)).ok());
    EXPECT_TRUE(b.PutRun(MakeRun("b" + std::to_string(i), i)).ok());
  }
  EXPECT_EQ(Ids(a).size(), 6u);
  EXPECT_THAT(Ids(b), testing::ContainerEq(Ids(a)));
}

TEST_F(SqliteStoreTest, WaitsForTheHolderOnce) {
  const auto holder = Open();
  StoreOptions options = Options();
  options.hold = false;
  options.lock_wait = std::chrono::milliseconds(300);
  constexpr int kTries = 50;
  SqliteStore store(options);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTries; ++i) {
    EXPECT_TRUE(absl::IsUnavailable(store.PutRun(MakeRun("a", 1))));
  }
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, options.lock_wait);
  EXPECT_LT(took, kTries * options.lock_wait);  // far more than one wait on a machine however busy
}

TEST_F(SqliteStoreTest, IsReadBesideItsHolderAndLeftAsItIs) {
  const auto holder = Open();
  ASSERT_TRUE(holder->PutRun(MakeRun("a", 1)).ok());
  const std::string log = ReadFile("rdmaready.db-wal");
  {
    StoreOptions options = Options();
    options.hold = false;
    SqliteStore reader(options);
    EXPECT_THAT(Ids(reader), ElementsAre("a"));
    EXPECT_FALSE(reader.PutRun(MakeRun("b", 2)).ok());
  }
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(ReadFile("rdmaready.db-wal"), log) << "a reader makes no checkpoint";
  EXPECT_TRUE(holder->PutRun(MakeRun("c", 3)).ok());
}

TEST_F(SqliteStoreTest, AStoreThatWasRemovedIsMadeAgain) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  std::filesystem::remove_all(directory_);
  ASSERT_TRUE(store->PutRun(MakeRun("b", 2)).ok());
  EXPECT_THAT(log_, ElementsAre(HasSubstr("was removed or replaced")));
  EXPECT_THAT(Ids(*store), ElementsAre("b"));
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_TRUE(absl::IsUnavailable(SqliteStore(Options()).Open())) << "the lock is the new directory's";
}

}  // namespace
}  // namespace rdmaready
