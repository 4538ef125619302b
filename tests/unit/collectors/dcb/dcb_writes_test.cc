// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/dcb/dcb.h"
#include "collectors/overhear.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using wire::operator+;

// PFC on the priorities of the bitmap, and two rows of the APP table.
wire::Bytes Settings(std::uint8_t pfc, bool other_order = false, const std::string& name = "dcb0") {
  wire::Bytes raw = wire::Pfc();
  raw[1] = std::byte{pfc};
  const wire::Bytes one = wire::Attr(1, wire::App(5, 3, 26));
  const wire::Bytes two = wire::Attr(1, wire::App(1, 0, 0));
  return wire::Dcb(
      name,
      wire::Attr(1, wire::Ets()) + wire::Attr(2, raw) + wire::Attr(3, other_order ? two + one : one + two),
      0x09);
}

DcbNotice Notice(wire::Bytes payload, std::uint32_t sequence, std::vector<ProcessName> newcomers = {}) {
  return {.type = 79,
          .sequence = sequence,
          .at_ms = 1000,
          .payload = std::move(payload),
          .newcomers = std::move(newcomers)};
}

constexpr std::uint32_t kAsked = 1;

Dcb Before(std::uint8_t pfc = 8) { return *DecodeDcb(Settings(pfc), "dcb0"); }

DcbWrites Decoded(std::vector<DcbNotice> notices, std::vector<ProcessName> residents = {}) {
  Dcb settings = Before();
  return DecodeDcbWrites(
      {.listened_ms = 5000, .residents = std::move(residents), .notices = std::move(notices)}, "dcb0",
      settings);
}

TEST(DcbWrites, WhatChangedIsToldFromTheSettingsBefore) {
  Dcb settings = Before();
  const DcbNotices heard{.listened_ms = 5000,
                         .notices = {Notice(Settings(16), kAsked), Notice(Settings(0), kAsked),
                                     Notice(Settings(0, true), kAsked)}};
  const DcbWrites writes = DecodeDcbWrites(heard, "dcb0", settings);
  ASSERT_THAT(writes.writes, SizeIs(3));
  EXPECT_THAT(writes.writes[0].changed, ElementsAre("PFC 3 -> 4"));
  EXPECT_THAT(writes.writes[1].changed, ElementsAre("PFC 4 -> off"));
  EXPECT_THAT(writes.writes[2].changed, IsEmpty()) << "the order of rows means nothing";
  EXPECT_EQ(settings.pfc->enabled, 0);
  EXPECT_EQ(writes.listened_ms, 5000U);
}

TEST(DcbWrites, OfAnotherNetdevAreNotThisOnes) {
  EXPECT_THAT(Decoded({Notice(Settings(16, false, "dcb1"), kAsked)}).writes, IsEmpty());
}

TEST(DcbWrites, ARequestHasANumberAndADriverNone) {
  const std::vector<ProcessName> newcomers{{712, "dcb"}};
  const DcbWrites writes =
      Decoded({Notice(Settings(16), kAsked, newcomers), Notice(Settings(8), 0, newcomers)});
  ASSERT_THAT(writes.writes, SizeIs(2));
  EXPECT_EQ(writes.writes[0].writer, DcbWriter::kProcess);
  EXPECT_THAT(writes.writes[0].suspects, ElementsAre("dcb (process 712)"));
  EXPECT_EQ(writes.writes[1].writer, DcbWriter::kDriver);
  EXPECT_THAT(writes.writes[1].suspects, IsEmpty());
}

TEST(DcbWrites, SuspectedAreWhoCameJustThenAndTheDaemonsThatWrite) {
  const DcbWrites writes =
      Decoded({Notice(Settings(16), kAsked), Notice(Settings(8), kAsked, {{712, "python3"}, {713, ""}})},
              {{612, "lldpad"}, {1, "systemd"}});
  EXPECT_THAT(writes.writes.at(0).suspects, ElementsAre("lldpad (process 612)"));
  EXPECT_THAT(writes.writes.at(1).suspects,
              ElementsAre("python3 (process 712)", "one that is gone (process 713)", "lldpad (process 612)"));
  EXPECT_THAT(Decoded({Notice(Settings(16), kAsked)}, {{1, "systemd"}}).writes.at(0).suspects, IsEmpty());
}

