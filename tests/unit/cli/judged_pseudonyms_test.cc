// SPDX-License-Identifier: Apache-2.0
#include "cli/command/judged_pseudonyms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/profile/load.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const bundle::Pseudonyms kPseudonyms("a key");

SavedHost Host() { return {.name = "secret-host", .facts = GoodHost()}; }

JudgedBy Of(const std::string& yaml) {
  return {.profiles = {*ParseProfile("extends: virtual-fabric\n" + yaml, "p.yaml")}, .chosen_by = "--profile"};
}

TEST(HiddenJudging, KeepsABuiltInProfileAsItIs) {
  const JudgedBy judged_by{.profiles = {*LoadProfile("virtual-fabric")}, .chosen_by = "agent"};
  const HiddenJudging hidden = UnderPseudonyms(kPseudonyms, judged_by, Host());
  EXPECT_EQ(hidden.judged_by, judged_by);
  EXPECT_FALSE(hidden.left_out);
}

TEST(HiddenJudging, NamesThePortsThatASelectorSelects) {
  const HiddenJudging hidden = UnderPseudonyms(
      kPseudonyms, Of("name: secret-storage\nsummary: of the secret project\nports: [{subnet: 10.0.0.0/24}]\n"),
      Host());
  ASSERT_TRUE(hidden.judged_by);
  EXPECT_TRUE(hidden.left_out);
  const Profile& profile = hidden.judged_by->profiles.front();
  ASSERT_EQ(profile.ports.size(), 1U);
  EXPECT_EQ(profile.ports.front(), (Profile::PortSelector{.device = "rxe0/1"}));
  EXPECT_THAT(profile.name, StartsWith("profile-"));
  EXPECT_THAT(*EncodeJudgedBy(*hidden.judged_by, false), Not(HasSubstr("secret")));
  EXPECT_THAT(*EncodeJudgedBy(*hidden.judged_by, false), Not(HasSubstr("10.0.0")));
}

TEST(HiddenJudging, SelectsNoPortForAProfileOfOthers) {
  const HiddenJudging hidden =
      UnderPseudonyms(kPseudonyms, Of("name: other\nports: [{netdev: nothing*}]\n"), Host());
  ASSERT_TRUE(hidden.judged_by);
  EXPECT_EQ(hidden.judged_by->profiles.front().ports,
            (std::vector<Profile::PortSelector>{{.device = "no-port-of-this-host"}}));
}

TEST(HiddenJudging, IsLeftOutWhereThePortsOfAProfileAreNotKnown) {
  SavedHost host = Host();
  host.facts.ports = Denied();
  const HiddenJudging hidden =
      UnderPseudonyms(kPseudonyms, Of("name: other\nports: [{netdev: \"dcb*\"}]\n"), host);
  EXPECT_FALSE(hidden.judged_by);
  EXPECT_TRUE(hidden.left_out);
}

TEST(HiddenJudging, KeepsTheWaiversOfThisHostWithoutNames) {
  const std::string rest = ", reason: secret reason, who: Ann Secret, until: 2099-12-31}";
  const HiddenJudging hidden = UnderPseudonyms(
      kPseudonyms,
      Of("name: p\nwaivers:\n  - {check: pfc.delay, host: \"secret-*\", port: \"rxe*\"" + rest +
         "\n  - {check: pfc.delay, host: another" + rest + "\n  - {check: host.memlock" + rest + "\n"),
      Host());
  ASSERT_TRUE(hidden.judged_by);
  const std::vector<Waiver>& waivers = hidden.judged_by->profiles.front().waivers;
  ASSERT_EQ(waivers.size(), 3U);
  EXPECT_EQ(waivers[0].port, "rxe0");
  EXPECT_EQ(waivers[1].port, "rxe0/1");
  EXPECT_EQ(waivers[2].check, "host.memlock");
  EXPECT_THAT(*EncodeJudgedBy(*hidden.judged_by, false), Not(HasSubstr("ecret")));
  EXPECT_TRUE(DecodeJudgedBy(*EncodeJudgedBy(*hidden.judged_by, false)).ok());
}

}  // namespace
}  // namespace rdmaready
