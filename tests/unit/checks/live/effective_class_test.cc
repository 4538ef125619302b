// SPDX-License-Identifier: Apache-2.0
#include "checks/live/effective_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "checks/words/words.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kPackets = 1024;  // of the payload
constexpr std::uint64_t kWrites = 128;

TransferResult Write() {
  TransferResult result{.case_name = "write-32k",
                        .operation = Operation::kWrite,
                        .message_bytes = 32 << 10,
                        .transport = "roce-v2"};
  result.depth = 16;
  result.messages = kWrites;
  result.bytes = kPackets * 4096;
  result.marking = {.tos = 106, .traffic_class = 106};
  return result;
}

TransferPlace Place(bool software = true) {
  return {.rung = Rung::kPeer,
          .subject = "rxe0/1 -> rxe0/1",
          .software = software,
          .ethernet = "dcb0",
          .peer_ethernet = "dcb1"};
}

using ByPriority = std::array<std::uint64_t, kPriorities>;

constexpr ByPriority On3{2, 0, 0, 1100};
constexpr ByPriority On0{1102};
constexpr ByPriority Back3{2, 0, 0, 140};
constexpr ByPriority Back0{142};

// The counters of both ends over a test of 1 s, after an idle interval of half a second without a packet.
struct Counted {
  ByPriority sent = On3;
  ByPriority received = On3;
  ByPriority sent_back = Back3;
  ByPriority received_back = Back3;
};

EndCounters End(std::string host, const ByPriority& sent, const ByPriority& received) {
  return {.host = std::move(host),
          .port = "rxe0/1",
          .packets = PriorityPackets{.sent = sent, .received = received},
          .counted_ns = 1'000'000'000,
          .idle_packets = PriorityPackets{},
          .idle_ns = 500'000'000,
          .path_mtu_bytes = 4096};
}

std::vector<EndCounters> Ends(const Counted& counted) {
  return {End("a", counted.sent, counted.received_back), End("b", counted.sent_back, counted.received)};
}

Finding Judge(const std::vector<EndCounters>& ends, const TransferResult& result = Write(),
              const Profile& profile = VirtualFabricProfile()) {
  return JudgeEffectiveClass(result, Place(), ends, profile);
}

TEST(EffectiveClass, PassesWhereAllFourCountersSeeTheTransferInThePriorityOfRdma) {
  const Finding finding = Judge(Ends({}));
  EXPECT_EQ(finding.id, kEffectiveClassId);
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_EQ(
      finding.observed,
      "a sent 1100 of 1102 packets on priority 3 (99.8 %); b received 1100 of 1102 packets on priority 3 "
      "(99.8 %); b sent back 140 of 142 packets on priority 3 (98.5 %); a received back 140 of 142 packets "
      "on priority 3 (98.5 %)");
  EXPECT_EQ(finding.expected, "priority 3: 99 % of each counter, or of few packets all but 8");
  EXPECT_EQ(finding.subject, "rxe0/1 -> rxe0/1");
  EXPECT_EQ(finding.rung, Rung::kPeer);
  EXPECT_EQ(finding.scope, Scope::kPair);
}

TEST(EffectiveClass, HasTheShareOfEachCounterInTheFinding) {
  TransferResult write = Write();
  write.connection = ConnectionKind::kVerbs;
  const Finding finding = Judge(Ends({.received = {551, 0, 0, 551}}), write);
  ASSERT_TRUE(finding.class_proof);
  ASSERT_EQ(finding.class_proof->shares.size(), 4U);
  EXPECT_EQ(finding.class_proof->shares[1], (ClassShare{.host = "b",
                                                        .counter = "received",
                                                        .priority = 3,
                                                        .packets = 551,
                                                        .all = 1102,
                                                        .expected = kPackets,
                                                        .permille = 500,
                                                        .foreign_permille = 0,
                                                        .connection = ConnectionKind::kVerbs}));
  EXPECT_EQ(finding.class_proof->shares[2].counter, "sent back");
  EXPECT_EQ(finding.class_proof->shares[2].expected, kWrites);
}

