// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/pseudonyms.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <set>

namespace rdmaready::bundle {
namespace {

const Pseudonyms kOne(std::string(32, 'a'));
const Pseudonyms kOther(std::string(32, 'b'));

std::uint32_t Ipv4Of(const std::string& text) {
  std::uint32_t number = 0;
  EXPECT_EQ(::inet_pton(AF_INET, text.c_str(), &number), 1) << text;
  return ntohl(number);
}

Pseudonyms::Bytes16 Ipv6Of(const std::string& text) {
  Pseudonyms::Bytes16 bytes{};
  EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), bytes.data()), 1) << text;
  return bytes;
}

int CommonBits(std::uint32_t a, std::uint32_t b) { return a == b ? 32 : __builtin_clz(a ^ b); }

TEST(Pseudonyms, AreTheSameForTheSameNameAndOtherwiseForAnotherKey) {
  EXPECT_EQ(kOne.Word("host", "node1"), kOne.Word("host", "node1"));
  EXPECT_NE(kOne.Word("host", "node1"), kOne.Word("host", "node2"));
  EXPECT_NE(kOne.Word("host", "node1"), kOther.Word("host", "node1"));
  EXPECT_EQ(kOne.Word("host", "node1").substr(5), kOne.Word("name", "node1").substr(5));
  EXPECT_EQ(kOne.Word("host", ""), "");
  const absl::StatusOr<Pseudonyms> a = Pseudonyms::Make();
  const absl::StatusOr<Pseudonyms> b = Pseudonyms::Make();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a->Address("10.1.2.3"), b->Address("10.1.2.3"));
}

TEST(Pseudonyms, OfTwoAddressesHaveAsManyBitsInCommonAsTheyHave) {
  const char* addresses[] = {"10.1.2.3",    "10.1.2.4",    "10.1.3.3", "10.200.2.3",
                             "192.168.7.1", "192.168.7.2", "8.8.8.8"};
  for (const char* a : addresses) {
    for (const char* b : addresses) {
      EXPECT_EQ(CommonBits(Ipv4Of(kOne.Address(a)), Ipv4Of(kOne.Address(b))), CommonBits(Ipv4Of(a), Ipv4Of(b)))
          << a << " " << b;
    }
  }
  std::set<std::string> all;
  for (int i = 0; i < 256; ++i) all.insert(kOne.Address("10.1.2." + std::to_string(i)));
  EXPECT_EQ(all.size(), 256U);
  EXPECT_NE(kOne.Address("10.1.2.3"), "10.1.2.3");
}

