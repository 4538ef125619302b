// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/model/fields.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::operator+;

const Missing kNoOps{Missing::Kind::kUnsupported, "driver has no DCB (no dcbnl_ops)"};

TEST(Ets, ReadsItsFieldsWhereTheKernelPutsThem) {
  const auto ets = DecodeEts(wire::Ets());
  ASSERT_TRUE(ets.ok());
  EXPECT_TRUE(ets->willing);
  EXPECT_EQ(ets->traffic_classes, 8);
  EXPECT_THAT(ets->tx_percent, ElementsAre(50, 0, 0, 50, 0, 0, 0, 0));
  EXPECT_EQ(ets->tsa[0], Tsa::kEts);
  EXPECT_THAT(ets->prio_tc, ElementsAre(0, 0, 0, 3, 0, 0, 0, 0));
}

TEST(Ets, ATrafficClassThatDoesNotExistIsAnError) {
  auto bytes = wire::Ets();
  bytes[27] = std::byte{8};
  EXPECT_EQ(Message(DecodeEts(bytes).status()), "decode ETS: priority 0 in traffic class 8");
}

TEST(Ets, AnUnknownAlgorithmIsAnErrorAndVendorIsKnown) {
  auto bytes = wire::Ets();
  bytes[19] = std::byte{255};
  EXPECT_EQ(DecodeEts(bytes)->tsa[0], Tsa::kVendor);
  bytes[19] = std::byte{7};
  EXPECT_FALSE(DecodeEts(bytes).ok());
}

TEST(Pfc, ReadsDelayAndCountersWhereTheKernelPutsThem) {
  const auto pfc = DecodePfc(wire::Pfc());
  ASSERT_TRUE(pfc.ok());
  EXPECT_EQ(pfc->capability, 8);
  EXPECT_EQ(pfc->enabled, 1 << 3);
  EXPECT_EQ(pfc->delay, 0x1234);
  EXPECT_THAT(pfc->pauses_sent, ElementsAre(0, 0, 0, 7, 0, 0, 0, 0));
  EXPECT_THAT(pfc->pauses_received, ElementsAre(0, 0, 0, 9, 0, 0, 0, 0));
}

TEST(Pfc, AnyOtherLengthIsAnError) {
  auto bytes = wire::Pfc();
  bytes.push_back(std::byte{0});
  EXPECT_EQ(Message(DecodePfc(bytes).status()), "decode PFC: 137 bytes, not 136");
  bytes.resize(135);
  EXPECT_FALSE(DecodePfc(bytes).ok());
  EXPECT_FALSE(DecodePfc({}).ok());
}