TEST(EffectiveClass, FailsWhereHalfOfTheQueuePairsAreInAnotherClass) {
  for (const std::uint32_t mtu : {1024U, 4096U}) {
    const std::uint64_t half = kPackets * 4096 / mtu / 2;
    std::vector<EndCounters> ends = Ends({.sent = {half, 0, 0, half},
                                          .received = {half, 0, 0, half},
                                          .sent_back = {70, 0, 0, 70},
                                          .received_back = {70, 0, 0, 70}});
    for (EndCounters& end : ends) end.path_mtu_bytes = mtu;
    const Finding finding = Judge(ends);
    EXPECT_EQ(finding.outcome, Outcome::kFail) << mtu;
    EXPECT_THAT(finding.observed,
                StartsWith(Cat("a sent ", half, " of ", 2 * half, " packets on priority 3 (50.0 %) and ", half,
                               " on priority 0; b received")));
    EXPECT_THAT(WhatToDo(finding), HasSubstr("# run it on a"));
  }
}

TEST(EffectiveClass, ExpectsThePacketsOfThePathMtu) {
  std::vector<EndCounters> ends = Ends({});
  ends[0].path_mtu_bytes = 1024;
  const Finding finding = Judge(ends);
  EXPECT_EQ(finding.outcome, Outcome::kUnknown) << "four times as many";
  EXPECT_THAT(
      finding.observed,
      StartsWith("a sent 1102 packets by its counters, the transfer had at least 4096; b received 1102"));
  ends[0].path_mtu_bytes = 4096;
  ends[1].path_mtu_bytes = 1024;
  EXPECT_EQ(Judge(ends).outcome, Outcome::kPass) << "the sender's queue pair decides";
  TransferResult odd = Write();
  odd.message_bytes = 4097;
  odd.messages = kPackets;
  EXPECT_THAT(Judge(ends, odd).observed, HasSubstr("at least 2048"));
}

TEST(EffectiveClass, FailsAtTheReceiverWhoseMapIsWrong) {
  const Finding finding = Judge(Ends({.received = On0}));
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_TRUE(finding.blocking);
  EXPECT_THAT(finding.observed,
              HasSubstr("b received 0 of 1102 packets on priority 3 (0.0 %) and 1102 on priority 0"));
  EXPECT_THAT(WhatToDo(finding), StartsWith("dcb app replace dev dcb1 dscp-prio 26:3  # run it on b"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("see that no switch on the way changes the DSCP"));
}

TEST(EffectiveClass, FailsAtTheSenderWhereItsMapIsWrong) {
  const Finding finding = Judge(Ends({.sent = On0}));
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_EQ(WhatToDo(finding), "dcb app replace dev dcb0 dscp-prio 26:3  # run it on a");
}

TEST(EffectiveClass, BlamesTheMarkWherePacketsLeftWithAnother) {
  TransferResult unmarked = Write();
  unmarked.marking = {.traffic_class = 0};
  const Finding finding = Judge(Ends({.sent = On0, .received = On0}), unmarked);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(WhatToDo(finding), HasSubstr("# run it on a"));
  EXPECT_EQ(finding.remedy->cause, "packets left with DSCP 0: see roce.tos");
}

TEST(EffectiveClass, BlamesTheProgramWhereAPlainConnectionLeftWithAnother) {
  TransferResult unmarked = Write();
  unmarked.marking = {.traffic_class = 0};
  unmarked.connection = ConnectionKind::kVerbs;
  const Finding finding = Judge(Ends({.sent = On0, .received = On0}), unmarked);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_EQ(finding.remedy->cause, "packets left with DSCP 0, which RDMA-CM does not set here");
  EXPECT_THAT(finding.remedy->steps.front().action, HasSubstr("traffic class to 106 (NCCL_IB_TC"));
}

TEST(EffectiveClass, AProfileWithoutALosslessPriorityIsOnlyWarned) {
  Profile lossy = VirtualFabricProfile();
  lossy.pfc = std::vector<std::uint8_t>{};
  const Finding finding = Judge(Ends({.received = On0}), Write(), lossy);
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_FALSE(finding.blocking);
}

TEST(EffectiveClass, IsUnknownWhereOneEndCountsNoPriorities) {
  for (const std::size_t end : {0U, 1U}) {
    std::vector<EndCounters> silent = Ends({});
    silent[end].packets = Missing{Missing::Kind::kUnsupported, "dcb1 counts no packets by priority"};
    const Finding finding = Judge(silent);
    EXPECT_EQ(finding.outcome, Outcome::kUnknown);
    EXPECT_FALSE(finding.blocking);
    EXPECT_THAT(finding.observed, HasSubstr(": dcb1 counts no packets by priority"));
    EXPECT_EQ(finding.class_proof->shares.size(), 2U);
    silent[1 - end].packets = Fact<PriorityPackets>(PriorityPackets{.sent = On0, .received = On0});
    EXPECT_EQ(Judge(silent).outcome, Outcome::kFail) << "one end alone can show that it is wrong";
  }
}

TEST(EffectiveClass, LessThanWasMovedShowsNothing) {
  const ByPriority few{0, 0, 0, kPackets - 1};
  const Finding finding = Judge(Ends({.received = few}));
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed,
              HasSubstr("b received 1023 packets by its counters, the transfer had at least 1024"));
  EXPECT_EQ(Judge(Ends({{}, {}, {}, {}})).outcome, Outcome::kUnknown);
}

