// SPDX-License-Identifier: Apache-2.0
#include "checks/live/first_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/counted/error_counters.h"
#include "checks/live/loss_signs.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = CounterChange::Kind;

constexpr std::uint32_t kPriority = 3;

TransferPlace Between() {
  return {.rung = Rung::kPeer,
          .subject = "mlx5_0/1 -> mlx5_0/1",
          .lossless = true,
          .rdma_priority = kPriority,
          .netdev = "eth0",
          .ethernet = "eth0",
          .peer_ethernet = "eth1",
          .peer_host = "b",
          .host = "a"};
}

TransferResult Of(Operation operation, std::string transport = "roce-v2") {
  return {.operation = operation, .transport = std::move(transport)};
}

NicChange Nic(NicCounter counter, std::optional<std::uint32_t> priority, std::string name, std::uint64_t by) {
  return {.netdev = "eth",
          .counter = counter,
          .priority = priority,
          .change = {std::move(name), by > 0 ? Kind::kGrew : Kind::kUnchanged, by}};
}

// A NIC that counts drops and pauses of RDMA's priority.
struct NicCounts {
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;
  std::uint64_t pauses_received = 0;
  std::uint64_t crc_errors = 0;
  std::uint64_t other_drops = 0;  // of priority 0
};

NicChanges Counted(const NicCounts& counts) {
  return std::vector<NicChange>{
      Nic(NicCounter::kDropReceived, kPriority, "rx_prio3_discards", counts.drops),
      Nic(NicCounter::kDropReceived, 0, "rx_prio0_discards", counts.other_drops),
      Nic(NicCounter::kPauseSent, kPriority, "tx_prio3_pause", counts.pauses_sent),
      Nic(NicCounter::kPauseReceived, kPriority, "rx_prio3_pause", counts.pauses_received),
      Nic(NicCounter::kCrcErrors, std::nullopt, "rx_crc_errors_phy", counts.crc_errors)};
}

struct Counters {
  NicCounts nic{};
  std::vector<CounterChange> rdma{};
};

std::vector<EndCounters> Ends(const Counters& a, const Counters& b) {
  return {{.host = "a", .port = "mlx5_0/1", .changes = a.rdma, .nic = Counted(a.nic)},
          {.host = "b", .port = "mlx5_0/1", .changes = b.rdma, .nic = Counted(b.nic)}};
}

const std::vector<CounterChange> kMissedRequest{{"out_of_sequence", Kind::kGrew, 4}};
const std::vector<CounterChange> kMissedResponse{{"implied_nak_seq_err", Kind::kGrew, 4}};

std::optional<FirstLoss> Find(const std::vector<EndCounters>& ends, Operation operation = Operation::kWrite,
                              const TransferPlace& place = Between()) {
  return FindFirstLoss(Of(operation), place, ends);
}

void Add(EndCounters& end, NicChange change) {
  std::vector<NicChange> changes = *end.nic;
  changes.push_back(std::move(change));
  end.nic = std::move(changes);
}

std::string WhatToDo(const Fix& fix) { return OneLine(fix.remedy()); }

TEST(FirstLoss, IsNothingWhereNothingWasLost) {
  EXPECT_FALSE(Find(Ends({}, {})));
  EXPECT_FALSE(Find(Ends({.nic = {.pauses_received = 9}}, {.nic = {.pauses_sent = 9}})))
      << "pauses do their work";
  EXPECT_FALSE(Find(Ends({}, {.nic = {.other_drops = 9}}))) << "of others, in their own priority";
  EXPECT_FALSE(Find(Ends({.rdma = {{"out_of_sequence", Kind::kReset, 9}}}, {})));
  std::vector<EndCounters> one = Ends({}, {.nic = {.drops = 1}});
  one.pop_back();
  EXPECT_FALSE(Find(one)) << "nobody knows which end it is";
}

TEST(FirstLoss, IsInTheReceiversNicWhosePfcIsOff) {
  const auto loss = Find(Ends({}, {.nic = {.drops = 12}}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kReceiverNic);
  EXPECT_EQ(loss->text, "first lost in b's NIC eth, on the way a -> b: rx_prio3_discards +12");
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("dcb pfc show dev eth "));
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("enable PFC of priority 3: rdmaready plan b"));
}

