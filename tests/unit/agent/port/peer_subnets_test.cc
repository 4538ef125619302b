// SPDX-License-Identifier: Apache-2.0
#include "agent/port/peer_subnets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using testing::HasSubstr;

std::vector<Prefix> Subnets(const std::vector<std::string>& texts) {
  std::vector<Prefix> prefixes;
  for (const std::string& text : texts) prefixes.push_back(*ParseSubnet(text));
  return prefixes;
}

Port PortWith(const std::vector<IpAddress>& addresses) {
  Port port;
  port.device = "mlx5_0";
  port.number = 1;
  Netdev netdev;
  netdev.name = "eth0";
  netdev.addresses = addresses;
  port.netdev = netdev;
  return port;
}

TEST(PeerSubnets, AreReadStrictly) {
  for (const char* right :
       {"10.0.0.0/16", "0.0.0.0/0", "10.0.0.1", "10.0.0.1/32", "fd00::/8", "fd00::1", "::/0"}) {
    EXPECT_TRUE(ParseSubnet(right).ok()) << right;
  }
  for (const char* wrong : {"", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/ 8", "10.0.0.0/8/8",
                            "10.0.0", "fd00::/129", "storage1", "fe80::1%eth0"}) {
    EXPECT_EQ(ParseSubnet(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
  EXPECT_THAT(std::string(ParseSubnet("10.0.0.1/16").status().message()), HasSubstr("bits behind the prefix"));
}

TEST(PeerSubnets, LetAnAgentConnectWithinThemAndNowhereElse) {
  const std::vector<Prefix> prefixes = Subnets({"10.0.0.0/23", "fd00:1::/64", "192.168.1.7"});
  for (const char* inside : {"10.0.0.1", "10.0.1.255", "fd00:1::ffff", "192.168.1.7", "::ffff:10.0.0.1"}) {
    EXPECT_TRUE(MayConnect(inside, prefixes).ok()) << inside;
  }
  for (const char* outside : {"10.0.2.1", "fd00:2::1", "192.168.1.8", "::ffff:10.0.2.1", "8.8.8.8"}) {
    const absl::Status status = MayConnect(outside, prefixes);
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << outside;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--peers SUBNET"));
  }
}

TEST(PeerSubnets, HoldNothingThatNoAgentOffers) {
  const std::vector<Prefix> everything = Subnets({"0.0.0.0/0", "::/0"});
  for (const char* never :
       {"127.0.0.1", "::1", "0.0.0.0", "::", "169.254.1.1", "fe80::1", "fe80::1%eth0", "224.0.0.1",
        "255.255.255.255", "ff02::1", "::ffff:127.0.0.1", "", "storage1", "10.0.0.1 "}) {
    EXPECT_EQ(MayConnect(never, everything).code(), absl::StatusCode::kPermissionDenied) << never;
  }
  EXPECT_FALSE(MayConnect(std::string("10.0.0.1\0", 9), everything).ok());
  EXPECT_FALSE(MayConnect("10.0.0.1", {}).ok());
}

TEST(PeerSubnets, OfAHostAreThoseOfAllItsRdmaPorts) {
  Facts facts;
  EXPECT_TRUE(OwnSubnets(facts).empty());
  // Two rails, one with a host route only, as where every link is routed.
  facts.ports = std::vector<Port>{
      PortWith({{.address = "10.1.0.2", .prefix_length = 24}, {.address = "fe80::2", .prefix_length = 64}}),
      PortWith({{.address = "10.2.0.2", .prefix_length = 32}, {.address = "fd00:2::2", .prefix_length = 64}})};
  const std::vector<Prefix> own = OwnSubnets(facts);
  for (const char* inside : {"10.1.0.9", "10.2.0.2", "fd00:2::9"})
    EXPECT_TRUE(MayConnect(inside, own).ok()) << inside;
  for (const char* outside : {"10.2.0.9", "10.3.0.1", "fe80::9", "fd00:3::1"}) {
    EXPECT_FALSE(MayConnect(outside, own).ok()) << outside;
  }
  // A prefix that says nothing is no subnet of everything.
  facts.ports = std::vector<Port>{PortWith({{.address = "10.1.0.2", .prefix_length = 0}})};
  EXPECT_FALSE(MayConnect("10.1.0.3", OwnSubnets(facts)).ok());
}

}  // namespace
}  // namespace rdmaready
