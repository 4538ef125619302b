// SPDX-License-Identifier: Apache-2.0
#include "collectors/netdev.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/net/addresses.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::operator+;

FakeHost HostWithEth0() {
  FakeHost host;
  const wire::Bytes link = wire::Link(7, "eth0", 9000) + wire::Attr(IFLA_ADDRESS, wire::OfText("\x02\x01")) +
                           wire::U32(IFLA_MAX_MTU, 9978) + wire::U32(IFLA_CARRIER_CHANGES, 5);
  host.Answer(wire::LinksRequest(), wire::One(link));
  host.Answer(wire::LinkRequest(7), wire::One(link));
  host.Answer(wire::AddressesRequest(), std::vector<NetlinkMessage>{{0, wire::Address4(1, {127, 0, 0, 1}, 8)},
                                                                    {0, wire::Address4(7, {10, 0, 0, 1}, 24)}});
  host.Answer(wire::DcbRequest("eth0"), wire::One(wire::FullDcb("eth0")));
  host.files["/sys/class/net/eth0/ifindex"] = "7\n";
  host.files["/sys/class/net/eth0/speed"] = "25000\n";
  host.files["/sys/class/net/eth0/duplex"] = "full\n";
  host.ethtool[{"eth0", ETHTOOL_GDRVINFO}] = wire::DriverInfo("mlx5_core", "16.35.3006 (MT_0000000012)");
  host.ethtool[{"eth0", ETHTOOL_GPAUSEPARAM}] = wire::PauseParameters(false, true);
  host.ethtool[{"eth0", ETHTOOL_GTUNABLE}] = wire::StormTimeout(0xffff);
  host.links["/sys/class/net/eth0/device/driver"] = "../../../bus/pci/drivers/mlx5_core";
  return host;
}

Fact<Netdev> ReadNic(FakeHost& host, std::uint32_t ifindex = 7) {
  return ReadNetdev(host, ReadNetwork(host), ifindex);
}

TEST(Address, OfEitherFamilyIsText) {
  const auto four = DecodeAddress(wire::Address4(7, {10, 0, 0, 1}, 24));
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(**four, (AddressOfLink{7, {"10.0.0.1", 24}}));
  std::array<std::uint8_t, 16> raw{0xfe, 0x80};
  raw[15] = 1;
  const auto six =
      DecodeAddress(wire::Of(ifaddrmsg{AF_INET6, 64, 0, 0, 7}) + wire::Attr(IFA_ADDRESS, wire::Of(raw)));
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(**six, (AddressOfLink{7, {"fe80::1", 64}}));
}

TEST(Address, OnAPointToPointLinkItIsOurOwnEnd) {
  const auto bytes = wire::Of(ifaddrmsg{AF_INET, 32, 0, 0, 7}) +
                     wire::Attr(IFA_ADDRESS, wire::Of(std::array<std::uint8_t, 4>{10, 0, 0, 2})) +
                     wire::Attr(IFA_LOCAL, wire::Of(std::array<std::uint8_t, 4>{10, 0, 0, 1}));
  EXPECT_EQ((*DecodeAddress(bytes))->address.address, "10.0.0.1");
}

TEST(Address, OfAnotherFamilyIsSkipped) {
  const auto other = DecodeAddress(wire::Of(ifaddrmsg{AF_PHONET, 0, 0, 0, 7}));
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->has_value());
}

TEST(Address, BytesOfTheOtherFamilyAreAnError) {
  const auto bytes =
      wire::Of(ifaddrmsg{AF_INET6, 64, 0, 0, 7}) + wire::Attr(IFA_LOCAL, wire::Of(std::uint32_t{1}));
  EXPECT_FALSE(DecodeAddress(bytes).ok());
}

TEST(Speed, IsMegabits) { EXPECT_EQ(*DecodeSpeed(std::string("25000\n"), true), 25000U); }

TEST(Speed, OfALinkThatIsDownIsUnknown) {
  const Missing down{Missing::Kind::kFailed, "speed unknown while link is down"};
  EXPECT_EQ(DecodeSpeed(std::string("-1\n"), false).missing(), down);
  EXPECT_EQ(DecodeSpeed(ErrnoStatus(EINVAL, "read speed"), false).missing(), down);
}

