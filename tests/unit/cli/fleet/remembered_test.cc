// SPDX-License-Identifier: Apache-2.0
#include "checks/remembered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/judge.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kHour = 3'600'000'000'000;

RunRecord RunAt(std::int64_t hour, std::vector<Finding> findings) {
  RunRecord run{.started_unix_ns = hour * kHour};
  run.report.profiles = {{"virtual-fabric", "00ff"}};
  run.report.findings = std::move(findings);
  return run;
}

Finding Counted(Outcome outcome, const std::string& observed) {
  Finding finding = Fail("cnt.sequence", observed, "no growth", "");
  finding.outcome = outcome;
  return finding;
}

// In the words of the check itself.
Finding NotWatchedNow() {
  const std::vector<Finding> findings = JudgeHost(WithPort([](Port&) {}), VirtualFabricProfile());
  Finding finding = *std::ranges::find(findings, "cnt.sequence", &Finding::id);
  finding.subject = Counted(Outcome::kFail, "").subject;
  return finding;
}

TEST(Remembered, TellsWhatACheckThatDoesNotWatchCouldNotSee) {
  const std::vector<RunRecord> earlier{RunAt(8, {Counted(Outcome::kPass, "no growth in 15 min")}),
                                       RunAt(7, {Counted(Outcome::kFail, "out_of_sequence +7 in 15 min")}),
                                       RunAt(6, {Counted(Outcome::kFail, "out_of_sequence +6 in 15 min")}),
                                       RunAt(5, {NotWatchedNow()})};
  const Remembered remembered = RememberedOf(RunAt(9, {NotWatchedNow()}), earlier);
  const Finding finding = Counted(Outcome::kFail, "");
  EXPECT_THAT(remembered.seen, ElementsAre(SeenBefore{finding.id, finding.subject,
                                                      "out_of_sequence +7 in 15 min", 7 * kHour, 2}));
  EXPECT_THAT(remembered.standing, IsEmpty());
}

TEST(Remembered, IsNoReproachToACheckThatWatched) {
  const std::vector<RunRecord> earlier{RunAt(7, {Counted(Outcome::kFail, "out_of_sequence +7 in 15 min")})};
  for (const Outcome now : {Outcome::kPass, Outcome::kFail}) {
    EXPECT_THAT(RememberedOf(RunAt(9, {Counted(now, "seen")}), earlier).seen, IsEmpty());
  }
  EXPECT_THAT(RememberedOf(RunAt(9, {NotWatchedNow()}), {}).seen, IsEmpty());
}

TEST(Remembered, TellsSinceWhenSomethingStands) {
  const Finding finding = Counted(Outcome::kFail, "seen");
  const Remembered remembered =
      RememberedOf(RunAt(9, {finding}), std::vector{RunAt(8, {finding}), RunAt(3, {finding})});
  EXPECT_THAT(remembered.standing, ElementsAre(Standing{finding.id, finding.subject, 3 * kHour, 3}));
}

}  // namespace
}  // namespace rdmaready
