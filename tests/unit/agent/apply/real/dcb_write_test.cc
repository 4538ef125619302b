// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/dcb_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/real/dcb_messages.h"
#include "tests/unit/agent/apply/real/fake_door.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using wire::operator+;

// struct dcbmsg {family, cmd, pad}, then the name.
wire::Bytes AboutDcb0(std::uint8_t command) {
  return wire::Bytes{std::byte{0}, std::byte{command}, std::byte{0}, std::byte{0}} + wire::Text(1, "dcb0");
}

NetlinkRequest Set(const wire::Bytes& ieee) {
  return {NETLINK_ROUTE, 79, false, AboutDcb0(20) + wire::Nest(13, ieee)};
}
NetlinkRequest Delete(const wire::Bytes& ieee) {
  return {NETLINK_ROUTE, 79, false, AboutDcb0(27) + wire::Nest(13, ieee)};
}
NetlinkRequest SetMode(std::uint8_t mode) {
  return {NETLINK_ROUTE, 79, false, AboutDcb0(23) + wire::U8(14, mode)};
}
NetlinkRequest GetSettings() { return {NETLINK_ROUTE, 78, false, AboutDcb0(21)}; }
NetlinkRequest GetMode() { return {NETLINK_ROUTE, 78, false, AboutDcb0(22)}; }

NetlinkAnswer Octet(int attribute, int value) {
  NetlinkAnswer answer{.done = true};
  answer.messages.push_back({79, AboutDcb0(20) + wire::U8(attribute, static_cast<std::uint8_t>(value))});
  return answer;
}
NetlinkAnswer Result(int value) { return Octet(13, value); }

wire::Bytes Octets(std::size_t count, std::initializer_list<std::pair<std::size_t, int>> values) {
  wire::Bytes bytes(count);
  for (const auto& [place, value] : values) bytes[place] = static_cast<std::byte>(value);
  return bytes;
}

// Every octet of it set, so that what is not kept shows.
wire::Bytes Numbered(std::size_t count) {
  wire::Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(100 + i));
  return bytes;
}

class DcbWriting : public testing::Test {
 protected:
  DcbWriting() {
    door_.indices["dcb0"] = {7};
    door_.answers = {Result(0)};
  }

  void Has(const wire::Bytes& ieee) {
    host_.Answer(GetSettings(), std::vector<NetlinkMessage>{{78, AboutDcb0(21) + wire::Nest(13, ieee)}});
  }
  void HasMode(std::uint8_t mode) {
    host_.Answer(GetMode(), std::vector<NetlinkMessage>{{78, AboutDcb0(22) + wire::U8(14, mode)}});
  }

  absl::Status Write(SettingKind kind, std::string_view from, std::string_view to) {
    return WriteDcb(host_, door_, {kind, "dcb0", ""}, from, to);
  }

  FakeHost host_;
  FakeKernelDoor door_;
};

constexpr const char* kEtsFrom =
    "willing on tsa strict,strict,strict,strict,strict,strict,strict,strict "
    "tx 0,0,0,0,0,0,0,0 prio 0,0,0,0,0,0,0,0";
constexpr const char* kEtsTo =
    "willing off tsa ets,strict,strict,ets,strict,strict,strict,vendor "
    "tx 40,0,0,60,0,0,0,0 prio 0,0,0,3,0,0,0,7";

TEST_F(DcbWriting, EtsKeepsCapacityCreditsReceiveSharesAndRecommendations) {
  Has(wire::Attr(1, Numbered(59)));
  ASSERT_TRUE(Write(SettingKind::kEts, kEtsFrom, kEtsTo).ok());
  wire::Bytes expected = Numbered(59);
  const auto put = [&](std::size_t place, std::initializer_list<int> values) {
    for (const int value : values) expected[place++] = static_cast<std::byte>(value);
  };
  put(0, {0});
  put(3, {40, 0, 0, 60, 0, 0, 0, 0});
  put(19, {2, 0, 0, 2, 0, 0, 0, 255});
  put(27, {0, 0, 0, 3, 0, 0, 0, 7});
  EXPECT_THAT(door_.sent, ElementsAre(Set(wire::Attr(1, expected))));
}

TEST_F(DcbWriting, PfcKeepsCapacityAndMacsecBypassAndSendsNoCountersNorPadding) {
  Has(wire::Attr(2, Numbered(136)));
  ASSERT_TRUE(Write(SettingKind::kPfc, "off delay 0", "on 3,4 delay 300").ok());
  EXPECT_THAT(door_.sent,
              ElementsAre(Set(wire::Attr(
                  2, Octets(136, {{0, 100}, {1, 0x18}, {2, 102}, {4, 300 & 0xff}, {5, 300 >> 8}})))));
}

