// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "checks/live/incast.h"
#include "tests/unit/checks/live/incast_run.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// All that the senders' NICs send is in that priority.
void SendOn(std::size_t priority, IncastRun& run) {
  for (StressFlow& flow : run.senders) {
    EndCounters& sender = flow.counters[0];
    PriorityPackets packets;
    packets.sent.at(priority) = 2100;  // 1000 messages of two packets, and some more
    sender.packets = packets;
    sender.idle_packets = PriorityPackets{};
    sender.counted_ns = sender.idle_ns = 1'000'000'000;
    sender.path_mtu_bytes = 4096;
  }
}

TEST(IncastCulprit, NamesTheReceiverThatNeverPaused) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders)
    flow.counters = {IncastEnd(flow.from, {}), IncastEnd("d", {.drops = 5}, 5)};
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("in d's NIC dcb0"));
  EXPECT_THAT(OneLine(JudgeIncastRun(run).fix.remedy()),
              HasSubstr("enable PFC of priority 3: rdmaready plan d"));
}

TEST(IncastCulprit, NamesTheSwitchThatNeverPausedTheSenders) {
  IncastRun run = LossyIncast();
  for (StressFlow& flow : run.senders) flow.counters[0] = IncastEnd(flow.from, {});
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("between a's NIC dcb0 and d's NIC dcb0"));
  EXPECT_THAT(OneLine(JudgeIncastRun(run).fix.remedy()), HasSubstr("the switch never paused priority 3"));
}

TEST(IncastCulprit, NamesTheSenderWithoutPfc) {
  IncastRun run = LossyIncast();
  run.senders[1].sender_has_pfc = false;
  EXPECT_EQ(JudgeIncastRun(run).culprit, "PFC of priority 3 is off at the sender b");
}

TEST(IncastCulprit, NamesADropThatIsProvenBeforeASenderWithoutPfc) {
  IncastRun run = LossyIncast();
  run.senders[1].sender_has_pfc = false;
  run.senders[1].counters[1] = IncastEnd("d", {.drops = 5}, 5);
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("in d's NIC dcb0"));
}

TEST(IncastCulprit, DoesNotAskForPfcWhereTheProfileDoesNot) {
  IncastRun run = LossyIncast();
  run.senders[1].sender_has_pfc = false;
  Profile lossy = VirtualFabricProfile();
  lossy.pfc.reset();
  EXPECT_THAT(JudgeIncast(run, lossy).culprit, Not(HasSubstr("is off at the sender")));
}

TEST(IncastCulprit, NamesTheTrustWhereTheReceiverPausedAndNoSenderWasPaused) {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders)
    flow.counters = {IncastEnd(flow.from, {}), IncastEnd("d", {.drops = 5, .pauses_sent = 9}, 5)};
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("in d's NIC dcb0"));
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("no sender was paused"));
  EXPECT_THAT(OneLine(JudgeIncastRun(run).fix.remedy()), HasSubstr("let the switch trust the mark"));
  run.senders[1].counters[0] = IncastEnd("b", {.pauses_received = 1});
  EXPECT_THAT(JudgeIncastRun(run).culprit, Not(HasSubstr("no sender was paused")));
}

TEST(IncastCulprit, NamesThePauseOfAWholeLink) {
  IncastRun run = LossyIncast();
  AddTo(run.senders[0].counters[1],
        IncastNic(NicCounter::kGlobalPauseSent, std::nullopt, "tx_pause_ctrl_phy", 4));
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("the whole link of d's NIC dcb0 was paused"));
}

TEST(IncastCulprit, NamesTheNicThatHasTheFramesInAnotherPriority) {
  IncastRun run = RightIncast();
  SendOn(3, run);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kLossless) << JudgeIncastRun(run).text;
  SendOn(0, run);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(JudgeIncastRun(run).text, HasSubstr("not in the class that the profile names"));
  EXPECT_THAT(JudgeIncastRun(run).culprit,
              StartsWith("a's NIC dcb0 puts the frames into priority 0 and not 3"));
  EXPECT_THAT(OneLine(JudgeIncastRun(run).fix.remedy()), HasSubstr("dcb app replace dev dcb0 dscp-prio 26:3"));
  run = LossyIncast();
  SendOn(0, run);
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kUnknown) << "it loses under control, in no class";
  for (StressFlow& flow : run.senders) flow.result.throughput_bytes_per_s /= 2;
  EXPECT_EQ(JudgeIncastRun(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("puts the frames into priority 0"));
  for (StressFlow& flow : run.senders) flow.counters[1] = IncastEnd("d", {.drops = 5, .pauses_sent = 9}, 5);
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("puts the frames into priority 0"))
      << "the drop follows from it";
  AddTo(run.senders[0].counters[1], IncastNic(NicCounter::kCrcErrors, std::nullopt, "rx_crc_errors_phy", 9));
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("on the wire to d's NIC dcb0"));
}

TEST(IncastCulprit, LeavesOutAFewDropsWhereManyPacketsWereMissed) {
  IncastRun run = LossyIncast();
  run.senders[1].sender_has_pfc = false;
  for (StressFlow& flow : run.senders) {
    flow.counters[1] = IncastEnd("d", {}, 100'000);
    AddTo(flow.counters[1], IncastNic(NicCounter::kDropReceived, std::nullopt, "rx_discards_phy", 3));
  }
  EXPECT_EQ(JudgeIncastRun(run).culprit, "PFC of priority 3 is off at the sender b");
  for (StressFlow& flow : run.senders)
    AddTo(flow.counters[1], IncastNic(NicCounter::kDropReceived, std::nullopt, "rx_dropped.nic", 300));
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("in d's NIC dcb0"));
}

TEST(IncastCulprit, NamesASoftwareDeviceThatMayHaveLostThem) {
  IncastRun run = LossyIncast();
  for (StressFlow& flow : run.senders) {
    flow.software = true;
    for (EndCounters& end : flow.counters) end.nic = std::vector<NicChange>{};
  }
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("a software device may drop packets itself"));
}

TEST(IncastCulprit, NamesThePortsOfTheFlow) {
  IncastRun run = LossyIncast();
  for (StressFlow& flow : run.senders) flow.from_ethernet = "eth7";
  EXPECT_THAT(JudgeIncastRun(run).culprit, HasSubstr("between a's NIC eth7 and d's NIC dcb0"));
  EXPECT_THAT(OneLine(JudgeIncastRun(run).fix.remedy()), HasSubstr("ethtool -S eth7"));
}

}  // namespace
}  // namespace rdmaready
