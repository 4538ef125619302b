// SPDX-License-Identifier: Apache-2.0
#include "checks/live/ets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/live/stress_samples.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMegabyte = 1'000'000;

Profile RdmaOnThree() {
  Profile profile;
  profile.name = "test";
  profile.rdma_priority = 3;
  profile.dscp = 26;
  profile.tos = 104;
  return profile;
}

// Both ends, with most of their CPUs idle. The sender's NIC counted all packets on `priority`.
std::vector<EndCounters> EndsOf(std::optional<std::uint32_t> priority, std::uint32_t idle = 600) {
  std::vector<EndCounters> ends{{.host = "a"}, {.host = "b"}};
  if (priority) {
    PriorityPackets packets;
    packets.sent[*priority] = 100'000;
    packets.sent[7] = 100;
    ends[0].packets = packets;
  }
  for (EndCounters& end : ends) end.pressure = StressSamples({.idle_permille = idle}, 40);
  return ends;
}

StressFlow EtsFlow(bool tcp, std::uint64_t bytes_per_s, std::optional<std::uint32_t> priority) {
  StressFlow flow{.from = "a",
                  .to = "b",
                  .result = {.operation = Operation::kWrite,
                             .transport = tcp ? "tcp" : "roce-v2",
                             .messages = 1000,
                             .bytes = bytes_per_s * 10,
                             .elapsed_ns = 10'000'000'000,
                             .throughput_bytes_per_s = bytes_per_s},
                  .counters = EndsOf(priority)};
  flow.result.interval_bytes.assign(100, bytes_per_s / 10);
  return flow;
}

// RDMA on priority 3 and TCP on 0, each 100 MB/s alone; beside each other `rdma` and `tcp`.
EtsRun Beside(std::uint64_t rdma, std::uint64_t tcp) {
  return {.rdma_alone = EtsFlow(false, 100 * kMegabyte, 3),
          .tcp_alone = EtsFlow(true, 100 * kMegabyte, 0),
          .rdma = EtsFlow(false, rdma * kMegabyte, 3),
          .tcp = EtsFlow(true, tcp * kMegabyte, 0)};
}

Port Changed(Port port, const std::function<void(Netdev&)>& change) {
  Netdev netdev = *port.netdev;
  change(netdev);
  port.netdev = netdev;
  return port;
}

// Priority 3 in class 3 and all others in class 0, `percent` for class 3.
Port EtsPort(std::uint8_t percent = 50) {
  Ets ets{.traffic_classes = 8};
  ets.prio_tc[3] = 3;
  ets.tsa[0] = ets.tsa[3] = Tsa::kEts;
  ets.tx_percent[0] = static_cast<std::uint8_t>(100 - percent);
  ets.tx_percent[3] = percent;
  return Changed(GoodPort(), [&ets](Netdev& netdev) { netdev.dcb.ets = ets; });
}

EtsJudgement JudgedAs(const EtsRun& run, const Port& port = EtsPort()) {
  return JudgeEts(run, port, RdmaOnThree());
}

// Written before the code: what a link of 100 MB/s shows, and what follows from it.
struct EtsRow {
  std::string_view name;
  std::uint8_t percent;                            // of RDMA's class
  std::uint64_t rdma_alone, tcp_alone, rdma, tcp;  // MB/s
  EtsVerdict verdict;
  bool rdma_bounded, tcp_bounded;
};

