// SPDX-License-Identifier: Apache-2.0
#include "checks/past_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "checks/judge.h"
#include "checks/words/fix.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;

const Finding& AddressIn(const std::vector<Finding>& findings) {
  return *std::ranges::find(findings, "ip.address", &Finding::id);
}

Facts WithAddresses(std::vector<IpAddress> addresses) {
  return WithNetdev([&](Netdev& netdev) { netdev.addresses = addresses; });
}

RunRecord RunOf(const Facts& host, std::int64_t unix_ns) {
  RunRecord run{.started_unix_ns = unix_ns};
  run.report.findings = JudgeHost(host, VirtualFabricProfile());
  return run;
}

class PastAddressTest : public testing::Test {
 protected:
  std::vector<Finding> now_ = JudgeHost(WithAddresses({}), VirtualFabricProfile());
  const RunRecord bare_ = RunOf(WithAddresses({}), 1'795'300'000'000'000'000);
  const RunRecord before_ =
      RunOf(WithAddresses({{.address = "10.0.0.7", .prefix_length = 24}}), 1'795'200'000'000'000'000);
};

TEST_F(PastAddressTest, IsTheOneOfTheNewestRunThatHadOne) {
  ASSERT_TRUE(AskForAddress(now_));
  FillInPastAddress(std::vector{bare_, before_}, now_);
  const Finding& finding = AddressIn(now_);
  EXPECT_EQ(finding.fix, "ip address add 10.0.0.7/24 dev dcb0");
  const std::string line = OneLine(*finding.remedy);
  EXPECT_THAT(line, HasSubstr("10.0.0.7/24 is the address that the port had at 2026-"));
  EXPECT_THAT(line, Not(HasSubstr("ADDRESS")));
}

TEST_F(PastAddressTest, LeavesTheRemedyOfAPortThatNeverHadOne) {
  const std::vector<Finding> as_it_was = now_;
  FillInPastAddress(std::vector{bare_, bare_}, now_);
  EXPECT_EQ(AddressIn(now_).remedy, AddressIn(as_it_was).remedy);
}

TEST_F(PastAddressTest, IsNotThatOfAnotherPort) {
  RunRecord other = before_;
  for (Finding& finding : other.report.findings) finding.subject = "rxe1/1 dcb1";
  FillInPastAddress(std::vector{other}, now_);
  EXPECT_THAT(OneLine(*AddressIn(now_).remedy), HasSubstr("ADDRESS"));
}

TEST_F(PastAddressTest, IsAskedForOnlyWhereThePortHasNone) {
  EXPECT_FALSE(AskForAddress(JudgeHost(GoodHost(), VirtualFabricProfile())));
}

}  // namespace
}  // namespace rdmaready
