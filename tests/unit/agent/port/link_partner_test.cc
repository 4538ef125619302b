// SPDX-License-Identifier: Apache-2.0
#include "agent/port/link_partner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using PartnerKind = LinkPartner::Kind;

LldpNeighbour NeighbourThat(std::uint16_t enabled, const std::string& port = "p1") {
  return {.destination_mac = "01:80:c2:00:00:0e",
          .last_ms = 500,
          .chassis = {4, "02:00:00:00:00:02"},
          .port = {5, port},
          .ttl_s = 120,
          .capabilities = 0xff,
          .capabilities_enabled = enabled};
}

TEST(LinkPartner, IsUnknownWhereNothingIsHeard) { EXPECT_EQ(PartnerBy({}).kind, PartnerKind::kUnknown); }

TEST(LinkPartner, IsUnknownWhereTheNeighbourDoesNotSayWhatItIs) {
  EXPECT_EQ(PartnerBy({NeighbourThat(0)}).kind, PartnerKind::kUnknown);
  EXPECT_EQ(PartnerBy({NeighbourThat(0x08)}).kind, PartnerKind::kUnknown);
}

TEST(LinkPartner, IsAStationWhereOneNeighbourIsNothingElse) {
  EXPECT_EQ(PartnerBy({NeighbourThat(0x80)}).kind, PartnerKind::kStation);
  EXPECT_EQ(PartnerBy({NeighbourThat(0x80), NeighbourThat(0x80)}).kind, PartnerKind::kStation);
}

TEST(LinkPartner, IsUnknownByAFrameThatBridgesForward) {
  LldpNeighbour far = NeighbourThat(0x80);
  far.destination_mac = "01:80:c2:00:00:00";
  EXPECT_EQ(PartnerBy({far}).kind, PartnerKind::kUnknown);
  far.destination_mac = "";
  EXPECT_EQ(PartnerBy({far}).kind, PartnerKind::kStation);
}

TEST(LinkPartner, IsAnotherWhereItBridgesOrRoutes) {
  for (const std::uint16_t enabled : std::initializer_list<std::uint16_t>{0x04, 0x10, 0x14, 0x84, 0x90}) {
    const LinkPartner partner = PartnerBy({NeighbourThat(enabled)});
    EXPECT_EQ(partner.kind, PartnerKind::kOther) << enabled;
    EXPECT_EQ(partner.text, "chassis 02:00:00:00:00:02 port p1 is a bridge or a router");
  }
}

TEST(LinkPartner, IsAnotherWhereTwoNeighboursAreHeard) {
  const LinkPartner partner = PartnerBy({NeighbourThat(0x80), NeighbourThat(0x80, "p2")});
  EXPECT_EQ(partner.kind, PartnerKind::kOther);
  EXPECT_THAT(partner.text, HasSubstr("are two neighbours"));
}

class HeardNeighboursTest : public testing::Test {
 protected:
  HeardNeighboursTest() {
    netdev_.name = "dcb0";
    netdev_.carrier_changes = std::uint64_t{2};
  }

  void Remember(std::vector<LldpNeighbour> peers) {
    Port port{.device = "rxe0", .number = 1};
    Netdev listened = netdev_;
    listened.lldp = LldpHeard{.listened_ms = 1'000, .peers = std::move(peers)};
    port.netdev = listened;
    port.lowers = std::vector<Netdev>{};
    Facts facts;
    facts.ports = std::vector<Port>{port};
    heard_.Remember(facts, now_);
  }
  std::vector<LldpNeighbour> Heard() { return heard_.Of(netdev_, now_); }

  Netdev netdev_{};
  Clock::TimePoint now_{std::chrono::hours(10)};
  HeardNeighbours heard_{};
};

TEST_F(HeardNeighboursTest, StayUntilTheirTimeIsOver) {
  EXPECT_THAT(Heard(), IsEmpty());
  Remember({NeighbourThat(0x80)});
  EXPECT_THAT(Heard(), SizeIs(1));
  now_ += seconds(120);
  EXPECT_THAT(Heard(), SizeIs(1));
  now_ += milliseconds(500);
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(HeardNeighboursTest, StayWhereALaterListenerHearsNothing) {
  Remember({NeighbourThat(0x04)});
  now_ += seconds(10);
  Remember({});
  EXPECT_THAT(Heard(), SizeIs(1));
  Remember({NeighbourThat(0x80, "p2")});
  EXPECT_EQ(PartnerBy(Heard()).kind, PartnerKind::kOther);
}

TEST_F(HeardNeighboursTest, ChangeWithTheirLastFrame) {
  Remember({NeighbourThat(0x80)});
  Remember({NeighbourThat(0x14)});
  ASSERT_THAT(Heard(), SizeIs(1));
  EXPECT_EQ(Heard()[0].capabilities_enabled, 0x14);
}

TEST_F(HeardNeighboursTest, GoWithTheirCarrier) {
  Remember({NeighbourThat(0x80)});
  netdev_.carrier_changes = std::uint64_t{4};
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(HeardNeighboursTest, ContainThoseOfLldpad) {
  netdev_.lldp_agent = LldpHeard{.peers = {NeighbourThat(0x80)}};
  EXPECT_THAT(Heard(), SizeIs(1));
}

TEST_F(HeardNeighboursTest, NeverExceedTheirLimit) {
  std::vector<LldpNeighbour> many;
  for (int i = 0; i < 100; ++i) many.push_back(NeighbourThat(0x80, "p" + std::to_string(i)));
  Remember(many);
  EXPECT_THAT(Heard(), SizeIs(HeardNeighbours::kMostNeighbours));
}

}  // namespace
}  // namespace rdmaready