constexpr std::array kEtsRows{
    EtsRow{"as configured", 50, 100, 100, 50, 50, EtsVerdict::kKept, false, false},
    EtsRow{"nine points beside it", 50, 100, 100, 41, 59, EtsVerdict::kKept, false, false},
    EtsRow{"eleven points beside it", 50, 100, 100, 39, 61, EtsVerdict::kNotKept, false, false},
    EtsRow{"another share", 80, 100, 100, 80, 20, EtsVerdict::kKept, false, false},
    EtsRow{"the switch has 90/10", 50, 100, 100, 10, 90, EtsVerdict::kNotKept, false, false},
    EtsRow{"RDMA takes all", 50, 100, 100, 99, 1, EtsVerdict::kNotKept, false, false},
    EtsRow{"TCP wants a tenth, and gets it", 50, 100, 10, 90, 10, EtsVerdict::kBoundedByDemand, false, true},
    EtsRow{"TCP wants a fifth, and gets it", 50, 100, 20, 80, 20, EtsVerdict::kBoundedByDemand, false, true},
    EtsRow{"TCP wants a third, and gets a tenth", 50, 100, 33, 90, 10, EtsVerdict::kNotKept, false, false},
    EtsRow{"TCP wants its half, and gets it", 50, 100, 50, 50, 50, EtsVerdict::kKept, false, true},
    EtsRow{"neither wants more", 50, 40, 40, 40, 40, EtsVerdict::kBoundedByDemand, true, true},
    EtsRow{"together less than one alone", 50, 100, 100, 39, 39, EtsVerdict::kUnknown, false, false},
    EtsRow{"a share of nothing", 0, 100, 100, 2, 98, EtsVerdict::kKept, false, true},
};

TEST(JudgeEts, DecidesByRatesAloneAndBesideEachOther) {
  for (const EtsRow& row : kEtsRows) {
    EtsRun run = Beside(row.rdma, row.tcp);
    run.rdma_alone = EtsFlow(false, row.rdma_alone * kMegabyte, 3);
    run.tcp_alone = EtsFlow(true, row.tcp_alone * kMegabyte, 0);
    const EtsJudgement judged = JudgedAs(run, EtsPort(row.percent));
    EXPECT_EQ(judged.verdict, row.verdict) << row.name << ": " << judged.text;
    EXPECT_EQ(judged.rdma.bounded_by_demand, row.rdma_bounded) << row.name;
    EXPECT_EQ(judged.tcp.bounded_by_demand, row.tcp_bounded) << row.name;
    EXPECT_EQ(judged.rdma.configured_permille, row.percent * 10U) << row.name;
    EXPECT_NEAR(judged.rdma.share_permille + judged.tcp.share_permille, 1000, 1) << row.name;
    EXPECT_EQ(judged.culprit.empty(), row.verdict != EtsVerdict::kNotKept) << row.name;
    EXPECT_EQ(judged.fix.empty(), row.verdict != EtsVerdict::kNotKept) << row.name;
  }
}

TEST(JudgeEts, NamesEachShareBesideTheConfiguredOne) {
  const EtsJudgement judged = JudgedAs(Beside(10, 90));
  EXPECT_THAT(judged.text, HasSubstr("not kept: RDMA on priority 3 got 10.0 %, configured 50.0 %; TCP on "
                                     "priority 0 got 90.0 %, configured 50.0 %"));
  EXPECT_THAT(judged.culprit, HasSubstr("a's NIC"));
  EXPECT_THAT(judged.culprit, HasSubstr("or the switch port to b"));
}

TEST(JudgeEts, SaysWhichClassWasBoundedByDemand) {
  EtsRun run = Beside(80, 20);
  run.tcp_alone = EtsFlow(true, 20 * kMegabyte, 0);
  EXPECT_THAT(JudgedAs(run).text, HasSubstr("TCP on priority 0 was bounded by demand"));
}

// The share of RDMA with class 3 and of TCP with class 0, as drivers show them.
struct DriverRow {
  std::string_view name;
  std::function<void(Ets&)> set;
  std::optional<std::uint32_t> configured;  // of RDMA
  std::string_view why;                     // of unknown
};

