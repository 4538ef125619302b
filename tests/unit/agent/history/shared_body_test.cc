// SPDX-License-Identifier: Apache-2.0
// Runs that found the same share a report; it stays as long as one of them does.
#include <gmock/gmock.h>

#include "api/model/cases.h"
#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kHourNs = 3'600'000'000'000;
constexpr std::int64_t kDayNs = 24 * kHourNs;

class SharedBodyTest : public StoreTest {
 protected:
  static RunRecord Run(const std::string& id, std::int64_t started, const std::string& digest,
                       const std::string& kind = "check host") {
    RunRecord run = MakeRun(id, started);
    run.kind = kind;
    run.digest = digest;
    run.report.findings.front().observed = "observed by " + id;
    return run;
  }
  static RunRecord Only(SqliteStore& store, const std::string& id) {
    const auto runs = store.Runs({.run_id = id});
    EXPECT_TRUE(runs.ok() && runs->size() == 1) << runs.status();
    return runs.ok() && runs->size() == 1 ? runs->front() : RunRecord{};
  }
  std::int64_t Number(const char* sql) {
    const auto database = Database::Open(path_, Database::Access::kReadOnly);
    return database.ok() ? database->Number(sql).value_or(-1) : -1;
  }
};

TEST_F(SharedBodyTest, ARunThatFoundTheSameRefersToTheOneThatSaidSo) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(Run("a", 100, "d1")).ok());
  ASSERT_TRUE(store->PutRun(Run("b", 200, "d1")).ok());
  const RunRecord own = Only(*store, "a");
  EXPECT_EQ(own.as_in_run_id, "");
  const RunRecord other = Only(*store, "b");
  EXPECT_EQ(other.as_in_run_id, "a");
  EXPECT_EQ(other.as_in_unix_ns, 100);
  EXPECT_EQ(other.started_unix_ns, 200);
  EXPECT_EQ(other.digest, "d1");
  EXPECT_EQ(other.kind, "check host");
  EXPECT_EQ(other.report, own.report);
  EXPECT_EQ(Number("SELECT count(DISTINCT run_id) FROM findings"), 1);
}

TEST_F(SharedBodyTest, OneOfAnotherDigestOrKindHasItsOwn) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(Run("a", 100, "d1")).ok());
  ASSERT_TRUE(store->PutRun(Run("b", 200, "d2")).ok());
  ASSERT_TRUE(store->PutRun(Run("c", 300, "d2", "check loopback")).ok());
  ASSERT_TRUE(store->PutRun(Run("d", 400, "d1")).ok()) << "only the newest is looked at";
  for (const char* id : {"a", "b", "c", "d"}) EXPECT_EQ(Only(*store, id).as_in_run_id, "") << id;
  ASSERT_TRUE(store->PutRun(Run("e", 500, "d2", "check loopback")).ok());
  EXPECT_EQ(Only(*store, "e").as_in_run_id, "c") << "kinds do not come between each other";
}

TEST_F(SharedBodyTest, OneThatTellsNoDigestIsLikeNoOther) {
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(Run("a", 100, "", "")).ok());
  ASSERT_TRUE(store->PutRun(Run("b", 200, "", "")).ok());
  EXPECT_EQ(Only(*store, "b").as_in_run_id, "");
  EXPECT_EQ(Only(*store, "b").report.findings.front().observed, "observed by b");
}

TEST_F(SharedBodyTest, TheBodyStaysWhileARunThatStaysRefersToIt) {
  const std::int64_t now = 1'000 * kDayNs;
  StoreOptions options = Options();
  {
    const auto store = Open();
    ASSERT_TRUE(store->PutRun(Run("old", now - 100 * kDayNs, "d1")).ok());
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(store->PutRun(Run("r" + std::to_string(i), now - (90 - i) * kDayNs, "d1")).ok());
  }
  Database database = *Database::Open(path_);
  ASSERT_TRUE(database.Execute("PRAGMA foreign_keys = ON").ok());
  const StoreLimits limits{.max_age = std::chrono::hours(24 * 80)};
  ASSERT_TRUE(Prune(database, limits, now).ok());
  ASSERT_TRUE(Prune(database, limits, now).ok());
  const auto store = Open();
  const auto runs = store->Runs({.limit = 1000});
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->size(), 39u) << "without the run whose body it is";
  EXPECT_EQ(runs->back().as_in_run_id, "old");
  EXPECT_EQ(runs->back().report.findings.front().observed, "observed by old");
  EXPECT_THAT(Ids(*store, {.run_id = "old"}), IsEmpty());
  ASSERT_TRUE(store->PutRun(Run("changed", now, "d2")).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Prune(database, {.max_age = std::chrono::hours(1)}, now).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("changed"));
  EXPECT_EQ(Number("SELECT count(*) FROM runs"), 1) << "and with the last of them it goes";
  EXPECT_EQ(Number("SELECT count(DISTINCT run_id) FROM findings"), 1);
}

