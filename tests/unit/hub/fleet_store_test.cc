// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <span>

#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FleetStoreTest : public testing::Test {
 protected:
  FleetStoreTest() { std::filesystem::create_directories(root_); }
  ~FleetStoreTest() override { std::filesystem::remove_all(root_); }

  absl::StatusOr<std::unique_ptr<SqliteFleetStore>> TryOpen() {
    return SqliteFleetStore::Open({.path = path_, .lock_wait = std::chrono::milliseconds(20)});
  }
  std::unique_ptr<SqliteFleetStore> Open() {
    auto store = TryOpen();
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  static JudgedHost Host(const std::string& id, std::vector<FleetFinding> findings = {}) {
    JudgedHost judged;
    judged.host.host_id = id;
    judged.host.name = "name of " + id;
    judged.host.last_verdict = findings.empty() ? Readiness::kReady : Readiness::kNotReady;
    judged.host.digest = std::string(64, 'd');
    judged.host.profiles = {"one", "two"};
    judged.host.seen_unix_ns = 5;
    judged.machine_id = "m-" + id;
    judged.mark = {.run_id = "run", .sequence = 7};
    judged.judged_by = "rules";
    judged.facts_zlib = "packed facts of " + id;
    judged.facts_bytes = 99;
    judged.findings = std::move(findings);
    return judged;
  }
  static FleetFinding Down(Outcome outcome = Outcome::kFail) {
    return {
        .check = "link.state", .subject = "mlx5_0/1", .outcome = outcome, .blocking = true, .observed = "down"};
  }

  static std::vector<KnownHost> HostsOf(FleetStore& store) {
    std::vector<KnownHost> hosts;
    EXPECT_TRUE(store.Hosts([&](KnownHost&& host) { hosts.push_back(std::move(host)); }).ok());
    return hosts;
  }
  static std::vector<FleetFinding> FindingsOf(FleetStore& store) {
    std::vector<FleetFinding> findings;
    EXPECT_TRUE(
        store.Findings({}, [&](FleetFinding&& finding) { findings.push_back(std::move(finding)); }).ok());
    return findings;
  }
  static std::vector<FleetChange> ChangesOf(FleetStore& store) {
    std::vector<FleetChange> changes;
    const std::int64_t end = std::numeric_limits<std::int64_t>::max();
    EXPECT_TRUE(
        store.Changes({}, 0, end, [&](FleetChange&& change) { changes.push_back(std::move(change)); }).ok());
    return changes;
  }
  static void Commit(FleetStore& store, const JudgedHost& host, std::int64_t now) {
    const auto changes = store.Commit({&host, 1}, now);
    EXPECT_TRUE(changes.ok()) << changes.status();
  }

  const std::string root_ = testing::TempDir() + "fleet store " + std::to_string(::getpid());
  const std::string path_ = root_ + "/of a hub/fleet.db";
};

TEST_F(FleetStoreTest, GivesBackWhatWasCommittedAlsoAfterOpeningAgain) {
  Commit(*Open(), Host("host-one", {Down()}), 100);
  const auto store = Open();
  const std::vector<KnownHost> hosts = HostsOf(*store);
  ASSERT_THAT(hosts, SizeIs(1));
  EXPECT_EQ(hosts[0].host.name, "name of host-one");
  EXPECT_EQ(hosts[0].mark, (ReportMark{"run", 7}));
  EXPECT_THAT(hosts[0].host.profiles, ElementsAre("one", "two"));
  EXPECT_EQ(hosts[0].host.since_unix_ns, 100);
  EXPECT_EQ(hosts[0].host.unacknowledged, 1u);
  ASSERT_THAT(FindingsOf(*store), SizeIs(1));
  const auto facts = store->FactsOf("host-one");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->facts_zlib, "packed facts of host-one");
  EXPECT_EQ(facts->known.host.name, "name of host-one");
  EXPECT_TRUE(absl::IsNotFound(store->FactsOf("nobody").status()));
}

