// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/kept_votes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>

#include "checks/catalog.h"
#include "hub/ingest/comparer.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/eventually.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const Check& Compared() {
  return *std::ranges::find_if(AllChecks(), [](const Check& check) { return IsOfFleet(check.id); });
}

std::vector<ProfileVotes> SomeVotes() {
  const PortVote has{.check = &Compared(), .value = "MTU 4096 \xff\n"};  // no UTF-8: a host says what it likes
  const PortVote unknown{.check = &Compared(), .kind = PortVote::Kind::kUnknown, .value = "denied"};
  return {{.profile = "one",
           .ports = {{.subject = "a/1 e0", .subnet = "10.0.0.0/24", .board = "b", .votes = {has}}}},
          {.profile = "two", .ports = {{.subject = "a/2", .votes = {unknown, has}}, {}}}};
}

TEST(KeptVotes, ComeBackAsTheyWere) {
  const auto read = ReadVotes(WriteVotes(SomeVotes()));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].profile, "two");
  const VotingPort& first = (*read)[0].ports.at(0);
  EXPECT_EQ(first.subject, "a/1 e0");
  EXPECT_EQ(first.subnet, "10.0.0.0/24");
  EXPECT_EQ(first.board, "b");
  ASSERT_EQ(first.votes.size(), 1u);
  EXPECT_EQ(first.votes[0].check, &Compared());
  EXPECT_EQ(first.votes[0].value, "MTU 4096 \xff\n");
  EXPECT_EQ((*read)[1].ports.at(0).votes.at(0).kind, PortVote::Kind::kUnknown);
  EXPECT_EQ(WriteVotes(*read), WriteVotes(SomeVotes()));
  EXPECT_TRUE(ReadVotes("").has_value()) << "a host may have none";
  EXPECT_FALSE(ReadVotes("\xff\xff\xff").has_value());
  std::string other = WriteVotes(SomeVotes());
  other.replace(other.find(Compared().id), 1, "x");
  EXPECT_FALSE(ReadVotes(other).has_value()) << "of a check that is not known";
}

TEST(KeptVotes, AreReadAtTheStartAndWhoHasNoneIsJudgedAgain) {
  const std::string root = testing::TempDir() + "votes " + std::to_string(::getpid());
  std::filesystem::create_directories(root);
  const std::shared_ptr<const RuleBook> rules = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  const auto host = [&](const std::string& id) {
    JudgedHost judged;
    judged.host.host_id = judged.host.name = id;
    judged.mark = {.run_id = "run", .sequence = 1};
    judged.judged_by = rules->RulesOf(id, UnixNs(RealClock())).digest;
    judged.votes = WriteVotes(SomeVotes());
    return judged;
  };
  std::vector<JudgedHost> hosts{host("whole"), host("by other rules"), host("no votes at all"),
                                host("damaged")};
  hosts[1].judged_by = "other";
  hosts[2].votes = "\xff\xff\xff";
  {
    const auto store = *SqliteFleetStore::Open({.path = root + "/fleet.db"});
    ASSERT_TRUE(store->Commit(hosts, 1).ok());
  }
  {
    absl::StatusOr<Database> database = Database::Open(root + "/fleet.db");
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->Execute("UPDATE vote SET body = x'00' WHERE host_id = 'damaged'").ok());
  }
  const auto store = *SqliteFleetStore::Open({.path = root + "/fleet.db"});
  FleetAgreement agreement;
  std::mutex mutex;
  std::vector<std::string> again;
  {
    const Comparer comparer({.store = *store,
                             .agreement = agreement,
                             .rules = [&] { return rules; },
                             .hosts = [] { return std::vector<FleetHost>(); },
                             .judge_again =
                                 [&](std::vector<std::string> ids) {
                                   const std::lock_guard lock(mutex);
                                   again = std::move(ids);
                                 },
                             .busy = [] { return true; }},
                            std::chrono::hours(1));
    EXPECT_TRUE(Eventually([&] {
      const std::lock_guard lock(mutex);
      return !again.empty();
    }));
  }
  EXPECT_THAT(again, UnorderedElementsAre("by other rules", "no votes at all", "damaged"));
  EXPECT_TRUE(agreement.Has("whole"));
  EXPECT_FALSE(agreement.Has("damaged"));
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rdmaready::hub