TEST(Buffer, ReadsItsFieldsWhereTheKernelPutsThem) {
  const auto buffer = DecodeBuffer(wire::Buffer());
  ASSERT_TRUE(buffer.ok());
  EXPECT_THAT(buffer->prio_buffer, ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(buffer->size_bytes, ElementsAre(0U, 0x20000U, 0U, 0U, 0U, 0U, 0U, 0U));
  EXPECT_EQ(buffer->total_bytes, 0x40000U);
}

TEST(Buffer, ABufferThatDoesNotExistOrAnotherLengthIsAnError) {
  auto bytes = wire::Buffer();
  bytes[3] = std::byte{8};
  EXPECT_EQ(Message(DecodeBuffer(bytes).status()), "decode port buffer: priority 3 in buffer 8");
  bytes.pop_back();
  EXPECT_FALSE(DecodeBuffer(bytes).ok());
}

TEST(MaxRates, AreByClassAndZeroIsNoLimit) {
  EXPECT_THAT(*DecodeMaxRates(wire::MaxRates()), ElementsAre(0U, 0U, 0U, 1'000'000U, 0U, 0U, 0U, 0U));
  auto bytes = wire::MaxRates();
  bytes.push_back(std::byte{0});
  EXPECT_EQ(Message(DecodeMaxRates(bytes).status()), "decode maximum rates: 65 bytes, not 64");
}

TEST(AppTable, PcpRowsComeInAnAttributeOfTheirOwn) {
  const auto table = DecodeAppTable(wire::Attr(1, wire::App(5, 3, 26)) + wire::Attr(2, wire::App(255, 4, 12)));
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(*table, ElementsAre(AppEntry{AppSelector::kDscp, 3, 26}, AppEntry{AppSelector::kPcp, 4, 12}));
}

TEST(AppTable, APcpSelectorInTheIeeeAttributeIsAnError) {
  EXPECT_FALSE(DecodeAppTable(wire::Attr(1, wire::App(255, 3, 3))).ok());
  EXPECT_FALSE(DecodeAppTable(wire::Attr(2, wire::App(5, 3, 3))).ok());
}

TEST(AppTable, CeeRowsAreLeftOut) {
  const auto table = DecodeAppTable(wire::Attr(0, wire::App(0, 0x08, 0x8906)));
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(*table, IsEmpty());
}

TEST(AppTable, APriorityThatDoesNotExistIsAnError) {
  EXPECT_EQ(Message(DecodeAppTable(wire::Attr(1, wire::App(1, 8, 0x8915))).status()),
            "decode APP table: priority 8");
}

TEST(AppTable, ARowOfAnotherLengthIsAnError) {
  EXPECT_FALSE(DecodeAppTable(wire::Attr(1, wire::Of(std::uint16_t{1}))).ok());
}

TEST(AppTrust, KeepsTheOrderOfPrecedence) {
  const auto trust = DecodeAppTrust(wire::U8(2, 255) + wire::U8(1, 5));
  ASSERT_TRUE(trust.ok());
  EXPECT_THAT(*trust, ElementsAre(AppSelector::kPcp, AppSelector::kDscp));
}

TEST(DcbxMode, EveryBitHasItsOwnField) {
  EXPECT_EQ(*DecodeDcbx(wire::Of(std::uint8_t{0x09})), (Dcbx{.host = true, .ieee = true}));
  EXPECT_EQ(*DecodeDcbx(wire::Of(std::uint8_t{0x16})),
            (Dcbx{.lld_managed = true, .cee = true, .static_mode = true}));
}

TEST(DcbAnswer, HoldsEverythingOfOneInterface) {
  const auto dcb = DecodeDcb(wire::FullDcb("dcb0"), "dcb0");
  ASSERT_TRUE(dcb.ok()) << dcb.status();
  EXPECT_EQ(dcb->pfc->enabled, 8);
  EXPECT_EQ(dcb->ets->traffic_classes, 8);
  EXPECT_EQ(dcb->app->size(), 3U);
  EXPECT_THAT(*dcb->app_trust, ElementsAre(AppSelector::kDscp, AppSelector::kPcp));
  EXPECT_TRUE(dcb->dcbx->host);
  EXPECT_EQ(dcb->buffer->total_bytes, 0x40000U);
  EXPECT_EQ((*dcb->max_rate_kbps)[3], 1'000'000U);
}

TEST(DcbAnswer, WhatTheDriverDoesNotReportIsUnsupportedByName) {
  const auto dcb = DecodeDcb(wire::Dcb("dcb0", {}, std::nullopt), "dcb0");
  ASSERT_TRUE(dcb.ok());
  EXPECT_EQ(dcb->ets.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(dcb->ets.missing().detail, HasSubstr("ieee_getets"));
  EXPECT_THAT(dcb->pfc.missing().detail, HasSubstr("ieee_getpfc"));
  EXPECT_THAT(dcb->app_trust.missing().detail, HasSubstr("dcbnl_getapptrust"));
  EXPECT_THAT(dcb->dcbx.missing().detail, HasSubstr("getdcbx"));
  EXPECT_THAT(dcb->buffer.missing().detail, HasSubstr("dcbnl_getbuffer"));
  EXPECT_THAT(dcb->max_rate_kbps.missing().detail, HasSubstr("ieee_getmaxrate"));
}

TEST(DcbAnswer, AnAbsentAppTableIsAnEmptyList) {
  const auto dcb = DecodeDcb(wire::Dcb("dcb0", {}, std::nullopt), "dcb0");
  ASSERT_TRUE(dcb.ok());
  EXPECT_EQ(dcb->app, Fact<std::vector<AppEntry>>(std::vector<AppEntry>{}));
}

TEST(DcbAnswer, ABadPartDoesNotSpoilTheOthers) {
  const auto dcb = DecodeDcb(wire::Dcb("dcb0", wire::U8(1, 1) + wire::Attr(2, wire::Pfc()), 0x09), "dcb0");
  ASSERT_TRUE(dcb.ok());
  EXPECT_EQ(dcb->ets.missing(), (Missing{Missing::Kind::kFailed, "decode ETS: 1 bytes, not 59"}));
  EXPECT_TRUE(dcb->pfc);
}

TEST(DcbAnswer, HoldsTheRewriteTableAndThePeer) {
  const auto dcb = DecodeDcb(wire::PeerDcb("dcb0"), "dcb0");
  ASSERT_TRUE(dcb.ok()) << dcb.status();
  EXPECT_THAT(*dcb->rewrite,
              ElementsAre(AppEntry{AppSelector::kPcp, 3, 3}, AppEntry{AppSelector::kDscp, 3, 26}));
  EXPECT_EQ(dcb->peer.ets->prio_tc[3], 3);
  EXPECT_EQ(dcb->peer.pfc->enabled, 1 << 3);
  EXPECT_THAT(*dcb->peer.app, ElementsAre(AppEntry{AppSelector::kDscp, 3, 26}));
}

TEST(DcbAnswer, AnEmptyRewriteTableIsNotAnOldKernel) {
  EXPECT_THAT(*DecodeDcb(wire::FullDcb("dcb0"), "dcb0")->rewrite, IsEmpty());
  EXPECT_EQ(DecodeDcb(wire::Dcb("dcb0", {}, 0x09), "dcb0")->rewrite.missing(),
            (Missing{Missing::Kind::kUnsupported, "the kernel has no rewrite table (before Linux 6.3)"}));
}

TEST(DcbAnswer, APeerThatWasNotHeardIsUnsupportedByName) {
  const auto dcb = DecodeDcb(wire::FullDcb("dcb0"), "dcb0");
  for (const Missing& missing : {dcb->peer.ets.missing(), dcb->peer.pfc.missing(), dcb->peer.app.missing()}) {
    EXPECT_EQ(missing.kind, Missing::Kind::kUnsupported);
  }
  EXPECT_THAT(dcb->peer.ets.missing().detail, HasSubstr("ieee_peer_getets"));
  EXPECT_THAT(dcb->peer.pfc.missing().detail, HasSubstr("ieee_peer_getpfc"));
  EXPECT_THAT(dcb->peer.app.missing().detail, HasSubstr("peer_getapptable"));
}

TEST(DcbAnswer, ThePeersAppTableOfTheOlderDialectIsNotTakenForIeee) {
  EXPECT_THAT(DecodeDcb(wire::PeerDcb("dcb0", 0x06), "dcb0")->peer.app.missing().detail, HasSubstr("CEE"));
  EXPECT_TRUE(DecodeDcb(wire::PeerDcb("dcb0", 0x0e), "dcb0")->peer.app);
}

TEST(DcbAnswer, OfAnotherInterfaceIsAnError) { EXPECT_FALSE(DecodeDcb(wire::FullDcb("dcb1"), "dcb0").ok()); }

TEST(ReadDcb, ADriverWithoutDcbIsToldFromAKernelWithoutIt) {
  FakeHost host;
  host.Answer(wire::DcbRequest("eth0"), ErrnoStatus(EOPNOTSUPP, "ask dcbnl"));
  host.Answer(wire::DcbRequest("/"), ErrnoStatus(ENODEV, "ask dcbnl"));
  Dcb none;
  SetAllMissing(none, kNoOps);
  EXPECT_EQ(ReadDcb(host, "eth0"), none);

  host.Answer(wire::DcbRequest("/"), ErrnoStatus(EOPNOTSUPP, "ask dcbnl"));
  EXPECT_EQ(ReadDcb(host, "eth0").pfc.missing(),
            (Missing{Missing::Kind::kUnsupported, "kernel without CONFIG_DCB"}));
}

TEST(ReadDcb, WhenTheSecondQuestionDoesNotTellTheKernelsWordsStay) {
  FakeHost host;
  host.Answer(wire::DcbRequest("eth0"), ErrnoStatus(EOPNOTSUPP, "ask dcbnl"));
  host.Answer(wire::DcbRequest("/"), ErrnoStatus(ETIMEDOUT, "ask dcbnl"));
  EXPECT_EQ(ReadDcb(host, "eth0").pfc.missing(),
            (Missing{Missing::Kind::kUnsupported, "ask dcbnl: Operation not supported"}));
}

TEST(ReadDcb, AnInterfaceThatWentAwayIsAFailure) {
  FakeHost host;
  host.Answer(wire::DcbRequest("eth0"), ErrnoStatus(ENODEV, "ask dcbnl"));
  EXPECT_EQ(ReadDcb(host, "eth0").ets.missing(),
            (Missing{Missing::Kind::kFailed, "ask dcbnl: No such device"}));
}

TEST(ReadDcb, ARefusalIsDenied) {
  FakeHost host;
  host.Answer(wire::DcbRequest("eth0"), ErrnoStatus(EPERM, "ask dcbnl"));
  EXPECT_EQ(ReadDcb(host, "eth0").ets.missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
