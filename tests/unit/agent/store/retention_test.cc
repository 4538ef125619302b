// SPDX-License-Identifier: Apache-2.0
// What is forgotten: the oldest first, a bounded piece at a time, never the newest run.
#include "agent/store/retention.h"

#include "agent/store/limits_text.h"
#include "api/base/run_id.h"
#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::int64_t kHour = 3'600'000'000'000;

class RetentionTest : public StoreTest {
 protected:
  StoreOptions Limited(std::uint64_t max_bytes, std::chrono::seconds max_age = {}) {
    StoreOptions options = Options();
    options.limits = {.max_bytes = max_bytes, .max_age = max_age};
    return options;
  }

  // About 20 kB, as a run of a real host.
  static RunRecord LargeRun(int number) {
    RunRecord record = MakeRun("run-" + std::to_string(number), number);
    for (int i = 0; i < 40; ++i) {
      Finding finding{.id = "check." + std::to_string(i), .subject = "rxe0/1", .outcome = Outcome::kPass};
      finding.why = std::string(300, 'w');
      finding.observed = std::string(100, 'o');
      record.report.findings.push_back(finding);
    }
    return record;
  }

  std::uint64_t FileBytes() const { return std::filesystem::file_size(path_); }
};

TEST_F(RetentionTest, TheOldestGoWhenTheFileIsFull) {
  const auto store = Open(Limited(kMiB));
  for (int i = 0; i < 160; ++i) ASSERT_TRUE(store->PutRun(LargeRun(i)).ok());
  const std::vector<std::string> ids = Ids(*store);
  ASSERT_GT(ids.size(), 10u);
  ASSERT_LT(ids.size(), 100u);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids[i], "run-" + std::to_string(159 - i)) << "the newest, without a gap";
  }
  absl::StatusOr<Database> database = Database::Open(path_, Database::Access::kReadOnly);
  ASSERT_TRUE(database.ok());
  EXPECT_LE(*database->Number("PRAGMA page_count") * *database->Number("PRAGMA page_size"),
            static_cast<std::int64_t>(kMiB + kMiB / 4));
  EXPECT_EQ(*database->Number("SELECT count(DISTINCT run_id) FROM findings"),
            static_cast<std::int64_t>(ids.size()))
      << "a run's findings go with it";
}

TEST_F(RetentionTest, ALowerLimitIsReachedInSteps) {
  {
    const auto store = Open(Limited(64 * kMiB));
    for (int i = 0; i < 160; ++i) ASSERT_TRUE(store->PutRun(LargeRun(i)).ok());
  }
  const std::uint64_t before = FileBytes();
  ASSERT_GT(before, 3 * kMiB);
  const auto store = Open(Limited(kMiB));
  ASSERT_TRUE(store->PutTransfer(MakeTransfer("t", 1000)).ok());
  EXPECT_GT(Ids(*store).size(), 120u) << "one write does not pay for all";
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(store->PutTransfer(MakeTransfer("t", 1001 + i)).ok());
  EXPECT_LT(Ids(*store).size(), 60u);
}

TEST_F(RetentionTest, TheFileGivesBackWhatItNoLongerNeeds) {
  {
    const auto store = Open(Limited(64 * kMiB));
    for (int i = 0; i < 160; ++i) ASSERT_TRUE(store->PutRun(LargeRun(i)).ok());
  }
  {
    const auto store = Open(Limited(kMiB));
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(store->PutTransfer(MakeTransfer("t", 1000 + i)).ok());
  }
  EXPECT_LE(FileBytes(), kMiB + kMiB / 4);
}

TEST_F(RetentionTest, TheNewestRunStaysWhateverTheLimits) {
  const auto store = Open(Limited(1, std::chrono::seconds(1)));
  ASSERT_TRUE(store->PutRun(LargeRun(1)).ok());
  ASSERT_TRUE(store->PutRun(LargeRun(2)).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("run-2"));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(store->PutTransfer(MakeTransfer("t", 1000 + i)).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("run-2"));
}

TEST_F(RetentionTest, TheLastRunStaysAlsoWhenTheClockWasSetBack) {
  const auto store = Open(Limited(1));
  ASSERT_TRUE(store->PutRun(LargeRun(1000)).ok());
  ASSERT_TRUE(store->PutRun(LargeRun(5)).ok());
  EXPECT_THAT(Ids(*store), Contains("run-5"));
}

TEST_F(RetentionTest, WhatIsTooOldGoes) {
  const std::int64_t now = UnixNowNs();
  const auto store = Open(Limited(64 * kMiB, std::chrono::hours(24)));
  ASSERT_TRUE(store->PutRun(MakeRun("old", now - 25 * kHour)).ok());
  ASSERT_TRUE(store->PutTransfer(MakeTransfer("old", now - 25 * kHour)).ok());
  ASSERT_TRUE(store->PutTransfer(MakeTransfer("young", now - 23 * kHour)).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("old")) << "the only one";
  ASSERT_TRUE(store->PutRun(MakeRun("young", now - 23 * kHour)).ok());
  ASSERT_TRUE(store->PutRun(MakeRun("new", now)).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("new", "young"));
  const absl::StatusOr<std::vector<TransferRecord>> transfers = store->Transfers({});
  ASSERT_TRUE(transfers.ok());
  ASSERT_EQ(transfers->size(), 1u);
  EXPECT_EQ(transfers->at(0).run_id, "young");
}

TEST_F(RetentionTest, NothingGoesWhileThereIsRoomAndTime) {
  const auto store = Open();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(store->PutRun(MakeRun("run-" + std::to_string(i), i)).ok());
  EXPECT_EQ(Ids(*store).size(), 50u);
}

TEST(StoreLimitsText, SaysWhatIsMeant) {
  EXPECT_EQ(*ParseMaxBytes("1M"), kMiB);
  EXPECT_EQ(*ParseMaxAge("90d"), std::chrono::hours(90 * 24));
  EXPECT_EQ(ParseMaxAge("0")->count(), 0);
  EXPECT_EQ(ParseMaxBytes("100K").status().message(), "'100K' is less than 1M");
  EXPECT_FALSE(ParseMaxBytes("much").ok());
  EXPECT_EQ(ParseMaxAge("soon").status().message(),
            "'soon' is no span of time: write 30m, 24h, 7d or 2w, or 0 for ever");
}

}  // namespace
}  // namespace rdmaready
