// SPDX-License-Identifier: Apache-2.0
// What ethtool, rtnetlink and devlink are sent, octet by octet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/real/devlink_write.h"
#include "agent/apply/real/ethtool_write.h"
#include "agent/apply/real/link_write.h"
#include "tests/unit/agent/apply/real/fake_door.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using wire::operator+;

constexpr std::uint16_t kEthtoolFamily = 21;
constexpr std::uint16_t kDevlinkFamily = 22;

wire::Bytes Generic(std::uint8_t command) {
  return {std::byte{command}, std::byte{1}, std::byte{0}, std::byte{0}};
}

// Families as the kernel lists them.
void HasFamilies(FakeHost& host) {
  host.Answer({NETLINK_GENERIC, 16, true, Generic(3)},
              wire::Each({Generic(1) + wire::Text(2, "ethtool") + wire::U16(1, kEthtoolFamily),
                          Generic(1) + wire::Text(2, "devlink") + wire::U16(1, kDevlinkFamily)}));
}

wire::Bytes EthtoolHeader() { return wire::Nest(1, wire::U32(1, 7) + wire::Text(2, "dcb0")); }

TEST(EthtoolWriting, OfPauseOnlyWhatDiffersIsSent) {
  EXPECT_EQ(
      SetPause(kEthtoolFamily, "dcb0", 7, {.rx = true, .tx = true}, {.tx = true}),
      (NetlinkRequest{NETLINK_GENERIC, kEthtoolFamily, false, Generic(22) + EthtoolHeader() + wire::U8(3, 0)}));
  EXPECT_EQ(SetPause(kEthtoolFamily, "dcb0", 7, {}, {.autoneg = true, .rx = true, .tx = true}),
            (NetlinkRequest{NETLINK_GENERIC, kEthtoolFamily, false,
                            Generic(22) + EthtoolHeader() + wire::U8(2, 1) + wire::U8(3, 1) + wire::U8(4, 1)}));
}

TEST(EthtoolWriting, APrivateFlagIsABitByItsName) {
  const wire::Bytes name = wire::Text(2, "fw-lldp-agent");
  const auto flags = [&](const wire::Bytes& bit) {
    return NetlinkRequest{NETLINK_GENERIC, kEthtoolFamily, false,
                          Generic(14) + EthtoolHeader() + wire::Nest(2, wire::Nest(3, wire::Nest(1, bit)))};
  };
  EXPECT_EQ(SetPrivateFlag(kEthtoolFamily, "dcb0", 7, "fw-lldp-agent", false), flags(name));
  EXPECT_EQ(SetPrivateFlag(kEthtoolFamily, "dcb0", 7, "fw-lldp-agent", true), flags(name + wire::Attr(3, {})));
}

TEST(EthtoolWriting, TheFamilyIsTheKernelsAndItsErrorIsSaid) {
  FakeHost host;
  HasFamilies(host);
  FakeKernelDoor door;
  door.indices["dcb0"] = {7};
  door.answers = {{.done = true, .error_number = EBUSY}};
  EXPECT_EQ(Message(WriteEthtool(host, door, {SettingKind::kPause, "dcb0", ""}, "autoneg off rx on tx on",
                                 "autoneg off rx off tx on")),
            "set pause on dcb0: Device or resource busy");
  EXPECT_THAT(door.sent,
              ElementsAre(SetPause(kEthtoolFamily, "dcb0", 7, {.rx = true, .tx = true}, {.tx = true})));
}