TEST(DcbWrites, LikeOnesInARowAreCounted) {
  std::vector<DcbNotice> notices(5, Notice(Settings(8), 7));
  notices.back().at_ms = 4000;
  const DcbWrites writes = Decoded(notices);
  ASSERT_THAT(writes.writes, SizeIs(1));
  EXPECT_EQ(writes.writes[0].times, 5U);
  EXPECT_EQ(writes.writes[0].first_ms, 1000U);
  EXPECT_EQ(writes.writes[0].last_ms, 4000U);
}

TEST(DcbWrites, MoreKindsThanAreKeptAreSaidToBeLost) {
  std::vector<DcbNotice> notices;
  for (int i = 0; i < 100; ++i) notices.push_back(Notice(Settings(i % 2 == 0 ? 16 : 8), kAsked));
  const DcbWrites writes = Decoded(notices);
  EXPECT_TRUE(writes.lost);
  EXPECT_FALSE(Decoded({notices.front()}).lost);
}

TEST(DcbWrites, OfTheOlderDialectAreComparedInIt) {
  Dcb settings = Before();
  settings.cee = CeeSettings{};
  const DcbNotices heard{.notices = {Notice(wire::FullCee("dcb0"), 3)}};
  const DcbWrites writes = DecodeDcbWrites(heard, "dcb0", settings);
  ASSERT_THAT(writes.writes, SizeIs(1));
  EXPECT_THAT(writes.writes[0].changed, ElementsAre("CEE"));
  EXPECT_EQ(settings.pfc, Before().pfc);
}

TEST(DcbWrites, AnAnnouncementOfNoSenseIsAWriteAllTheSame) {
  wire::Bytes named = wire::Of(dcbmsg{AF_UNSPEC, 21, 0}) + wire::Text(DCB_ATTR_IFNAME, "dcb0");
  const DcbWrites writes = Decoded({Notice(named, 3), Notice({std::byte{1}}, 3)});
  ASSERT_THAT(writes.writes, SizeIs(1));
  EXPECT_THAT(writes.writes[0].changed, ElementsAre("what could not be read"));
}

TEST(DcbWrites, EachPartThatDiffersIsNamed) {
  const Dcb before = Before();
  const auto differs = [&before](auto change) {
    Dcb after = before;
    change(after);
    return DcbDifferences(before, after);
  };
  EXPECT_THAT(DcbDifferences(before, before), IsEmpty());
  EXPECT_THAT(differs([](Dcb& dcb) { dcb.ets = Ets{}; }), ElementsAre("ETS"));
  EXPECT_THAT(differs([](Dcb& dcb) { dcb.app = std::vector<AppEntry>{}; }), ElementsAre("APP"));
  EXPECT_THAT(differs([](Dcb& dcb) { dcb.dcbx = Dcbx{.cee = true}; }), ElementsAre("DCBX mode"));
  EXPECT_THAT(differs([](Dcb& dcb) {
                Pfc pfc = *dcb.pfc;
                pfc.delay = 1;
                dcb.pfc = pfc;
              }),
              ElementsAre("PFC delay"));
  EXPECT_THAT(differs([](Dcb& dcb) {
                Pfc pfc = *dcb.pfc;
                pfc.pauses_sent[3] = 1000;
                dcb.pfc = pfc;
              }),
              IsEmpty())
      << "what counts is no setting";
  EXPECT_THAT(differs([](Dcb& dcb) { dcb.ets = Missing{Missing::Kind::kFailed, "no"}; }), IsEmpty());
}

// ---- in the facts ----

Facts HostWith(Dcb dcb) {
  Netdev netdev{.name = "dcb0", .admin_up = true, .carrier = true};
  netdev.dcb = std::move(dcb);
  Port port{.device = "rxe0", .number = 1};
  port.netdev = netdev;
  port.lowers = std::vector<Netdev>{};
  Facts facts;
  facts.ports = std::vector<Port>{port};
  return facts;
}

