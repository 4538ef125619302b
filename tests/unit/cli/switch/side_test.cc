// SPDX-License-Identifier: Apache-2.0
// The switch side of every built-in profile, as it is shown (golden/switch).
#include "cli/switch/side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "tests/support/source_tree.h"
#include "tests/unit/cli/golden.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;

SwitchSide SideOf(const std::string& name, std::string_view kind) {
  const absl::StatusOr<SwitchSide> side = MakeSwitchSide(*LoadProfile(name), kind);
  EXPECT_TRUE(side.ok()) << Message(side.status());
  return side.ok() ? *side : SwitchSide{};
}

std::string GoldenName(const std::string& profile, std::string_view kind) {
  return "switch/" + profile + "." + std::string(kind);
}

TEST(SwitchSide, OfEveryBuiltInProfileIsAsRecorded) {
  std::size_t recorded = 0;
  for (const std::string& name : BuiltInProfileNames()) {
    if (name == "infiniband") continue;
    for (const std::string_view kind : kSwitchKinds) {
      SCOPED_TRACE(name + " " + std::string(kind));
      const std::string text = SideOf(name, kind).text;
      EXPECT_EQ(text, Golden(GoldenName(name, kind), text));
      ++recorded;
    }
  }
  const std::filesystem::directory_iterator files(test::SourceTree() + "/tests/unit/cli/golden/switch");
  EXPECT_EQ(static_cast<std::size_t>(std::distance(begin(files), end(files))), recorded);
}

// Whatever only the reader knows is listed at the top, and nothing is listed that is not there.
TEST(SwitchSide, ListsItsPlaceholders) {
  for (const std::string& name : BuiltInProfileNames()) {
    if (name == "infiniband") continue;
    for (const std::string_view kind : kSwitchKinds) {
      SCOPED_TRACE(name + " " + std::string(kind));
      const SwitchSide side = SideOf(name, kind);
      std::string rest = side.text;
      for (const Placeholder& one : side.placeholders) {
        std::size_t times = 0;
        for (std::size_t at = rest.find(one.name); at != std::string::npos; at = rest.find(one.name)) {
          rest.erase(at, one.name.size());
          ++times;
        }
        EXPECT_GE(times, 2U) << one.name;
        EXPECT_FALSE(one.meaning.empty());
      }
      for (const char* heredoc : {"<<'END'"}) {
        if (const std::size_t at = rest.find(heredoc); at != std::string::npos) rest.erase(at, 2);
      }
      EXPECT_THAT(rest, Not(HasSubstr("<"))) << "a placeholder that is not listed";
    }
  }
}

TEST(SwitchSide, OfInfiniBandIsNone) {
  const absl::Status status = MakeSwitchSide(*LoadProfile("infiniband"), "cumulus").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("profile infiniband has no Ethernet switch side"));
  EXPECT_EQ(MakeSwitchSide(*LoadProfile("nvidia-lossy"), "junos").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SwitchSide, PausesNothingForALossyProfile) {
  EXPECT_THAT(SideOf("nvidia-lossy", "cumulus").text, Not(HasSubstr("nv set qos pfc")));
  EXPECT_THAT(SideOf("nvidia-lossy", "nxos").text, Not(HasSubstr("pause pfc-cos")));
  EXPECT_THAT(SideOf("nvidia-lossy", "sonic").text, Not(HasSubstr("\"pfc_enable\"")));
  EXPECT_THAT(SideOf("nvidia-lossless", "cumulus").text,
              HasSubstr("nv set qos pfc default-global switch-priority 3\n"));
}

// A share of a class of one's own choice, in the queue of its lowest priority.
TEST(SwitchSide, FollowsTheClassesOfTheProfile) {
  const absl::StatusOr<Profile> profile = ParseProfile(
      "name: x\nextends: nvidia-lossless\nrdma_priority: 4\npfc: [2, 4]\nwithout: [ets]\n"
      "ets:\n  rdma_percent: 70\n  classes:\n    - {priorities: [0, 1], percent: 10}\n"
      "    - {priorities: [2, 4], percent: 70}\n    - {priorities: [3, 5, 7], percent: 20}\n"
      "    - {priorities: [6], strict: true}\n",
      "p.yaml");
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  const std::string cumulus = MakeSwitchSide(*profile, "cumulus")->text;
  EXPECT_THAT(cumulus, HasSubstr("mapping default-global dscp 26 switch-priority 4\n"));
  EXPECT_THAT(cumulus, HasSubstr("switch-priority 2 traffic-class 4\n"));
  EXPECT_THAT(cumulus, HasSubstr("traffic-class 4 bw-percent 70\n"));
  EXPECT_THAT(cumulus, HasSubstr("traffic-class 3 bw-percent 20\n"));
  EXPECT_THAT(cumulus, HasSubstr("traffic-class 6 mode strict\n"));
  EXPECT_THAT(cumulus, HasSubstr("traffic-class 4 ecn enable\n"));
}

TEST(SwitchSide, OfSonicIsJsonOfWholeMaps) {
  const std::string text = SideOf("nvidia-lossless", "sonic").text;
  const std::size_t begin = text.find("{\n");
  const nlohmann::json tables = nlohmann::json::parse(text.substr(begin, text.find("\nEND") - begin));
  EXPECT_EQ(tables["DSCP_TO_TC_MAP"]["RDMAREADY"].size(), 64U);
  EXPECT_EQ(tables["DSCP_TO_TC_MAP"]["RDMAREADY"]["26"], "3");
  EXPECT_EQ(tables["DSCP_TO_TC_MAP"]["RDMAREADY"]["48"], "6");
  EXPECT_EQ(tables["DSCP_TO_TC_MAP"]["RDMAREADY"]["0"], "0");
  EXPECT_EQ(tables.at("PORT_QOS_MAP").at("<PORT>").at("pfc_enable"), "3");
  EXPECT_EQ(tables["WRED_PROFILE"]["RDMAREADY_RDMA"]["green_max_threshold"], "1501500");
}

}  // namespace
}  // namespace rdmaready