TEST(FirstLoss, BlamesTheSwitchPortThatDoesNotObeyThePausesOfTheReceiver) {
  const auto loss = Find(Ends({}, {.nic = {.drops = 12, .pauses_sent = 7}}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kReceiverNic);
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("enable PFC of priority 3 on its switch port"));
}

TEST(FirstLoss, NamesTheMarksWhereTheFramesCameInAnotherPriority) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.other_drops = 12}, .rdma = kMissedRequest});
  ends[1].packets = PriorityPackets{.received = {900, 0, 0, 5}};
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kReceiverNic);
  EXPECT_THAT(loss->text, HasSubstr("rx_prio0_discards +12"));
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("the frames came in priority 0 and not in 3"));
}

TEST(FirstLoss, IsNotWhereOthersLostFramesOfTheirPriority) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.other_drops = 12}, .rdma = kMissedRequest});
  ends[1].packets = PriorityPackets{.received = {5, 0, 0, 900}};
  EXPECT_EQ(Find(ends)->hop, Hop::kBetween);
  ends[1].packets = {};
  EXPECT_EQ(Find(ends)->hop, Hop::kBetween) << "where the transfer's packets came is not known";
}

TEST(FirstLoss, LooksFirstAtTheDirectionInWhichPacketsWereMissed) {
  const auto loss = Find(Ends({.nic = {.drops = 4}}, {.rdma = kMissedRequest}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kBetween);
  EXPECT_THAT(loss->text, HasSubstr("on the way a -> b")) << "not a's own drops on the way back";
}

TEST(FirstLoss, NamesThePlaceAndNoClassOfDropsWithoutAPriority) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = kMissedRequest});
  Add(ends[1], Nic(NicCounter::kDropReceived, std::nullopt, "rx_discard_packets_cos5", 900));
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kReceiverNic);
  EXPECT_THAT(loss->text, HasSubstr("rx_discard_packets_cos5 +900"));
  EXPECT_THAT(WhatToDo(loss->fix), Not(HasSubstr("priority")));
}

TEST(FirstLoss, NamesTheMemberOfABondThatDropped) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.pauses_sent = 5}});
  NicChange drops = Nic(NicCounter::kDropReceived, kPriority, "rx_prio3_discards", 7);
  drops.netdev = "eth2";
  Add(ends[1], drops);
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_THAT(loss->text, HasSubstr("b's NIC eth2"));
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("dcb pfc show dev eth2"))
      << "the other member's pauses are not its own";
}

TEST(FirstLoss, IsNothingOnIwarp) {
  const auto ends = Ends({}, {.nic = {.drops = 12}, .rdma = kMissedRequest});
  EXPECT_FALSE(FindFirstLoss(Of(Operation::kWrite, "iwarp"), Between(), ends));
  EXPECT_FALSE(LostInClass(Of(Operation::kWrite, "iwarp"), Between(), ends));
}

TEST(FirstLoss, DoesNotTakeAResetCounterForOneThatCountsNothing) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = kMissedRequest});
  std::vector<NicChange> changes = *ends[1].nic;
  for (NicChange& one : changes)
    if (one.counter == NicCounter::kDropReceived) one.change = {one.change.name, Kind::kReset, 9};
  ends[1].nic = changes;
  EXPECT_EQ(Find(ends)->hop, Hop::kNotKnown);
}

TEST(FirstLoss, PlacesALossOfEitherDirectionOfABidirectionalTest) {
  TransferResult both = Of(Operation::kWrite);
  both.bidirectional = true;
  const auto loss = FindFirstLoss(both, Between(), Ends({.rdma = kMissedRequest}, {}));
  ASSERT_TRUE(loss);
  EXPECT_THAT(loss->text, HasSubstr("on the way b -> a"));
}

TEST(FirstLoss, KnowsOnlyCountersOfTheTable) {
  for (const std::string_view name : CountersOfLoss()) {
    EXPECT_TRUE(std::ranges::any_of(AllErrorCounters(), [&](const ErrorCounter& row) {
      return row.name == name;
    })) << name;
  }
}

TEST(FirstLoss, IsOnTheWireWhereTheReceiverCountsDamage) {
  const auto loss = Find(Ends({}, {.nic = {.drops = 1, .crc_errors = 3}, .rdma = kMissedRequest}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kWire) << "before the buffer";
  EXPECT_EQ(Find(Ends({}, {.nic = {.drops = 9000, .crc_errors = 1}, .rdma = kMissedRequest}))->hop,
            Hop::kReceiverNic)
      << "one damaged frame is not the cause";
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("ethtool -m eth "));
}