TEST(EthtoolWriting, AKernelWithoutEthtoolNetlinkIsSaidToBeOne) {
  FakeHost host;
  host.Answer({NETLINK_GENERIC, 16, true, Generic(3)}, std::vector<NetlinkMessage>{});
  FakeKernelDoor door;
  EXPECT_EQ(WriteEthtool(host, door, {SettingKind::kPrivateFlag, "dcb0", "x"}, "on", "off").code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_THAT(door.sent, ElementsAre());
}

wire::Bytes Link() {
  ifinfomsg link{};
  link.ifi_index = 7;
  return wire::Of(link);
}

TEST(LinkWriting, TheMtuIsSetByIndexAndNoNameIsSent) {
  FakeKernelDoor door;
  door.indices["dcb0"] = {7};
  ASSERT_TRUE(WriteLink(door, {SettingKind::kMtu, "dcb0", ""}, "1500", "9000").ok());
  EXPECT_THAT(door.sent, ElementsAre(NetlinkRequest{NETLINK_ROUTE, 19, false, Link() + wire::U32(4, 9000)}));
}

TEST(LinkWriting, OfAnEgressMapChangedPairsAreSentAndThoseThatAreGoneToZero) {
  FakeKernelDoor door;
  door.indices["dcb0.711"] = {7};
  ASSERT_TRUE(WriteLink(door, {SettingKind::kVlanEgress, "dcb0.711", ""}, "0:3 2:5 4:1", "0:3 2:3 6:2").ok());
  const auto pair = [](std::uint32_t from, std::uint32_t to) {
    return wire::Attr(1, wire::Of(from) + wire::Of(to));
  };
  const wire::Bytes map = wire::Nest(3, pair(2, 3) + pair(6, 2) + pair(4, 0));
  EXPECT_THAT(door.sent,
              ElementsAre(NetlinkRequest{NETLINK_ROUTE, 16, false,
                                         Link() + wire::Nest(18, wire::Text(1, "vlan") + wire::Nest(2, map))}));
}

TEST(LinkWriting, WritesReorderHdrAloneOfAVlansFlags) {
  const auto sent = [](std::string_view from, std::string_view to) {
    FakeKernelDoor door;
    door.indices["dcb0.711"] = {7};
    EXPECT_TRUE(WriteLink(door, {SettingKind::kVlanReorder, "dcb0.711", ""}, from, to).ok());
    return door.sent;
  };
  const auto request = [](std::uint32_t flags) {
    const wire::Bytes data = wire::Attr(2, wire::Of(flags) + wire::Of(std::uint32_t{1}));
    return NetlinkRequest{NETLINK_ROUTE, 16, false,
                          Link() + wire::Nest(18, wire::Text(1, "vlan") + wire::Nest(2, data))};
  };
  EXPECT_THAT(sent("off", "on"), ElementsAre(request(1)));
  EXPECT_THAT(sent("on", "off"), ElementsAre(request(0)));
}

wire::Bytes Handle() {
  return wire::Text(1, "pci") + wire::Text(2, "0000:3b:00.0") + wire::Text(81, "enable_roce");
}

void HasParameter(FakeHost& host, std::uint8_t type) {
  host.Answer({NETLINK_GENERIC, kDevlinkFamily, false, Generic(38) + Handle()},
              wire::One(Generic(38) + wire::Text(1, "pci") + wire::Text(2, "0000:3b:00.0") +
                        wire::Nest(80, wire::Text(81, "enable_roce") + wire::U8(83, type))));
}

constexpr std::uint8_t kRuntime = 0;

NetlinkRequest ParameterOf(std::uint8_t type, const wire::Bytes& value) {
  return {NETLINK_GENERIC, kDevlinkFamily, false,
          Generic(39) + Handle() + wire::U8(83, type) + wire::U8(87, kRuntime) + value};
}

absl::Status WriteParameter(FakeHost& host, FakeKernelDoor& door, std::string_view to) {
  return WriteDevlink(host, door, {SettingKind::kDevlinkParameter, "pci/0000:3b:00.0", "enable_roce"}, to);
}

TEST(DevlinkWriting, AParameterIsSentWithTheTypeThatTheKernelToldOfIt) {
  FakeHost host;
  HasFamilies(host);
  FakeKernelDoor door;
  HasParameter(host, 6);  // NLA_FLAG: it is there or not
  ASSERT_TRUE(WriteParameter(host, door, "true").ok());
  ASSERT_TRUE(WriteParameter(host, door, "false").ok());
  HasParameter(host, 3);  // NLA_U32
  ASSERT_TRUE(WriteParameter(host, door, "8").ok());
  HasParameter(host, 1);  // NLA_U8
  ASSERT_TRUE(WriteParameter(host, door, "8").ok());
  EXPECT_THAT(door.sent, ElementsAre(ParameterOf(6, wire::Attr(86, {})), ParameterOf(6, {}),
                                     ParameterOf(3, wire::U32(86, 8)), ParameterOf(1, wire::U8(86, 8))));
}

TEST(DevlinkWriting, AValueThatIsNoneOfTheTypeIsNotSent) {
  FakeHost host;
  HasFamilies(host);
  FakeKernelDoor door;
  HasParameter(host, 1);
  EXPECT_EQ(WriteParameter(host, door, "256").code(), absl::StatusCode::kInvalidArgument);
  HasParameter(host, 6);
  EXPECT_EQ(WriteParameter(host, door, "1").code(), absl::StatusCode::kInvalidArgument);
  HasParameter(host, 5);  // NLA_STRING
  EXPECT_EQ(WriteParameter(host, door, "1").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(door.sent, ElementsAre());
}

TEST(DevlinkWriting, AnAnswerThatMakesNoSenseIsAnError) {
  FakeHost host;
  HasFamilies(host);
  FakeKernelDoor door;
  host.Answer({NETLINK_GENERIC, kDevlinkFamily, false, Generic(38) + Handle()}, wire::One(Generic(38)));
  EXPECT_EQ(WriteParameter(host, door, "true").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(WriteDevlink(host, door, {SettingKind::kDevlinkParameter, "pci", "x"}, "true").code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmaready
