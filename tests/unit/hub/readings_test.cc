// SPDX-License-Identifier: Apache-2.0
// A host that is as it was: its facts come again now and then, with the readings of then.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/run_id.h"
#include "api/client/report_channel.h"
#include "hub/hub.h"
#include "hub/ingest/unpack.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

constexpr std::int64_t kHourNs = std::int64_t{3600} * 1'000'000'000;
constexpr std::chrono::minutes kReadingsHour{60};

JudgedHost KeptHost(bool with_facts) {
  JudgedHost host{.host = {.host_id = "a", .name = "node1", .digest = "d"},
                  .mark = {.run_id = "r", .sequence = 1}};
  if (with_facts) host.facts_zlib = "packed";
  return host;
}

TEST(HostBookFacts, AreDueOnceInAnIntervalAndAskedForUntilTheyCome) {
  FakeClock clock;
  HostBook book(clock);
  book.SetFactsEvery(kHourNs);
  book.Kept(KeptHost(true));
  clock.Advance(kReadingsHour / 2);
  EXPECT_FALSE(book.TakeFactsDue("a"));
  EXPECT_FALSE(book.FactsAsked("a"));
  clock.Advance(kReadingsHour);
  EXPECT_TRUE(book.TakeFactsDue("a"));
  EXPECT_TRUE(book.FactsAsked("a"));
  EXPECT_FALSE(book.TakeFactsDue("a")) << "once";
  book.Kept(KeptHost(false));
  EXPECT_TRUE(book.FactsAsked("a")) << "it was judged again, nothing came";
  book.Kept(KeptHost(true));
  EXPECT_FALSE(book.FactsAsked("a"));
  EXPECT_FALSE(book.TakeFactsDue("nobody"));
}

TEST(HostBookFacts, AreNeverDueWhereNobodyWantsThem) {
  FakeClock clock;
  HostBook book(clock);
  book.Kept(KeptHost(true));
  clock.Advance(1000 * kReadingsHour);
  EXPECT_FALSE(book.TakeFactsDue("a"));
}

TEST(HostBookFacts, OfAFleetThatIsKnownFromBeforeDoNotComeTogether) {
  FakeClock clock;
  HostBook book(clock);
  book.SetFactsEvery(kHourNs);
  for (int i = 0; i < 1000; ++i)
    book.Know({.host = {.host_id = std::to_string(i)}, .mark = {.run_id = "r", .sequence = 1}});
  clock.Advance(kReadingsHour / 10);
  int due = 0;
  for (int i = 0; i < 1000; ++i) due += book.TakeFactsDue(std::to_string(i)) ? 1 : 0;
  EXPECT_GT(due, 40);
  EXPECT_LT(due, 200);
}

// Whoever commits has not seen the revocation, which may come before the book hears of the commit or after it.
TEST(HostBookPast, OfWhoIsRevokedNoneIsKnownAgainByAReportThatWaited) {
  HostBook book;
  JudgedHost tested = KeptHost(true);
  tested.past = KeptPast{.digest = "p"};
  book.Kept(tested);
  EXPECT_EQ(book.PastOf("a"), "p");
  book.ForgetPast("a");
  EXPECT_EQ(book.PastOf("a"), "");
  book.Kept(tested);
  EXPECT_EQ(book.PastOf("a"), "");
  EXPECT_TRUE(book.WithPast().empty());
  tested.host.host_id = "b";
  book.ForgetPast("b");  // it waits to be known at all
  book.Kept(tested);
  EXPECT_TRUE(book.WithPast().empty());
  EXPECT_EQ(book.Find("b")->digest, "d") << "what else it reported is";
}

TEST(Readings, OfNowAreKeptOfAHostThatIsAsItWas) {
  const std::string root = testing::TempDir() + "readings " + std::to_string(::getpid());
  FakeClock clock;
  clock.SetWall(RealClock().Wall());  // of the agent
  auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                         .period = std::chrono::seconds(1),
                         .facts_every = std::chrono::seconds(1),
                         .rules = {.profiles = {"smb-direct-roce"}},
                         .store = *SqliteFleetStore::Open({.path = root + "/fleet.db"}),
                         .keeper = {.gather = {}},
                         .clock = &clock});
  ASSERT_TRUE(hub.ok()) << hub.status();
  std::atomic<std::uint64_t> uptime = 100;
  const std::string digest(64, 'a');
  const auto state = [&] {
    Facts facts = GoodHost();
    facts.hostname = "uptime " + std::to_string(uptime);  // the digest is said to leave it out
    return *report::PackState(facts, digest, UnixNs(RealClock()));
  };
  const auto client = std::make_shared<report::ReportClient>(report::ReportOptions{
      .host = {.host_id = "00000000-0000-4000-8000-000000000001", .hostname = "node1", .run_id = MakeRunId()},
      .channel = [to = (*hub)->addresses().front()] { return ReportChannel(to, {}); },
      .fresh = [&] { return ++uptime, state(); },
      .clock = &clock});
  client->Offer(state());
  EXPECT_TRUE(Eventually([&] {
    clock.Advance(std::chrono::milliseconds(100));
    client->Tick(clock.Now());
    return uptime >= 102;
  }));
  EXPECT_GE(uptime, 102U);
  EXPECT_EQ(client->Counts().refused, 0U);
  client->StopAndWait(std::chrono::seconds(5));
  hub->reset();
  auto store = SqliteFleetStore::Open({.path = root + "/fleet.db"});
  ASSERT_TRUE(store.ok()) << store.status();
  const auto stored = (*store)->FactsOf("00000000-0000-4000-8000-000000000001");
  ASSERT_TRUE(stored.ok()) << stored.status();
  const auto facts = ReadFacts(stored->facts_zlib, stored->facts_bytes);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_NE(facts->hostname, "uptime 100");
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rdmaready::hub
