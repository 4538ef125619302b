// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb_cee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/dcb/dcb.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::operator+;

constexpr std::array<std::uint8_t, 3> kEmptyRow{0, 0, 0};

wire::Bytes Groups(std::array<std::uint8_t, 3> first) {
  return wire::CeeGroups(
      {{first, kEmptyRow, kEmptyRow, kEmptyRow, kEmptyRow, kEmptyRow, kEmptyRow, kEmptyRow}});
}

TEST(Cee, RowsOfADriverWithoutBitmapsAreByPriority) {
  const auto cee = DecodeCee(wire::FullCee("dcb0"), "dcb0");
  ASSERT_TRUE(cee.ok()) << cee.status();
  EXPECT_THAT(cee->prio_group, ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(cee->group_percent, ElementsAre(50, 50, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cee->pfc_enabled, 1 << 3);
}

TEST(Cee, RowsWithABitmapAreOfThePrioritiesInIt) {
  const auto cee = DecodeCee(
      wire::Cee("dcb0", wire::Attr(4, Groups({2, 0b00110000, 100})) + wire::Attr(6, wire::CeePfc())), "dcb0");
  ASSERT_TRUE(cee.ok()) << cee.status();
  EXPECT_EQ(cee->prio_group[4], 2);
  EXPECT_EQ(cee->prio_group[5], 2);
  EXPECT_EQ(cee->prio_group[0], 0);
}

TEST(Cee, GroupsOfReceivingStandInForThoseOfSending) {
  EXPECT_TRUE(
      DecodeCee(wire::Cee("dcb0", wire::Attr(5, Groups({0, 0, 100})) + wire::Attr(6, wire::CeePfc())), "dcb0")
          .ok());
}

TEST(Cee, AGroupOrAShareThatCannotBeIsAnErrorAndFifteenCan) {
  const auto decode = [](std::array<std::uint8_t, 3> row) {
    return DecodeCee(wire::Cee("dcb0", wire::Attr(4, Groups(row)) + wire::Attr(6, wire::CeePfc())), "dcb0");
  };
  EXPECT_EQ(decode({15, 0, 0})->prio_group[0], 15);
  EXPECT_EQ(decode({0xff, 0xff, 0xff})->group_percent[0], 0);  // what the driver left as it was
  EXPECT_EQ(Message(decode({8, 0, 0}).status()), "decode CEE: group 8");
  EXPECT_EQ(Message(decode({0, 0, 101}).status()), "decode CEE: 101 percent");
}

TEST(Cee, WhatTheDriverDoesNotReportIsUnsupportedByName) {
  const auto nothing = DecodeCee(wire::Cee("dcb0", {}), "dcb0");
  EXPECT_EQ(nothing.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(nothing.status()), HasSubstr("getpgtccfgtx"));
  EXPECT_THAT(Message(DecodeCee(wire::Cee("dcb0", wire::Attr(4, Groups({0, 0, 0}))), "dcb0").status()),
              HasSubstr("getpfccfg"));
  EXPECT_FALSE(DecodeCee(wire::FullCee("dcb1"), "dcb0").ok());
}

TEST(ReadDcb, AsksForCeeOnlyWhereTheDriverSpeaksIt) {
  FakeHost host;
  host.Answer(wire::DcbRequest("dcb0"), wire::One(wire::Dcb("dcb0", {}, 0x0d)));
  host.Answer(wire::CeeRequest("dcb0"), wire::One(wire::FullCee("dcb0")));
  const Dcb both = ReadDcb(host, "dcb0");
  ASSERT_TRUE(both.cee) << both.cee.missing().detail;
  EXPECT_EQ(both.cee->pfc_enabled, 8);

  host.Answer(wire::DcbRequest("dcb0"), wire::One(wire::Dcb("dcb0", {}, 0x09)));
  host.asked.clear();
  EXPECT_EQ(ReadDcb(host, "dcb0").cee.missing(),
            (Missing{Missing::Kind::kUnsupported, "driver does not speak CEE"}));
  EXPECT_EQ(host.asked.size(), 1U);
  host.Answer(wire::DcbRequest("dcb0"), wire::One(wire::Dcb("dcb0", {}, std::nullopt)));
  EXPECT_THAT(ReadDcb(host, "dcb0").cee.missing().detail, HasSubstr("getdcbx"));
}

TEST(ReadDcb, ARefusedQuestionForCeeIsDenied) {
  FakeHost host;
  host.Answer(wire::CeeRequest("dcb0"), ErrnoStatus(EPERM, "ask dcbnl"));
  EXPECT_EQ(ReadCee(host, "dcb0", Dcbx{.cee = true}).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
