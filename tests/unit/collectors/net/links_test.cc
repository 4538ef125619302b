// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::operator+;

TEST(Link, HardwareHasNoKind) {
  const auto link = DecodeLink(wire::Link(7, "eth0", 9000));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(*link, (Link{.ifindex = 7, .name = "eth0", .admin_up = true, .carrier = true, .mtu_bytes = 9000}));
}

TEST(Link, EverythingItTellsIsKept) {
  const auto link =
      DecodeLink(wire::Link(7, "eth0", 9000) +
                 wire::Attr(IFLA_ADDRESS, wire::Of(std::array<std::uint8_t, 6>{2, 0, 0xab, 0, 0, 0xf1})) +
                 wire::Attr(IFLA_PERM_ADDRESS, wire::Of(std::array<std::uint8_t, 6>{2, 0, 0xab, 0, 0, 0xf2})) +
                 wire::U32(IFLA_MAX_MTU, 9978) + wire::U32(IFLA_CARRIER_CHANGES, 5) + wire::Master(9));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->mac, "02:00:ab:00:00:f1");
  EXPECT_EQ(link->permanent_mac, "02:00:ab:00:00:f2");
  EXPECT_EQ(link->max_mtu_bytes, 9978U);
  EXPECT_EQ(link->carrier_changes, 5U);
  EXPECT_EQ(link->master, 9U);
}

TEST(Link, AVlanDeviceKnowsItsVlanAndItsPriorities) {
  const auto link = DecodeLink(
      wire::VlanLink(8, "eth0.711", 711, wire::EgressRow(6, 5) + wire::EgressRow(4, 3)) + wire::Parent(7));
  ASSERT_TRUE(link.ok());
  EXPECT_EQ(link->kind, "vlan");
  EXPECT_EQ(link->vlan_id, 711);
  EXPECT_EQ(link->peer, 7U);
  EXPECT_FALSE(link->peer_elsewhere);
  EXPECT_THAT(link->vlan_egress, ElementsAre(VlanPriority{4, 3}, VlanPriority{6, 5}));
}

TEST(Link, ABondKnowsItsMode) { EXPECT_EQ(DecodeLink(wire::BondLink(9, "bond0", 4))->bond_mode, 4); }

TEST(Link, ALowerOneInAnotherNamespaceIsMarked) {
  const auto link =
      DecodeLink(wire::VlanLink(8, "eth0.5", 5) + wire::Parent(2) + wire::U32(IFLA_LINK_NETNSID, 0));
  ASSERT_TRUE(link.ok());
  EXPECT_TRUE(link->peer_elsewhere);
}

TEST(Link, AVlanKnowsWhetherItsFramesKeepTheirTag) {
  const auto vlan = [](const wire::Bytes& more) {
    return wire::Link(8, "v", 1500) +
           wire::Nest(IFLA_LINKINFO, wire::Text(IFLA_INFO_KIND, "vlan") +
                                         wire::Nest(IFLA_INFO_DATA, wire::U16(IFLA_VLAN_ID, 5) + more));
  };
  const auto flags = [](std::uint32_t bits) {
    return wire::Attr(IFLA_VLAN_FLAGS, wire::Of(ifla_vlan_flags{.flags = bits, .mask = ~0U}));
  };
  const auto reorder = [](const wire::Bytes& bytes) { return VlanReorderOf(*DecodeLink(bytes)); };
  EXPECT_TRUE(*reorder(vlan(flags(1))));
  EXPECT_FALSE(*reorder(vlan(flags(2))));
  EXPECT_FALSE(*reorder(vlan({})));  // the kernel leaves them out when none is set
  EXPECT_FALSE(reorder(wire::Link(8, "v", 1500)));
  EXPECT_FALSE(DecodeLink(vlan(wire::U32(IFLA_VLAN_FLAGS, 1))).ok());
}

TEST(Link, AVlanBeyondTwelveBitsIsAnError) { EXPECT_FALSE(DecodeLink(wire::VlanLink(8, "eth0.1", 4096)).ok()); }

