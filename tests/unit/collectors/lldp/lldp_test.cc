// SPDX-License-Identifier: Apache-2.0
// One frame: the basic TLVs, those of 802.1 and 802.3, and every way in which a frame can be wrong.
#include "collectors/lldp/lldp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/support/lldp_wire.h"

namespace rdmaready {
namespace {

using lldp_wire::Bytes;
using lldp_wire::Chassis;
using lldp_wire::End;
using lldp_wire::Frame;
using lldp_wire::Header;
using lldp_wire::Of8021;
using lldp_wire::Of8023;
using lldp_wire::Raw;
using lldp_wire::Text;
using lldp_wire::Tlv;
using lldp_wire::Ttl;
using lldp_wire::operator+;
using testing::ElementsAre;
using testing::IsEmpty;

LldpNeighbour Decoded(const Bytes& frame) {
  absl::StatusOr<LldpNeighbour> neighbour = DecodeLldpFrame(frame);
  if (!neighbour.ok()) {
    ADD_FAILURE() << Message(neighbour.status());
    return {};
  }
  return *std::move(neighbour);
}

std::string Refused(const Bytes& frame) {
  const absl::StatusOr<LldpNeighbour> neighbour = DecodeLldpFrame(frame);
  return neighbour.ok() ? "(taken)" : Message(neighbour.status());
}

// "at byte" of what comes first behind the three that have to be there.
std::string First(const std::string& name, const std::string& why) {
  return name + " at byte " + std::to_string(lldp_wire::kRestAt) + ": " + why;
}

TEST(LldpFrame, ReadsAddressesIdsAndTimeToLive) {
  const LldpNeighbour neighbour = Decoded(Frame({}));
  EXPECT_EQ(neighbour.destination_mac, "01:80:c2:00:00:0e");
  EXPECT_EQ(neighbour.source_mac, "02:00:00:00:00:01");
  EXPECT_EQ(neighbour.chassis, (LldpId{4, "02:00:00:00:00:01"}));
  EXPECT_EQ(neighbour.port, (LldpId{5, "Ethernet1/1"}));
  EXPECT_EQ(neighbour.ttl_s, 120);
  EXPECT_THAT(neighbour.oddities, IsEmpty());
  EXPECT_EQ(neighbour.dialects, LldpDialects{});
  EXPECT_FALSE(neighbour.max_frame_bytes || neighbour.port_vlan_id || neighbour.pfc || neighbour.app);
}

TEST(LldpFrame, AnIdIsWrittenByItsSubtype) {
  struct Case {
    Bytes value;
    bool chassis;
    std::string text;
  };
  const Case cases[] = {
      {Raw({4, 1, 2, 3, 4, 5, 6}), true, "01:02:03:04:05:06"},
      {Raw({3, 1, 2, 3, 4, 5, 6}), false, "01:02:03:04:05:06"},
      {Raw({4, 1, 2, 3}), true, "010203"},  // no MAC address after all
      {Raw({5, 1, 10, 0, 0, 1}), true, "10.0.0.1"},
      {Raw({4, 1, 10, 0, 0, 1}), false, "10.0.0.1"},
      {Raw({5, 2, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), true, "fe80::1"},
      {Raw({5, 1, 10, 0, 0}), true, "010a0000"},  // an IPv4 address of three bytes
      {Raw({7}) + Text("leaf 1"), true, "leaf 1"},
      {Raw({7, 0x80, 0x0a}), false, "800a"},
  };
  for (const Case& one : cases) {
    const Bytes frame = one.chassis ? Header() + Tlv(1, one.value) + lldp_wire::Port() + Ttl()
                                    : Header() + Chassis() + Tlv(2, one.value) + Ttl();
    const LldpNeighbour neighbour = Decoded(frame);
    EXPECT_EQ(one.chassis ? neighbour.chassis.text : neighbour.port.text, one.text);
  }
}

TEST(LldpFrame, ReadsEveryOtherTlv) {
  const LldpNeighbour neighbour = Decoded(lldp_wire::FullFrame());
  EXPECT_THAT(neighbour.oddities, IsEmpty());
  EXPECT_EQ(neighbour.unknown_tlvs, 0U);
  EXPECT_EQ(neighbour.port_description, "to storage1");
  EXPECT_EQ(neighbour.system_name, "leaf1");
  EXPECT_EQ(neighbour.system_description, "a switch");
  EXPECT_EQ(neighbour.capabilities, 0x14);
  EXPECT_EQ(neighbour.capabilities_enabled, 0x04);
  EXPECT_THAT(neighbour.management, ElementsAre(LldpManagementAddress{"10.0.0.1", 1001}));
  EXPECT_EQ(neighbour.port_vlan_id, 711);
  EXPECT_THAT(neighbour.vlans, ElementsAre(LldpVlan{711, "storage"}));
  EXPECT_EQ(neighbour.aggregation, (LldpAggregation{true, true, 9}));
  EXPECT_EQ(neighbour.congestion, (LldpCongestion{0x08, 0x04}));
  EXPECT_EQ(neighbour.mac_phy, (LldpMacPhy{true, true, 0x6c11, 30}));
  EXPECT_EQ(neighbour.max_frame_bytes, 9216);
}

TEST(LldpFrame, ReadsWhatLldpadSends) {
  const LldpNeighbour neighbour = Decoded(lldp_wire::LldpadFrame());
  EXPECT_THAT(neighbour.oddities, IsEmpty());
  EXPECT_EQ(neighbour.unknown_tlvs, 0U);
  EXPECT_EQ(neighbour.chassis, (LldpId{4, "52:54:00:00:01:02"}));
  EXPECT_EQ(neighbour.port, (LldpId{3, "52:54:00:00:01:02"}));
  EXPECT_EQ(neighbour.system_name, "guest2");
  EXPECT_EQ(neighbour.mac_phy, (LldpMacPhy{false, false, 1, 0}));
  EXPECT_EQ(neighbour.max_frame_bytes, 9018);
  EXPECT_EQ(neighbour.dialects, (LldpDialects{.ieee = true}));
  const LldpEts ets{
      .traffic_classes = 8, .prio_tc = {0, 0, 0, 1}, .percent = {50, 50}, .tsa = {Tsa::kEts, Tsa::kEts}};
  EXPECT_EQ(neighbour.ets, ets);
  EXPECT_EQ(neighbour.ets_recommended->percent, ets.percent);
  EXPECT_EQ(neighbour.pfc, (LldpPfc{.willing = true, .capability = 8, .enabled = 0x18}));
  EXPECT_THAT(neighbour.app.value(), ElementsAre(AppEntry{AppSelector::kDscp, 3, 26}));
}

TEST(LldpFrame, WhatMayComeOftenIsKeptInItsOrder) {
  const LldpNeighbour neighbour =
      Decoded(Frame(Of8021(3, Raw({0, 1, 1}) + Text("a")) + Of8021(3, Raw({0, 2, 0}))));
  EXPECT_THAT(neighbour.vlans, ElementsAre(LldpVlan{1, "a"}, LldpVlan{2, ""}));
  EXPECT_THAT(neighbour.oddities, IsEmpty());
}

TEST(LldpFrame, TheNewerLinkAggregationCountsWhereverItStands) {
  const Bytes older = Of8023(3, Raw({1, 0, 0, 0, 1}));
  const Bytes newer = Of8021(7, Raw({3, 0, 0, 0, 2}));
  EXPECT_EQ(Decoded(Frame(older)).aggregation, (LldpAggregation{true, false, 1}));
  EXPECT_EQ(Decoded(Frame(older + newer)).aggregation, (LldpAggregation{true, true, 2}));
  EXPECT_EQ(Decoded(Frame(newer + older)).aggregation, (LldpAggregation{true, true, 2}));
}

TEST(LldpFrame, WhatIsNotKnownIsCounted) {
  const LldpNeighbour neighbour = Decoded(Frame(
      Tlv(9, Raw({1})) + Of8021(99, {}) + Tlv(127, Raw({0x00, 0x01, 0x42, 1})) + Of8023(4, Raw({5, 238}))));
  EXPECT_EQ(neighbour.unknown_tlvs, 3U);
  EXPECT_EQ(neighbour.max_frame_bytes, 1518);
  EXPECT_THAT(neighbour.oddities, IsEmpty());
}

TEST(LldpFrame, WhatFollowsTheEndIsPadding) {
  const LldpNeighbour neighbour = Decoded(Frame({}) + Raw({0xff, 0xff, 0xff}));
  EXPECT_THAT(neighbour.oddities, IsEmpty());
  EXPECT_EQ(neighbour.unknown_tlvs, 0U);
}

TEST(LldpFrame, ForeignTextIsMadeHarmless) {
  EXPECT_EQ(Decoded(Frame(Tlv(5, Raw({'a', 0x1b, '[', 0xff, '\n', 'b', 0})))).system_name, "a?[??b");
}

TEST(LldpFrame, AFrameThatAReceiverDiscardsIsAnError) {
  struct Case {
    Bytes frame;
    std::string why;
  };
  const Case cases[] = {
      {{}, "not of LLDP's EtherType"},
      {Header(0x88b5) + Chassis() + lldp_wire::Port() + Ttl(), "not of LLDP's EtherType"},
      {Header(), "ends at byte 14"},
      {Header() + Raw({2}), "ends at byte 14"},
      {Header() + Tlv(1, Raw({4, 1}), 200), "ends at byte 14"},
      {Header() + End(), "at byte 14: TLV 0, not the chassis ID"},
      {Header() + lldp_wire::Port() + Chassis() + Ttl(), "at byte 14: TLV 2, not the chassis ID"},
      {Header() + Tlv(1, Raw({4})) + lldp_wire::Port() + Ttl(), "at byte 14: chassis ID of 1 bytes"},
      {Header() + Tlv(1, Bytes(257)) + lldp_wire::Port() + Ttl(), "at byte 14: chassis ID of 257 bytes"},
      {Header() + Chassis() + Ttl(), "at byte 23: TLV 3, not the port ID"},
      {Header() + Chassis() + lldp_wire::Port(), "ends at byte 37"},
      {Header() + Chassis() + lldp_wire::Port() + Tlv(3, Raw({1})), "at byte 37: time to live of 1 bytes"},
      {Frame(Chassis()), "at byte 41: a second chassis ID"},
      {Frame(Ttl()), "at byte 41: a second time to live"},
  };
  for (const Case& one : cases) EXPECT_EQ(Refused(one.frame), "decode LLDP: " + one.why);
}

TEST(LldpFrame, ATlvThatIsWrongIsLeftOutAndNamedWithItsPlace) {
  struct Case {
    Bytes tlv;
    std::string oddity;
  };
  const Case cases[] = {
      {Tlv(7, Raw({0, 4, 0})), First("system capabilities", "3 bytes, not 4")},
      {Tlv(8, Raw({5, 1, 10, 0, 0, 1, 2, 0, 0, 0, 1, 9})),
       First("management address", "ends in the middle of its object identifier")},
      {Tlv(8, Raw({30, 1, 10, 0, 0, 1, 2, 0, 0, 0, 1, 0})), First("management address", "ends in the middle")},
      {Tlv(8, Raw({1, 1, 10, 0, 0, 1, 2, 0, 0, 0, 1, 0})),
       First("management address", "an address of 1 bytes")},
      {Of8021(1, Raw({2})), First("port VLAN ID", "1 bytes, not 2")},
      {Of8021(3, Raw({0, 1, 9, 'a'})), First("VLAN name", "ends in the middle of the name")},
      {Of8021(7, Raw({3, 0, 0, 0})), First("link aggregation", "4 bytes, not 5")},
      {Of8021(8, Raw({3})), First("congestion notification", "1 bytes, not 2")},
      {Of8023(1, Raw({3, 0, 0, 0})), First("MAC/PHY status", "4 bytes, not 5")},
      {Of8023(4, {}), First("maximum frame size", "0 bytes, not 2")},
      {Tlv(127, Raw({0x00, 0x80, 0xc2})), First("a TLV of an organization", "too short")},
      {Tlv(127, {}), First("a TLV of an organization", "too short")},
  };
  const LldpNeighbour nothing = Decoded(Frame({}));
  for (const Case& one : cases) {
    LldpNeighbour neighbour = Decoded(Frame(one.tlv));
    EXPECT_THAT(neighbour.oddities, ElementsAre(one.oddity));
    neighbour.oddities.clear();
    EXPECT_EQ(neighbour, nothing) << one.oddity;
  }
}

TEST(LldpFrame, TooLongATlvIsReadAndNamed) {
  const LldpNeighbour neighbour = Decoded(Frame(Of8023(4, Raw({0x24, 0x00, 0xff}))));
  EXPECT_EQ(neighbour.max_frame_bytes, 9216);
  EXPECT_THAT(neighbour.oddities, ElementsAre(First("maximum frame size", "3 bytes, more than 2")));
}

TEST(LldpFrame, OfTwoThatMayComeOnceTheFirstCounts) {
  const LldpNeighbour neighbour =
      Decoded(Frame(Of8023(4, Raw({5, 238})) + Of8023(4, Raw({0x24, 0x00}))));
  EXPECT_EQ(neighbour.max_frame_bytes, 1518);
  EXPECT_THAT(neighbour.oddities, ElementsAre("maximum frame size at byte 49: a second one"));
}

TEST(LldpFrame, AFrameThatEndsInATlvKeepsWhatCameBefore) {
  const LldpNeighbour neighbour = Decoded(Header() + Chassis() + lldp_wire::Port() + Ttl() +
                                                  Tlv(5, Text("leaf1")) + Tlv(6, Text("a"), 40));
  EXPECT_EQ(neighbour.system_name, "leaf1");
  EXPECT_THAT(neighbour.oddities, ElementsAre("the frame at byte 48: ends in the middle of a TLV"));
}

TEST(LldpFrame, AnyNumberOfWrongTlvsMakesAFewOddities) {
  Bytes many;
  for (int i = 0; i < 200; ++i) many = many + Tlv(127, {});
  EXPECT_EQ(Decoded(Frame(many)).oddities.size(), 16U);
}

// Every cut of a frame of everything: what is read is read from the frame, under the sanitizers' eyes.
TEST(LldpFrame, CutAnywhereItIsAnErrorOrANeighbour) {
  const Bytes full = lldp_wire::FullFrame();
  for (std::size_t bytes = 0; bytes < full.size(); ++bytes) {
    const Bytes cut(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_EQ(DecodeLldpFrame(cut).ok(), bytes >= lldp_wire::kRestAt) << bytes;
  }
}

}  // namespace
}  // namespace rdmaready
