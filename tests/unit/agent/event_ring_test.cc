// SPDX-License-Identifier: Apache-2.0
#include "agent/event_ring.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

Event NumberedEvent(std::int64_t number) {
  return {.level = EventLevel::kInfo, .name = "check", .fields = {{"number", number}}};
}

TEST(EventRing, KeepsWhatItHearsAndPassesItOn) {
  const auto ring = std::make_shared<EventRing>();
  FakeClock clock;
  int heard = 0;
  const EventSink sink = EventRing::Before(
      ring, [&](const Event&) { ++heard; }, clock);
  sink({.level = EventLevel::kWarning,
        .name = "refused",
        .fields = {{"origin", std::string("a")}, {"times", std::int64_t{2}}, {"local", true}}});
  EventRing::Before(ring, {}, clock)(NumberedEvent(1));
  EXPECT_EQ(heard, 1);
  const std::vector<KeptEvent> kept = ring->Kept();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].name, "refused");
  EXPECT_EQ(kept[0].level, EventLevel::kWarning);
  EXPECT_EQ(kept[0].unix_ns, UnixNs(clock));
  const std::vector<std::pair<std::string, std::string>> fields{
      {"origin", "a"}, {"times", "2"}, {"local", "true"}};
  EXPECT_EQ(kept[0].fields, fields);
}

TEST(EventRing, KeepsNeitherTheAuditNorWhatIsForDebugging) {
  EventRing ring;
  ring.Add({.level = EventLevel::kInfo, .name = kAuditEvent, .fields = {{"record", std::string("who asked")}}},
           1);
  ring.Add({.level = EventLevel::kDebug, .name = "step"}, 2);
  EXPECT_TRUE(ring.Kept().empty());
}

TEST(EventRing, LetsGoOfTheOldestBeyondItsNumber) {
  EventRing ring;
  for (std::int64_t i = 0; i < 1500; ++i) ring.Add(NumberedEvent(i), i);
  ASSERT_EQ(ring.Kept().size(), EventRing::kMostEvents);
  EXPECT_EQ(ring.Kept().front().unix_ns, 500);
  EXPECT_EQ(ring.Kept().back().unix_ns, 1499);
}

TEST(EventRing, LetsGoOfTheOldestBeyondItsBytes) {
  EventRing ring;
  for (std::int64_t i = 0; i < 900; ++i) {
    ring.Add({.level = EventLevel::kInfo, .name = "x", .fields = {{"text", std::string(5000, 'x')}}}, i);
  }
  std::size_t bytes = 0;
  for (const KeptEvent& event : ring.Kept()) {
    EXPECT_EQ(event.fields[0].second.size(), EventRing::kMostValueBytes);
    bytes += event.name.size() + event.fields[0].first.size() + event.fields[0].second.size();
  }
  EXPECT_LE(bytes, EventRing::kMostBytes);
  EXPECT_GT(bytes, EventRing::kMostBytes / 2);
  EXPECT_EQ(ring.Kept().back().unix_ns, 899);
}

}  // namespace
}  // namespace rdmaready
