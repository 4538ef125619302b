// SPDX-License-Identifier: Apache-2.0
#include "checks/live/effective_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kPackets = 1000;  // that the transfer needs at least

TransferResult Write() {
  TransferResult result{.case_name = "write-512k", .operation = Operation::kWrite, .transport = "roce-v2"};
  result.bytes = kPackets * 4096;
  result.marking = {.tos = 106, .traffic_class = 106};
  return result;
}

TransferPlace Place() {
  return {.rung = Rung::kPeer, .subject = "rxe0/1 -> rxe0/1", .ethernet = "dcb0", .peer_ethernet = "dcb1"};
}

using ByPriority = std::array<std::uint64_t, kPriorities>;

std::vector<EndCounters> Ends(ByPriority sent, ByPriority received) {
  return {{.host = "a", .port = "rxe0/1", .packets = PriorityPackets{.sent = sent}},
          {.host = "b", .port = "rxe0/1", .packets = PriorityPackets{.received = received}}};
}

constexpr ByPriority On3{12, 0, 0, 1200};
constexpr ByPriority On0{1212};

Finding Judge(const std::vector<EndCounters>& ends, const TransferResult& result = Write(),
              const Profile& profile = VirtualFabricProfile()) {
  return JudgeEffectiveClass(result, Place(), ends, profile);
}

TEST(EffectiveClass, PassesWhereBothEndsCountTheTransferInThePriorityOfRdma) {
  const Finding finding = Judge(Ends(On3, On3));
  EXPECT_EQ(finding.id, kEffectiveClassId);
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_EQ(finding.observed,
            "a sent 1200 of 1212 packets on priority 3; b received 1200 of 1212 packets on priority 3");
  EXPECT_EQ(finding.expected, "priority 3");
  EXPECT_EQ(finding.subject, "rxe0/1 -> rxe0/1");
  EXPECT_EQ(finding.rung, Rung::kPeer);
  EXPECT_EQ(finding.scope, Scope::kPair);
}

TEST(EffectiveClass, FailsAtTheReceiverWhoseMapIsWrong) {
  const Finding finding = Judge(Ends(On3, On0));
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_TRUE(finding.blocking);
  EXPECT_THAT(finding.observed, HasSubstr("b received 1212 of 1212 packets on priority 0"));
  EXPECT_THAT(WhatToDo(finding), StartsWith("dcb app replace dev dcb1 dscp-prio 26:3  # run it on b"));
}

TEST(EffectiveClass, FailsAtTheSenderWhereItsMapIsWrong) {
  const Finding finding = Judge(Ends(On0, On3));
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_EQ(WhatToDo(finding), "dcb app replace dev dcb0 dscp-prio 26:3  # run it on a");
}

TEST(EffectiveClass, BlamesTheMarkWherePacketsLeftWithAnother) {
  TransferResult unmarked = Write();
  unmarked.marking = {.traffic_class = 0};
  const Finding finding = Judge(Ends(On0, On0), unmarked);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(WhatToDo(finding), HasSubstr("# run it on a"));
  EXPECT_EQ(finding.remedy->cause, "packets left with DSCP 0: see roce.tos");
}

TEST(EffectiveClass, AProfileWithoutALosslessPriorityIsOnlyWarned) {
  Profile lossy = VirtualFabricProfile();
  lossy.pfc = std::vector<std::uint8_t>{};
  const Finding finding = Judge(Ends(On3, On0), Write(), lossy);
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_FALSE(finding.blocking);
}

TEST(EffectiveClass, WhatIsNotCountedIsUnknownAndInNobodysWay) {
  std::vector<EndCounters> silent = Ends(On3, On3);
  silent[1].packets = Missing{Missing::Kind::kUnsupported, "dcb1 counts no packets by priority"};
  const Finding finding = Judge(silent);
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_FALSE(finding.blocking);
  EXPECT_THAT(finding.observed, HasSubstr("b: dcb1 counts no packets by priority"));
  silent[0].packets = Fact<PriorityPackets>(PriorityPackets{.sent = On0});
  EXPECT_EQ(Judge(silent).outcome, Outcome::kFail) << "one end alone can show that it is wrong";
}