TEST(JudgeEts, ReadsTheClassesAsDriversShowThem) {
  const std::vector<DriverRow> rows{
      {"two shares", [](Ets&) {}, 500, ""},
      {"a third class that sends nothing",
       [](Ets& ets) {
         ets.prio_tc[5] = 5;
         ets.tsa[5] = Tsa::kEts;
         ets.tx_percent = {30, 0, 0, 30, 0, 40, 0, 0};
       },
       500, ""},
      {"mlx5: a strict class shows 100 or 0 percent",
       [](Ets& ets) {
         ets.tsa[3] = Tsa::kStrict;
         ets.tx_percent = {100, 0, 0, 100, 0, 0, 0, 0};
       },
       std::nullopt, "traffic class 3 of RDMA is strict: it may take all"},
      {"mlx5: as it comes up", [](Ets& ets) { ets.tsa.fill(Tsa::kVendor); }, std::nullopt, "the vendor's own"},
      {"a credit-based shaper", [](Ets& ets) { ets.tsa[0] = Tsa::kCbShaper; }, std::nullopt, "shaped"},
      {"bnxt: nothing was set from Linux", [](Ets& ets) { ets = {.traffic_classes = 8}; }, std::nullopt,
       "both in traffic class 0"},
      {"ice: one class for all", [](Ets& ets) { ets.prio_tc[3] = 0; }, std::nullopt, "both in traffic class 0"},
      {"no share for either", [](Ets& ets) { ets.tx_percent = {0, 50, 50, 0, 0, 0, 0, 0}; }, std::nullopt,
       "neither class has a share"},
      {"a class that cannot be", [](Ets& ets) { ets.prio_tc[3] = 200; }, std::nullopt, "traffic class 200"},
      {"a share that cannot be", [](Ets& ets) { ets.tx_percent[3] = 255; }, std::nullopt, "255 %"},
  };
  for (const DriverRow& row : rows) {
    const Port as_set = EtsPort();
    Ets ets = *as_set.netdev->dcb.ets;
    row.set(ets);
    const Port port = Changed(as_set, [&ets](Netdev& netdev) { netdev.dcb.ets = ets; });
    const EtsJudgement judged = JudgedAs(Beside(50, 50), port);
    EXPECT_EQ(judged.rdma.configured_permille, row.configured) << row.name;
    EXPECT_EQ(judged.verdict, row.configured ? EtsVerdict::kKept : EtsVerdict::kUnknown) << row.name;
    EXPECT_THAT(judged.text, HasSubstr(std::string(row.why))) << row.name;
    EXPECT_EQ(judged.rdma.share_permille, 500U) << row.name << ": it is shown in any case";
  }
}

TEST(JudgeEts, DoesNotKnowTheSharesOfAPortThatDoesNotShowThem) {
  Port port = Changed(EtsPort(), [](Netdev& netdev) {
    netdev.dcb.ets = Missing{.kind = Missing::Kind::kUnsupported, .detail = "no dcbnl"};
  });
  EXPECT_THAT(JudgedAs(Beside(50, 50), port).text, HasSubstr("ETS of the sender is not known: no dcbnl"));
  port.netdev = Missing{.kind = Missing::Kind::kUnsupported, .detail = "InfiniBand"};
  EXPECT_EQ(JudgedAs(Beside(50, 50), port).verdict, EtsVerdict::kUnknown);
}

TEST(JudgeEts, DoesNotCompareClassesOfABond) {
  Port port = EtsPort();
  Netdev other = *port.netdev;
  other.name = "dcb1";
  port.lowers = std::vector<Netdev>{*port.netdev, other};
  EXPECT_THAT(JudgedAs(Beside(50, 50), port).text, HasSubstr("different members of the bond"));
}

TEST(JudgeEts, TakesTheClassInWhichTheNicCountedThePackets) {
  EtsRun run = Beside(50, 50);
  run.rdma_alone = EtsFlow(false, 100 * kMegabyte, 0);
  EtsJudgement judged = JudgedAs(run);
  EXPECT_EQ(judged.rdma.priority, 0U);
  EXPECT_TRUE(judged.rdma.counted);
  EXPECT_EQ(judged.verdict, EtsVerdict::kUnknown);
  EXPECT_THAT(judged.text, HasSubstr("RDMA left on priority 0, and the profile gives it priority 3"));
  // Half of the packets in each of two priorities does not show a class.
  run = Beside(50, 50);
  PriorityPackets halves;
  halves.sent[0] = halves.sent[3] = 50'000;
  run.rdma_alone.counters[0].packets = halves;
  judged = JudgedAs(run);
  EXPECT_FALSE(judged.rdma.counted);
  EXPECT_EQ(judged.rdma.priority, 3U);
}