TEST_F(SharedBodyTest, ADamagedBodyIsSaidAndNotSharedAgain) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->PutRun(Run("a", 100, "d1")).ok());
    ASSERT_TRUE(store->PutRun(Run("b", 200, "d1")).ok());
  }
  {
    Database database = *Database::Open(path_);
    ASSERT_TRUE(database.Execute("UPDATE runs SET body = x'00' WHERE run_id = 'a'").ok());
  }
  const auto store = Open();
  EXPECT_EQ(Only(*store, "b").report.error, "the stored result is damaged");
  ASSERT_TRUE(store->PutRun(Run("c", 300, "d1")).ok());
  EXPECT_EQ(Only(*store, "c").as_in_run_id, "");
  EXPECT_EQ(Only(*store, "c").report.findings.front().observed, "observed by c");
}

class BaselineRowsTest : public StoreTest {
 protected:
  static TransferRecord Test(std::int64_t started, std::uint64_t rate) {
    TransferRecord record{.run_id = "t", .started_unix_ns = started, .port = "rxe0/1", .role = "loopback"};
    record.result.case_name = "write-512k";
    record.result.depth = FindCase("write-512k")->depth;
    record.result.throughput_bytes_per_s = rate;
    record.result.latency.p99_ns = 1000;
    return record;
  }
};

TEST_F(BaselineRowsTest, ADayIsCountedAsItsTestsAreStored) {
  const auto store = Open();
  for (int i = 1; i <= 100; ++i)
    ASSERT_TRUE(store->PutTransfer(Test(10 * kDayNs + i, static_cast<std::uint64_t>(i))).ok());
  ASSERT_TRUE(store->PutTransfer(Test(11 * kDayNs + 5, 7)).ok());
  const auto days = store->BaselineDays({});
  ASSERT_TRUE(days.ok() && days->size() == 2) << days.status();
  EXPECT_EQ(days->front(), (BaselineDay{.port = "rxe0/1",
                                        .case_name = "write-512k",
                                        .role = "loopback",
                                        .day_unix_ns = 10 * kDayNs,
                                        .tests = 100,
                                        .p10_bytes_per_s = 10,
                                        .p50_bytes_per_s = 50,
                                        .p90_bytes_per_s = 90,
                                        .worst_bytes_per_s = 1,
                                        .latency_p99_ns = 1000,
                                        .last_bytes_per_s = 100,
                                        .last_unix_ns = 10 * kDayNs + 100}));
  EXPECT_EQ(days->back().p10_bytes_per_s, 7u);
}

TEST_F(BaselineRowsTest, WhatSaysNothingOfThePathIsNotCounted) {
  const auto store = Open();
  for (const auto& spoil : std::vector<void (*)(TransferResult&)>{
           [](TransferResult& result) {
             result.failure = {FailureKind::kStalled, "nothing for 5 s"};
           },
           [](TransferResult& result) { result.unverified = true; },
           [](TransferResult& result) { result.busy_poll = true; },
           [](TransferResult& result) { result.bidirectional = true; },
           [](TransferResult& result) { result.depth = 1; }, [](TransferResult& result) { result.qps = 2; },
           [](TransferResult& result) { result.foreign_permille = 500; },
           [](TransferResult& result) { result.case_name = "of another version"; }}) {
    TransferRecord record = Test(kDayNs, 5);
    spoil(record.result);
    ASSERT_TRUE(store->PutTransfer(record).ok());
  }
  EXPECT_THAT(*store->BaselineDays({}), IsEmpty());
}

TEST_F(BaselineRowsTest, AYearIsKeptWhateverBecomesOfTheTestsThemselves) {
  StoreOptions options = Options();
  options.limits.max_age = std::chrono::hours(24);
  const auto store = Open(options);
  for (int day = 0; day < 400; ++day) ASSERT_TRUE(store->PutTransfer(Test((1000 + day) * kDayNs, 5)).ok());
  EXPECT_THAT(*store->Transfers({}), IsEmpty()) << "they are too old";
  const auto days = store->BaselineDays({.port = "rxe0/1", .case_name = "write-512k"});
  ASSERT_TRUE(days.ok());
  EXPECT_EQ(days->size(), 367u);
  EXPECT_EQ(days->back().day_unix_ns, 1399 * kDayNs);
  EXPECT_THAT(*store->BaselineDays({.port = "rxe1/1"}), IsEmpty());
}

TEST_F(BaselineRowsTest, OneTestUnderAClockThatIsYearsAheadErasesNoPast) {
  const auto store = Open();
  for (int day = 0; day < 300; ++day) ASSERT_TRUE(store->PutTransfer(Test((1000 + day) * kDayNs, 5)).ok());
  ASSERT_TRUE(store->PutTransfer(Test(5000 * kDayNs, 5)).ok());
  EXPECT_EQ(store->BaselineDays({})->size(), 301u);
}

}  // namespace
}  // namespace rdmaready