TEST(EffectiveClass, AReceiverThatCountsIsEnough) {
  std::vector<EndCounters> ends = Ends(On3, On3);
  ends[0].packets = Missing{Missing::Kind::kUnsupported, "dcb0 counts no packets by priority"};
  EXPECT_EQ(Judge(ends).outcome, Outcome::kPass);
}

TEST(EffectiveClass, LessThanWasMovedShowsNothing) {
  const ByPriority few{0, 0, 0, kPackets - 1};
  const Finding finding = Judge(Ends(few, few));
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed,
              HasSubstr("b received 999 packets by its counters, the transfer had at least 1000"));
  EXPECT_EQ(Judge(Ends({}, {})).outcome, Outcome::kUnknown);
}

TEST(EffectiveClass, OtherTrafficOnThePortHidesIt) {
  const Finding more = Judge(Ends(On3, {5000, 0, 0, 1200}));
  EXPECT_EQ(more.outcome, Outcome::kUnknown) << "the transfer may be in either";
  EXPECT_THAT(more.observed, HasSubstr("other traffic among them"));
  EXPECT_EQ(Judge(Ends(On3, {600, 0, 0, 700})).outcome, Outcome::kUnknown) << "it fits into neither";
  EXPECT_EQ(Judge(Ends(On3, {1100, 0, 0, 5000})).outcome, Outcome::kPass);
}

// The ends with what came back, too.
std::vector<EndCounters> BackOn(ByPriority back, ByPriority came_back) {
  return {{.host = "a", .port = "rxe0/1", .packets = PriorityPackets{.sent = On3, .received = came_back}},
          {.host = "b", .port = "rxe0/1", .packets = PriorityPackets{.sent = back, .received = On3}}};
}

TEST(EffectiveClass, WhatComesBackIsJudgedToo) {
  TransferResult write = Write();
  write.messages = 8 * 32;
  write.depth = 32;
  constexpr ByPriority kAcknowledgements{2, 0, 0, 9};
  constexpr ByPriority kElsewhere{9, 0, 0, 0};
  EXPECT_EQ(Judge(BackOn(kAcknowledgements, kAcknowledgements), write).outcome, Outcome::kPass);
  const Finding sent = Judge(BackOn(kElsewhere, kElsewhere), write);
  EXPECT_EQ(sent.outcome, Outcome::kFail);
  EXPECT_THAT(sent.observed, HasSubstr("; b sent back 9 of 9 packets on priority 0; a received back 9 of 9"));
  EXPECT_THAT(WhatToDo(sent), HasSubstr("dev dcb1 dscp-prio 26:3  # run it on b"));
  const Finding received = Judge(BackOn(kAcknowledgements, kElsewhere), write);
  EXPECT_EQ(received.outcome, Outcome::kFail);
  EXPECT_THAT(WhatToDo(received), HasSubstr("dev dcb0 dscp-prio 26:3  # run it on a"));
  EXPECT_EQ(Judge(BackOn({5000, 0, 0, 9}, {5000, 0, 0, 9}), write).outcome, Outcome::kPass)
      << "others' traffic";
  write.depth = 0;  // an older agent: nobody knows how few acknowledgements may be
  EXPECT_EQ(Judge(BackOn(kElsewhere, kElsewhere), write).outcome, Outcome::kPass);
}

TEST(EffectiveClass, TheDataOfAReadComesFromTheOtherEnd) {
  TransferResult read = Write();
  read.case_name = "read-512k";
  read.operation = Operation::kRead;
  EXPECT_EQ(Judge(BackOn(On3, On3), read).outcome, Outcome::kPass);
  const Finding wrong = Judge(BackOn(On0, On0), read);
  EXPECT_EQ(wrong.outcome, Outcome::kFail);
  EXPECT_THAT(wrong.observed, StartsWith("b sent 1212 of 1212 packets on priority 0; a received"));
  EXPECT_THAT(WhatToDo(wrong), HasSubstr("# run it on b"));
}

TEST(EffectiveClass, ConcernsRoceAndProfilesThatNameAPriority) {
  TransferResult iwarp = Write();
  iwarp.transport = "iwarp";
  EXPECT_EQ(Judge(Ends(On0, On0), iwarp).outcome, Outcome::kNotApplicable);
  const Finding unasked = Judge(Ends(On0, On0), Write(), Profile{.name = "x"});
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

}  // namespace
}  // namespace rdmaready