TEST_F(DcbWriting, TheBufferKeepsItsTotal) {
  Has(wire::Attr(10, Numbered(44)));
  ASSERT_TRUE(Write(SettingKind::kBuffer, "prio 0,0,0,0,0,0,0,0 size 1,0,0,0,0,0,0,0",
                    "prio 0,0,0,1,0,0,0,0 size 65536,131072,0,0,0,0,0,0")
                  .ok());
  wire::Bytes expected = Octets(44, {{3, 1}, {10, 1}, {14, 2}});
  for (std::size_t i = 40; i < 44; ++i) expected[i] = static_cast<std::byte>(100 + i);
  EXPECT_THAT(door_.sent, ElementsAre(Set(wire::Attr(10, expected))));
}

// mlx5 checks a new map with the old sizes: sizes, then the map.
TEST_F(DcbWriting, WritesTheBufferInTwoStepsWhereTheDriverTakesNotBothAtOnce) {
  Has(wire::Attr(10, Octets(44, {{9, 4}})));
  door_.answers = {Result(-ENOMEM), Result(0), Result(0)};
  ASSERT_TRUE(Write(SettingKind::kBuffer, "prio 0,0,0,0,0,0,0,0 size 1024,0,0,0,0,0,0,0",
                    "prio 0,0,0,1,0,0,0,0 size 512,512,0,0,0,0,0,0")
                  .ok());
  const auto both = Octets(44, {{3, 1}, {9, 2}, {13, 2}});
  const auto sizes = Octets(44, {{9, 2}, {13, 2}});
  EXPECT_THAT(door_.sent,
              ElementsAre(Set(wire::Attr(10, both)), Set(wire::Attr(10, sizes)), Set(wire::Attr(10, both))));
}

TEST_F(DcbWriting, WritesTheMapOfTheBufferFirstWhereTheDriverRefusesTheSizes) {
  Has(wire::Attr(10, Octets(44, {{3, 1}, {9, 2}, {13, 2}})));
  door_.answers = {Result(-ENOMEM), Result(-EINVAL), Result(0), Result(0)};
  ASSERT_TRUE(Write(SettingKind::kBuffer, "prio 0,0,0,1,0,0,0,0 size 512,512,0,0,0,0,0,0",
                    "prio 0,0,0,0,0,0,0,0 size 1024,0,0,0,0,0,0,0")
                  .ok());
  ASSERT_EQ(door_.sent.size(), 4U);
  EXPECT_EQ(door_.sent[2], Set(wire::Attr(10, Octets(44, {{9, 2}, {13, 2}}))));
}

TEST_F(DcbWriting, ReportsTheFirstRefusalOfTheBuffer) {
  Has(wire::Attr(10, Octets(44, {{9, 4}})));
  door_.answers = {Result(-ENOMEM), Result(-EINVAL), Result(-EINVAL)};
  EXPECT_EQ(Message(Write(SettingKind::kBuffer, "prio 0,0,0,0,0,0,0,0 size 1024,0,0,0,0,0,0,0",
                          "prio 0,0,0,1,0,0,0,0 size 512,512,0,0,0,0,0,0")),
            "set the buffer on dcb0: Cannot allocate memory");
}

// ice counts the shares of all classes in use.
TEST_F(DcbWriting, GivesAStrictClassWhatTheEtsClassesLeave) {
  Has(wire::Attr(1, wire::Bytes(59)));
  ASSERT_TRUE(Write(SettingKind::kEts, kEtsFrom,
                    "willing off tsa ets,strict,strict,strict,strict,strict,strict,strict "
                    "tx 60,0,0,0,0,0,0,0 prio 0,0,0,1,0,0,0,0")
                  .ok());
  EXPECT_THAT(door_.sent, ElementsAre(Set(wire::Attr(1, Octets(59, {{3, 60}, {4, 40}, {19, 2}, {30, 1}})))));
}

// bnxt_en would store it, and it was 0 before the host wrote classes.
TEST_F(DcbWriting, GivesNoShareWhereNoClassIsEts) {
  Has(wire::Attr(1, wire::Bytes(59)));
  ASSERT_TRUE(Write(SettingKind::kEts, kEtsFrom,
                    "willing off tsa strict,strict,strict,strict,strict,strict,strict,strict "
                    "tx 0,0,0,0,0,0,0,0 prio 0,0,0,0,0,0,0,0")
                  .ok());
  EXPECT_THAT(door_.sent, ElementsAre(Set(wire::Attr(1, Octets(59, {})))));
}