TEST(FirstLoss, IsInTheSendersNicBeforeAllElse) {
  const auto loss = Find(Ends({.rdma = {{"tx_roce_discards", Kind::kGrew, 2}}}, {.nic = {.drops = 1}}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kSenderNic);
  EXPECT_THAT(loss->text, HasSubstr("in a's NIC eth0, on the way a -> b: tx_roce_discards +2"));
}

NicChange Unsent(std::uint64_t by) { return Nic(NicCounter::kDropSent, std::nullopt, "tx_discards_phy", by); }
NicChange LinkDowns(std::uint64_t by) {
  return Nic(NicCounter::kLinkDown, std::nullopt, "link_down_events_phy", by);
}

TEST(FirstLoss, IsInTheNicThatDroppedFramesWhileItSent) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kSenderNic);
  EXPECT_EQ(loss->text, "first lost in a's NIC eth, on the way a -> b: tx_discards_phy +12");
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("its link was down, or it was kept paused"));
  Add(ends[0], LinkDowns(0));
  EXPECT_THAT(WhatToDo(Find(ends)->fix), HasSubstr("no pause and no lost link was counted"));
  ends = Ends({.rdma = kMissedResponse}, {});
  Add(ends[1], Unsent(3));
  ASSERT_TRUE(Find(ends));
  EXPECT_THAT(Find(ends)->text, HasSubstr("in b's NIC eth, on the way b -> a: tx_discards_phy +3"));
}

TEST(FirstLoss, IsNotInASenderThatDroppedLessThanTheReceiver) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.drops = 9000}, .rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  EXPECT_EQ(Find(ends)->hop, Hop::kReceiverNic);
  Add(ends[0], Unsent(9000));
  EXPECT_EQ(Find(ends)->hop, Hop::kSenderNic);
}

