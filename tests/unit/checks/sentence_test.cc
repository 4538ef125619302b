// SPDX-License-Identifier: Apache-2.0
// How a judged host is put into words, and what comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/judge.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

const Finding& Of(const std::vector<Finding>& findings, std::string_view id) {
  return *std::ranges::find(findings, id, &Finding::id);
}

TEST(Sentence, JoinsWhatWasSeenWithWhatIsWanted) {
  const auto findings = JudgeHost(WithPfc(1U << 4), VirtualFabricProfile());
  EXPECT_EQ(Sentence(Of(findings, "pfc.lossless-priority")), "PFC on 4, wanted on 3 only");
  EXPECT_EQ(Sentence(Of(findings, "mtu.ethernet")), "MTU 9000");
}

TEST(WorthSaying, PutsTheWorstFirstAndLeavesOutWhatIsWell) {
  const auto finding = [](std::string_view id, Outcome outcome, bool blocking) {
    return Finding{.id = std::string(id), .rung = Rung::kHost, .outcome = outcome, .blocking = blocking};
  };
  const std::vector<Finding> findings{
      finding("pass", Outcome::kPass, true),        finding("unknown", Outcome::kUnknown, false),
      finding("warn", Outcome::kWarn, true),        finding("n/a", Outcome::kNotApplicable, true),
      finding("unknown!", Outcome::kUnknown, true), finding("fail", Outcome::kFail, false),
      finding("fail!", Outcome::kFail, true),       finding("fail!2", Outcome::kFail, true)};
  std::vector<std::string> ids;
  for (const Finding* said : WorthSaying(findings)) ids.push_back(said->id);
  EXPECT_THAT(ids, ElementsAre("fail!", "fail!2", "unknown!", "fail", "warn", "unknown"));
}

}  // namespace
}  // namespace rdmaready
