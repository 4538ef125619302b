// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/error_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

EndCounters End(std::vector<CounterChange> changes, std::string host = "node1") {
  return {.host = std::move(host), .port = "mlx5_0/1", .changes = std::move(changes)};
}

std::string Text(std::vector<CounterChange> changes) {
  const EndCounters end = End(std::move(changes));
  return GrowthText({&end, 1});
}

bool Worrying(std::vector<CounterChange> changes) {
  const EndCounters end = End(std::move(changes));
  return GrewWorryingly({&end, 1});
}

TEST(ErrorCounters, AreNamedOnceInAFamilyWithTheirSourceAndMeanTheSameInBoth) {
  std::set<std::pair<std::string_view, CounterFamily>> seen;
  std::map<std::string_view, bool> warns;
  for (const ErrorCounter& row : AllErrorCounters()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(seen.insert({row.name, row.family}).second);
    EXPECT_TRUE(row.source.starts_with("drivers/infiniband/"));
    EXPECT_EQ(warns.try_emplace(row.name, row.warns).first->second, row.warns);
  }
}

TEST(ErrorCounters, ArePickedFromAllCountersOfTheirFamily) {
  const std::vector<Counter> before{{"out_of_sequence", 5}, {"rx_write_requests", 1}, {"symbol_error", 2}};
  const std::vector<Counter> after{{"out_of_sequence", 17}, {"rx_write_requests", 9}, {"symbol_error", 2}};
  EXPECT_THAT(ErrorChanges(before, after, CounterFamily::kHardware),
              ElementsAre(CounterChange{"out_of_sequence", Kind::kGrew, 12}));
  EXPECT_THAT(ErrorChanges(before, after, CounterFamily::kPort),
              ElementsAre(CounterChange{"symbol_error", Kind::kUnchanged, 0}));
  EXPECT_THAT(ErrorChanges({}, {}, CounterFamily::kPort), IsEmpty());
}

TEST(GrowthText, NamesCounterNumberHostAndPort) {
  EXPECT_EQ(Text({{"out_of_sequence", Kind::kGrew, 12}, {"packet_seq_err", Kind::kGrew, 3}}),
            "out_of_sequence +12, packet_seq_err +3 on node1 mlx5_0/1");
  const EndCounters ends[] = {End({{"out_of_sequence", Kind::kGrew, 12}}),
                              End({{"rnr_nak_retry_err", Kind::kGrew, 1}}, "")};
  EXPECT_EQ(GrowthText(ends), "out_of_sequence +12 on node1 mlx5_0/1; rnr_nak_retry_err +1 on mlx5_0/1");
}

TEST(GrowthText, NamesTheNicsCountersByTheirEthernetPort) {
  EndCounters end = End({{"out_of_sequence", Kind::kGrew, 12}});
  end.nic = std::vector<NicChange>{{.netdev = "eth0", .change = {"rx_prio3_pause", Kind::kGrew, 4}},
                                   {.netdev = "eth1", .change = {"rx_prio3_discards", Kind::kGrew, 2}},
                                   {.netdev = "eth1", .change = {"tx_prio3_pause", Kind::kUnchanged, 0}}};
  EXPECT_EQ(
      GrowthText({&end, 1}),
      "out_of_sequence +12 on node1 mlx5_0/1; rx_prio3_pause +4 on node1 eth0; rx_prio3_discards +2 on node1 "
      "eth1");
}

