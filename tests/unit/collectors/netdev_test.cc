// SPDX-License-Identifier: Apache-2.0
#include "collectors/netdev.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/addresses.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::operator+;

FakeHost HostWithEth0() {
  FakeHost host;
  host.Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "eth0", 9000)));
  host.Answer(wire::AddressesRequest(), std::vector<NetlinkMessage>{{0, wire::Address4(1, {127, 0, 0, 1}, 8)},
                                                                    {0, wire::Address4(7, {10, 0, 0, 1}, 24)}});
  host.Answer(wire::DcbRequest("eth0"), wire::One(wire::FullDcb("eth0")));
  host.files["/sys/class/net/eth0/ifindex"] = "7\n";
  host.files["/sys/class/net/eth0/speed"] = "25000\n";
  host.links["/sys/class/net/eth0/device/driver"] = "../../../bus/pci/drivers/mlx5_core";
  return host;
}

TEST(Link, HardwareHasNoKind) {
  const auto link = DecodeLink(wire::Link(7, "eth0", 9000));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(*link, (Link{7, "eth0", true, true, 9000, "", std::nullopt}));
}

TEST(Link, AVlanDeviceKnowsItsVlan) {
  const auto link = DecodeLink(wire::VlanLink(8, "eth0.711", 711));
  ASSERT_TRUE(link.ok());
  EXPECT_EQ(link->kind, "vlan");
  EXPECT_EQ(link->vlan_id, 711);
}

TEST(Link, AVlanBeyondTwelveBitsIsAnError) { EXPECT_FALSE(DecodeLink(wire::VlanLink(8, "eth0.1", 4096)).ok()); }

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

TEST(Netdev, OfHardwareIsReadWhole) {
  FakeHost host = HostWithEth0();
  const Fact<Netdev> netdev = ReadNetdev(host, 7);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->name, "eth0");
  EXPECT_EQ(netdev->driver, "mlx5_core");
  EXPECT_EQ(netdev->mtu_bytes, 9000U);
  EXPECT_EQ(*netdev->speed_mbps, 25000U);
  EXPECT_THAT(*netdev->addresses, ElementsAre(IpAddress{"10.0.0.1", 24}));
  EXPECT_EQ(netdev->vlan_id.missing().detail, "not a VLAN device");
  EXPECT_EQ(netdev->dcb.pfc->enabled, 8);
}

TEST(Netdev, OfAVirtualDeviceHasItsKindAsDriver) {
  FakeHost host = HostWithEth0();
  host.links.clear();
  host.Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "eth0", 9000, "dcbnic")));
  EXPECT_EQ(ReadNetdev(host, 7)->driver, "dcbnic");
}

TEST(Netdev, ThatGoesAwayBetweenTwoReadsIsMissing) {
  FakeHost host = HostWithEth0();
  host.ThenAnswer(wire::LinkRequest(7), ErrnoStatus(ENODEV, "ask rtnetlink GETLINK"));
  EXPECT_EQ(ReadNetdev(host, 7).missing(),
            (Missing{Missing::Kind::kFailed, "ask rtnetlink GETLINK: No such device"}));
}

TEST(Netdev, ThatIsRenamedBetweenTwoReadsIsNotMixedUp) {
  FakeHost host = HostWithEth0();
  host.ThenAnswer(wire::LinkRequest(7), wire::One(wire::Link(7, "lan0", 9000)));
  EXPECT_EQ(ReadNetdev(host, 7).missing().detail, "read eth0: it was renamed to lan0 while it was read");
}

TEST(Netdev, ThatGoesDownBetweenTwoReadsDoesNotBlameTheDriverForItsSpeed) {
  FakeHost host = HostWithEth0();
  host.files["/sys/class/net/eth0/speed"] = ErrnoStatus(EINVAL, "read /sys/class/net/eth0/speed");
  host.ThenAnswer(wire::LinkRequest(7), wire::One(wire::LinkHeader(7, false, false) +
                                                  wire::Text(IFLA_IFNAME, "eth0") + wire::U32(IFLA_MTU, 9000)));
  EXPECT_EQ(ReadNetdev(host, 7)->speed_mbps.missing().detail, "speed unknown while link is down");
}

TEST(Netdev, SysfsOfAnotherNamespaceIsNotBelieved) {
  FakeHost host = HostWithEth0();
  host.files["/sys/class/net/eth0/ifindex"] = "2\n";
  const Fact<Netdev> netdev = ReadNetdev(host, 7);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->driver, "");
  EXPECT_THAT(netdev->speed_mbps.missing().detail, HasSubstr("another network namespace"));
  EXPECT_FALSE(host.Asked("read /sys/class/net/eth0/speed"));
}

TEST(Netdev, AddressesThatCannotBeListedAreTheOnlyGap) {
  FakeHost host = HostWithEth0();
  host.Answer(wire::AddressesRequest(), ErrnoStatus(EINTR, "list by rtnetlink GETADDR"));
  const Fact<Netdev> netdev = ReadNetdev(host, 7);
  ASSERT_TRUE(netdev);
  EXPECT_EQ(netdev->addresses.missing().kind, Missing::Kind::kFailed);
  EXPECT_TRUE(netdev->speed_mbps);
}

}  // namespace
}  // namespace rdmaready