TEST(FirstLoss, NamesTheReceiverThatKeptTheSenderPaused) {
  std::vector<EndCounters> ends =
      Ends({.nic = {.pauses_received = 9}}, {.nic = {.pauses_sent = 9}, .rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  EXPECT_EQ(Find(ends)->hop, Hop::kSenderNic);
  EXPECT_THAT(WhatToDo(Find(ends)->fix), HasSubstr("ethtool --get-tunable eth pfc-prevention-tout"));
  EXPECT_THAT(WhatToDo(Find(ends)->fix), HasSubstr("as pfc.storm-prevention says"));
  ends = Ends({.nic = {.pauses_received = 9}}, {.rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  EXPECT_THAT(WhatToDo(Find(ends)->fix), HasSubstr("find the receiver that pauses most"));
}

TEST(FirstLoss, NamesTheLinkThatWentDownForFramesThatWereNotSent) {
  std::vector<EndCounters> ends = Ends({.nic = {.pauses_received = 9}}, {.rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  Add(ends[0], LinkDowns(1));
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kSenderNic);
  EXPECT_EQ(loss->text,
            "first lost in a's NIC eth, whose link went down, on the way a -> b: tx_discards_phy +12");
  EXPECT_THAT(WhatToDo(loss->fix), HasSubstr("find why the link of a's NIC eth went down"));
  ends = Ends({.rdma = {{"link_downed", Kind::kGrew, 1}}}, {.rdma = kMissedRequest});
  Add(ends[0], Unsent(12));
  EXPECT_THAT(Find(ends)->text, HasSubstr("whose link went down")) << "as the RDMA port counts it";
}

TEST(FirstLoss, IsNothingWhereALinkWentDownAndNoPacketWasMissed) {
  std::vector<EndCounters> ends = Ends({}, {});
  Add(ends[0], Unsent(12));
  Add(ends[0], LinkDowns(1));
  EXPECT_FALSE(Find(ends));
}

TEST(FirstLoss, AsksForTheSendersDropsOnlyWhereItDoesNotCountThem) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = kMissedRequest});
  EXPECT_THAT(WhatToDo(Find(ends)->fix), HasSubstr("where the sender's NIC counts frames"));
  Add(ends[0], Unsent(0));
  EXPECT_EQ(Find(ends)->hop, Hop::kBetween);
  EXPECT_THAT(WhatToDo(Find(ends)->fix), Not(HasSubstr("where the sender's NIC counts frames")));
}

TEST(FirstLoss, IsAtTheQueuePairThatHadNoReceive) {
  const auto loss = Find(
      Ends({.rdma = {{"rnr_nak_retry_err", Kind::kGrew, 2}}}, {.rdma = {{"out_of_buffer", Kind::kGrew, 2}}}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kReceiverQueue);
  EXPECT_THAT(loss->text,
              HasSubstr("at a queue pair of b, on the way a -> b: out_of_buffer +2, rnr_nak_retry_err +2"));
}

TEST(FirstLoss, IsBetweenTheNicsWhereNeitherLostAny) {
  const auto unpaused = Find(Ends({}, {.rdma = kMissedRequest}));
  ASSERT_TRUE(unpaused);
  EXPECT_EQ(unpaused->hop, Hop::kBetween);
  EXPECT_EQ(unpaused->text,
            "first lost between a's NIC eth0 and b's NIC eth1, on the way a -> b: out_of_sequence +4");
  EXPECT_THAT(WhatToDo(unpaused->fix), HasSubstr("the switch never paused priority 3"));
  const auto paused = Find(Ends({.nic = {.pauses_received = 5}}, {.rdma = kMissedRequest}));
  ASSERT_TRUE(paused);
  EXPECT_THAT(WhatToDo(paused->fix), HasSubstr("more headroom on the switch port of a's NIC eth0"));
}

TEST(FirstLoss, LooksAtTheWayOfAReadsPayloadFirst) {
  const auto dropped = Find(Ends({.nic = {.drops = 2}}, {.nic = {.drops = 1}}), Operation::kRead);
  ASSERT_TRUE(dropped);
  EXPECT_THAT(dropped->text, HasSubstr("in a's NIC eth, on the way b -> a: rx_prio3_discards +2"));
  const auto missed = Find(Ends({.rdma = kMissedResponse}, {}), Operation::kRead);
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->hop, Hop::kBetween);
  EXPECT_THAT(missed->text, HasSubstr("on the way b -> a: implied_nak_seq_err +4"));
}

TEST(FirstLoss, SaysThatThePlaceIsNotKnownWhereANicCountsNoDrops) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = kMissedRequest});
  ends[1].nic = Missing{Missing::Kind::kUnsupported, "no statistics"};
  const auto loss = Find(ends);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kNotKnown);
  EXPECT_THAT(loss->text,
              HasSubstr("where is not known: b's NIC eth1 does not count the frames that it drops"));
}

TEST(FirstLoss, NeverBlamesASwitchForWhatASoftwareDeviceMayHaveDropped) {
  TransferPlace software = Between();
  software.software = true;
  const auto loss =
      Find(Ends({}, {.rdma = {{"out_of_seq_request", Kind::kGrew, 1}}}), Operation::kWrite, software);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->hop, Hop::kNotKnown);
}

TEST(FirstLoss, PrintsNoControlCharacterOfAHost) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.drops = 1}});
  ends[1].host = "b\x1b[31m";
  EXPECT_THAT(Find(ends)->text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(WhatToDo(Find(ends)->fix), Not(HasSubstr("\x1b")));
}

TEST(FirstLoss, QuotesANameThatAShellWouldRun) {
  std::vector<EndCounters> ends = Ends({}, {});
  NicChange drops = Nic(NicCounter::kDropReceived, kPriority, "rx_prio3_discards", 7);
  drops.netdev = "e;reboot";
  Add(ends[1], drops);
  EXPECT_THAT(WhatToDo(Find(ends)->fix), Not(HasSubstr("dev e;reboot")));
}

TEST(LostPerhapsInClass, IsAboutDropsWithoutAPriority) {
  std::vector<EndCounters> ends = Ends({}, {.nic = {.drops = 1, .other_drops = 1}});
  EXPECT_FALSE(LostPerhapsInClass(Of(Operation::kWrite), Between(), ends));
  Add(ends[1], Nic(NicCounter::kDropReceived, std::nullopt, "rx_dropped.nic", 4));
  EXPECT_TRUE(LostPerhapsInClass(Of(Operation::kWrite), Between(), ends));
}