TEST(Pseudonyms, LeaveWhatIsTheSameForEverybody) {
  for (const char* same : {"127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "::", "::1", "ff02::1"}) {
    EXPECT_EQ(kOne.Address(same), same);
    EXPECT_EQ(kOne.Address(std::string(same) + "/8"), std::string(same) + "/8");
  }
  for (const char* same : {"01:80:c2:00:00:0e", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"})
    EXPECT_EQ(kOne.Mac(same), same);
  EXPECT_TRUE(kOne.Address("169.254.7.8").starts_with("169.254."));
  EXPECT_TRUE(kOne.Address("192.168.7.8").starts_with("192.168."));
  EXPECT_TRUE(kOne.Address("10.0.0.1/24").ends_with("/24"));
  EXPECT_TRUE(kOne.Mac("0c:42:a1:00:3b:1e").starts_with("0c:42:a1:"));
  EXPECT_NE(kOne.Mac("0c:42:a1:00:3b:1e"), "0c:42:a1:00:3b:1e");
  for (const char* same : {"mlx5_0", "ens1f0np0", "eth0", "lo", "enp59s0f1", "bond0", "eth0.100", ""}) {
    EXPECT_EQ(kOne.Device(same), same);
  }
}

TEST(Pseudonyms, OfDevicesThatPeopleOrAddressesNamedAreShortAndApart) {
  for (const char* named : {"storage-acme", "enx0c42a1003b1e", "ethacme", "bond-acme", "br-1234567890ab"}) {
    EXPECT_NE(kOne.Device(named), named);
    EXPECT_LT(kOne.Device(named).size(), 16U);
  }
  EXPECT_NE(kOne.Device("acme0"), kOne.Device("acme1"));
}

TEST(Pseudonyms, OfAnAddressThatIsMadeOfAMacAddressIsMadeOfItsPseudonym) {
  const std::string mac = kOne.Mac("0c:42:a1:00:3b:1e");
  const Pseudonyms::Bytes16 link_local = Ipv6Of(kOne.Address("fe80::e42:a1ff:fe00:3b1e"));
  const std::uint64_t guid = kOne.Guid(0x0c42a10300003b1e);
  unsigned octets[6] = {};
  ASSERT_EQ(std::sscanf(mac.c_str(), "%x:%x:%x:%x:%x:%x", &octets[0], &octets[1], &octets[2], &octets[3],
                        &octets[4], &octets[5]),
            6);
  EXPECT_EQ(link_local[0], 0xfe);
  EXPECT_EQ(link_local[8], octets[0] ^ 2U);
  for (std::size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(link_local[i + 10], octets[i]);
    EXPECT_EQ(guid >> (40 - 8 * i) & 0xff, octets[i]);
  }
  EXPECT_EQ(guid >> 24, 0x0c42a10300U);
}

TEST(Pseudonyms, OfAGidFollowTheAddressOrTheGuidThatItStandsFor) {
  EXPECT_EQ(kOne.Gid(Ipv6Of("::ffff:10.1.2.3"), false), Ipv6Of("::ffff:" + kOne.Address("10.1.2.3")));
  EXPECT_EQ(kOne.Gid(Ipv6Of("2001:db8::7"), false), Ipv6Of(kOne.Address("2001:db8::7")));
  EXPECT_EQ(kOne.Gid(Ipv6Of("fe80::e42:a1ff:fe00:3b1e"), false),
            Ipv6Of(kOne.Address("fe80::e42:a1ff:fe00:3b1e")));
  Pseudonyms::Bytes16 of_guid = Ipv6Of("fe80::");
  std::uint64_t guid = kOne.Guid(0x0002c90300123456);
  for (std::size_t i = 16; i > 8; --i, guid >>= 8) of_guid[i - 1] = static_cast<std::uint8_t>(guid);
  EXPECT_EQ(kOne.Gid(Ipv6Of("fe80::2:c903:12:3456"), true), of_guid);
  EXPECT_EQ(kOne.Gid({}, true), Pseudonyms::Bytes16());
}

TEST(Pseudonyms, KeepSubnetsOfIpv6) {
  const auto same = [](const char* a, const char* b, int bits) {
    const Pseudonyms::Bytes16 one = Ipv6Of(kOne.Address(a));
    const Pseudonyms::Bytes16 two = Ipv6Of(kOne.Address(b));
    return std::equal(one.begin(), one.begin() + bits / 8, two.begin());
  };
  EXPECT_TRUE(same("2001:db8:1:2::7", "2001:db8:1:2::8", 112));
  EXPECT_FALSE(same("2001:db8:1:2::7", "2001:db8:1:3::7", 64));
  EXPECT_TRUE(same("2001:db8:1:2::7", "2001:db8:1:3::7", 56));
}

TEST(Pseudonyms, OfRulesKeepTheWordsOfRules) {
  EXPECT_EQ(kOne.Rule("from 10.1.2.3 lookup 100"), "from " + kOne.Address("10.1.2.3") + " lookup 100");
  EXPECT_EQ(kOne.Rule("iif acme0"), "iif " + kOne.Device("acme0"));
  EXPECT_EQ(kOne.Rule("all"), "all");
}

TEST(Pseudonyms, OfPathsKeepTheFoldersThatEverybodyHas) {
  const std::string path = kOne.Path("/etc/udev/rules.d/90-acme.rules");
  EXPECT_TRUE(path.starts_with("/etc/udev/rules.d/name-"));
  EXPECT_EQ(path.find("acme"), std::string::npos);
  EXPECT_EQ(kOne.Path("/etc/4c4c4544-0042-3510-8054-c7c04f4a3332/12345678").find("4c4c4544"), std::string::npos);
  EXPECT_EQ(kOne.Path("/etc/20260101").find("20260101"), std::string::npos);
  EXPECT_EQ(kOne.Path("/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc"),
            "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc");
}

}  // namespace
}  // namespace rdmaready::bundle
