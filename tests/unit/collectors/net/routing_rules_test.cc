// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/routing_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using wire::operator+;

// "100: not from 10.0.0.1 lookup 1000".
std::string TextOf(const wire::Bytes& payload) {
  const auto rule = DecodeRule(payload);
  if (!rule.ok()) return std::string(rule.status().message());
  if (!rule->has_value()) return "none";
  return std::to_string((*rule)->priority) + ": " + (*rule)->selector + " " + (*rule)->action;
}

wire::Bytes Four(int type, std::array<std::uint8_t, 4> address) { return wire::Attr(type, wire::Of(address)); }

TEST(RoutingRules, ThoseOfEveryHostAreNone) {
  EXPECT_EQ(TextOf(wire::Rule(0, {.table = RT_TABLE_LOCAL})), "none");
  EXPECT_EQ(TextOf(wire::Rule(32766, {.table = RT_TABLE_MAIN})), "none");
  EXPECT_EQ(TextOf(wire::Rule(32767, {.table = RT_TABLE_DEFAULT})), "none");
  EXPECT_EQ(TextOf(wire::Rule(32766, {.family = AF_INET6, .table = RT_TABLE_MAIN})), "none");
  EXPECT_EQ(TextOf(wire::Rule(0, {.family = 128, .table = 5})), "none");  // of multicast routing
  EXPECT_EQ(TextOf(wire::Rule(9, {.table = RT_TABLE_MAIN})), "9: from all lookup main");
}

TEST(RoutingRules, AreInTheWordsOfIpRule) {
  EXPECT_EQ(TextOf(wire::Rule(100, {.src_len = 32}, Four(FRA_SRC, {10, 0, 0, 1}) + wire::U32(FRA_TABLE, 1000))),
            "100: from 10.0.0.1 lookup 1000");
  EXPECT_EQ(TextOf(wire::Rule(5, {.dst_len = 24, .tos = 0x10, .action = FR_ACT_PROHIBIT},
                              Four(FRA_DST, {10, 0, 1, 0}))),
            "5: from all to 10.0.1.0/24 tos 0x10 prohibit");
  EXPECT_EQ(TextOf(wire::Rule(7, {.table = 51, .flags = FIB_RULE_INVERT},
                              wire::U32(FRA_FWMARK, 0xca6c) + wire::U32(FRA_FWMASK, 0xffffffff))),
            "7: not from all fwmark 0xca6c lookup 51");
  const std::array<std::uint16_t, 2> port{445, 445};
  const std::array<std::uint32_t, 2> users{1000, 1999};
  EXPECT_EQ(TextOf(wire::Rule(8, {.table = 7},
                              wire::Text(FRA_IIFNAME, "dcb0") + wire::Text(FRA_OIFNAME, "dcb1") +
                                  wire::Attr(FRA_UID_RANGE, wire::Of(users)) + wire::U8(FRA_IP_PROTO, 6) +
                                  wire::Attr(FRA_DPORT_RANGE, wire::Of(port)))),
            "8: from all iif dcb0 oif dcb1 uidrange 1000-1999 ipproto 6 dport 445 lookup 7");
  EXPECT_EQ(TextOf(wire::Rule(1000, {.table = 0}, wire::U8(FRA_L3MDEV, 1))),
            "1000: from all l3mdev lookup [l3mdev-table]");
  EXPECT_EQ(TextOf(wire::Rule(2000, {.action = FR_ACT_UNREACHABLE}, wire::U8(FRA_L3MDEV, 1))),
            "2000: from all l3mdev unreachable");
  EXPECT_EQ(
      TextOf(wire::Rule(3, {.action = FR_ACT_GOTO, .flags = FIB_RULE_UNRESOLVED}, wire::U32(FRA_GOTO, 40))),
      "3: from all goto 40 [unresolved]");
  EXPECT_EQ(
      TextOf(wire::Rule(4, {.table = 9, .flags = FIB_RULE_IIF_DETACHED}, wire::Text(FRA_IIFNAME, "gone"))),
      "4: from all iif gone [detached] lookup 9");
}

TEST(RoutingRules, AConditionThatIsNotKnownDoesNotLookLikeNone) {
  EXPECT_EQ(TextOf(wire::Rule(32766, {.table = RT_TABLE_MAIN}, wire::U8(40, 1))),
            "32766: from all attribute 40 lookup main");
  EXPECT_EQ(TextOf(wire::Rule(32766, {.table = RT_TABLE_MAIN}, wire::U32(FRA_SUPPRESS_IFGROUP, 5))),
            "32766: from all lookup main suppress_ifgroup 5");
  EXPECT_EQ(TextOf(wire::Rule(9, {.table = RT_TABLE_MAIN}, wire::U32(FRA_TUN_ID, 5))),
            "9: from all attribute 12 lookup main");
  // Masks that newer kernels tell of every rule with a port or a DSCP.
  const std::uint16_t port_mask = 0xffff;
  const wire::Bytes dscp = wire::U8(25, 26) + wire::U8(30, 0x3f) + wire::Attr(29, wire::Of(port_mask));
  EXPECT_EQ(TextOf(wire::Rule(9, {.table = 7}, dscp)), "9: from all dscp 26 lookup 7");
  EXPECT_EQ(TextOf(wire::Rule(9, {.table = 7}, wire::U8(25, 26) + wire::U8(30, 0x38))),
            "9: from all dscp 26 attribute 30 lookup 7");
}

TEST(RoutingRules, DamagedOnesAreErrors) {
  EXPECT_EQ(TextOf(wire::Rule(1, {.src_len = 32}, wire::U8(FRA_SRC, 1))),
            "decode routing rule: an address of 1 bytes");
  EXPECT_EQ(TextOf(wire::Rule(1, {}, wire::U8(FRA_DPORT_RANGE, 1))),
            "decode routing rule: dport of another size");
  EXPECT_EQ(TextOf(wire::Rule(1, {}, wire::Text(FRA_OIFNAME, std::string(60, 'x')))),
            "decode routing rule: impossible name of an interface");
  wire::Bytes many;
  for (int i = 0; i < 1000; ++i) many = many + wire::U8(40, 1);
  EXPECT_LT(TextOf(wire::Rule(1, {}, many)).size(), 300U);
}

TEST(RoutingRules, AreReadAllAtOnce) {
  FakeHost host;
  host.Answer(wire::RulesRequest(),
              wire::Each({wire::Rule(0, {.table = RT_TABLE_LOCAL}),
                          wire::Rule(100, {.table = 9}, wire::Text(FRA_IIFNAME, "dcb0")),
                          wire::Rule(1, {.family = AF_INET6, .action = FR_ACT_BLACKHOLE})}));
  EXPECT_THAT(*ReadRoutingRules(host), ElementsAre(RoutingRule{false, 100, "from all iif dcb0", "lookup 9"},
                                                   RoutingRule{true, 1, "from all", "blackhole"}));
  FakeHost silent;
  EXPECT_FALSE(ReadRoutingRules(silent));
}

}  // namespace
}  // namespace rdmaready
