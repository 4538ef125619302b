// SPDX-License-Identifier: Apache-2.0
#include "checks/live/obeys_pfc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = CounterChange::Kind;

constexpr std::uint32_t kPriority = 3;
constexpr std::int64_t kIntervalNs = 20'000'000;
constexpr std::uint64_t kIntervalBytes = 20'480;  // five messages of 4 KiB
constexpr std::size_t kIntervals = 200;           // 4 s
constexpr std::size_t kFirstBurst = 110;
constexpr std::size_t kBetweenBursts = 15;
constexpr std::size_t kBursts = 5;

// Stops of 100 ms: four quiet intervals, and two that move a part.
void Stop(StressFlow& flow, std::size_t bursts = kBursts, std::size_t first = kFirstBurst) {
  for (std::size_t i = 0; i < bursts; ++i) {
    const std::size_t at = first + i * kBetweenBursts;
    flow.result.interval_bytes[at] = kIntervalBytes / 2;
    for (std::size_t quiet = 1; quiet < 5; ++quiet) flow.result.interval_bytes[at + quiet] = 0;
    flow.result.interval_bytes[at + 5] = 2 * kIntervalBytes;
  }
}

NicChange Pauses(std::uint64_t by, std::optional<std::uint32_t> priority = kPriority) {
  return {.netdev = "dcb0",
          .counter = NicCounter::kPauseReceived,
          .priority = priority,
          .change = {"rx_prio3_pause", by > 0 ? Kind::kGrew : Kind::kUnchanged, by}};
}

PriorityPackets Sent(std::uint64_t in_priority, std::uint64_t in_others) {
  return {.sent = {in_others, 0, 0, in_priority}};
}

// The port sends both transfers.
void Send(StressFlow& flow, std::uint64_t in_priority, std::uint64_t in_others) {
  flow.counters[0].packets = Sent(in_priority, in_others);
}

// And others before it, in a second.
void SendBefore(StressFlow& flow, std::uint64_t in_priority, std::uint64_t in_others) {
  flow.counters[0].idle_packets = Sent(in_priority, in_others);
  flow.counters[0].idle_ns = 1'000'000'000;
  flow.counters[0].counted_ns = 4'000'000'000;
}

StressFlow FlowOf(std::uint64_t counted) {
  StressFlow flow{.from = "b",
                  .to = "a",
                  .result = {.operation = Operation::kWrite,
                             .bytes = kIntervalBytes * kIntervals,
                             .elapsed_ns = kIntervalNs * static_cast<std::int64_t>(kIntervals),
                             .path_mtu_bytes = 1024,
                             .interval_bytes = std::vector<std::uint64_t>(kIntervals, kIntervalBytes),
                             .interval_ms = 20}};
  EndCounters sender{.host = "b", .port = "rxe0/1"};
  sender.nic = std::vector<NicChange>{Pauses(counted)};
  flow.counters = {sender, {.host = "a", .port = "rxe0/1"}};
  Send(flow, 5'000, 5'000);  // 4,000 hold the bytes of one
  SendBefore(flow, 0, 0);
  return flow;
}

// The NIC of b obeys.
PfcRun GoodRun() {
  PfcRun run{.pauser = "a",
             .judged = "b",
             .priority = kPriority,
             .link = "each hears the other by LLDP",
             .burst_ns = 100'000'000,
             .gap_ns = 200'000'000,
             .pauses_from_ns = 2'100'000'000,
             .pauses_until_ns = 3'900'000'000,
             .paused = FlowOf(300),
             .beside = FlowOf(300)};
  for (std::size_t i = 0; i < kBursts; ++i) run.bursts.push_back({60, 99'500'000, true});
  run.paused.sender_has_pfc = true;
  Stop(run.paused);
  return run;
}

void GoesOn(PfcRun& run) { run.paused.result.interval_bytes.assign(kIntervals, kIntervalBytes); }
void Count(PfcRun& run, std::uint64_t by) { run.paused.counters[0].nic = std::vector<NicChange>{Pauses(by)}; }
void CountNothing(PfcRun& run) { run.paused.counters[0].nic = std::vector<NicChange>{}; }

// Two quiet intervals in each burst, and what follows them.
void HalfStop(PfcRun& run, std::uint64_t then) {
  GoesOn(run);
  for (std::size_t i = 0; i < kBursts; ++i) {
    const auto at =
        run.paused.result.interval_bytes.begin() + kFirstBurst + static_cast<int>(i * kBetweenBursts);
    at[0] = at[1] = 0;
    at[2] = at[3] = then;
  }
}

