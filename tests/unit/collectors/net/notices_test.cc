// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/genetlink.h>
#include <linux/netconf.h>

#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using wire::operator+;

constexpr std::uint16_t kEthtoolFamily = 21;
constexpr std::uint16_t kRdmaMonitor = (RDMA_NL_NLDEV << 10) + 28;

wire::Bytes Announced(std::uint16_t type, const wire::Bytes& payload, std::uint32_t sequence = 7) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + payload.size());
  header.nlmsg_type = type;
  header.nlmsg_seq = sequence;
  return wire::Of(header) + payload;
}

wire::Bytes DcbWritten(const std::string& netdev) {
  return wire::Of(dcbmsg{.dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_SET, .dcb_pad = 0}) +
         wire::Text(DCB_ATTR_IFNAME, netdev);
}

HostNotice OnlyOne(const DecodedNotices& decoded) {
  EXPECT_FALSE(decoded.broken);
  EXPECT_THAT(decoded.notices, SizeIs(1));
  return decoded.notices.empty() ? HostNotice() : decoded.notices.front();
}

TEST(Notices, AWriteOfDcbNamesItsNetdevAndTheNumberOfItsRequest) {
  EXPECT_EQ(OnlyOne(DecodeRouteNotices(Announced(RTM_SETDCB, DcbWritten("dcb0"), 712))),
            (HostNotice{.kind = NoticeKind::kDcb, .name = "dcb0", .sequence = 712}));
}

TEST(Notices, ALinkThatChangesIsTold) {
  const HostNotice notice = OnlyOne(DecodeRouteNotices(Announced(RTM_NEWLINK, wire::Link(7, "dcb0", 9000))));
  EXPECT_EQ(notice.kind, NoticeKind::kLink);
  EXPECT_EQ(notice.ifindex, 7U);
  EXPECT_EQ(notice.name, "dcb0");
  EXPECT_FALSE(notice.gone);
}

TEST(Notices, ALinkThatGoesIsToldAndABridgeThatLosesAPortIsNot) {
  EXPECT_TRUE(OnlyOne(DecodeRouteNotices(Announced(RTM_DELLINK, wire::Link(7, "dcb0", 9000)))).gone);
  wire::Bytes bridge = wire::Link(7, "dcb0", 9000);
  bridge[0] = std::byte{AF_BRIDGE};
  EXPECT_FALSE(OnlyOne(DecodeRouteNotices(Announced(RTM_DELLINK, bridge))).gone);
}

TEST(Notices, AVlanNamesWhatItStandsOn) {
  const wire::Bytes link = wire::Link(9, "dcb0.5", 9000) + wire::U32(IFLA_LINK, 7) + wire::U32(IFLA_MASTER, 4);
  const HostNotice notice = OnlyOne(DecodeRouteNotices(Announced(RTM_NEWLINK, link)));
  EXPECT_EQ(notice.lower, 7U);
  EXPECT_EQ(notice.master, 4U);
}

TEST(Notices, AnAddressNamesItsNetdev) {
  for (const std::uint16_t type : {RTM_NEWADDR, RTM_DELADDR}) {
    EXPECT_EQ(OnlyOne(DecodeRouteNotices(Announced(type, wire::Address4(7, {10, 0, 0, 1}, 24)))),
              (HostNotice{.kind = NoticeKind::kAddress, .ifindex = 7, .sequence = 7}));
  }
}

TEST(Notices, ASysctlOfAllIsOfNoNetdev) {
  const auto netconf = [](std::uint32_t ifindex) {
    return Announced(RTM_NEWNETCONF, wire::Of(netconfmsg{.ncm_family = AF_INET}) + wire::Bytes(3) +
                                         wire::U32(NETCONFA_IFINDEX, ifindex));
  };
  EXPECT_EQ(OnlyOne(DecodeRouteNotices(netconf(7))).ifindex, 7U);
  EXPECT_EQ(OnlyOne(DecodeRouteNotices(netconf(static_cast<std::uint32_t>(NETCONFA_IFINDEX_ALL)))).ifindex, 0U);
}

TEST(Notices, EthtoolNamesTheNetdevInItsHeader) {
  const wire::Bytes payload = wire::Of(genlmsghdr{.cmd = 22, .version = 1, .reserved = 0}) +
                              wire::Nest(1, wire::U32(1, 7) + wire::Text(2, "dcb0"));
  EXPECT_EQ(OnlyOne(DecodeEthtoolNotices(Announced(kEthtoolFamily, payload, 0), kEthtoolFamily)),
            (HostNotice{.kind = NoticeKind::kEthtool, .ifindex = 7, .name = "dcb0"}));
  EXPECT_THAT(DecodeEthtoolNotices(Announced(kEthtoolFamily + 1, payload), kEthtoolFamily).notices, IsEmpty())
      << "another family's";
}

TEST(Notices, AnRdmaDeviceThatGoesIsTold) {
  const auto event = [](std::uint8_t type) {
    return Announced(kRdmaMonitor, wire::U32(RDMA_NLDEV_ATTR_DEV_INDEX, 3) +
                                       wire::Text(RDMA_NLDEV_ATTR_DEV_NAME, "rxe0") + wire::U8(102, type));
  };
  EXPECT_EQ(OnlyOne(DecodeRdmaNotices(event(1))),
            (HostNotice{.kind = NoticeKind::kRdma, .name = "rxe0", .gone = true, .sequence = 7}));
  EXPECT_FALSE(OnlyOne(DecodeRdmaNotices(event(0))).gone);
}

