// SPDX-License-Identifier: Apache-2.0
#include "api/profile/judged_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/profile/load.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

Waiver Accepted(const std::string& check) {
  return {.check = check, .reason = "a new switch", .who = "Ann", .until = "2099-12-31"};
}

JudgedBy Whole() {
  Profile storage = *ParseProfile(
      "extends: nvidia-lossless\nname: storage\nports: [{subnet: 10.1.0.0/16}]\nports_expected: true\n"
      "waivers: [{check: pfc.delay, reason: old, who: Bob, until: 2099-01-01}]\n",
      "storage.yaml");
  return {.profiles = {std::move(storage), *LoadProfile("infiniband")},
          .waivers = {Accepted("host.memlock")},
          .chosen_by = "inventory",
          .group = "gpu",
          .site_file = "site.yaml",
          .site_text = "groups: []\n# of the site\n"};
}

std::string WhyRefused(const std::string& text) {
  const absl::StatusOr<JudgedBy> read = DecodeJudgedBy(text);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << text.substr(0, 80);
  return Message(read.status());
}

TEST(JudgedBy, ComesBackAsItWent) {
  const JudgedBy whole = Whole();
  for (const bool people : {true, false}) {
    const absl::StatusOr<JudgedBy> back = DecodeJudgedBy(*EncodeJudgedBy(whole, people));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, whole);
  }
}

TEST(JudgedBy, HoldsTheProfilesAsYamlForPeople) {
  const std::string text = *EncodeJudgedBy(Whole());
  EXPECT_THAT(text, HasSubstr("# SHA-256 " + Whole().profiles.front().digest));
  EXPECT_THAT(text, HasSubstr("\\nrdma_priority: 3\\n"));
  EXPECT_THAT(*EncodeJudgedBy(Whole(), false), testing::Not(HasSubstr("SHA-256")));
}

TEST(JudgedBy, JudgesWithTheWaiversOfTheAgentUnderEveryProfile) {
  const std::vector<Profile> effective = Whole().Effective();
  ASSERT_EQ(effective.size(), 2U);
  EXPECT_EQ(effective[0].waivers.size(), 2U);
  EXPECT_EQ(effective[1].waivers, std::vector<Waiver>{Accepted("host.memlock")});
}

TEST(JudgedBy, TakesTheDigestOfTheContentWhateverTheTextSays) {
  JudgedBy lying = Whole();
  const std::string digest = lying.profiles.front().digest;
  lying.profiles.front().digest = "0000";
  EXPECT_EQ(DecodeJudgedBy(*EncodeJudgedBy(lying))->profiles.front().digest, digest);
}

TEST(JudgedBy, RefusesWhatIsHostile) {
  EXPECT_THAT(WhyRefused(""), HasSubstr("not of a form"));
  EXPECT_THAT(WhyRefused("[]"), HasSubstr("not of a form"));
  EXPECT_THAT(WhyRefused("{}"), "it names no profile");
  EXPECT_THAT(WhyRefused("{\"profiles\": [{\"name\": \"x\", \"dscp\": 64}]}"),
              HasSubstr("dscp: 64 is not in 0..63"));
  EXPECT_THAT(WhyRefused("{\"profiles\": [{\"name\": \"x\"}], \"later\": 1}"), HasSubstr("not of a form"));
  EXPECT_THAT(WhyRefused("{\"profiles\": [{\"name\": \"x\"}], \"waivers\": [{\"check\": \"c\"}]}"),
              HasSubstr("waivers[0].reason"));
  EXPECT_THAT(WhyRefused("{\"group\": \"" + std::string(300, 'g') + "\", \"profiles\": [{\"name\": \"x\"}]}"),
              HasSubstr("more than 256 bytes"));
  EXPECT_THAT(WhyRefused(std::string(kMaxJudgedByBytes + 1, ' ')), HasSubstr("larger than 8 MiB"));
}

TEST(JudgedBy, RefusesManyElementsBeforeItMakesAnything) {
  std::string many = "{\"profiles\": [{}";
  for (int i = 0; i < 60'000; ++i) many += ",{}";
  EXPECT_THAT(WhyRefused(many + "]}"), "of too many elements");
  std::string numbers = "{\"profiles\": [{\"name\": \"x\", \"pfc\": {\"priorities\": [1";
  for (int i = 0; i < 600'000; ++i) numbers += ",1";
  EXPECT_THAT(WhyRefused(numbers + "]}}]}"), "of too many elements");
  std::string profiles = "{\"profiles\": [{\"name\": \"x\"}";
  for (std::size_t i = 0; i < kMaxKeptProfiles; ++i) profiles += ", {\"name\": \"x\"}";
  EXPECT_THAT(WhyRefused(profiles + "]}"), HasSubstr("more than 64 profiles"));
}

}  // namespace
}  // namespace rdmaready