TEST(EffectiveClass, LeavesOutThePacketsOfOthersInProportion) {
  std::vector<EndCounters> ends = Ends({.received = {62, 0, 0, 1100}});
  EXPECT_EQ(Judge(ends).outcome, Outcome::kUnknown) << "the class holds the transfer; the rest may be others'";
  ends[1].idle_packets = PriorityPackets{.received = {30}};  // in half of the time
  const Finding finding = Judge(ends);
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_THAT(finding.observed, HasSubstr("b received 1100 of 1102 packets on priority 3"));
  EXPECT_EQ(finding.class_proof->shares[1].foreign_permille, 51U);
}

TEST(EffectiveClass, DoesNotCountTheClassesOtherTrafficAsTheTransfers) {
  std::vector<EndCounters> ends = Ends({.received = {300, 0, 0, 880}});
  ends[1].idle_packets = PriorityPackets{.received = {0, 0, 0, 55}};
  const Finding finding = Judge(ends);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(finding.observed, HasSubstr("b received 770 of 1070 packets on priority 3 (71.9 %)"));
}

TEST(EffectiveClass, IsUnknownAboveATenthOfForeignTraffic) {
  std::vector<EndCounters> ends = Ends({.received = {0, 0, 0, 1300}});
  ends[1].idle_packets = PriorityPackets{.received = {0, 0, 0, 100}};
  const Finding finding = Judge(ends);
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed, HasSubstr("(100.0 %), and 15.3 % of its packets are others'"));
  ends[1].idle_packets = PriorityPackets{.received = {0, 0, 0, 50}};
  EXPECT_EQ(Judge(ends).outcome, Outcome::kPass);
}

TEST(EffectiveClass, IsUnknownWhereAnEndReportsCountersThatCannotBe) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::vector<EndCounters> ends = Ends({});
  ends[1].idle_packets = PriorityPackets{.received = {kMost, kMost, kMost, kMost}};
  ends[1].idle_ns = 1;
  ends[1].counted_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Judge(ends).outcome, Outcome::kUnknown);
  ends[1].packets = PriorityPackets{.received = {kMost, 2, 0, kMost}};
  EXPECT_EQ(Judge(ends).outcome, Outcome::kUnknown);
}

TEST(EffectiveClass, OtherTrafficThatBeganWithTheTestHidesIt) {
  const Finding more = Judge(Ends({.received = {5000, 0, 0, 1100}}));
  EXPECT_EQ(more.outcome, Outcome::kUnknown) << "the class holds all of the transfer";
  EXPECT_THAT(more.observed, HasSubstr("other traffic among them"));
  EXPECT_EQ(Judge(Ends({.received = {600, 0, 0, 700}})).outcome, Outcome::kFail)
      << "a part of the transfer is elsewhere";
}