const Fact<DcbWrites>& WritesIn(const Facts& facts) { return facts.ports->front().netdev->dcb_writes; }

TEST(KeepDcbWrites, WhatDiffersAtTheEndAndWasNotAnnouncedIsSaid) {
  Facts after = HostWith(Before(32));
  KeepDcbWrites(DcbNotices{.notices = {Notice(Settings(16), kAsked)}}, HostWith(Before()), after);
  ASSERT_TRUE(WritesIn(after));
  EXPECT_THAT(WritesIn(after)->writes.at(0).changed, ElementsAre("PFC 3 -> 4"));
  EXPECT_THAT(WritesIn(after)->unannounced, ElementsAre("PFC 4 -> 5"));
  Facts quiet = HostWith(Before());
  KeepDcbWrites(DcbNotices{.listened_ms = 9}, HostWith(Before()), quiet);
  EXPECT_EQ(*WritesIn(quiet), DcbWrites{.listened_ms = 9});
}

TEST(KeepDcbWrites, SaysWhyNobodyKnows) {
  Facts deaf = HostWith(Before());
  KeepDcbWrites(Missing{Missing::Kind::kDenied, "no"}, HostWith(Before()), deaf);
  EXPECT_EQ(WritesIn(deaf).missing().kind, Missing::Kind::kDenied);
  Facts came = HostWith(Before());
  KeepDcbWrites(DcbNotices{}, Facts{}, came);
  EXPECT_EQ(WritesIn(came).missing().detail, "the interface was not there when the watch began");
  const Missing none{Missing::Kind::kUnsupported, "driver has no DCB"};
  Facts without = HostWith({none, none, none, none, none, none, none, none, {none, none, none}, none});
  EXPECT_FALSE(AnyDcb(without));
  KeepDcbWrites(DcbNotices{}, without, without);
  EXPECT_EQ(WritesIn(without).missing().kind, Missing::Kind::kUnsupported);
}

TEST(KeepDcbWrites, OfABondTheyAreOnThePortsUnderIt) {
  Facts bond = HostWith(Before());
  std::vector<Port> ports = *bond.ports;
  ports.front().lowers = std::vector<Netdev>{*ports.front().netdev};
  bond.ports = ports;
  const Facts before = bond;
  KeepDcbWrites(DcbNotices{.notices = {Notice(Settings(16), kAsked)}}, before, bond);
  EXPECT_EQ(WritesIn(bond).missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(bond.ports->front().lowers->front().dcb_writes->writes, SizeIs(1));
}

TEST(Overhear, ListensToBothAndOnlyWhereThereIsDcb) {
  FakeHost host;
  host.lldp["dcb0"] = LldpFrames{.listened_ms = 2000};
  host.dcb_notices = DcbNotices{.listened_ms = 2000};
  const Overheard heard = Overhear(host, {}, HostWith(Before()));
  EXPECT_TRUE(heard.lldp.at("dcb0"));
  ASSERT_TRUE(heard.dcb);
  EXPECT_EQ(heard.dcb->listened_ms, 2000U);
  const Missing none{Missing::Kind::kUnsupported, "driver has no DCB"};
  const Facts without = HostWith({none, none, none, none, none, none, none, none, {none, none, none}, none});
  EXPECT_EQ(Overhear(host, {}, without).dcb.missing().kind, Missing::Kind::kNotCollected);
}

TEST(ReadDcbWrites, WithOneReadingNothingIsUnannounced) {
  FakeHost host;
  host.dcb_notices = DcbNotices{.notices = {Notice(Settings(16), kAsked)}};
  Facts facts = HostWith(Before());
  ReadDcbWrites(host, {}, facts);
  ASSERT_TRUE(WritesIn(facts));
  EXPECT_THAT(WritesIn(facts)->writes, SizeIs(1));
  EXPECT_THAT(WritesIn(facts)->unannounced, IsEmpty());
}

}  // namespace
}  // namespace rdmaready
