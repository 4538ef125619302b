// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/nic_classes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

constexpr const char* kNicFolder = "/sys/class/net/eth2";
constexpr const char* kTrust = "/sys/class/net/eth2/qos/trust";
constexpr const char* kMap = "/sys/class/net/eth2/qos/dscp2prio";

// DSCP / 8, as the NIC comes up.
std::string MapText() {
  std::string text = "dscp\tprio\n";
  for (int dscp = 0; dscp < 64; ++dscp) text += std::to_string(dscp) + "\t" + std::to_string(dscp / 8) + "\n";
  return text;
}

std::string Changed(const std::string& old, const std::string& now) {
  std::string text = MapText();
  return text.replace(text.find(old), old.size(), now);
}

TEST(NicClasses, AreTheNicsOwn) {
  FakeHost host;
  host.files[kTrust] = "dscp\n";
  host.files[kMap] = MapText();
  const Fact<AppSelector> trust = ReadNicTrust(host, kNicFolder, "mlx5_core");
  ASSERT_TRUE(trust);
  EXPECT_EQ(*trust, AppSelector::kDscp);
  const Fact<DscpMap> map = ReadNicDscpMap(host, kNicFolder, "mlx5_core");
  ASSERT_TRUE(map);
  EXPECT_EQ((*map)[26], 3);
  EXPECT_EQ((*map)[48], 6);
  EXPECT_EQ(*DecodeNicTrust("pcp\n"), AppSelector::kPcp);
}

TEST(NicClasses, OfAnotherFormatAreNone) {
  EXPECT_FALSE(DecodeNicTrust("both\n").ok());
  EXPECT_FALSE(DecodeNicTrust("").ok());
  EXPECT_TRUE(DecodeNicDscpMap(MapText()).ok());
  for (const std::string& text :
       {std::string(), Changed("63\t7\n", ""), Changed("63\t7", "62\t7"), Changed("63\t7", "64\t7"),
        Changed("63\t7", "63\t8"), Changed("63\t7", "63\tx")})
    EXPECT_FALSE(DecodeNicDscpMap(text).ok()) << text;
}

TEST(NicClasses, AreAskedForOfOneDriverAndOnlySomeOfItsVersionsTell) {
  FakeHost host;
  EXPECT_EQ(ReadNicTrust(host, kNicFolder, "ice").missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(ReadNicTrust(host, kNicFolder, "").missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(ReadNicTrust(host, kNicFolder, "mlx5_core").missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(ReadNicDscpMap(host, kNicFolder, "mlx5_core").missing().kind, Missing::Kind::kUnsupported);
  host.files[kTrust] = ErrnoStatus(EACCES, "read");
  EXPECT_EQ(ReadNicTrust(host, kNicFolder, "mlx5_core").missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
