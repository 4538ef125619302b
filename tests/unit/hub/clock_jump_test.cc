// SPDX-License-Identifier: Apache-2.0
// Wall clocks that are set: the hub's, by an hour, and a host's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "agent/report/reporter.h"
#include "api/client/fleet_client.h"
#include "hub/clock_watch.h"
#include "hub/fleet/fleet_view.h"
#include "hub/hub.h"
#include "hub/ingest/host_book.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kJumpSecond = 1'000'000'000;
constexpr std::int64_t kJumpHour = 3'600 * kJumpSecond;
constexpr auto kJumpPatience = std::chrono::minutes(15);

class HostBookClockTest : public testing::Test {
 protected:
  HostBookClockTest() { Report("a"); }

  void Report(const std::string& id) {
    book_.Kept({.host = {.host_id = id, .name = "node1", .seen_unix_ns = Wall(), .digest = "d"},
                .mark = {.run_id = "r", .sequence = 1},
                .facts_zlib = "packed"});
  }
  bool Heard() { return book_.HeardUnchanged("a", "d", {.mark = {.run_id = "r", .sequence = 2}}, Wall(), 0); }
  void Pass(std::chrono::seconds time) { clock_.Advance(time); }
  std::vector<std::string> Silent() { return book_.TakeSilence(kJumpPatience).silent; }
  std::int64_t HeardSecondsAgo() { return (Wall() - book_.Find("a")->seen_unix_ns) / kJumpSecond; }

  void SetAhead(std::int64_t ns) { clock_.SetWall(clock_.Wall() + std::chrono::nanoseconds(ns)); }
  std::int64_t Wall() { return UnixNs(clock_); }

  FakeClock clock_;
  HostBook book_{clock_};
};

TEST_F(HostBookClockTest, AClockThatIsSetAheadMakesNobodySilent) {
  Pass(std::chrono::minutes(4));
  SetAhead(kJumpHour);
  EXPECT_THAT(Silent(), IsEmpty());
  EXPECT_EQ(HeardSecondsAgo(), 240);
  Pass(std::chrono::minutes(12));
  EXPECT_THAT(Silent(), ElementsAre("a")) << "nor does it take one away";
}

TEST_F(HostBookClockTest, AClockThatIsSetBackHidesNoSilence) {
  Pass(std::chrono::minutes(4));
  SetAhead(-(kJumpHour));
  EXPECT_EQ(HeardSecondsAgo(), 240);
  Pass(std::chrono::minutes(12));
  EXPECT_THAT(Silent(), ElementsAre("a"));
  EXPECT_EQ(HeardSecondsAgo(), 16 * 60);
  EXPECT_TRUE(Heard());
  EXPECT_THAT(book_.TakeSilence(kJumpPatience).back, ElementsAre("a"));
  EXPECT_EQ(book_.TakeSeen().front().seen_unix_ns, Wall());
}

TEST_F(HostBookClockTest, WhoIsSilentStaysThatWhenHeIsJudgedAgain) {
  Pass(std::chrono::minutes(16));
  EXPECT_THAT(Silent(), ElementsAre("a"));
  const std::int64_t seen = book_.Find("a")->seen_unix_ns;
  SetAhead(-(2 * kJumpHour));
  book_.Kept(
      {.host = {.host_id = "a", .seen_unix_ns = seen, .digest = "d"}, .mark = {.run_id = "r", .sequence = 1}});
  EXPECT_THAT(book_.TakeSilence(kJumpPatience).back, IsEmpty());
  EXPECT_EQ(HeardSecondsAgo(), 16 * 60);
}

TEST_F(HostBookClockTest, WhatTheStoreHasOfTheFutureIsNow) {
  HostBook after(clock_);
  after.Know({.host = {.host_id = "a", .seen_unix_ns = Wall() + kJumpHour}, .mark = {.run_id = "r"}});
  after.Know({.host = {.host_id = "b", .seen_unix_ns = Wall() - kJumpHour}, .mark = {.run_id = "r"}});
  EXPECT_THAT(after.TakeSilence(kJumpPatience).silent, IsEmpty()) << "the hub was not there";
  EXPECT_EQ(after.Find("a")->seen_unix_ns, Wall());
  EXPECT_EQ(after.Find("b")->seen_unix_ns, Wall() - kJumpHour);
  Pass(std::chrono::minutes(16));
  EXPECT_THAT(after.TakeSilence(kJumpPatience).silent, testing::UnorderedElementsAre("a", "b"));
}

TEST_F(HostBookClockTest, NoFactsAreAskedForByAClockThatIsSet) {
  book_.SetFactsEvery(kJumpHour);
  Report("a");
  SetAhead(24 * kJumpHour);
  EXPECT_FALSE(book_.TakeFactsDue("a"));
  SetAhead(-(48 * kJumpHour));
  Pass(std::chrono::minutes(70));
  EXPECT_TRUE(book_.TakeFactsDue("a"));
}

