// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/event_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmaready {
namespace {

Event ATest() {
  return {EventLevel::kInfo,
          "test",
          {{"run_id", std::string("r-1")}, {"duration_ms", std::int64_t{512}}, {"ok", true}}};
}

TEST(EventText, IsOneLineOfKeysAndValues) {
  EXPECT_EQ(EventText(ATest()), "test run_id=r-1 duration_ms=512 ok=yes");
}

TEST(EventText, QuotesWhatWouldEndAValue) {
  EXPECT_EQ(EventText({EventLevel::kInfo, "e", {{"a", std::string("two words")}, {"b", std::string()}}}),
            "e a=\"two words\" b=\"\"");
  EXPECT_EQ(EventText({EventLevel::kInfo, "e", {{"a", std::string("\" outcome=ok x=\"\\")}}}),
            R"(e a="\" outcome=ok x=\"\\")");
}

TEST(EventText, StaysOneSafeLineWhateverAStrangerSays) {
  const std::string line =
      EventText({EventLevel::kInfo, "e", {{"caller", "\x1b[2J\nevent=forged\xff" + std::string(9000, 'x')}}});
  EXPECT_EQ(line.find_first_of("\n\x1b\xff"), std::string::npos);
  EXPECT_LT(line.size(), 1200u);
}

TEST(EventJson, IsTheInsideOfAnObject) {
  const auto json = nlohmann::json::parse("{" + EventJson(ATest()) + "}");
  EXPECT_EQ(json, nlohmann::json::parse(R"({"event":"test","run_id":"r-1","duration_ms":512,"ok":true})"));
}

TEST(EventJson, CanBeParsedWhateverAStrangerSays) {
  const std::string evil = "\"},\n{\xff\x1b";
  const std::string line = EventJson({EventLevel::kInfo, "e", {{"caller", evil + std::string(9000, 'x')}}});
  EXPECT_EQ(line.find_first_of("\n\x1b\xff"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept("{" + line + "}"));
  EXPECT_LT(line.size(), 1200u);
}

TEST(Throttle, LetsTenASecondThroughAndCountsTheRest) {
  Throttle throttle;
  const Throttle::TimePoint start = Throttle::TimePoint() + std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(throttle.Admit(start), 0);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(throttle.Admit(start + std::chrono::milliseconds(500)), std::nullopt);
  EXPECT_EQ(throttle.Admit(start + std::chrono::seconds(1)), 7);
  EXPECT_EQ(throttle.Admit(start + std::chrono::seconds(1)), 0);
}

}  // namespace
}  // namespace rdmaready
