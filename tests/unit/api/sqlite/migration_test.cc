// SPDX-License-Identifier: Apache-2.0
// Whose file it is: the agent's store has more tests of migration (tests/unit/agent/store/schema_test.cc).
#include "api/sqlite/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::array<const char*, 2> kSteps{"CREATE TABLE a (x INTEGER)", "CREATE TABLE b (x INTEGER)"};
constexpr Schema kOurs{.name = "store of hubs", .steps = kSteps, .application_id = 0x72646d72};

class MigrationTest : public testing::Test {
 protected:
  ~MigrationTest() override { std::filesystem::remove_all(path_); }
  Database Open() {
    absl::StatusOr<Database> database = Database::Open(path_);
    EXPECT_TRUE(database.ok()) << database.status();
    return *std::move(database);
  }

  const std::string path_ = testing::TempDir() + "migration-" + std::to_string(::getpid()) + ".db";
};

TEST_F(MigrationTest, AFileIsMarkedAsOurs) {
  Database database = Open();
  ASSERT_TRUE(Migrate(database, kOurs).ok());
  EXPECT_EQ(*database.Number("PRAGMA application_id"), kOurs.application_id);
  EXPECT_TRUE(CheckUpToDate(database, kOurs).ok());
}

TEST_F(MigrationTest, ARelativesFileOfAKnownVersionIsRefused) {
  Database database = Open();
  ASSERT_TRUE(Migrate(database, {.name = "store", .steps = kSteps}).ok());
  const absl::Status refused = Migrate(database, kOurs);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("not a store of hubs"));
  EXPECT_EQ(*database.Number("PRAGMA application_id"), 0);
}

TEST_F(MigrationTest, ANewerFileIsRefusedBeforeAnythingIsTouched) {
  Database database = Open();
  ASSERT_TRUE(Migrate(database, kOurs).ok());
  const Schema older{
      .name = "store of hubs", .steps = Schema(kOurs).steps.first(1), .application_id = kOurs.application_id};
  EXPECT_THAT(std::string(CheckVersion(database, older).message()), HasSubstr("written by a newer rdmaready"));
  EXPECT_EQ(*database.Number("SELECT count(*) FROM sqlite_schema"), 2);
}

}  // namespace
}  // namespace rdmaready
