// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/device.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(MayBeSame, ByThePlaceOrByTheAddress) {
  const std::string one = "0000:3b:00.0/0 b8:59:9f:00:00:01";
  EXPECT_TRUE(MayBeSame(one, one));
  EXPECT_TRUE(MayBeSame(one, "0000:5e:00.0/0 b8:59:9f:00:00:01")) << "in another slot";
  EXPECT_TRUE(MayBeSame(one, "0000:3b:00.0/0 b8:59:9f:00:00:02")) << "another card in its place";
  EXPECT_FALSE(MayBeSame(one, "0000:3b:00.0/1 b8:59:9f:00:00:02")) << "the other port";
  EXPECT_FALSE(MayBeSame("- b8:59:9f:00:00:01", "- b8:59:9f:00:00:02"));
  EXPECT_FALSE(MayBeSame("0000:3b:00.0/0 -", "0000:3b:00.1/0 -")) << "what both lack makes no two the same";
}

TEST(MayBeSame, WhereOneIsNotKnown) {
  EXPECT_TRUE(MayBeSame("", "0000:3b:00.0/0 b8:59:9f:00:00:01"));
  EXPECT_TRUE(MayBeSame("0000:3b:00.0/0 b8:59:9f:00:00:01", ""));
}

TEST(IdentityOf, OfWhatIsNotThereIsNothing) {
  EXPECT_EQ(IdentityOf({SettingKind::kMtu, "no-such-netdev", ""}), "");
  EXPECT_EQ(IdentityOf({SettingKind::kMtu, "../../etc", ""}), "");
  EXPECT_EQ(IdentityOf({SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"}), "");
  EXPECT_EQ(IdentityOf({SettingKind::kMtu, "lo", ""}), "") << "neither a place nor an address";
}

}  // namespace
}  // namespace rdmaready