TEST(Speed, ThatTheDriverDoesNotKnowIsUnsupported) {
  const Missing unknown{Missing::Kind::kUnsupported, "driver reports unknown speed"};
  EXPECT_EQ(DecodeSpeed(std::string("-1\n"), true).missing(), unknown);
  EXPECT_EQ(DecodeSpeed(ErrnoStatus(EINVAL, "read speed"), true).missing(), unknown);
}

TEST(Speed, NonsenseIsAFailure) {
  for (const char* text : {"", "fast\n", "10 20\n", "99999999999\n"}) {
    EXPECT_EQ(DecodeSpeed(std::string(text), true).missing().kind, Missing::Kind::kFailed) << text;
  }
}

TEST(DuplexMode, IsAWordAndUnknownIsNotOne) {
  EXPECT_EQ(*DecodeDuplex(std::string("full\n"), true), Duplex::kFull);
  EXPECT_EQ(*DecodeDuplex(std::string("half\n"), true), Duplex::kHalf);
  const Missing unknown{Missing::Kind::kUnsupported, "driver reports unknown duplex"};
  EXPECT_EQ(DecodeDuplex(std::string("unknown\n"), true).missing(), unknown);
  EXPECT_EQ(DecodeDuplex(ErrnoStatus(EINVAL, "read duplex"), true).missing(), unknown);
  EXPECT_EQ(DecodeDuplex(ErrnoStatus(EINVAL, "read duplex"), false).missing().detail,
            "duplex unknown while link is down");
  for (const char* text : {"", "both\n", "full full"}) {
    EXPECT_EQ(DecodeDuplex(std::string(text), true).missing().kind, Missing::Kind::kFailed) << text;
  }
}

TEST(Netdev, OfHardwareIsReadWhole) {
  FakeHost host = HostWithEth0();
  const Fact<Netdev> netdev = ReadNic(host);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->name, "eth0");
  EXPECT_EQ(netdev->driver, "mlx5_core");
  EXPECT_EQ(netdev->mtu_bytes, 9000U);
  EXPECT_EQ(*netdev->speed_mbps, 25000U);
  EXPECT_THAT(*netdev->addresses, ElementsAre(IpAddress{"10.0.0.1", 24}));
  EXPECT_EQ(netdev->vlan_id.missing().detail, "not a VLAN device");
  EXPECT_EQ(netdev->dcb.pfc->enabled, 8);
  EXPECT_EQ(netdev->mac, "02:01:00");
  EXPECT_EQ(netdev->master, "");
  EXPECT_EQ(*netdev->max_mtu_bytes, 9978U);
  EXPECT_EQ(*netdev->carrier_changes, 5U);
  EXPECT_EQ(*netdev->duplex, Duplex::kFull);
  EXPECT_EQ(netdev->driver_info->firmware, "16.35.3006 (MT_0000000012)");
  EXPECT_EQ(*netdev->pause, (Pause{.tx = true}));
  EXPECT_EQ(*netdev->pfc_storm_timeout_ms, 0xffff);
}

TEST(Netdev, IsReadEvenWhenTheListOfAllLinksIsNot) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::LinksRequest(), ErrnoStatus(EINTR, "list by rtnetlink GETLINK"));
  const Fact<Netdev> netdev = ReadNic(host);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->name, "eth0");
}

TEST(Netdev, ThatCameAfterTheListIsReadToo) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(1, "lo", 65536)));
  EXPECT_TRUE(ReadNic(host));
}

TEST(Netdev, NamesItsMasterAndNeverHidesThatItHasOne) {
  FakeHost host = HostWithEth0();
  const wire::Bytes member = wire::Link(7, "eth0", 9000) + wire::Master(9);
  host.Answer(wire::LinkRequest(7), wire::One(member));
  host.Answer(wire::LinksRequest(), wire::Each({member, wire::BondLink(9, "bond0", 1)}));
  EXPECT_EQ(ReadNic(host)->master, "bond0");
  host.Answer(wire::LinksRequest(), wire::One(member));
  EXPECT_EQ(ReadNic(host)->master, "(interface 9)");
}

