// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"

namespace rdmaready::sim {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using What = Happening::What;

constexpr std::size_t kHostsOfScript = 20;

std::vector<Happening> Read(std::string_view text) {
  const auto script = ParseScript(text, kHostsOfScript);
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? *script : std::vector<Happening>();
}

std::string TroubleOf(std::string_view text) { return Message(ParseScript(text, kHostsOfScript).status()); }

TEST(Script, IsInTheOrderOfItsTimes) {
  const auto script =
      Read("# nothing yet\n\n8s stop 100  # more than there are\n3s change 10%\n5s skew all 90s\n");
  ASSERT_THAT(script, SizeIs(3));
  EXPECT_EQ(script[0].what, What::kChange);
  EXPECT_EQ(script[0].hosts, 2u);
  EXPECT_EQ(script[1].skew, milliseconds(90'000));
  EXPECT_EQ(script[2].hosts, kHostsOfScript);
  EXPECT_EQ(script[2].text, "8s stop 100");
  EXPECT_EQ(MostPartitioned(script), 0u);
}

TEST(Script, APartitionIsOverAtItsTime) {
  const auto script = Read("10s partition 25% 20s\n15s change all\n");
  ASSERT_THAT(script, SizeIs(3));
  EXPECT_EQ(script[0].what, What::kPartition);
  EXPECT_EQ(script[0].at, milliseconds(10'000));
  EXPECT_EQ(script[1].what, What::kChange);
  EXPECT_EQ(script[2].what, What::kHeal);
  EXPECT_EQ(script[2].at, milliseconds(30'000));
  EXPECT_EQ(script[2].text, "10s partition 25% 20s (over)");
  for (const Happening& happening : {script[0], script[2]}) {
    EXPECT_EQ(happening.hosts, 5u);
    EXPECT_TRUE(happening.to_hub && happening.to_agent);
  }
}

TEST(Script, APartitionHasADirection) {
  const auto script = Read("1s partition 1 9s to-hub\n2s partition 3 5s to-agent\n3s partition 2 1s both\n");
  ASSERT_THAT(script, SizeIs(6));
  EXPECT_TRUE(script[0].to_hub && !script[0].to_agent);
  EXPECT_TRUE(!script[1].to_hub && script[1].to_agent);
  EXPECT_TRUE(script[2].to_hub && script[2].to_agent);
  EXPECT_EQ(script[3].at, milliseconds(4'000)) << "what began last is over first";
  EXPECT_EQ(MostPartitioned(script), 3u);
}

TEST(Script, AVersionIsThatOfARelease) {
  const auto script = Read("1s version 10% 0.2.0\n");
  ASSERT_THAT(script, SizeIs(1));
  EXPECT_EQ(script[0].what, What::kVersion);
  EXPECT_EQ(script[0].version, "0.2.0");
  EXPECT_EQ(script[0].revision, kIngestRevision);
  EXPECT_EQ(Read("1s version all 0.2.0 revision 3\n").at(0).revision, 3u);
}

TEST(Script, SaysWhichLineIsWrongAndWhy) {
  EXPECT_THAT(TroubleOf("1s change 1\n2s explode 1\n"), "script:2: 'explode' does not happen");
  EXPECT_THAT(TroubleOf("soon change 1"), HasSubstr("script:1: "));
  EXPECT_THAT(TroubleOf("1s change some"), HasSubstr("how many hosts"));
  EXPECT_THAT(TroubleOf("1s partition 101% 5s"), HasSubstr("how many hosts"));
  EXPECT_THAT(TroubleOf("1s change 1 more"), HasSubstr("'more' is a word too many"));
  EXPECT_THAT(TroubleOf("1s skew 1"), HasSubstr("how long"));
  EXPECT_THAT(TroubleOf("1s partition 1"), HasSubstr("how long"));
  EXPECT_THAT(TroubleOf("1s partition 1 to-hub"), HasSubstr("to-hub"));
  EXPECT_THAT(TroubleOf("1s partition 1 5s sideways"), HasSubstr("'sideways' is no direction"));
  EXPECT_THAT(TroubleOf("1s partition 1 5s both ways"), HasSubstr("'ways' is a word too many"));
  EXPECT_THAT(TroubleOf("1s version 1"), HasSubstr("which version"));
  for (const char* wrong : {"next", "0.2", "0.2.0.1", "0.2.x", "-1.0.0", "0.2.0-rc1"})
    EXPECT_THAT(TroubleOf(std::string("1s version 1 ") + wrong), HasSubstr("is no version"));
  for (const char* wrong : {"revision", "revision x", "revision -1", "revision 4294967296", "edition 2", "2"})
    EXPECT_THAT(TroubleOf(std::string("1s version 1 0.2.0 ") + wrong), HasSubstr("is no revision"));
  EXPECT_THAT(TroubleOf("1s version 1 0.2.0 revision 2 3"), HasSubstr("'3' is a word too many"));
}

TEST(Script, NothingIsNoScript) { EXPECT_THAT(Read("\n# only this\n"), IsEmpty()); }

}  // namespace
}  // namespace rdmaready::sim