struct Row {
  const char* name;
  void (*change)(PfcRun& run);
  PfcVerdict verdict;
  const char* text;
  const char* culprit;  // "": there is none
};

// Written before the judgement. Each row changes one thing of a run in which the NIC obeys, or two.
const Row kRows[] = {
    {"obeys", [](PfcRun&) {}, PfcVerdict::kObeys,
     "obeys PFC: stopped in 5 of 5 pauses of priority 3 (400 ms quiet of 497 ms paused), the other transfer "
     "kept 100.0 % of its rate",
     ""},
    {"obeys, and its NIC counts no pauses", [](PfcRun& run) { CountNothing(run); }, PfcVerdict::kObeys,
     "obeys PFC", ""},
    {"obeys, and its settings are not known", [](PfcRun& run) { run.paused.sender_has_pfc.reset(); },
     PfcVerdict::kObeys, "obeys PFC", ""},
    {"goes on with PFC off",
     [](PfcRun& run) {
       GoesOn(run);
       run.paused.sender_has_pfc = false;
     },
     PfcVerdict::kGoesOn,
     "does not obey PFC: its NIC counted 300 pauses of priority 3, and the transfer went on",
     "PFC of priority 3 is off at b"},
    {"goes on with PFC on", [](PfcRun& run) { GoesOn(run); }, PfcVerdict::kGoesOn, "does not obey PFC",
     "the NIC of b goes on although PFC of priority 3 is on"},
    {"goes on, and its settings are not known",
     [](PfcRun& run) {
       GoesOn(run);
       run.paused.sender_has_pfc.reset();
     },
     PfcVerdict::kGoesOn, "does not obey PFC", "the NIC of b goes on"},
    {"stops the other transfer, too", [](PfcRun& run) { Stop(run.beside); }, PfcVerdict::kStopsAll,
     "stops other classes, too", "the NIC of b stops more than priority 3"},
    {"stops the other transfer, too, which began later",
     [](PfcRun& run) { Stop(run.beside, kBursts, kFirstBurst - 4); }, PfcVerdict::kStopsAll,
     "stops other classes, too", "the NIC of b stops more than priority 3"},
    {"stops two transfers of one priority, of which one began earlier",
     [](PfcRun& run) {
       Stop(run.beside, kBursts, kFirstBurst + 10);
       Send(run.paused, 10'000, 0);
     },
     PfcVerdict::kUnknown, "the other transfer is not in another priority", ""},
    {"slows the other transfer down",
     [](PfcRun& run) {
       for (std::size_t i = kFirstBurst; i < kIntervals; ++i)
         run.beside.result.interval_bytes[i] = kIntervalBytes / 3;
     },
     PfcVerdict::kUnknown, "the other transfer kept only 33.3 % of its rate", ""},
    {"got no pause",
     [](PfcRun& run) {
       GoesOn(run);
       Count(run, 0);
     },
     PfcVerdict::kUnknown,
     "no pause reached b: the NIC of a may drop the pauses of its host, or a switch is between the two", ""},
    {"did not stop, and counts no pauses",
     [](PfcRun& run) {
       GoesOn(run);
       CountNothing(run);
     },
     PfcVerdict::kUnknown, "the transfer did not stop, and the NIC of b does not count pauses of priority 3",
     ""},
    {"stopped, and counted no pause", [](PfcRun& run) { Count(run, 0); }, PfcVerdict::kUnknown,
     "the transfer stopped, and the NIC of b counted no pause of priority 3", ""},
    {"stopped in some of the pauses",
     [](PfcRun& run) {
       GoesOn(run);
       Stop(run.paused, 2);
     },
     PfcVerdict::kUnknown, "the transfer stopped in 2 of 5 pauses", ""},
    {"stopped more often than it was paused",
     [](PfcRun& run) {
       for (std::size_t i = 0; i < 3 * kBursts; ++i)
         run.paused.result.interval_bytes[kFirstBurst + 8 + i / 3 * kBetweenBursts + i % 3] = 0;
     },
     PfcVerdict::kUnknown, "the transfer stopped 10 times in 5 pauses", ""},
    {"stopped in the control part", [](PfcRun& run) { Stop(run.paused, 1, 30); }, PfcVerdict::kUnknown,
     "the paused transfer stopped before it was paused", ""},
    {"the other transfer stopped in the control part", [](PfcRun& run) { Stop(run.beside, 1, 30); },
     PfcVerdict::kUnknown, "the other transfer stopped before anything was paused", ""},
    {"has no control part", [](PfcRun& run) { run.pauses_from_ns = 200'000'000; }, PfcVerdict::kUnknown,
     "the transfers ran too short before the pauses", ""},
    {"ended before the pauses did", [](PfcRun& run) { run.paused.result.interval_bytes.resize(150); },
     PfcVerdict::kUnknown, "the transfers ended before the pauses did", ""},
    {"moved nothing in the control part",
     [](PfcRun& run) { run.paused.result.interval_bytes.assign(kIntervals, 0); }, PfcVerdict::kUnknown,
     "the paused transfer moved nothing before it was paused", ""},
    {"failed",
     [](PfcRun& run) {
       run.paused.result.failure = {FailureKind::kCompletion, "RDMA write: transport retry counter exceeded"};
     },
     PfcVerdict::kUnknown, "the paused transfer was not carried to its end: RDMA write: transport retry", ""},
    {"the other one failed",
     [](PfcRun& run) {
       run.beside.result.failure = {FailureKind::kStalled, "nothing moved"};
     },
     PfcVerdict::kUnknown, "the other transfer was not carried to its end: nothing moved", ""},
    {"no pause was sent",
     [](PfcRun& run) {
       run.bursts.clear();
       run.pause_failure = "ens1f0 drops the pause frames that its host sends: driver ice, ice_vsi_setup";
     },
     PfcVerdict::kUnknown, "the pauses of a failed: ens1f0 drops the pause frames", ""},
    {"not all pauses were sent",
     [](PfcRun& run) {
       run.bursts.resize(2);
       run.pause_failure = "send a pause on ens1f0: Network is down";
     },
     PfcVerdict::kUnknown, "a sent 2 pauses, and then: send a pause on ens1f0: Network is down", ""},
    {"the pauses were not kept up",
     [](PfcRun& run) {
       for (PauseBurst& burst : run.bursts) burst.paused_ns = 30'000'000;
     },
     PfcVerdict::kUnknown, "a kept up its pauses for 150 ms of 500 ms", ""},
    {"is not in the paused class",
     [](PfcRun& run) {
       GoesOn(run);
       Send(run.paused, 100, 5'000);
     },
     PfcVerdict::kUnknown, "the paused transfer is not in priority 3: its port sent 100 packets there", ""},
    {"may not be in the paused class",
     [](PfcRun& run) {
       GoesOn(run);
       run.paused.counters[0].packets = Fact<PriorityPackets>();
     },
     PfcVerdict::kUnknown, "it is not known in which priority the transfers were", ""},
    {"the other one is in the paused class, too",
     [](PfcRun& run) {
       Stop(run.beside);
       Send(run.paused, 5'000, 3);
     },
     PfcVerdict::kUnknown, "the other transfer is not in another priority: its port sent 3 packets there", ""},
    {"goes on with PFC off, and counts pauses only with PFC",
     [](PfcRun& run) {
       GoesOn(run);
       CountNothing(run);
       run.paused.sender_has_pfc = false;
     },
     PfcVerdict::kUnknown, "PFC of priority 3 is off at b, whose NIC counts no pauses while it is off",
     "PFC of priority 3 is off at b"},
    {"goes on, and a pause was not kept up for a moment",
     [](PfcRun& run) {
       GoesOn(run);
       run.bursts[2].paused_ns = 98'000'000;
     },
     PfcVerdict::kUnknown, "a kept up a pause for 98 ms of 100 ms", ""},
    {"stops for a part of each pause", [](PfcRun& run) { HalfStop(run, kIntervalBytes); }, PfcVerdict::kUnknown,
     "did not go on either: it kept 60.0 % of its rate during the pauses", ""},
    {"stops for a part of each pause, and makes up for it",
     [](PfcRun& run) { HalfStop(run, 2 * kIntervalBytes); }, PfcVerdict::kUnknown,
     "did not go on either: it kept 60.0 % of its rate during the pauses", ""},
    {"goes on, and got less than nine tenths of the pauses",
     [](PfcRun& run) {
       GoesOn(run);
       Count(run, 269);
     },
     PfcVerdict::kUnknown, "only 269 of 300 pauses reached b", ""},
    {"goes on, and got nine tenths of the pauses",
     [](PfcRun& run) {
       GoesOn(run);
       Count(run, 270);
     },
     PfcVerdict::kGoesOn, "its NIC counted 270 pauses", "the NIC of b goes on"},
    {"stopped once more than it was paused", [](PfcRun& run) { Stop(run.paused, 1, kFirstBurst + 8); },
     PfcVerdict::kUnknown, "the transfer stopped 6 times in 5 pauses", ""},
    {"stopped at another time than it was paused",
     [](PfcRun& run) {
       GoesOn(run);
       Stop(run.paused, kBursts - 1);
       Stop(run.paused, 1, kFirstBurst + (kBursts - 1) * kBetweenBursts + 3);
     },
     PfcVerdict::kUnknown, "the transfer stopped at other times than it was paused", ""},
    {"stopped two intervals later than it was paused",
     [](PfcRun& run) {
       GoesOn(run);
       Stop(run.paused, kBursts - 1);
       Stop(run.paused, 1, kFirstBurst + (kBursts - 1) * kBetweenBursts + 2);
     },
     PfcVerdict::kObeys, "obeys PFC", ""},
    {"stopped for longer than it was paused",
     [](PfcRun& run) {
       for (std::size_t i = 0; i < 8; ++i) run.paused.result.interval_bytes[kFirstBurst + i] = 0;
     },
     PfcVerdict::kUnknown, "at other times than it was paused, or for longer", ""},
    {"stopped, counts no pauses, and may not be in the paused class",
     [](PfcRun& run) {
       CountNothing(run);
       run.paused.counters[0].packets = Fact<PriorityPackets>();
     },
     PfcVerdict::kUnknown, "it is not known in which priority the transfers were", ""},
    {"both are in the paused class, beside others",
     [](PfcRun& run) {
       Stop(run.beside);
       Send(run.paused, 9'000, 4'000);
     },
     PfcVerdict::kUnknown, "both transfers may be in priority 3: its port sent 9000 packets there", ""},
    {"the packets in another class are others'",
     [](PfcRun& run) {
       Stop(run.beside);
       Send(run.paused, 5'000, 3'700);
       SendBefore(run.paused, 0, 200);
     },
     PfcVerdict::kUnknown, "the other transfer is not in another priority: its port sent 2900 packets there",
     ""},
    {"a fifth of the packets are others'",
     [](PfcRun& run) {
       GoesOn(run);
       SendBefore(run.paused, 500, 0);
     },
     PfcVerdict::kUnknown, "20.0 % of the packets that b sent are others'", ""},
    {"nobody measured the packets of others",
     [](PfcRun& run) {
       GoesOn(run);
       run.paused.counters[0].idle_ns.reset();
     },
     PfcVerdict::kUnknown, "the agent of b did not measure the packets of others", ""},
    {"the pauses were over too soon", [](PfcRun& run) { run.pauses_until_ns = 3'300'000'000; },
     PfcVerdict::kUnknown, "the pauses took less time than they were to take", ""},
    {"the gap between pauses is not known", [](PfcRun& run) { run.gap_ns = -1; }, PfcVerdict::kUnknown,
     "the length of a pause is not known", ""},
    {"the intervals are not known", [](PfcRun& run) { run.paused.result.interval_ms.reset(); },
     PfcVerdict::kUnknown, "did not measure in intervals", ""},
    {"the intervals differ", [](PfcRun& run) { run.beside.result.interval_ms = 100; }, PfcVerdict::kUnknown,
     "did not measure in intervals", ""},
    {"the intervals are too long",
     [](PfcRun& run) { run.paused.result.interval_ms = run.beside.result.interval_ms = 100; },
     PfcVerdict::kUnknown, "did not measure in intervals", ""},
};

class ObeysPfc : public testing::TestWithParam<Row> {};

TEST_P(ObeysPfc, HasTheVerdictOfTheTable) {
  PfcRun run = GoodRun();
  GetParam().change(run);
  const PfcJudgement judged = JudgePfc(run);
  EXPECT_EQ(judged.verdict, GetParam().verdict) << GetParam().name << ": " << judged.text;
  EXPECT_THAT(judged.text, HasSubstr(GetParam().text)) << GetParam().name;
  if (*GetParam().culprit == 0) {
    EXPECT_THAT(judged.culprit, IsEmpty()) << GetParam().name;
  } else {
    EXPECT_THAT(judged.culprit, HasSubstr(GetParam().culprit)) << GetParam().name;
  }
  EXPECT_EQ(judged.fix.empty(), judged.verdict == PfcVerdict::kObeys) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, ObeysPfc, testing::ValuesIn(kRows));

TEST(ObeysPfcFigures, MatchTheRun) {
  const PfcJudgement judged = JudgePfc(GoodRun());
  EXPECT_EQ(judged.stops, kBursts);
  EXPECT_EQ(judged.quiet_ns, 400'000'000);
  EXPECT_EQ(judged.paused_ns, 497'500'000);
  EXPECT_EQ(judged.beside_permille, 1'000U);
  EXPECT_EQ(judged.pauses_counted, 300U);
}

TEST(ObeysPfcFigures, SumPausesOfThePriorityAlone) {
  PfcRun run = GoodRun();
  run.paused.counters[0].nic = std::vector<NicChange>{Pauses(5), Pauses(7), Pauses(100, 4), Pauses(100, {})};
  EXPECT_EQ(JudgePfc(run).pauses_counted, 12U);
}

TEST(ObeysPfcFigures, LeaveOutACounterThatWasNotCompared) {
  PfcRun run = GoodRun();
  NicChange unknown = Pauses(5);
  for (const Kind kind : {Kind::kUnknown, Kind::kReset, Kind::kAppeared, Kind::kGone}) {
    unknown.change.kind = kind;
    run.paused.counters[0].nic = std::vector<NicChange>{unknown};
    EXPECT_EQ(JudgePfc(run).pauses_counted, std::nullopt);
  }
}

// An agent may answer anything.
TEST(ObeysPfcFigures, SurviveNumbersOfAHostileAgent) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kMostTime = std::numeric_limits<std::int64_t>::max();
  PfcRun run = GoodRun();
  run.paused.result.interval_bytes.assign(kIntervals, kMost);
  run.beside.result.interval_bytes.assign(kIntervals, kMost);
  run.paused.result.bytes = kMost;
  run.paused.result.path_mtu_bytes = 0;
  for (PauseBurst& burst : run.bursts) burst = {4'294'967'295U, kMostTime, true};
  run.paused.counters[0].nic = std::vector<NicChange>{Pauses(kMost), Pauses(kMost)};
  PriorityPackets packets;
  packets.sent.fill(kMost);
  run.paused.counters[0].packets = packets;
  EXPECT_NE(JudgePfc(run).verdict, PfcVerdict::kObeys);
  for (const std::int64_t time : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, kMostTime}) {
    run.pauses_from_ns = time;
    EXPECT_EQ(JudgePfc(run).verdict, PfcVerdict::kUnknown);
    run = GoodRun();
    run.pauses_until_ns = time;
    EXPECT_EQ(JudgePfc(run).verdict, PfcVerdict::kUnknown);
    run = GoodRun();
    run.burst_ns = time;
    EXPECT_EQ(JudgePfc(run).verdict, PfcVerdict::kUnknown) << time;
    run = GoodRun();
  }
  EXPECT_EQ(JudgePfc(PfcRun{}).verdict, PfcVerdict::kUnknown);
}

TEST(ObeysPfcTexts, SuspectASwitchOnlyWhereNoLldpWasHeard) {
  PfcRun run = GoodRun();
  GoesOn(run);
  Count(run, 0);
  EXPECT_THAT(JudgePfc(run).text, HasSubstr("or a switch is between the two"));
  EXPECT_EQ(JudgePfc(run).fix.remedy().alternatives.size(), 1U);
  run.link_is_heard = true;
  EXPECT_THAT(JudgePfc(run).text, Not(HasSubstr("switch")));
  EXPECT_THAT(JudgePfc(run).fix.remedy().alternatives, IsEmpty());
}

// Pauses that nobody sends to a transfer that is over.
TEST(ObeysPfcTexts, BlameATransferThatFailedBeforeThePauses) {
  PfcRun run = GoodRun();
  run.bursts.clear();
  run.pause_failure = "a transfer was over before";
  run.paused.result.failure = {FailureKind::kLost, "gone"};
  EXPECT_THAT(JudgePfc(run).text, HasSubstr("the paused transfer was not carried to its end: gone"));
}

TEST(ObeysPfcTexts, KeepToPrintableText) {
  PfcRun run = GoodRun();
  run.judged = "b\x1b[2J";
  run.pause_failure = "x\ny";
  run.bursts.clear();
  EXPECT_THAT(JudgePfc(run).text, Not(HasSubstr("\n")));
  run = GoodRun();
  run.judged = "b\x1b[2J";
  GoesOn(run);
  EXPECT_THAT(JudgePfc(run).text + JudgePfc(run).culprit, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace rdmaready
