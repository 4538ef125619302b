// SPDX-License-Identifier: Apache-2.0
#include "hub/access/audit_trail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "api/convert/fleet_audit.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class AuditTrailTest : public testing::Test {
 protected:
  AuditTrailTest() {
    std::filesystem::create_directories(root_);
    store_ = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
  }
  ~AuditTrailTest() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }
  std::vector<FleetAuditEntry> Entries(std::uint64_t after = 0, std::size_t most = 1'000) {
    std::vector<FleetAuditEntry> entries;
    const absl::Status read = store_->Audit(
        "one", after, 0, most, [&](FleetAuditEntry&& entry) { entries.push_back(std::move(entry)); });
    EXPECT_TRUE(read.ok()) << read;
    return entries;
  }

  const std::string root_ = testing::TempDir() + "audit " + std::to_string(::getpid());
  std::unique_ptr<SqliteFleetStore> store_;
};

TEST(AuditDetail, EndsWithTheReasonOrWithoutAColon) {
  EXPECT_EQ(WithReason("2 tokens", "row 7"), "2 tokens: row 7");
  EXPECT_EQ(WithReason("2 tokens", ""), "2 tokens");
}

TEST_F(AuditTrailTest, EntriesAreAChainThatASecondTrailGoesOnWith) {
  for (int i = 0; i < 3; ++i) {
    AuditTrail trail(*store_, "one", {});
    EXPECT_TRUE(trail.Asked({"alice", "ipv4:10.0.0.1:1", "acknowledge", "1 finding"}).ok());
  }
  AuditTrail other(*store_, "two", {});
  EXPECT_TRUE(other.Asked({"bob", "", "maintenance", ""}).ok());
  const auto entries = Entries();
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries.front().number, 1u);
  EXPECT_EQ(*WhereChainBreaks(entries), "");
  EXPECT_EQ(*WhereChainBreaks(Entries(1)), "");
  EXPECT_THAT(Entries(0, 2), SizeIs(2));
}

TEST_F(AuditTrailTest, WhatWasChangedOrLeftOutIsFound) {
  AuditTrail trail(*store_, "one", {});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(trail.Asked({"alice", "", "acknowledge", std::to_string(i)}).ok());
  auto changed = Entries();
  changed[1].who = "bob";
  EXPECT_EQ(*WhereChainBreaks(changed), "entry 2 was changed");
  auto rewritten = changed;
  rewritten[1].digest = *AuditDigest(rewritten[1]);
  EXPECT_EQ(*WhereChainBreaks(rewritten), "entry 3 does not follow entry 2");
  auto shortened = Entries();
  shortened.erase(shortened.begin() + 1, shortened.begin() + 3);
  EXPECT_EQ(*WhereChainBreaks(shortened), "entries 2 to 3 are gone");
  auto begun_anew = Entries();
  begun_anew.front().previous = "x";
  begun_anew.front().digest = *AuditDigest(begun_anew.front());
  EXPECT_EQ(*WhereChainBreaks(begun_anew), "entry 1 does not begin the chain");
}

TEST_F(AuditTrailTest, WhatIsAskedStandsThereBeforeItIsDoneAndWhatFailsAlsoAfterwards) {
  AuditTrail trail(*store_, "one", {});
  const absl::StatusOr<int> done =
      trail.Audited({.who = "alice", .verb = "token"}, [&]() -> absl::StatusOr<int> {
        EXPECT_THAT(Entries(), SizeIs(1));
        return 7;
      });
  EXPECT_EQ(*done, 7);
  ASSERT_THAT(Entries(), SizeIs(1));
  EXPECT_EQ(Entries().back().outcome, "asked");
  const absl::Status failed =
      trail.Audited({.who = "alice", .verb = "revoke"}, [] { return absl::NotFoundError("no such host"); });
  EXPECT_EQ(failed, absl::NotFoundError("no such host"));
  ASSERT_THAT(Entries(), SizeIs(3));
  EXPECT_EQ(Entries()[1].outcome, "asked");
  EXPECT_EQ(Entries()[2].verb, "revoke");
  EXPECT_EQ(Entries()[2].outcome, "failed: no such host");
}

TEST_F(AuditTrailTest, AFloodOfRefusalsIsCounted) {
  AuditTrail trail(*store_, "one", {});
  const std::int64_t now = 1'000'000'000'000;
  for (int i = 0; i < 1'000; ++i)
    trail.Refused({.verb = "maintenance"}, absl::PermissionDeniedError("no"), now + i);
  EXPECT_THAT(Entries(), SizeIs(10));
  trail.Refused({.verb = "maintenance"}, absl::PermissionDeniedError("no"), now + 61'000'000'000);
  EXPECT_THAT(Entries().back().outcome, HasSubstr("990 refusals before this one"));
}

TEST_F(AuditTrailTest, WhoIsRefusedOneThingHidesNoOther) {
  AuditTrail trail(*store_, "one", {});
  const std::int64_t now = 1'000'000'000'000;
  for (int i = 0; i < 100; ++i) trail.Refused({.verb = "enrol"}, absl::UnauthenticatedError("no token"), now);
  trail.Refused({.peer = "mallory", .verb = "revoke"}, absl::PermissionDeniedError("no"), now);
  ASSERT_THAT(Entries(), SizeIs(11));
  EXPECT_EQ(Entries().back().peer, "mallory");
}

TEST_F(AuditTrailTest, WhatIsOldIsForgottenAndTheLastEntryStays) {
  AuditTrail trail(*store_, "one", {});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(trail.Asked({"alice", "", "acknowledge", ""}).ok());
  EXPECT_TRUE(store_->PruneAudit(std::numeric_limits<std::int64_t>::max(), 100).ok());
  ASSERT_THAT(Entries(), SizeIs(1));
  EXPECT_TRUE(trail.Asked({"alice", "", "acknowledge", ""}).ok());
  EXPECT_EQ(Entries().back().number, 6u);
  EXPECT_EQ(*WhereChainBreaks(Entries()), "");
}

// A hub that starts before its clock is set writes entries of long ago behind those of today.
TEST_F(AuditTrailTest, WhatAWrongClockWroteIsCutOutOfNoChain) {
  constexpr std::int64_t kToday = 1'700'000'000'000'000'000;
  for (const std::int64_t at : {kToday - 3, kToday, std::int64_t{5}, std::int64_t{6}, kToday + 1}) {
    const absl::StatusOr<FleetAuditEntry> kept =
        store_->AppendAudit({.hub = "one", .unix_ns = at, .who = "alice", .verb = "acknowledge"});
    EXPECT_TRUE(kept.ok()) << kept.status();
  }
  EXPECT_TRUE(store_->PruneAudit(kToday, 100).ok());
  EXPECT_THAT(Entries(), SizeIs(4)) << "the first alone is old";
  EXPECT_EQ(*WhereChainBreaks(Entries()), "");
  EXPECT_TRUE(store_->PruneAudit(kToday + 2, 100).ok());
  EXPECT_THAT(Entries(), SizeIs(1));
}

TEST_F(AuditTrailTest, AHostileDetailIsCutWithinNoCharacter) {
  AuditTrail trail(*store_, "one", {});
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "\xc3\xa4";
  EXPECT_TRUE(trail.Asked({"alice", "", "acknowledge", "x" + text}).ok());
  EXPECT_LE(Entries().back().detail.size(), 4'099u);
  EXPECT_THAT(Entries().back().detail, testing::EndsWith("\xc3\xa4..."));
  EXPECT_EQ(*WhereChainBreaks(Entries()), "");
}

}  // namespace
}  // namespace rdmaready::hub