TEST(Netdev, OfAVlanHasItsNumberAndItsPriorities) {
  FakeHost host = HostWithEth0();
  const wire::Bytes vlan = wire::VlanLink(7, "eth0", 711, wire::EgressRow(4, 3)) + wire::Parent(2);
  host.Answer(wire::LinkRequest(7), wire::One(vlan));
  host.Answer(wire::LinksRequest(), wire::One(vlan));
  EXPECT_EQ(*ReadNic(host)->vlan_id, 711);
  EXPECT_THAT(*ReadNic(host)->vlan_egress, ElementsAre(VlanPriority{4, 3}));
}

TEST(Netdev, WhatTheKernelOrTheDriverDoesNotTellIsUnsupported) {
  FakeHost host = HostWithEth0();
  host.ethtool.clear();
  host.files.erase("/sys/class/net/eth0/duplex");
  const wire::Bytes link = wire::Link(7, "eth0", 9000) + wire::U32(IFLA_MAX_MTU, 0);
  host.Answer(wire::LinksRequest(), wire::One(link));
  const Fact<Netdev> netdev = ReadNic(host);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->max_mtu_bytes.missing(),
            (Missing{Missing::Kind::kUnsupported, "the driver sets no limit"}));
  EXPECT_EQ(netdev->carrier_changes.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(netdev->vlan_egress.missing().detail, "not a VLAN device");
  EXPECT_EQ(netdev->pause.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(netdev->duplex.missing().kind, Missing::Kind::kFailed);
}

TEST(Netdev, OfAVirtualDeviceHasItsKindAsDriver) {
  FakeHost host = HostWithEth0();
  host.links.clear();
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(7, "eth0", 9000, "dcbnic")));
  EXPECT_EQ(ReadNic(host)->driver, "dcbnic");
}

TEST(Netdev, ThatGoesAwayBetweenTwoReadsIsMissing) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::LinkRequest(7), ErrnoStatus(ENODEV, "ask rtnetlink GETLINK"));
  EXPECT_EQ(ReadNic(host).missing(),
            (Missing{Missing::Kind::kFailed, "ask rtnetlink GETLINK: No such device"}));
}

TEST(Netdev, ThatIsRenamedBetweenTwoReadsIsNotMixedUp) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "lan0", 9000)));
  EXPECT_EQ(ReadNic(host).missing().detail, "read eth0: it was renamed to lan0 while it was read");
}

TEST(Netdev, ThatGoesDownBetweenTwoReadsDoesNotBlameTheDriverForItsSpeed) {
  FakeHost host = HostWithEth0();
  host.files["/sys/class/net/eth0/speed"] = ErrnoStatus(EINVAL, "read /sys/class/net/eth0/speed");
  host.Answer(wire::LinkRequest(7), wire::One(wire::LinkHeader(7, false, false) +
                                              wire::Text(IFLA_IFNAME, "eth0") + wire::U32(IFLA_MTU, 9000)));
  EXPECT_EQ(ReadNic(host)->speed_mbps.missing().detail, "speed unknown while link is down");
}

TEST(Netdev, SysfsOfAnotherNamespaceIsNotBelieved) {
  FakeHost host = HostWithEth0();
  host.files["/sys/class/net/eth0/ifindex"] = "2\n";
  host.links["/sys/class/net/eth0/device/driver"] = "../../../bus/pci/drivers/another";
  const Fact<Netdev> netdev = ReadNic(host);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->driver, "mlx5_core") << "as ethtool says";
  EXPECT_THAT(netdev->speed_mbps.missing().detail, HasSubstr("another network namespace"));
  EXPECT_FALSE(host.Asked("read /sys/class/net/eth0/speed"));
}

TEST(Netdev, AddressesThatCannotBeListedAreTheOnlyGap) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::AddressesRequest(), ErrnoStatus(EINTR, "list by rtnetlink GETADDR"));
  const Fact<Netdev> netdev = ReadNic(host);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->addresses.missing().kind, Missing::Kind::kFailed);
  EXPECT_TRUE(netdev->speed_mbps);
}

}  // namespace
}  // namespace rdmaready
