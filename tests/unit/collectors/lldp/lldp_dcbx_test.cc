// SPDX-License-Identifier: Apache-2.0
// DCBX inside of LLDP: the IEEE and CEE dialects, and the name of the older one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "collectors/lldp/lldp.h"
#include "tests/support/lldp_wire.h"

namespace rdmaready {
namespace {

using lldp_wire::Bytes;
using lldp_wire::Frame;
using lldp_wire::Of8021;
using lldp_wire::OfCee;
using lldp_wire::Raw;
using lldp_wire::Tlv;
using lldp_wire::operator+;
using testing::ElementsAre;
using testing::IsEmpty;

LldpNeighbour Decode(const Bytes& tlvs) {
  absl::StatusOr<LldpNeighbour> neighbour = DecodeLldpFrame(Frame(tlvs));
  if (!neighbour.ok()) {
    ADD_FAILURE() << Message(neighbour.status());
    return {};
  }
  return *std::move(neighbour);
}

TEST(IeeeDcbx, ReadsEtsWithPriorityZeroInTheHighestBits) {
  const LldpNeighbour neighbour = Decode(lldp_wire::EtsConfiguration(0x80 | 0x40 | 3));
  ASSERT_TRUE(neighbour.ets);
  EXPECT_TRUE(neighbour.ets->willing);
  EXPECT_TRUE(neighbour.ets->credit_based_shaper);
  EXPECT_EQ(neighbour.ets->traffic_classes, 3);
  EXPECT_THAT(neighbour.ets->prio_tc, ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(neighbour.ets->percent, ElementsAre(50, 50, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(neighbour.ets->tsa, ElementsAre(Tsa::kEts, Tsa::kEts, Tsa::kStrict, Tsa::kStrict, Tsa::kStrict,
                                              Tsa::kStrict, Tsa::kStrict, Tsa::kStrict));
  EXPECT_FALSE(neighbour.ets_recommended);
  EXPECT_EQ(neighbour.dialects, (LldpDialects{.ieee = true}));
}

TEST(IeeeDcbx, NoTrafficClassesStandForEight) {
  EXPECT_EQ(Decode(lldp_wire::EtsConfiguration(0)).ets->traffic_classes, 8);
}

TEST(IeeeDcbx, ARecommendationIsNoConfiguration) {
  const LldpNeighbour neighbour = Decode(lldp_wire::EtsRecommendation());
  EXPECT_FALSE(neighbour.ets);
  ASSERT_TRUE(neighbour.ets_recommended);
  EXPECT_EQ(neighbour.ets_recommended->prio_tc[3], 1);
  EXPECT_EQ(neighbour.ets_recommended->traffic_classes, 0);
}

TEST(IeeeDcbx, ReadsPfc) {
  const LldpNeighbour neighbour = Decode(lldp_wire::Pfc(0x80 | 8, 0x18));
  EXPECT_EQ(neighbour.pfc,
            (LldpPfc{.willing = true, .macsec_bypass = false, .capability = 8, .enabled = 0x18}));
  EXPECT_EQ(Decode(lldp_wire::Pfc(0x40 | 2, 0)).pfc,
            (LldpPfc{.willing = false, .macsec_bypass = true, .capability = 2, .enabled = 0}));
}

TEST(IeeeDcbx, ReadsApplicationPriorities) {
  EXPECT_THAT(Decode(lldp_wire::App()).app.value(),
              ElementsAre(AppEntry{AppSelector::kDgram, 3, 4791}, AppEntry{AppSelector::kDscp, 3, 26}));
  EXPECT_THAT(Decode(Of8021(12, Raw({0}))).app.value(), IsEmpty());
}

TEST(IeeeDcbx, WhatIsWrongIsLeftOutAndItsDialectIsKnownAllTheSame) {
  struct Case {
    Bytes tlv;
    std::string oddity;
  };
  const Bytes group8 = Raw({0x00, 0x08, 0, 0}) + Bytes(16);
  const Bytes algorithm3 = Bytes(12) + Raw({0, 0, 3, 0, 0, 0, 0, 0});
  const Case cases[] = {
      {Of8021(9, Raw({0}) + group8), "ETS configuration at byte 41: priority 3 in traffic class 8"},
      {Of8021(10, Raw({0}) + group8), "ETS recommendation at byte 41: priority 3 in traffic class 8"},
      {Of8021(9, Raw({0}) + algorithm3),
       "ETS configuration at byte 41: traffic class 2 with the unknown algorithm 3"},
      {Of8021(12, Raw({0, 0x63, 0x12})), "application priorities at byte 41: 2 bytes of entries of 3"},
      {Of8021(12, Raw({0, 0x60, 0, 1})), "application priorities at byte 41: unknown selector 0"},
      {Of8021(12, Raw({0, 0x66, 0, 1})), "application priorities at byte 41: unknown selector 6"},
  };
  for (const Case& one : cases) {
    const LldpNeighbour neighbour = Decode(one.tlv);
    EXPECT_THAT(neighbour.oddities, ElementsAre(one.oddity));
    EXPECT_FALSE(neighbour.ets || neighbour.ets_recommended || neighbour.pfc || neighbour.app);
    EXPECT_TRUE(neighbour.dialects.ieee);
  }
}

TEST(IeeeDcbx, TooShortIsLeftOut) {
  for (const int subtype : {9, 10}) EXPECT_EQ(Decode(Of8021(subtype, Bytes(20))).oddities.size(), 1U);
  EXPECT_THAT(Decode(Of8021(11, Raw({8}))).oddities,
              ElementsAre("PFC configuration at byte 41: 1 bytes, not 2"));
  EXPECT_THAT(Decode(Of8021(12, {})).oddities,
              ElementsAre("application priorities at byte 41: 0 bytes, not 1"));
}

TEST(IeeeDcbx, TheVendorsAlgorithmIsOne) {
  EXPECT_EQ(Decode(Of8021(9, Bytes(13) + Raw({255, 0, 0, 0, 0, 0, 0, 1}))).ets->tsa,
            (std::array<Tsa, kPriorities>{Tsa::kVendor, Tsa::kStrict, Tsa::kStrict, Tsa::kStrict, Tsa::kStrict,
                                          Tsa::kStrict, Tsa::kStrict, Tsa::kCbShaper}));
}

TEST(CeeDcbx, ReadsItsFourFeatures) {
  const LldpNeighbour neighbour = Decode(lldp_wire::Cee());
  EXPECT_THAT(neighbour.oddities, IsEmpty());
  EXPECT_EQ(neighbour.dialects, (LldpDialects{.cee = true}));
  ASSERT_TRUE(neighbour.cee);
  EXPECT_EQ(neighbour.cee->control, (CeeControl{.sequence = 7, .acknowledged = 6}));
  ASSERT_TRUE(neighbour.cee->groups && neighbour.cee->app);
  EXPECT_EQ(neighbour.cee->groups->feature, (CeeFeature{.enabled = true, .willing = true}));
  EXPECT_THAT(neighbour.cee->groups->prio_group, ElementsAre(0, 0, 0, 1, 0, 0, 0, CeeGroups::kNoLimit));
  EXPECT_THAT(neighbour.cee->groups->percent, ElementsAre(50, 50, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(neighbour.cee->groups->traffic_classes, 8);
  EXPECT_EQ(neighbour.cee->pfc, (CeePfc{.feature = {.enabled = true}, .enabled = 8, .traffic_classes = 8}));
  EXPECT_EQ(neighbour.cee->app->feature, (CeeFeature{.enabled = true, .error = true}));
  EXPECT_THAT(neighbour.cee->app->entries,
              ElementsAre(CeeAppEntry{0, 0x8906, 0x08}, CeeAppEntry{1, 3260, 0x10}));
}

TEST(CeeDcbx, AFeatureThatIsWrongIsLeftOutAndTheOthersAreRead) {
  struct Case {
    Bytes feature;
    std::string why;
  };
  const Bytes head = Raw({0, 0, 0x80, 0});
  const Case cases[] = {
      {Tlv(1, Bytes(9)), "CEE control: 9 bytes, not 10"},
      {Tlv(2, Bytes(16)), "CEE priority groups: 16 bytes, not 17"},
      {Tlv(2, head + Raw({0x90}) + Bytes(12)), "CEE priority groups: priority 0 in group 9"},
      {Tlv(4, head + Bytes(5)), "CEE application priorities: 5 bytes of entries of 6"},
      {Tlv(4, Bytes(3)), "CEE application priorities: 3 bytes, not 4"},
      {lldp_wire::CeePfc(), "CEE PFC: a second one"},
      {Tlv(4, {}, 9), "ends in the middle of a feature"},
  };
  for (const Case& one : cases) {
    const LldpNeighbour neighbour = Decode(OfCee(2, lldp_wire::CeePfc() + one.feature));
    EXPECT_THAT(neighbour.oddities, ElementsAre("DCBX of the CEE dialect at byte 41: " + one.why));
    LldpCee expected;
    expected.pfc = CeePfc{.feature = {.enabled = true}, .enabled = 8, .traffic_classes = 8};
    EXPECT_EQ(neighbour.cee, expected) << one.why;
  }
}

TEST(CeeDcbx, AFeatureThatIsNotKnownIsCounted) {
  const LldpNeighbour neighbour = Decode(OfCee(2, Tlv(6, Bytes(5)) + lldp_wire::CeePfc()));
  EXPECT_EQ(neighbour.unknown_tlvs, 1U);
  EXPECT_TRUE(neighbour.cee->pfc);
}

TEST(OldDcbx, IsNamedAndNotRead) {
  const LldpNeighbour neighbour = Decode(OfCee(1, Raw({1, 2, 3})));
  EXPECT_EQ(neighbour.dialects, (LldpDialects{.cin = true}));
  EXPECT_FALSE(neighbour.cee);
  EXPECT_THAT(neighbour.oddities, IsEmpty());
}

TEST(Dcbx, AnAgentThatSpeaksAllDialectsSaysSo) {
  EXPECT_EQ(Decode(lldp_wire::Pfc() + lldp_wire::Cee() + OfCee(1, {})).dialects,
            (LldpDialects{true, true, true}));
}

}  // namespace
}  // namespace rdmaready