TEST_F(FleetStoreTest, CommittingTheSameAgainChangesNothing) {
  const auto store = Open();
  Commit(*store, Host("host-one", {Down()}), 100);
  const auto before = ChangesOf(*store);
  Commit(*store, Host("host-one", {Down()}), 200);
  EXPECT_EQ(ChangesOf(*store), before);
  EXPECT_EQ(HostsOf(*store)[0].host.changed_unix_ns, 100);
}

TEST_F(FleetStoreTest, CountsTheChangesOfEachHost) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 100);
  Commit(*store, Host("host-two"), 100);
  Commit(*store, Host("host-one", {Down()}), 200);
  Commit(*store, Host("host-one"), 300);
  std::vector<std::string> told;
  for (const FleetChange& change : ChangesOf(*store))
    told.push_back(change.host_id + " " + std::to_string(change.number));
  EXPECT_THAT(told, ElementsAre("host-one 1", "host-one 2", "host-one 3", "host-two 1"));
  std::vector<std::uint64_t> after;
  ASSERT_TRUE(
      store->ChangesAfter("host-one", 1, [&](FleetChange&& change) { after.push_back(change.number); }).ok());
  EXPECT_THAT(after, ElementsAre(2, 3));
}

// As the reader does who knows all of them.
TEST_F(FleetStoreTest, TheNewestChangesOfSomeHostsAreThoseOfAllWithoutTheOthers) {
  const auto store = Open();
  std::vector<JudgedHost> hosts;
  std::vector<std::string> ids;
  for (int i = 0; i < 1300; ++i) ids.push_back("host-" + std::to_string(i * 7919 % 10'007));
  for (const std::string& id : ids) hosts.push_back(Host(id, {Down()}));
  ASSERT_TRUE(store->Commit(hosts, 100).ok());
  for (const std::size_t each : {std::size_t{3}, std::size_t{7}, std::size_t{50}}) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < ids.size(); i += each) some.push_back(ids[i]);
    ASSERT_TRUE(store->NoteHosts(some, "silent", 100 + static_cast<std::int64_t>(each)).ok());
  }
  for (const std::size_t count : {std::size_t{1}, std::size_t{900}, std::size_t{1200}}) {
    const std::span<const std::string> asked(ids.data(), count);
    const std::set<std::string> chosen(asked.begin(), asked.end());
    std::vector<FleetChange> wanted = ChangesOf(*store);
    std::erase_if(wanted, [&](const FleetChange& change) { return !chosen.contains(change.host_id); });
    std::ranges::stable_sort(wanted, std::greater(), &FleetChange::last_unix_ns);
    std::vector<FleetChange> walked;
    ChangePlace place;
    for (std::size_t before = 1; before != walked.size();) {
      before = walked.size();
      const auto take = [&](FleetChange&& change) {
        place = {change.last_unix_ns, change.host_id, change.number};
        walked.push_back(std::move(change));
      };
      ASSERT_TRUE(store->NewestChanges(asked, 0, place, 333, take).ok());
      ASSERT_LE(walked.size(), before + 333);
    }
    EXPECT_EQ(walked, wanted) << count;
  }
  std::size_t none = 0;
  const std::vector<std::string> others{"nobody", "\"], [\"host-0", "\xff"};
  ASSERT_TRUE(store->NewestChanges(others, 0, {}, 10, [&](FleetChange&&) { ++none; }).ok());
  EXPECT_EQ(none, 0u);
}