TEST(GrowthText, ListsABoundedNumberOfCounters) {
  std::vector<NicChange> changes;
  for (int i = 0; i < 10'000; ++i)
    changes.push_back({.netdev = "eth" + std::to_string(i), .change = {"x", Kind::kGrew, 1}});
  EndCounters end = End({});
  end.nic = std::move(changes);
  EXPECT_LT(GrowthText({&end, 1}).size(), 2'000U);
}

TEST(GrowthText, CountsAWrapAsGrowthAndSaysWhatAFullCounterCannot) {
  EXPECT_EQ(Text({{"out_of_sequence", Kind::kWrapped, 4}}), "out_of_sequence +4 on node1 mlx5_0/1");
  EXPECT_EQ(Text({{"symbol_error", Kind::kSaturated, 4}}), "symbol_error +4 or more on node1 mlx5_0/1");
  EXPECT_EQ(Text({{"symbol_error", Kind::kSaturated, 0}}), "") << "cnt.saturated says it";
}

TEST(GrowthText, NamesACounterThatWasResetAndSaysThatItDoesNotCount) {
  EXPECT_EQ(
      Text({{"out_of_sequence", Kind::kReset, 7},
            {"packet_seq_err", Kind::kReset, 0},
            {"duplicate_request", Kind::kGrew, 2}}),
      "duplicate_request +2 on node1 mlx5_0/1; counters out_of_sequence, packet_seq_err on node1 mlx5_0/1 "
      "were reset during the test: their growth is not known, and the result leaves them out");
  EXPECT_EQ(Text({{"out_of_sequence", Kind::kReset, 7}}),
            "counter out_of_sequence on node1 mlx5_0/1 was reset during the test: its growth is not known, and "
            "the result leaves it out");
}

TEST(GrowthText, IsSilentWhenNothingGrewOrNothingIsKnown) {
  EXPECT_EQ(Text({{"out_of_sequence", Kind::kUnchanged, 0},
                  {"dup_req", Kind::kAppeared, 0},
                  {"missing_resp", Kind::kGone, 0}}),
            "");
  const EndCounters unknown{.host = "a", .port = "p", .changes = Missing{Missing::Kind::kFailed, "read: EIO"}};
  EXPECT_EQ(GrowthText({&unknown, 1}), "");
}

TEST(GrowthText, IsSafeToPrint) {
  EXPECT_EQ(Text({{"x\n\x1b[31m", Kind::kGrew, 1}}).find_first_of("\n\x1b"), std::string::npos);
}

TEST(GrewWorryingly, IsGrowthOfErrorsAndNeitherCongestionControlNorAReset) {
  EXPECT_TRUE(Worrying({{"out_of_sequence", Kind::kGrew, 1}}));
  EXPECT_TRUE(Worrying({{"out_of_sequence", Kind::kWrapped, 1}}));
  EXPECT_TRUE(Worrying({{"symbol_error", Kind::kSaturated, 1}}));
  EXPECT_FALSE(Worrying({{"symbol_error", Kind::kSaturated, 0}}));
  EXPECT_FALSE(Worrying({{"out_of_sequence", Kind::kReset, 1}}));
  EXPECT_FALSE(Worrying({{"np_cnp_sent", Kind::kGrew, 1}}));
  EXPECT_FALSE(Worrying({{"tcpRetransSegs", Kind::kGrew, 1}}));
  EXPECT_FALSE(Worrying({{"of_a_newer_agent", Kind::kGrew, 1}}));
  EXPECT_FALSE(GrewWorryingly({}));
}

TEST(ShowMissing, IsGrowthThatATimeoutAloneDoesNotCause) {
  const auto shown = [](const std::string& name) {
    EndCounters end;
    end.changes = std::vector<CounterChange>{{name, CounterChange::Kind::kGrew, 1}};
    return ShowMissing({&end, 1});
  };
  for (const char* name : {"out_of_seq_request", "rcvd_seq_err", "retry_exceeded_err", "rx_roce_discards"})
    EXPECT_TRUE(shown(name)) << name;
  for (const char* name : {"completer_retry_err", "duplicate_request", "rcvd_rnr_err", "np_cnp_sent"})
    EXPECT_FALSE(shown(name)) << name;
}

TEST(ShowLoss, IsGrowthOfWhatWasMissingSentAgainOrGivenUp) {
  const auto loss = [](const char* name, Kind kind) {
    const EndCounters end = End({{name, kind, 1}});
    return ShowLoss({&end, 1});
  };
  EXPECT_TRUE(loss("packet_seq_err", Kind::kGrew));
  EXPECT_TRUE(loss("to_retransmits", Kind::kWrapped));
  EXPECT_TRUE(loss("max_retry_exceeded", Kind::kGrew));
  EXPECT_FALSE(loss("packet_seq_err", Kind::kReset));
  EXPECT_FALSE(loss("rnr_naks_rcvd", Kind::kGrew)) << "the receiver's software";
  EXPECT_FALSE(loss("tcpRetransSegs", Kind::kGrew)) << "TCP makes it good";
}

}  // namespace
}  // namespace rdmaready