TEST(LostPerhapsInClass, IsAboutFramesThatWereNotSentWhileTheLinkWasUp) {
  std::vector<EndCounters> ends = Ends({}, {});
  Add(ends[0], Unsent(4));
  EXPECT_TRUE(LostPerhapsInClass(Of(Operation::kWrite), Between(), ends));
  EXPECT_FALSE(LostInClass(Of(Operation::kWrite), Between(), ends));
  NicChange of_another = LinkDowns(1);
  of_another.netdev = "eth2";
  Add(ends[0], of_another);
  EXPECT_TRUE(LostPerhapsInClass(Of(Operation::kWrite), Between(), ends)) << "the link of another port";
  Add(ends[0], LinkDowns(1));
  EXPECT_FALSE(LostPerhapsInClass(Of(Operation::kWrite), Between(), ends));
}

TEST(LostInClass, IsAboutTheLosslessPriorityAlone) {
  EXPECT_TRUE(LostInClass(Of(Operation::kWrite), Between(), Ends({}, {.nic = {.drops = 1}})));
  EXPECT_FALSE(LostInClass(Of(Operation::kWrite), Between(), Ends({}, {.nic = {.other_drops = 1}})));
  TransferPlace lossy = Between();
  lossy.lossless = false;
  EXPECT_FALSE(LostInClass(Of(Operation::kWrite), lossy, Ends({}, {.nic = {.drops = 1}})));
}

std::optional<ControlFault> Fault(const std::vector<EndCounters>& ends,
                                  const TransferPlace& place = Between()) {
  return FindControlFault(Of(Operation::kWrite), place, ends);
}

TEST(ControlFault, IsAPauseOfTheWholeLinkWhereOnePriorityIsToBeLossless) {
  std::vector<EndCounters> ends = Ends({}, {});
  Add(ends[1], Nic(NicCounter::kGlobalPauseSent, std::nullopt, "tx_pause_ctrl_phy", 3));
  const auto fault = Fault(ends);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->text, "the whole link of b's NIC eth was paused: tx_pause_ctrl_phy +3");
  EXPECT_THAT(WhatToDo(fault->fix), HasSubstr("rdmaready plan b"));
  TransferPlace lossy = Between();
  lossy.lossless = false;
  EXPECT_FALSE(Fault(ends, lossy));
  EXPECT_FALSE(FindControlFault(Of(Operation::kWrite, "iwarp"), Between(), ends));
  Add(ends[1], Nic(NicCounter::kPauseReceived, kPriority, "rx_prio3_pause", 3));
  EXPECT_FALSE(Fault(ends)) << "frames of PFC may be counted among them";
}

TEST(ControlFault, IsAMarkOfWhichTheSenderWasNotNotified) {
  const CounterChange marked{"np_ecn_marked_roce_packets", Kind::kGrew, 5};
  const auto fault = Fault(Ends({}, {.rdma = {marked, {"np_cnp_sent", Kind::kUnchanged, 0}}}));
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->text, HasSubstr("sent no notification: np_ecn_marked_roce_packets +5"));
  EXPECT_FALSE(Fault(Ends({}, {.rdma = {marked, {"np_cnp_sent", Kind::kGrew, 1}}})));
  EXPECT_FALSE(Fault(Ends({}, {.rdma = {marked}}))) << "whether it sent one is not counted";
}

TEST(ControlFault, IsANicThatPausedItsPartnerForTooLong) {
  std::vector<EndCounters> ends = Ends({}, {});
  Add(ends[0], Nic(NicCounter::kPauseStormError, std::nullopt, "tx_pause_storm_error_events", 1));
  ASSERT_TRUE(Fault(ends));
  EXPECT_THAT(Fault(ends)->text, HasSubstr("a's NIC eth paused its partner for too long"));
}

TEST(FirstLoss, LeavesOutAFewDropsWhereManyPacketsWereMissed) {
  std::vector<EndCounters> ends = Ends({}, {.rdma = {{"out_of_sequence", Kind::kGrew, 100'000}}});
  Add(ends[1], Nic(NicCounter::kDropReceived, std::nullopt, "rx_discards_phy", 3));
  EXPECT_EQ(Find(ends)->hop, Hop::kBetween);
  Add(ends[1], Nic(NicCounter::kDropReceived, std::nullopt, "rx_dropped.nic", 300));
  EXPECT_EQ(Find(ends)->hop, Hop::kReceiverNic);
}

}  // namespace
}  // namespace rdmaready