// So many changes of others are newer that looking for these hosts' among all of them ends before they come.
TEST_F(FleetStoreTest, TheNewestChangesOfManyQuietHostsAreFoundBehindThoseOfBusyOnes) {
  const auto store = Open();
  std::vector<JudgedHost> hosts;
  std::vector<std::string> quiet, busy;
  for (int i = 0; i < 1001; ++i) quiet.push_back("quiet-" + std::to_string(i));
  for (int i = 0; i < 1000; ++i) busy.push_back("busy-" + std::to_string(i));
  for (const std::string& id : quiet) hosts.push_back(Host(id));
  for (const std::string& id : busy) hosts.push_back(Host(id));
  ASSERT_TRUE(store->Commit(hosts, 100).ok());
  for (std::int64_t i = 0; i < 60; ++i) ASSERT_TRUE(store->NoteHosts(busy, "silent", 200 + i).ok());
  const std::vector<std::string> two{quiet[500], quiet[7]};
  ASSERT_TRUE(store->NoteHosts(two, "silent", 255).ok());
  std::vector<FleetChange> wanted = ChangesOf(*store);
  ASSERT_GT(wanted.size(), 50u * quiet.size());
  std::erase_if(wanted, [](const FleetChange& change) { return !change.host_id.starts_with("quiet"); });
  ASSERT_EQ(wanted.size(), 1003u);
  std::ranges::stable_sort(wanted, std::greater(), &FleetChange::last_unix_ns);
  for (const std::size_t size : {std::size_t{1003}, std::size_t{400}}) {
    std::vector<FleetChange> walked;
    ChangePlace place;
    for (std::size_t came = size; came == size;) {
      const std::size_t before = walked.size();
      const auto take = [&](FleetChange&& change) {
        place = {change.last_unix_ns, change.host_id, change.number};
        walked.push_back(std::move(change));
      };
      ASSERT_TRUE(store->NewestChanges(quiet, 0, place, size, take).ok());
      came = walked.size() - before;
    }
    EXPECT_EQ(walked, wanted) << size;
  }
  std::size_t recent = 0;
  ASSERT_TRUE(store->NewestChanges(quiet, 255, {}, 10, [&](FleetChange&&) { ++recent; }).ok());
  EXPECT_EQ(recent, 2u);
}

TEST_F(FleetStoreTest, ABatchStandsOrFallsTogether) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 100);
  ::rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const ::rlimit small{.rlim_cur = 64 * 1024, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::vector<JudgedHost> hosts{Host("host-two"), Host("host-three")};
  hosts[1].facts_zlib = std::string(1 << 20, 'f');
  const auto refused = store->Commit(hosts, 200);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(absl::IsResourceExhausted(refused.status())) << refused.status();
  EXPECT_THAT(HostsOf(*store), SizeIs(1));
  EXPECT_TRUE(store->Commit(hosts, 300).ok()) << "when there is room again";
  EXPECT_THAT(HostsOf(*store), SizeIs(3));
}

TEST_F(FleetStoreTest, AcknowledgingMarksWhatHoldsAndForgetsWhatIsOver) {
  const auto store = Open();
  Commit(*store, Host("host-one", {Down()}), 100);
  const FindingKey key{"host-one", "link.state", "mlx5_0/1", ""};
  const auto marked = store->Acknowledge({&key, 1}, {.who = "anna", .why = "cable", .unix_ns = 150});
  ASSERT_TRUE(marked.ok());
  EXPECT_EQ(marked->marked, 1u);
  EXPECT_EQ(FindingsOf(*store)[0].acknowledged_by, "anna");
  EXPECT_EQ(HostsOf(*store)[0].host.unacknowledged, 0u);
  Commit(*store, Host("host-one"), 200);
  EXPECT_THAT(FindingsOf(*store), IsEmpty());
  Commit(*store, Host("host-one", {Down()}), 300);
  Commit(*store, Host("host-one"), 400);
  EXPECT_EQ(FindingsOf(*store)[0].over_unix_ns, 400);
  EXPECT_EQ(store->Acknowledge({&key, 1}, {.who = "anna", .unix_ns = 500})->forgotten, 1u);
  EXPECT_THAT(FindingsOf(*store), IsEmpty());
}

TEST_F(FleetStoreTest, ForgetsWhatIsOldAPartAtATime) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 0);
  for (int i = 1; i <= 10; ++i)
    Commit(*store, Host("host-one", i % 2 == 1 ? std::vector{Down()} : std::vector<FleetFinding>{}),
           i * 2 * kDampingWindowNs);
  ASSERT_THAT(ChangesOf(*store), SizeIs(11));
  EXPECT_EQ(*store->Prune(9 * kDampingWindowNs, 0, 3), 3u);
  EXPECT_EQ(*store->Prune(9 * kDampingWindowNs, 0, 100), 2u);
  EXPECT_THAT(ChangesOf(*store), SizeIs(6));
}

