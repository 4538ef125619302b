// SPDX-License-Identifier: Apache-2.0
#include "api/client/address.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(HostAddress, HasTheDefaultPortWhenNoneIsGiven) {
  EXPECT_EQ(ParseHostAddress("storage1")->port, 7471);
  EXPECT_EQ(ParseHostAddress("10.0.0.1")->host, "10.0.0.1");
}

TEST(HostAddress, TakesNameAndPort) {
  const absl::StatusOr<HostAddress> address = ParseHostAddress("127.0.0.1:9001");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "127.0.0.1");
  EXPECT_EQ(address->port, 9001);
  EXPECT_EQ(address->text, "127.0.0.1:9001");
}

TEST(HostAddress, TakesIpv6WithAndWithoutBrackets) {
  EXPECT_EQ(ParseHostAddress("::1")->host, "::1");
  EXPECT_EQ(ParseHostAddress("[::1]")->host, "::1");
  EXPECT_EQ(ParseHostAddress("[fe80::1]:80")->port, 80);
}

TEST(HostAddress, SaysWhatIsWrong) {
  for (const char* text : {"", ":1", "a:", "a:0", "a:65536", "a:x", "[::1", "[::1]x", "[::1]:", "unix:"}) {
    const absl::StatusOr<HostAddress> address = ParseHostAddress(text);
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_FALSE(address.status().message().empty()) << text;
  }
}

TEST(Resolve, KnowsLoopback) {
  EXPECT_TRUE(Resolve(*ParseHostAddress("127.3.2.1"))->front().loopback);
  EXPECT_TRUE(Resolve(*ParseHostAddress("[::1]:9"))->front().loopback);
  EXPECT_FALSE(Resolve(*ParseHostAddress("192.0.2.1"))->front().loopback);
  EXPECT_TRUE(Resolve(*ParseHostAddress("unix:/run/x"))->front().loopback);
}

TEST(Resolve, SpellsTargetsAsGrpcWantsThem) {
  EXPECT_EQ(Resolve(*ParseHostAddress("127.0.0.1:9"))->front().target, "ipv4:127.0.0.1:9");
  EXPECT_EQ(Resolve(*ParseHostAddress("[::1]:9"))->front().target, "ipv6:[::1]:9");
}

TEST(Resolve, SaysWhenANameDoesNotResolve) {
  EXPECT_EQ(Resolve(*ParseHostAddress("no-such-host.invalid")).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rdmaready