TEST_F(DcbWriting, RatesAreTheWholeStruct) {
  Has(wire::Attr(7, Numbered(64)));
  ASSERT_TRUE(Write(SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1000000,0,0,0,0").ok());
  EXPECT_THAT(door_.sent, ElementsAre(Set(wire::Attr(7, Octets(64, {{24, 0x40}, {25, 0x42}, {26, 0x0f}})))));
}

TEST_F(DcbWriting, AnAppRowIsARequestOfItsOwnAndPcpIsLinuxOwnSelector) {
  ASSERT_TRUE(Write(SettingKind::kApp, "dgram:4791:2", "dscp:26:3 pcp:5:4").ok());
  EXPECT_THAT(
      door_.sent,
      ElementsAre(Set(wire::Nest(3, wire::Attr(1, Octets(4, {{0, 5}, {1, 3}, {2, 26}})))),
                  Set(wire::Nest(3, wire::Attr(2, Octets(4, {{0, 255}, {1, 4}, {2, 5}})))),
                  Delete(wire::Nest(3, wire::Attr(1, Octets(4, {{0, 3}, {1, 2}, {2, 0xb7}, {3, 0x12}}))))));
}

TEST_F(DcbWriting, TheTrustOrderIsANestOfSelectors) {
  ASSERT_TRUE(Write(SettingKind::kTrust, "nothing", "dscp pcp").ok());
  ASSERT_TRUE(Write(SettingKind::kTrust, "dscp pcp", "nothing").ok());
  EXPECT_THAT(door_.sent,
              ElementsAre(Set(wire::Nest(11, wire::U8(1, 5) + wire::U8(2, 255))), Set(wire::Nest(11, {}))));
}

TEST_F(DcbWriting, WhatTheDriverReturnedIsAnErrnoInOneOctet) {
  Has(wire::Attr(2, Numbered(136)));
  door_.answers = {Result(-EOPNOTSUPP)};
  EXPECT_EQ(Message(Write(SettingKind::kPfc, "off delay 0", "on 3 delay 0")),
            "set PFC on dcb0: Operation not supported");
}

TEST_F(DcbWriting, APositiveOctetIsIceThatDidIt) {
  door_.answers = {Result(2)};
  EXPECT_TRUE(Write(SettingKind::kApp, "empty", "dscp:26:3").ok());
}

TEST_F(DcbWriting, WhatTheKernelRefusedIsSaidWithItsOwnWords) {
  Has(wire::Attr(2, Numbered(136)));
  door_.answers = {{.done = true, .error_number = EPERM, .words = "not in this namespace"}};
  EXPECT_EQ(Message(Write(SettingKind::kPfc, "off delay 0", "on 3 delay 0")),
            "set PFC on dcb0: Operation not permitted (not in this namespace)");
}

TEST_F(DcbWriting, AnAnswerWithoutAResultIsNoSuccess) {
  Has(wire::Attr(2, Numbered(136)));
  door_.answers = {NetlinkAnswer{.done = true}};
  EXPECT_EQ(Message(Write(SettingKind::kPfc, "off delay 0", "on 3 delay 0")),
            "decode set PFC on dcb0: no answer of dcbnl");
}

TEST_F(DcbWriting, WhatTheDriverHasNoFunctionForIsNotSent) {
  Has(wire::Attr(2, Numbered(136)));
  EXPECT_EQ(Message(Write(SettingKind::kEts, kEtsFrom, kEtsTo)), "read ETS of dcb0: Operation not supported");
  EXPECT_EQ(Message(Write(SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1,0,0,0,0")),
            "read maximum rates of dcb0: Operation not supported");
  EXPECT_THAT(door_.sent, ElementsAre());
}

TEST_F(DcbWriting, ANetdevThatIsNotThereIsNotWritten) {
  door_.indices.clear();
  EXPECT_EQ(Message(Write(SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1,0,0,0,0")),
            "look for dcb0: No such device");
  EXPECT_THAT(door_.sent, ElementsAre());
}

TEST_F(DcbWriting, ANameThatMovedToAnotherNetdevMeanwhileIsAnError) {
  door_.indices["dcb0"] = {7, 8};
  Has(wire::Attr(7, Numbered(64)));
  EXPECT_EQ(Message(Write(SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1,0,0,0,0")),
            "write to dcb0: it was renamed or removed meanwhile");
}

TEST_F(DcbWriting, TheModeIsOneOctetOfBits) {
  door_.answers = {Octet(14, 0)};
  ASSERT_TRUE(Write(SettingKind::kDcbx, "host cee", "host ieee").ok());
  EXPECT_THAT(door_.sent, ElementsAre(SetMode(0x09)));
}

TEST_F(DcbWriting, IceSaysRefusedOfTheModeThatItHas) {
  door_.answers = {Octet(14, 1)};
  HasMode(0x09);
  EXPECT_TRUE(Write(SettingKind::kDcbx, "host cee", "host ieee").ok());
}

TEST_F(DcbWriting, ARefusedModeIsSaidToBeRefusedAndNothingElseIsTried) {
  door_.answers = {Octet(14, 1)};
  HasMode(0x05);
  EXPECT_EQ(Message(Write(SettingKind::kDcbx, "host cee", "host ieee")),
            "set the DCBX mode on dcb0: refused by the driver");
  EXPECT_THAT(door_.sent, ElementsAre(SetMode(0x09)));
}

// mlx5: mode 0 leaves it to the firmware, with the dialects that were set last.
TEST_F(DcbWriting, Mlx5IsLeftToItsFirmwareByTheDialectsAndThenModeZero) {
  door_.answers = {Octet(14, 1), Octet(14, 0)};
  HasMode(0x08);
  EXPECT_TRUE(Write(SettingKind::kDcbx, "host ieee", "cee ieee").ok());
  EXPECT_THAT(door_.sent, ElementsAre(SetMode(0x0c), SetMode(0), SetMode(0x0d), SetMode(0)));
}

}  // namespace
}  // namespace rdmaready
