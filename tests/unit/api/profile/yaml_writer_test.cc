// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;

void ExpectRoundTrip(const ProfileReading& reading) {
  ASSERT_TRUE(reading.profile.has_value());
  const std::string yaml = ProfileYaml(reading);
  absl::StatusOr<Profile> again = ParseProfile(yaml, "shown.yaml");
  ASSERT_TRUE(again.ok()) << Message(again.status()) << "\n" << yaml;
  again->digest = reading.profile->digest;
  EXPECT_EQ(*again, *reading.profile) << yaml;
}

TEST(ProfileYaml, OfEveryBuiltInProfileReadsBackAsItself) {
  for (const std::string& name : BuiltInProfileNames()) {
    SCOPED_TRACE(name);
    ExpectRoundTrip(*ReadProfile(name));
  }
}

TEST(ProfileYaml, KeepsTextThatYamlWouldReadOtherwise) {
  for (const char* summary :
       {"'null'", "\"~\"", "\"a: b\"", "\"a #b\"", "\"it's 'so'\"", "\"- a\"", "\"[a]\"", "\" a \"", "\"{\"",
        "\"\xc3\xa4\"", "\"&a\"", "\"*a\"", "\"!a\"", "\"%a\"", "\"@a\"", "\"`a\"", "\"\\\\\"", "''"}) {
    SCOPED_TRACE(summary);
    ExpectRoundTrip(ReadProfileText(std::string("name: '3'\nsummary: ") + summary + "\n", "p.yaml"));
  }
}

TEST(ProfileYaml, KeepsWhatIsZeroOrEmpty) {
  for (const char* text :
       {"pfc: []\n", "rdma_priority: 0\n", "rdma_priority: 1\nets: {rdma_percent: 0, tolerance_percent: 0}\n",
        "cnp: {dscp: 0}\n", "heartbeat: {priority: 0}\n", "ecn: {}\n"}) {
    SCOPED_TRACE(text);
    ExpectRoundTrip(ReadProfileText(std::string("name: x\n") + text, "p.yaml"));
  }
}

TEST(ProfileYaml, SaysWhereAValueIsFromWhenThereAreSeveralFiles) {
  const std::string alone = ProfileYaml(ReadProfileText("name: x\nmin_ports: 2\n", "p.yaml"));
  EXPECT_THAT(alone, HasSubstr("\nmin_ports: 2\n"));
  EXPECT_THAT(alone, HasSubstr("# p.yaml\n"));
  const std::string chain =
      ProfileYaml(ReadProfileText("name: x\nextends: nvidia-lossless\ndscp: 26\n", "p.yaml"));
  EXPECT_THAT(chain, HasSubstr("# p.yaml, which extends nvidia-lossless.yaml\n"));
  const std::string gap(26, ' ');
  EXPECT_THAT(chain, HasSubstr("\ndscp: 26" + gap + "# p.yaml:3\n"));
  EXPECT_THAT(chain, HasSubstr("\ntos: 106" + gap + "# nvidia-lossless.yaml:"));
  EXPECT_THAT(chain, Not(HasSubstr("extends:")));
}

TEST(ProfileYaml, KeepsAFilesNameInItsComment) {
  ProfileReading reading = ReadProfileText("name: x\n", "p.yaml");
  reading.files = {"a\nname: y"};
  EXPECT_THAT(ProfileYaml(reading), HasSubstr("# a?name: y\n"));
}

}  // namespace
}  // namespace rdmaready