TEST(Notices, WhatIsOfAnotherTypeIsNone) {
  const DecodedNotices decoded = DecodeRouteNotices(Announced(RTM_NEWROUTE, wire::Bytes(20)));
  EXPECT_THAT(decoded.notices, IsEmpty());
  EXPECT_FALSE(decoded.broken);
}

TEST(Notices, SeveralMessagesOfADatagramAreEachTold) {
  EXPECT_THAT(
      DecodeRouteNotices(Announced(RTM_SETDCB, DcbWritten("dcb0")) + Announced(RTM_SETDCB, DcbWritten("dcb1")))
          .notices,
      ElementsAre(Field(&HostNotice::name, "dcb0"), Field(&HostNotice::name, "dcb1")));
}

TEST(Notices, AMessageThatIsCutShortIsToldAsBrokenAndTheOneBeforeItIsKept) {
  wire::Bytes bytes = Announced(RTM_SETDCB, DcbWritten("dcb0")) + Announced(RTM_SETDCB, DcbWritten("dcb1"));
  bytes.resize(bytes.size() - 4);
  const DecodedNotices decoded = DecodeRouteNotices(bytes);
  EXPECT_TRUE(decoded.broken);
  EXPECT_THAT(decoded.notices, ElementsAre(Field(&HostNotice::name, "dcb0")));
}

HostNotice DcbNoticeOf(const std::string& name, std::uint32_t sequence = 0) {
  return {.kind = NoticeKind::kDcb, .name = name, .sequence = sequence};
}

HostNotice LinkOf(std::uint32_t ifindex) { return {.kind = NoticeKind::kLink, .ifindex = ifindex}; }

TEST(NoticeTable, TenThousandNoticesOfOneSubjectAreOneSubject) {
  NoticeTable table;
  for (std::uint32_t i = 0; i < 10'000; ++i) table.Add(DcbNoticeOf("dcb0", 5));
  const HeardNotices heard = table.Take();
  ASSERT_THAT(heard.subjects, SizeIs(1));
  EXPECT_EQ(heard.subjects[0].times, 10'000U);
  EXPECT_THAT(heard.subjects[0].sequences, ElementsAre(5));
  EXPECT_THAT(heard.lost, IsEmpty());
  EXPECT_TRUE(table.empty());
}

TEST(NoticeTable, TenThousandNetdevsAreBoundedAndTheLastIsKept) {
  NoticeTable table;
  for (std::uint32_t i = 1; i <= 10'000; ++i) table.Add(LinkOf(i));
  const HeardNotices heard = table.Take();
  EXPECT_LE(heard.subjects.size(), NoticeTable::kMostSubjects);
  EXPECT_EQ(heard.subjects.back().last.ifindex, 10'000U);
  EXPECT_THAT(heard.lost, ElementsAre(NoticeKind::kLink)) << "of the others anything may have changed";
}

TEST(NoticeTable, AFloodOfOneKindLosesNoOther) {
  NoticeTable table;
  table.Add(DcbNoticeOf("dcb0"));
  for (std::uint32_t i = 1; i <= 10'000; ++i) table.Add(LinkOf(i));
  const HeardNotices heard = table.Take();
  EXPECT_EQ(heard.subjects.front().last, DcbNoticeOf("dcb0"));
  EXPECT_THAT(heard.lost, ElementsAre(NoticeKind::kLink));
}

TEST(NoticeTable, SubjectsStandInTheOrderOfTheirLastNotice) {
  NoticeTable table;
  for (const char* name : {"dcb0", "dcb1", "dcb0"}) table.Add(DcbNoticeOf(name));
  EXPECT_THAT(table.Take().subjects, ElementsAre(Field(&HeardSubject::last, DcbNoticeOf("dcb1")),
                                                 Field(&HeardSubject::last, DcbNoticeOf("dcb0"))));
}

TEST(NoticeTable, MoreRequestsThanAreKeptAreToldToBeMore) {
  NoticeTable table;
  for (std::uint32_t i = 0; i < 10'000; ++i) table.Add(DcbNoticeOf("dcb0", i));
  const HeardNotices heard = table.Take();
  EXPECT_EQ(heard.subjects[0].sequences.size(), NoticeTable::kMostSequences);
  EXPECT_FALSE(heard.subjects[0].all_sequences);
  NoticeTable next;
  next.Add(DcbNoticeOf("dcb0", 1));
  EXPECT_TRUE(next.Take().subjects[0].all_sequences);
}

TEST(NoticeTable, WhatWasTakenCanBePutBehindWhatCameSince) {
  NoticeTable table;
  table.Add(DcbNoticeOf("dcb0", 1));
  table.Lose(NoticeKind::kRdma);
  const HeardNotices before = table.Take();
  table.Add(DcbNoticeOf("dcb0", 2));
  table.Add(before);
  const HeardNotices heard = table.Take();
  ASSERT_THAT(heard.subjects, SizeIs(1));
  EXPECT_EQ(heard.subjects[0].times, 2U);
  EXPECT_THAT(heard.subjects[0].sequences, ElementsAre(2, 1));
  EXPECT_THAT(heard.lost, ElementsAre(NoticeKind::kRdma));
}

TEST(NoticeTable, OneSuspectStandsOnce) {
  NoticeTable table;
  const std::vector<ProcessName> suspects{{712, "dcb"}};
  table.Add(DcbNoticeOf("dcb0"), suspects);
  table.Add(DcbNoticeOf("dcb0"), suspects);
  EXPECT_THAT(table.Take().subjects[0].suspects, ElementsAre(ProcessName{712, "dcb"}));
}

}  // namespace
}  // namespace rdmaready