TEST(EffectiveClass, AFewPacketsBesideTheTransferCountForNothing) {
  EXPECT_EQ(Judge(Ends({.sent_back = {8, 0, 0, 132}})).outcome, Outcome::kPass);
  EXPECT_EQ(Judge(Ends({.sent_back = {9, 0, 0, 131}})).outcome, Outcome::kUnknown);
  TransferResult small = Write();
  small.messages = 4;
  small.bytes = 4 * small.message_bytes;
  EXPECT_NE(Judge(Ends({.sent = {4, 0, 0, 28}}), small).outcome, Outcome::kPass) << "more than a tenth";
}

TEST(EffectiveClass, PlacesASwitchThatChangesTheMarkOnTheWayBack) {
  const Finding finding = Judge(Ends({.received_back = Back0}));
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(
      finding.observed,
      EndsWith("; b sent back 140 of 142 packets on priority 3 (98.5 %); a received back 0 of 142 packets "
               "on priority 3 (0.0 %) and 142 on priority 0"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("dev dcb0 dscp-prio 26:3  # run it on a"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("see that no switch on the way back changes the DSCP"));
  EXPECT_EQ(finding.remedy->cause,
            "the receiver maps the mark to another priority, or the switch changes it on the way back");
}

TEST(EffectiveClass, FailsAtTheResponderThatAnswersInAnotherClass) {
  const Finding sent = Judge(Ends({.sent_back = Back0, .received_back = Back0}));
  EXPECT_EQ(sent.outcome, Outcome::kFail);
  EXPECT_EQ(WhatToDo(sent), "dcb app replace dev dcb1 dscp-prio 26:3  # run it on b");
}

// A NIC acknowledges as rarely as it likes.
TEST(EffectiveClass, KnowsOfHardwareOnlyHowFewAcknowledgementsThereAreAtLeast) {
  const auto judge = [](const Counted& counted, const TransferResult& result = Write()) {
    return JudgeEffectiveClass(result, Place(false), Ends(counted), VirtualFabricProfile());
  };
  const ByPriority seven{0, 0, 0, 7};  // 128 writes, 16 at a time, on one queue pair
  EXPECT_EQ(judge({.sent_back = seven, .received_back = seven}).outcome, Outcome::kPass);
  const ByPriority six{0, 0, 0, 6};
  EXPECT_EQ(judge({.sent_back = six, .received_back = six}).outcome, Outcome::kUnknown);
  EXPECT_EQ(judge({.sent_back = {70, 0, 0, 70}}).outcome, Outcome::kFail) << "more than a tenth is elsewhere";
  EXPECT_EQ(judge({.sent_back = {11, 0, 0, 129}}).outcome, Outcome::kUnknown) << "others may have sent those";
  TransferResult many = Write();
  many.qps = 4;
  const ByPriority four{0, 0, 0, 4};
  EXPECT_EQ(judge({.sent_back = four, .received_back = four}, many).outcome, Outcome::kPass);
}

TEST(EffectiveClass, TheDataOfAReadComesFromTheOtherEnd) {
  TransferResult read = Write();
  read.case_name = "read-32k";
  read.operation = Operation::kRead;
  const auto reads = [](const Counted& counted) {
    std::vector<EndCounters> ends = Ends(counted);
    std::swap(ends[0].packets, ends[1].packets);
    return ends;
  };
  EXPECT_EQ(Judge(reads({}), read).outcome, Outcome::kPass);
  const Finding wrong = Judge(reads({.sent = On0, .received = On0}), read);
  EXPECT_EQ(wrong.outcome, Outcome::kFail);
  EXPECT_THAT(wrong.observed,
              StartsWith("b sent 0 of 1102 packets on priority 3 (0.0 %) and 1102 on priority 0; "
                         "a received"));
  EXPECT_THAT(WhatToDo(wrong), HasSubstr("# run it on b"));
  const ByPriority few{0, 0, 0, kWrites - 1};
  EXPECT_THAT(Judge(reads({.sent_back = few}), read).observed,
              HasSubstr("a sent back 127 packets by its counters, the transfer had at least 128"));
}

// It reports neither the path MTU nor an idle interval.
std::vector<EndCounters> Older(std::vector<EndCounters> ends) {
  for (EndCounters& end : ends) {
    end.path_mtu_bytes.reset();
    end.idle_packets = {};
    end.idle_ns = end.counted_ns = std::nullopt;
  }
  return ends;
}

TEST(EffectiveClass, NothingOfAnOlderAgentPassesAndItsFailuresAreFound) {
  const Finding finding = Judge(Older(Ends({})));
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed, HasSubstr("(99.8 %), and its agent did not measure the packets of others; b"));
  EXPECT_FALSE(finding.class_proof->shares[0].foreign_permille);
  EXPECT_EQ(Judge(Older(Ends({.received = On0}))).outcome, Outcome::kFail);
  EXPECT_EQ(Judge(Older(Ends({.received = {600, 0, 0, 700}}))).outcome, Outcome::kUnknown)
      << "it fits into neither";
  std::vector<EndCounters> failed = Ends({});
  failed[1].idle_packets = Missing{Missing::Kind::kFailed, "the counters were set back"};
  EXPECT_THAT(Judge(failed).observed,
              HasSubstr("did not measure the packets of others: the counters were set back"));
}

TEST(EffectiveClass, ConcernsRoceAndProfilesThatNameAPriority) {
  TransferResult iwarp = Write();
  iwarp.transport = "iwarp";
  EXPECT_EQ(Judge(Ends({.sent = On0}), iwarp).outcome, Outcome::kNotApplicable);
  const Finding unasked = Judge(Ends({.sent = On0}), Write(), Profile{.name = "x"});
  EXPECT_EQ(unasked.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(unasked.observed, "profile x does not ask for a priority for RDMA");
}

TEST(EffectiveClass, OneEndAloneOrNoTransferJudgesNothing) {
  EXPECT_EQ(Judge({}).outcome, Outcome::kUnknown);
  const Finding none = ClassNotJudged(Place(), "no RDMA write went through");
  EXPECT_EQ(none.outcome, Outcome::kUnknown);
  EXPECT_FALSE(none.blocking);
  EXPECT_EQ(none.observed, "not judged: no RDMA write went through");
}

TEST(EffectiveClass, IsShownByWritesAndReadsThatWentWell) {
  EXPECT_TRUE(ShowsClass(Write()));
  TransferResult other = Write();
  other.operation = Operation::kRead;
  EXPECT_TRUE(ShowsClass(other));
  other.operation = Operation::kSend;
  EXPECT_FALSE(ShowsClass(other)) << "its payload goes both ways";
  other = Write();
  other.bidirectional = true;
  EXPECT_FALSE(ShowsClass(other));
  other = Write();
  other.failure.kind = FailureKind::kLost;
  EXPECT_FALSE(ShowsClass(other));
}

TEST(EffectiveClass, NamesTheSenderThatHasMostOfItsPacketsElsewhere) {
  const auto wrong = [](const ByPriority& sent) {
    return SentElsewhere(Write(), Place(), End("a", sent, {}), VirtualFabricProfile());
  };
  EXPECT_FALSE(wrong(On3));
  EXPECT_FALSE(wrong({400, 0, 0, 700})) << "most of it is in the class";
  ASSERT_TRUE(wrong(On0));
  EXPECT_EQ(wrong(On0)->priority, 0U);
  EXPECT_THAT(wrong(On0)->text,
              StartsWith("a's NIC dcb0 puts the frames into priority 0 and not 3: a sent 0 of"));
  EXPECT_THAT(OneLine(wrong(On0)->fix.remedy()), HasSubstr("dcb app replace dev dcb0 dscp-prio 26:3"));
  EndCounters unknown = End("a", On0, {});
  unknown.packets = Missing{};
  EXPECT_FALSE(SentElsewhere(Write(), Place(), unknown, VirtualFabricProfile()));
}

}  // namespace
}  // namespace rdmaready