TEST(JudgeEts, TakesTheClassOfTheMarkWhereTheNicCountsNone) {
  const auto uncounted = [](std::optional<std::uint8_t> tos) {
    EtsRun run = Beside(50, 50);
    run.rdma_alone = EtsFlow(false, 100 * kMegabyte, std::nullopt);
    run.tcp_alone = EtsFlow(true, 100 * kMegabyte, std::nullopt);
    run.tcp_tos = tos;
    return run;
  };
  EXPECT_EQ(JudgedAs(uncounted(std::nullopt)).tcp.priority, 0U);
  EXPECT_EQ(JudgedAs(uncounted(std::nullopt)).rdma.priority, 3U);
  EXPECT_EQ(JudgedAs(uncounted(104)).tcp.priority, 3U) << "DSCP 26, as GoodPort maps it";
  EXPECT_THAT(JudgedAs(uncounted(104)).text, HasSubstr("both in traffic class 3"));
  const Port port = Changed(EtsPort(), [](Netdev& netdev) {
    netdev.dcb.app = Missing{.kind = Missing::Kind::kFailed, .detail = "no answer"};
  });
  EXPECT_FALSE(JudgedAs(uncounted(104), port).tcp.priority);
  EXPECT_THAT(JudgedAs(uncounted(104), port).text, HasSubstr("the priority of TCP is not known"));
  Profile none = RdmaOnThree();
  none.rdma_priority.reset();
  EXPECT_THAT(JudgeEts(uncounted(std::nullopt), EtsPort(), none).text,
              HasSubstr("the priority of RDMA is not known"));
}

TEST(JudgeEts, IsUnknownWhereATransferFailed) {
  using Flow = StressFlow EtsRun::*;
  const std::vector<std::pair<Flow, std::string>> flows{{&EtsRun::rdma_alone, "RDMA alone"},
                                                        {&EtsRun::tcp_alone, "TCP alone"},
                                                        {&EtsRun::rdma, "RDMA beside TCP"},
                                                        {&EtsRun::tcp, "TCP beside RDMA"}};
  for (const auto& [flow, name] : flows) {
    EtsRun run = Beside(50, 50);
    (run.*flow).result.failure = {FailureKind::kStalled, "nothing for 10 s"};
    const EtsJudgement judged = JudgedAs(run);
    EXPECT_EQ(judged.verdict, EtsVerdict::kUnknown);
    EXPECT_THAT(judged.text, HasSubstr(name + " was not carried to its end: nothing for 10 s"));
    run = Beside(50, 50);
    (run.*flow).result.interval_bytes.assign(100, 0);
    EXPECT_THAT(JudgedAs(run).text, HasSubstr(name + " measured nothing"));
    run = Beside(50, 50);
    (run.*flow).result.transport = (run.*flow).result.transport == "tcp" ? "roce-v2" : "tcp";
    EXPECT_EQ(JudgedAs(run).verdict, EtsVerdict::kUnknown) << name << " went the other way";
  }
}

TEST(JudgeEts, IsUnknownWhereTheMachineLimits) {
  EtsRun run = Beside(50, 50);
  run.tcp.counters = EndsOf(0, 249);
  EXPECT_THAT(JudgedAs(run).text, HasSubstr("the machine limits: CPUs of a were idle for 24.9 %"));
  run.tcp.counters = EndsOf(0, 250);
  EXPECT_EQ(JudgedAs(run).verdict, EtsVerdict::kKept);
  run.tcp.counters.pop_back();
  EXPECT_THAT(JudgedAs(run).text, HasSubstr("an end did not report its counters"));
}

