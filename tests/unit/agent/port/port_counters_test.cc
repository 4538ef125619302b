// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rdmaready/v1/facts.pb.h"  // before <linux/ethtool.h>, whose macros have names of the wire
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;
using testing::ElementsAre;

using Counters = std::vector<Counter>;

// Two readings of one port, a second apart.
struct Readings {
  CounterReading before{.hw = {.counters = Counters{{"out_of_sequence", 5}}, .lifespan_ms = 12u},
                        .pma = Counters{{"symbol_error", 7}}};
  CounterReading after{.hw = {.counters = Counters{{"out_of_sequence", 6}}, .lifespan_ms = 12u},
                       .pma = Counters{{"symbol_error", 9}},
                       .when = before.when + std::chrono::seconds(1)};

  CounterChanges Changes() const { return ErrorsBetween(before, after); }
};

const Missing kNone{Missing::Kind::kUnsupported, "the driver has none"};

TEST(ReadCounters, TakesBothKindsOfThePort) {
  FakeHost host = GoodFakeHost();
  host.directories["/sys/class/infiniband/rxe0/ports/1/counters"] = std::vector<std::string>{"symbol_error"};
  host.files["/sys/class/infiniband/rxe0/ports/1/counters/symbol_error"] = "7\n";
  const CounterReading reading = ReadCounters(host, "rxe0", 1, RealClock());
  EXPECT_EQ(reading.hw.counters, (Counters{{"sent_pkts", 4711}}));
  EXPECT_EQ(reading.hw.lifespan_ms, 12u);
  EXPECT_EQ(reading.pma, (Counters{{"symbol_error", 7}}));
}

TEST(ErrorsBetween, ComparesBothKinds) {
  EXPECT_THAT(*Readings().Changes(), ElementsAre(CounterChange{"out_of_sequence", Kind::kGrew, 1},
                                                 CounterChange{"symbol_error", Kind::kGrew, 2}));
}

TEST(ErrorsBetween, KnowsHowWideACounterIs) {
  Readings wrapped;
  wrapped.before.hw.counters = Counters{{"out_of_sequence", 0xffff'ffff}};
  wrapped.after.hw.counters = Counters{{"out_of_sequence", 2}};
  wrapped.after.pma = Counters{{"symbol_error", 0xffff}};
  EXPECT_THAT(*wrapped.Changes(), ElementsAre(CounterChange{"out_of_sequence", Kind::kWrapped, 3},
                                              CounterChange{"symbol_error", Kind::kSaturated, 0xffff - 7}));
}

TEST(ErrorsBetween, DoesWithOneKindWhereTheDriverHasNoOther) {
  Readings no_pma;
  no_pma.before.pma = no_pma.after.pma = kNone;
  EXPECT_THAT(*no_pma.Changes(), ElementsAre(CounterChange{"out_of_sequence", Kind::kGrew, 1}));
  Readings no_hw;
  no_hw.before.hw = no_hw.after.hw = {kNone, kNone};
  EXPECT_THAT(*no_hw.Changes(), ElementsAre(CounterChange{"symbol_error", Kind::kGrew, 2}));
  no_hw.before.pma = no_hw.after.pma = kNone;
  EXPECT_EQ(no_hw.Changes(), CounterChanges(kNone));
}

TEST(ErrorsBetween, IsNotKnownWhenAReadingFailed) {
  const Missing denied{Missing::Kind::kDenied, "read x: Permission denied"};
  for (int reading = 0; reading < 4; ++reading) {
    Readings readings;
    CounterReading& one = reading % 2 == 0 ? readings.before : readings.after;
    (reading < 2 ? one.hw.counters : one.pma) = denied;
    EXPECT_EQ(readings.Changes(), CounterChanges(denied)) << reading;
  }
}

TEST(ErrorsBetween, IsNotKnownWhenTheCountersCameOrWent) {
  Readings gone;
  gone.after.hw.counters = kNone;
  ASSERT_FALSE(gone.Changes());
  EXPECT_EQ(gone.Changes().missing().kind, Missing::Kind::kFailed);
}

TEST(ErrorsBetween, IsNotKnownWhenTheDriverMayHaveAnsweredTwiceTheSame) {
  Readings brief;
  brief.after.when = brief.before.when + std::chrono::milliseconds(11);
  EXPECT_FALSE(brief.Changes());
  brief.after.when += std::chrono::milliseconds(1);
  EXPECT_TRUE(brief.Changes());
}

// Words that the port has moved both ways, `ms` after the first look.
CounterReading Words(std::uint64_t sent, std::uint64_t received, int ms) {
  return {.pma = Counters{{"port_rcv_data", received}, {"port_xmit_data", sent}},
          .when = std::chrono::steady_clock::time_point() + std::chrono::milliseconds(ms)};
}

TEST(ForeignPermille, IsWhatOthersMoveAtTheRateOfJustBefore) {
  const CounterReading idle = Words(1000, 500, 0);
  EXPECT_EQ(ForeignPermille(idle, Words(1000, 500, 50), Words(90'000, 800, 550)), 0u) << "a quiet port";
  // 20 words in 50 ms are 200 in the half second of the test, of 2000 that were moved in it.
  EXPECT_EQ(ForeignPermille(idle, Words(1010, 510, 50), Words(2000, 1520, 550)), 100u);
  EXPECT_EQ(ForeignPermille(idle, Words(1500, 1000, 50), Words(1600, 1000, 550)), 1000u) << "and never more";
  EXPECT_EQ(ForeignPermille(idle, Words(1010, 510, 50), Words(1010, 510, 550)), 1000u) << "no test was seen";
}

TEST(ForeignPermille, IsNotKnownOfAPortThatDoesNotCountOrWasReset) {
  const CounterReading idle = Words(1000, 500, 0);
  const CounterReading before = Words(1010, 510, 50);
  EXPECT_FALSE(ForeignPermille(idle, before, Words(5, 5, 550)));
  EXPECT_FALSE(ForeignPermille(idle, Words(5, 5, 50), Words(2000, 1520, 550)));
  CounterReading none = before;
  none.pma = kNone;
  EXPECT_FALSE(ForeignPermille(idle, none, Words(2000, 1520, 550)));
  EXPECT_FALSE(ForeignPermille(idle, idle, Words(2000, 1520, 550))) << "no time between them";
}

TEST(MovedUntil, TakesWhatTheDriverCounts) {
  EXPECT_EQ(MovedUntil(Words(7, 5, 0)), (Moved{12, 4}));
  CounterReading rxe{.hw = {.counters = Counters{{"rcvd_pkts", 3}, {"sent_pkts", 4}}}, .pma = kNone};
  EXPECT_EQ(MovedUntil(rxe), (Moved{7, kMostPacketBytes}));
  CounterReading bnxt{
      .hw = {.counters = Counters{{"rx_pkts", 1}, {"rx_bytes", 300}, {"tx_pkts", 2}, {"tx_bytes", 400}}},
      .pma = kNone};
  EXPECT_EQ(MovedUntil(bnxt), (Moved{700, 1}));
  CounterReading irdma{
      .hw = {.counters =
                 Counters{{"ip4InOctets", 1}, {"ip4OutOctets", 2}, {"ip6InOctets", 10}, {"ip6OutOctets", 20}}},
      .pma = kNone};
  EXPECT_EQ(MovedUntil(irdma), (Moved{33, 1}));
  rxe.hw.counters = Counters{{"rcvd_pkts", 3}};
  EXPECT_FALSE(MovedUntil(rxe)) << "half of it is no sum";
}

}  // namespace
}  // namespace rdmaready