TEST(Link, APriorityBeyondThreeBitsIsAnError) {
  EXPECT_FALSE(DecodeLink(wire::VlanLink(8, "eth0.1", 1, wire::EgressRow(0, 8))).ok());
}

TEST(Link, AnEgressRowOfAnotherLengthOrKindIsAnError) {
  EXPECT_FALSE(DecodeLink(wire::VlanLink(8, "a", 1, wire::U32(IFLA_VLAN_QOS_MAPPING, 1))).ok());
  EXPECT_FALSE(DecodeLink(wire::VlanLink(8, "a", 1, wire::U64(IFLA_VLAN_QOS_MAPPING + 1, 1))).ok());
}

TEST(Link, AnAddressLongerThanAnyIsAnError) {
  EXPECT_TRUE(DecodeLink(wire::Link(7, "ib0", 2044) + wire::Attr(IFLA_ADDRESS, wire::Bytes(20))).ok());
  EXPECT_FALSE(DecodeLink(wire::Link(7, "ib0", 2044) + wire::Attr(IFLA_ADDRESS, wire::Bytes(33))).ok());
}

TEST(Link, UpAndCarrierAreTwoThings) {
  const auto attributes = wire::Text(IFLA_IFNAME, "eth0") + wire::U32(IFLA_MTU, 1500);
  EXPECT_TRUE(DecodeLink(wire::LinkHeader(7, true, false) + attributes)->admin_up);
  EXPECT_FALSE(DecodeLink(wire::LinkHeader(7, true, false) + attributes)->carrier);
}

TEST(Link, ANameThatLeadsElsewhereIsAnError) {
  for (const char* name : {"", ".", "..", "a/b", "sixteen-letters-"}) {
    EXPECT_FALSE(DecodeLink(wire::Link(7, name, 1500)).ok()) << name;
  }
}

TEST(Links, StandOnWhatTheySayTheyStandOn) {
  FakeHost host;
  host.Answer(wire::LinksRequest(),
              wire::Each({wire::Link(2, "eth0", 1500) + wire::Master(9), wire::BondLink(9, "bond0", 1),
                          wire::VlanLink(10, "bond0.5", 5) + wire::Parent(9)}));
  const auto links = ReadLinks(host);
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_THAT(links->Above(2), ElementsAre(9U));
  EXPECT_THAT(links->Above(9), ElementsAre(10U));
  EXPECT_THAT(links->Below(10), ElementsAre(9U));
  EXPECT_THAT(links->Below(2), IsEmpty());
  EXPECT_EQ(links->Find(9)->name, "bond0");
  EXPECT_EQ(links->Find(11), nullptr);
}

// A veth's IFLA_LINK is its other end: in one namespace the two would stand on each other.
TEST(Links, TheEndsOfAVethPairDoNotStandOnEachOther) {
  FakeHost host;
  host.Answer(wire::LinksRequest(), wire::Each({wire::Link(2, "a", 1500, "veth") + wire::Parent(3),
                                                wire::Link(3, "b", 1500, "veth") + wire::Parent(2)}));
  const auto links = ReadLinks(host);
  ASSERT_TRUE(links.ok());
  EXPECT_THAT(links->Below(2), IsEmpty());
  EXPECT_THAT(links->Below(3), IsEmpty());
}

TEST(Links, AnIndexOfAnotherNamespaceIsNotLookedUpInOurs) {
  FakeHost host;
  host.Answer(wire::LinksRequest(),
              wire::Each({wire::Link(2, "eth0", 1500),
                          wire::VlanLink(8, "v", 5) + wire::Parent(2) + wire::U32(IFLA_LINK_NETNSID, 0)}));
  const auto links = ReadLinks(host);
  ASSERT_TRUE(links.ok());
  EXPECT_THAT(links->Above(2), IsEmpty());
}

TEST(Links, OneThatMakesNoSenseSpoilsTheList) {
  FakeHost host;
  host.Answer(wire::LinksRequest(), wire::Each({wire::Link(2, "eth0", 1500), wire::Link(3, "a/b", 1500)}));
  EXPECT_THAT(Message(ReadLinks(host).status()), HasSubstr("impossible name"));
}

}  // namespace
}  // namespace rdmaready