TEST(JudgeEts, WeighsIdleTimeByTheTimeOfItsSamples) {
  EtsRun run = Beside(50, 50);
  std::vector<PressureSample>& samples = run.tcp.counters[1].pressure;
  samples = StressSamples({.idle_permille = 600}, 2, 4500);
  samples.push_back({.begin_ms = 9000, .length_ms = 1000, .idle_permille = 0});
  EXPECT_EQ(JudgedAs(run).verdict, EtsVerdict::kKept) << "it was busy for a tenth of the time";
  samples.push_back({.begin_ms = 10'000, .length_ms = 90'000, .idle_permille = 0});
  EXPECT_EQ(JudgedAs(run).verdict, EtsVerdict::kKept) << "the transfer was over";
  samples.assign(1, {.begin_ms = 0, .length_ms = 4900, .idle_permille = 900});
  EXPECT_THAT(JudgedAs(run).text, HasSubstr("b did not report for half of the time how busy its CPUs were"));
}

TEST(JudgeEts, LeavesOutTheFirstSecondAndWhatRanAlone) {
  EtsRun run = Beside(50, 50);
  auto& rdma = run.rdma.result.interval_bytes;
  auto& tcp = run.tcp.result.interval_bytes;
  std::fill_n(tcp.begin(), 10, 0U);             // it begins slowly
  rdma.insert(rdma.end(), 20, 10 * kMegabyte);  // and ends later
  EXPECT_EQ(JudgedAs(run).rdma.share_permille, 500U);
  EXPECT_EQ(JudgedAs(run).rdma.beside_bytes_per_s, 50 * kMegabyte);
}

TEST(JudgeEts, AddsTheHeadersOfEachPacketToTheShares) {
  EtsRun run = Beside(50, 50);
  run.rdma.counters[0].path_mtu_bytes = 256;
  run.tcp.counters[0].path_mtu_bytes = 8948;
  const EtsJudgement judged = JudgedAs(run);
  EXPECT_EQ(judged.rdma.share_permille, 567U) << "50 * 338/256 of that and 50 * 9038/8948";
  EXPECT_EQ(judged.rdma.beside_bytes_per_s, 50 * kMegabyte) << "without headers";
}

TEST(JudgeEts, NamesThePortThatWasFull) {
  const auto place = [](std::uint64_t sender, std::uint64_t receiver) {
    EtsRun run = Beside(10, 90);
    run.sender_bytes_per_s = sender * kMegabyte;
    run.receiver_bytes_per_s = receiver * kMegabyte;
    return JudgedAs(run);
  };
  EXPECT_EQ(place(110, 110).place, EtsPlace::kSenderNic);
  EXPECT_THAT(place(110, 110).culprit, testing::Not(HasSubstr("switch")));
  EXPECT_EQ(place(1000, 110).place, EtsPlace::kSwitchPort);
  EXPECT_THAT(place(1000, 110).culprit, HasSubstr("the switch port to b"));
  EXPECT_THAT(place(1000, 110).culprit, testing::Not(HasSubstr("NIC")));
  EXPECT_EQ(place(1000, 1000).place, EtsPlace::kUnknown);
  EXPECT_EQ(place(0, 0).place, EtsPlace::kUnknown);
}

TEST(JudgeEts, TrustsNoNumberOfAnAgent) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EtsRun run = Beside(50, 50);
  run.rdma.result.interval_bytes.assign(100, kMost);
  EXPECT_LE(JudgedAs(run).rdma.share_permille, 1000U);
  PriorityPackets most;
  most.sent.fill(kMost);
  run.rdma_alone.counters[0].packets = most;
  run.rdma.counters[0].path_mtu_bytes = 0;
  run.rdma.result.interval_bytes.clear();
  run.rdma.result.throughput_bytes_per_s = kMost;
  EXPECT_LE(JudgedAs(run).rdma.share_permille, 1000U);
  EXPECT_THAT(JudgeEts({}, EtsPort(), RdmaOnThree()).culprit, IsEmpty());
  EXPECT_EQ(JudgeEts({}, EtsPort(), RdmaOnThree()).verdict, EtsVerdict::kUnknown);
}

}  // namespace
}  // namespace rdmaready