TEST_F(FleetStoreTest, SeenNeverGoesBack) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 100);
  const AgentRun agent{"0.2.0", "machine", "boot", {.run_id = "run-2", .sequence = 7}};
  const SeenHost later{"host-one", 900, 3, agent};
  const SeenHost earlier{"host-one", 400, 4, {.agent_version = "0.1.0"}};
  ASSERT_TRUE(store->PutSeen({&later, 1}, 900).ok());
  ASSERT_TRUE(store->PutSeen({&earlier, 1}, 900).ok());
  const KnownHost kept = HostsOf(*store)[0];
  EXPECT_EQ(kept.host.seen_unix_ns, 900);
  EXPECT_EQ((AgentRun{kept.host.agent_version, kept.machine_id, kept.host.boot_id, kept.mark}), agent);
}

TEST_F(FleetStoreTest, SeenGoesBackFromATimeThatIsInTheFuture) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 100);
  const SeenHost ahead{"host-one", 900, 3, {.agent_version = "0.1.0"}};
  const SeenHost put_right{"host-one", 400, 4, {.agent_version = "0.2.0"}};
  ASSERT_TRUE(store->PutSeen({&ahead, 1}, 900).ok());
  ASSERT_TRUE(store->PutSeen({&put_right, 1}, 400).ok());
  const FleetHost kept = HostsOf(*store)[0].host;
  EXPECT_EQ(kept.seen_unix_ns, 400);
  EXPECT_EQ(kept.agent_version, "0.2.0");
}

TEST_F(FleetStoreTest, NotesAreChangesOfTheWholeHost) {
  const auto store = Open();
  Commit(*store, Host("host-one"), 100);
  const std::vector<std::string> ids{"host-one", "nobody"};
  const auto noted = store->NoteHosts(ids, "silent", 200);
  ASSERT_TRUE(noted.ok()) << noted.status();
  ASSERT_THAT(*noted, SizeIs(1));
  EXPECT_EQ(noted->front().change.number, 2u);
  EXPECT_EQ(noted->front().change.host, "name of host-one");
}

TEST_F(FleetStoreTest, ASecondHubIsRefused) {
  const auto store = Open();
  EXPECT_TRUE(absl::IsUnavailable(TryOpen().status())) << TryOpen().status();
}

TEST_F(FleetStoreTest, DamageIsNeverBegunAnewAndTheTextSaysHowToRestore) {
  {
    const auto store = Open();
    for (int i = 0; i < 200; ++i) Commit(*store, Host("host-" + std::to_string(1000 + i), {Down()}), 100);
  }
  const auto size = std::filesystem::file_size(path_);
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2 / 4096 * 4096));
    file << std::string(4096, '\xa5');
  }
  const absl::Status damaged = TryOpen().status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_THAT(std::string(damaged.message()), HasSubstr("restore"));
  EXPECT_EQ(std::filesystem::file_size(path_), size) << "it is left as it is";
}

TEST_F(FleetStoreTest, FactsThatADiskChangedAreNotTakenForFacts) {
  {
    const auto store = Open();
    Commit(*store, Host("host-one"), 100);
  }
  {
    absl::StatusOr<Database> database = Database::Open(path_);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->Execute("UPDATE facts SET body = x'00'").ok());
  }
  EXPECT_TRUE(absl::IsDataLoss(Open()->FactsOf("host-one").status()));
}

TEST_F(FleetStoreTest, AnAgentsStoreIsRefusedAsItIs) {
  std::filesystem::create_directories(root_ + "/of a hub");
  {
    absl::StatusOr<Database> database = Database::Open(path_);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->Execute("CREATE TABLE runs (x); PRAGMA user_version = 1").ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(TryOpen().status())) << TryOpen().status();
}

}  // namespace
}  // namespace rdmaready::hub
