// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "checks/readiness.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;

// Sleeping takes no time and moves the clock.
class JumpingClock final : public Clock {
 public:
  TimePoint Now() override { return now; }
  WallTime Wall() override { return {}; }
  bool SleepUntil(TimePoint when, const std::stop_token&) override {
    slept.push_back(std::chrono::duration_cast<milliseconds>(when - now));
    now = when;
    return true;
  }
  bool WaitUntil(std::condition_variable_any&, std::unique_lock<std::mutex>&, const std::stop_token&, TimePoint,
                 const std::function<bool()>& ready) override {
    return ready();
  }

  TimePoint now{};
  std::vector<milliseconds> slept{};
};

CheckSummary Of(Rung level, Outcome host, Outcome peer) {
  CheckSummary run;
  run.report.level = level;
  Finding settings = Pass("link.state", "active");
  settings.outcome = host;
  Finding transfer = Pass("peer.send-1k", "p50 46 us");
  transfer.outcome = peer;
  run.report.hosts = {{.host = "a", .findings = {settings}}};
  if (level >= Rung::kLoopback) {
    Finding loopback = Pass("loopback.send-1k", "p50 46 us");
    run.report.hosts[0].findings.push_back(loopback);
    run.report.hosts[0].findings.push_back(transfer);
  }
  run.notes.resize(1);
  Conclude(run.report);
  return run;
}

class WaitingTest : public testing::Test {
 protected:
  CheckSummary WaitFor(milliseconds limit, Rung level, const Waiting::Check& check) {
    Waiting waiting(limit, level, clock_);
    return waiting.Run(
        [&](Rung asked) {
          levels_.push_back(asked);
          clock_.now += took_;
          return check(asked);
        },
        [&](const std::string& headline) { said_.push_back(headline); });
  }

  JumpingClock clock_;
  milliseconds took_{100};
  std::vector<Rung> levels_;
  std::vector<std::string> said_;
};

TEST_F(WaitingTest, EndsWithTheFirstCheckThatIsReady) {
  const CheckSummary run =
      WaitFor(seconds(60), Rung::kHost, [&](Rung level) { return Of(level, Outcome::kPass, Outcome::kPass); });
  EXPECT_EQ(run.report.verdict, Readiness::kReady);
  EXPECT_EQ(run.waited->tries, 1u);
  EXPECT_EQ(run.waited->ns, 100'000'000);
  EXPECT_TRUE(said_.empty());
}

TEST_F(WaitingTest, RepeatsWithGrowingPausesUntilReady) {
  const CheckSummary run = WaitFor(seconds(60), Rung::kHost, [&](Rung level) {
    return Of(level, levels_.size() < 6 ? Outcome::kFail : Outcome::kPass, Outcome::kPass);
  });
  EXPECT_EQ(run.report.verdict, Readiness::kReady);
  EXPECT_EQ(run.waited->tries, 6u);
  EXPECT_THAT(clock_.slept, ElementsAre(milliseconds(1000), milliseconds(2000), milliseconds(4000),
                                        milliseconds(5000), milliseconds(5000)));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("not ready: a (link.state)"))) << "nothing else changed";
}

TEST_F(WaitingTest, EndsAtItsTimeWithTheLastCheck) {
  const CheckSummary run =
      WaitFor(seconds(10), Rung::kHost, [&](Rung level) { return Of(level, Outcome::kFail, Outcome::kPass); });
  EXPECT_EQ(run.report.verdict, Readiness::kNotReady);
  EXPECT_EQ(StatusOf(run), ExitStatus::kNotReady);
  EXPECT_GE(run.waited->ns, 9'800'000'000);
  EXPECT_LE(run.waited->ns, 10'100'000'000);
}

TEST_F(WaitingTest, RepeatsNoLiveTestBeforeTheSettingsAreReady) {
  const CheckSummary run = WaitFor(seconds(120), Rung::kPeer, [&](Rung level) {
    const bool up = levels_.size() >= 3;
    const bool moved = levels_.size() >= 5;
    return Of(level, up ? Outcome::kPass : Outcome::kFail, moved ? Outcome::kPass : Outcome::kFail);
  });
  EXPECT_EQ(run.report.verdict, Readiness::kReady);
  EXPECT_THAT(levels_, ElementsAre(Rung::kPeer, Rung::kHost, Rung::kHost, Rung::kPeer, Rung::kPeer));
  EXPECT_THAT(clock_.slept, ElementsAre(milliseconds(1000), milliseconds(2000), milliseconds(5000)));
}

TEST_F(WaitingTest, JudgesACheckOfTheSettingsUpToTheLevelThatWasAskedFor) {
  const CheckSummary run =
      WaitFor(seconds(3), Rung::kPeer, [&](Rung level) { return Of(level, Outcome::kFail, Outcome::kFail); });
  EXPECT_EQ(levels_.back(), Rung::kHost);
  EXPECT_EQ(run.report.level, Rung::kPeer);
  EXPECT_EQ(OutcomeOn(run.report.hosts[0].ladder, Rung::kPeer), RungOutcome::kNotRun);
}

TEST_F(WaitingTest, PausesForThreeTimesAsLongAsALiveCheckTook) {
  took_ = seconds(9);
  static_cast<void>(
      WaitFor(seconds(60), Rung::kPeer, [&](Rung level) { return Of(level, Outcome::kPass, Outcome::kFail); }));
  ASSERT_FALSE(clock_.slept.empty());
  EXPECT_EQ(clock_.slept.front(), milliseconds(27'000));
  EXPECT_THAT(clock_.slept, Each(Le(milliseconds(60'000))));
}

TEST_F(WaitingTest, EndsAtOnceWhereWaitingDoesNotHelp) {
  const CheckSummary run = WaitFor(seconds(60), Rung::kHost, [&](Rung level) {
    CheckSummary refused = Of(level, Outcome::kPass, Outcome::kPass);
    refused.report.hosts[0] = {.host = "a", .error = "host a: the agent's certificate expired"};
    refused.notes[0] = {.failure = ExitStatus::kUnreachable, .lasting = true};
    Conclude(refused.report);
    return refused;
  });
  EXPECT_EQ(run.waited->tries, 1u);
  EXPECT_EQ(StatusOf(run), ExitStatus::kUnreachable);
}

TEST_F(WaitingTest, WaitsForAHostThatDoesNotAnswerYet) {
  const CheckSummary run = WaitFor(seconds(60), Rung::kHost, [&](Rung level) {
    CheckSummary now = Of(level, Outcome::kPass, Outcome::kPass);
    if (levels_.size() > 2) return now;
    now.report.hosts[0] = {.host = "a", .error = "host a: Connection refused"};
    now.notes[0] = {.failure = ExitStatus::kUnreachable};
    Conclude(now.report);
    return now;
  });
  EXPECT_EQ(run.report.verdict, Readiness::kReady);
  EXPECT_EQ(run.waited->tries, 3u);
}

}  // namespace
}  // namespace rdmaready
