// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/checks/live/incast_run.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using Kind = CounterChange::Kind;

// A right run in which the first initiator has these counters.
IncastRun Counting(const CounterChanges& changes) {
  IncastRun run = RightIncast();
  run.senders[0].counters[0].changes = changes;
  return run;
}

std::string UnknownText(const IncastRun& run) {
  const IncastJudgement judged = JudgeIncastRun(run);
  EXPECT_EQ(judged.verdict, IncastVerdict::kUnknown) << judged.text;
  return judged.text;
}

TEST(IncastLosses, AcceptsTheInitiatorsOfMlx5BnxtAndRxe) {
  for (const auto& [refusal, timeout] :
       {std::pair("packet_seq_err", "local_ack_timeout_err"), std::pair("seq_err_naks_rcvd", "to_retransmits"),
        std::pair("rcvd_seq_err", "completer_retry_err")}) {
    const std::vector<CounterChange> both{IncastChange(refusal, 0), IncastChange(timeout, 0)};
    EXPECT_EQ(JudgeIncastRun(Counting(both)).verdict, IncastVerdict::kLossless) << refusal;
    for (const CounterChange& one : both)
      EXPECT_THAT(UnknownText(Counting(std::vector{one})),
                  HasSubstr("whether packets were lost is not known: no known counter of a's NIC counts"));
  }
}

TEST(IncastLosses, RejectsRowsOfTheResponderAlone) {
  EXPECT_THAT(UnknownText(Counting(
                  std::vector{IncastChange("out_of_sequence", 0), IncastChange("duplicate_request", 0)})),
              HasSubstr("no known counter of a's NIC counts lost packets"));
}

TEST(IncastLosses, RejectsIrdmaWithRoce) {
  EXPECT_THAT(
      UnknownText(Counting(std::vector{IncastChange("ip4InDiscards", 0), IncastChange("cnpHandled", 90)})),
      HasSubstr("no known counter of a's NIC counts lost packets"));
}

TEST(IncastLosses, RejectsCountersThatWereNotRead) {
  EXPECT_THAT(UnknownText(Counting(Missing{Missing::Kind::kFailed, "the host did not answer"})),
              HasSubstr("the counters of a's NIC are not known: the host did not answer"));
  IncastRun run = RightIncast();
  run.victim->counters[0].changes = Missing{Missing::Kind::kFailed, "why"};
  EXPECT_THAT(UnknownText(run), HasSubstr("the counters of e's NIC are not known"));
  run.victim_shares_a_sender = true;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << "the victim is not judged";
}

TEST(IncastLosses, RejectsACounterThatWasNotCompared) {
  for (const Kind kind : {Kind::kUnknown, Kind::kAppeared, Kind::kGone, Kind::kSaturated, Kind::kReset}) {
    IncastRun run = RightIncast();
    AddTo(run.senders[1].counters[0], CounterChange{"packet_seq_err", kind, 0});
    EXPECT_THAT(UnknownText(run), HasSubstr("counter packet_seq_err of b's NIC")) << static_cast<int>(kind);
  }
  IncastRun run = RightIncast();
  AddTo(run.senders[1].counters[1], CounterChange{"out_of_sequence", Kind::kReset, 0});
  EXPECT_THAT(UnknownText(run), HasSubstr("counter out_of_sequence of d's NIC was reset during the test"));
}

TEST(IncastLosses, NamesDropsWithoutAPriority) {
  IncastRun run = RightIncast();
  AddTo(run.senders[0].counters[1], IncastNic(NicCounter::kDropReceived, std::nullopt, "rx_dropped.nic", 12));
  EXPECT_THAT(UnknownText(run), HasSubstr("which priority were dropped: rx_dropped.nic +12 of d's NIC dcb0"));
}

TEST(IncastLosses, CountsSegmentsThatTcpSendsAgain) {
  for (const char* counter : {"tcpRetransSegs", "ip4RetransSegs"}) {
    IncastRun run = RightIncast();
    for (StressFlow& flow : run.senders) {
      flow.result.transport = "iwarp";
      for (EndCounters& end : flow.counters) end.changes = std::vector{IncastChange(counter, 0)};
    }
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << JudgeIncastRun(run).text;
    run.senders[0].counters[0].changes = std::vector{IncastChange(counter, 64)};
    EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kControlled) << JudgeIncastRun(run).text;
    run.senders[0].counters[0].changes = std::vector<CounterChange>{};
    EXPECT_THAT(UnknownText(run), HasSubstr("no known counter of a's NIC counts lost packets")) << "as of siw";
  }
}

TEST(IncastLosses, LeavesLossesOutOfTheTextWhereNothingCountsThem) {
  IncastRun run = Counting(std::vector<CounterChange>{});
  run.victim->result.latency.p99_ns = 50'000'000;
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("collapsing: the victim waits: 2 senders"));
}

}  // namespace
}  // namespace rdmaready