TEST(HubClockTest, WhatIsOtherwiseNowIsFoundWhateverTheClockSaidMeanwhile) {
  const std::string root = testing::TempDir() + "clock of a hub " + std::to_string(::getpid());
  const auto store = SqliteFleetStore::Open({.path = root + "/fleet.db"});
  ASSERT_TRUE(store.ok()) << store.status();
  const std::shared_ptr<const RuleBook> rules = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  HostBook book;
  const FleetAgreement agreement;
  const FleetView view(**store, book, agreement, std::chrono::seconds(300), [&] { return rules; });
  const std::int64_t begun = 1'000'000 * kJumpSecond;
  const auto commit = [&](Outcome outcome, std::int64_t unix_ns, std::uint64_t sequence) {
    JudgedHost host{.host = {.host_id = "a", .name = "node1", .seen_unix_ns = unix_ns, .digest = "d"},
                    .mark = {.run_id = "r", .sequence = sequence},
                    .facts_zlib = "packed"};
    if (outcome != Outcome::kPass)
      host.findings.push_back({.check = "pfc.a", .subject = "p1", .profile = "x", .outcome = outcome});
    EXPECT_TRUE((*store)->Commit({&host, 1}, unix_ns).ok());
  };
  commit(Outcome::kPass, begun, 1);
  commit(Outcome::kFail, begun + kJumpHour, 2);
  commit(Outcome::kWarn, begun + kJumpHour / 2, 3);  // it was set back
  const auto diff = view.DiffAfter({.checks = {"pfc.*"}}, begun + 1, {}, 10, begun + 2 * kJumpHour);
  ASSERT_TRUE(diff.ok()) << diff.status();
  ASSERT_EQ(diff->rows.size(), 1u);
  EXPECT_EQ(diff->rows.front().then, Outcome::kPass);
  EXPECT_EQ(diff->rows.front().now, Outcome::kWarn);
  std::filesystem::remove_all(root);
}

TEST(ClockWatchTest, TellsByHowMuchTheClockWasSet) {
  ClockWatch watch;
  EXPECT_EQ(watch.Jumped(kJumpHour, 7), std::nullopt);
  EXPECT_EQ(watch.Jumped(kJumpHour + kJumpSecond, 7 + kJumpSecond), std::nullopt);
  EXPECT_EQ(watch.Jumped(kJumpHour + 6 * kJumpSecond, 7 + 2 * kJumpSecond), std::nullopt) << "4 s";
  EXPECT_EQ(watch.Jumped(2 * kJumpHour + 6 * kJumpSecond, 7 + 2 * kJumpSecond), kJumpHour);
  EXPECT_EQ(watch.Jumped(7 * kJumpSecond, 7 + 3 * kJumpSecond), -2 * kJumpHour) << "once";
  EXPECT_EQ(watch.Jumped(8 * kJumpSecond, 7 + 4 * kJumpSecond), std::nullopt);
}

// The check that was made last is told, although its host called the time of the one before later.
TEST(HostClockTest, AHostWhoseClockIsSetBackTellsWhatItIsNow) {
  const std::string root = testing::TempDir() + "clock of a host " + std::to_string(::getpid());
  std::filesystem::create_directories(root);
  FakeClock clock;
  auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                         .period = std::chrono::seconds(1),
                         .rules = {.profiles = {"smb-direct-roce"}},
                         .metrics_listen = "none",
                         .store = *SqliteFleetStore::Open({.path = root + "/fleet.db"}),
                         .keeper = {.gather = {}},
                         .clock = &clock});
  ASSERT_TRUE(hub.ok()) << hub.status();
  auto reporter = report::Reporter::Start({.hub = (*hub)->addresses().front(),
                                           .state_directory = root,
                                           .agent_version = "0.1.0",
                                           .check = [](const std::stop_token&) {},
                                           .clock = &clock});
  ASSERT_TRUE(reporter.ok()) << reporter.status();
  const auto kept = [&] { return (*hub)->keeper().kept; };
  const auto passing = [&](const std::function<bool()>& holds) {
    return Eventually([&] {
      clock.Advance(std::chrono::milliseconds(100));
      return holds();
    });
  };
  const auto until = [&](std::uint64_t count) { return passing([&] { return kept() >= count; }); };
  (*reporter)->Checked(GoodHost(), std::string(64, 'a'), 1'000'000 * kJumpSecond, 1);
  EXPECT_TRUE(until(1));
  (*reporter)->Checked(WithPfc(0), std::string(64, 'b'), 1'000'000 * kJumpSecond - kJumpHour, 2);
  EXPECT_TRUE(until(2));
  (*reporter)->Checked(GoodHost(), std::string(64, 'c'), 1'000'000 * kJumpSecond, 1);
  // Two reports: the first one may have been on its way.
  const std::uint64_t reports = (*hub)->ingest().reports;
  EXPECT_TRUE(passing([&] { return (*hub)->ingest().reports >= reports + 2; }));
  EXPECT_EQ(kept(), 2u) << "it was begun before the one that was told";
  reporter->reset();
  hub->reset();
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rdmaready::hub
