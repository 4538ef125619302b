// SPDX-License-Identifier: Apache-2.0
#include "checks/live/failover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

NumberedIo WrittenIo() {
  return {.issued = 1'000,
          .answered = 1'000,
          .reissued = 8,
          .worst_answer_ns = 700 * kMs,
          .complete = true,
          .log = {.arrived = 1'000, .looked = 1'000, .worst_stall_ns = 600 * kMs}};
}

// The second path is lost after 3 s, and used again after 7 s.
FailoverRun LostOnce(const NumberedIo& io = WrittenIo()) {
  NumberedIo earlier = io;
  earlier.answered = 400;
  earlier.complete = false;
  FailoverRun run{.from = "a", .to = "b", .case_name = "write-8k", .duration_ms = 10'000};
  run.paths = {
      {.subject = "p", .uses = {{.end_ms = 10'100, .result = {.messages = 600, .numbered = io}}}},
      {.subject = "q",
       .uses = {{.end_ms = 3'000,
                 .result = {.messages = 200,
                            .failure = {FailureKind::kCompletion, "retry exceeded"},
                            .numbered = earlier}},
                {.begin_ms = 7'000, .end_ms = 10'000, .result = {.messages = 200, .numbered = earlier}}},
       .attempts = 2}};
  return run;
}

FailoverJudgement JudgedWith(const NumberedIo& io, std::int64_t bound_ms = 1'000) {
  return JudgeFailover(LostOnce(io), bound_ms);
}

TEST(Failover, IsWithinTheBoundWhereNoWriteIsMissingForLonger) {
  const FailoverJudgement judged = JudgedWith(WrittenIo());
  EXPECT_EQ(judged.verdict, FailoverVerdict::kFailsOver);
  EXPECT_EQ(
      judged.text,
      "fails over: no write was missing or not answered for longer than 700.0 ms (wanted 1.0 s), and of 1000 "
      "none is lost, doubled or late");
  ASSERT_EQ(judged.paths.size(), 2U);
  EXPECT_EQ(judged.paths[0].losses, 0U);
  EXPECT_EQ(judged.paths[1].losses, 1U);
  EXPECT_EQ(judged.paths[1].writes, 400U);
  EXPECT_EQ(judged.paths[1].first_lost_ms, 3'000);
  EXPECT_EQ(judged.paths[1].used_again_ms, 7'000);
  EXPECT_EQ(judged.paths[1].why_lost, "retry exceeded");
}

TEST(Failover, TakesTooLongByTheLogOrByTheAnswer) {
  NumberedIo slow_log = WrittenIo();
  slow_log.log.worst_stall_ns = 1'001 * kMs;
  EXPECT_EQ(JudgedWith(slow_log).verdict, FailoverVerdict::kTooLong);
  EXPECT_EQ(JudgedWith(slow_log, 1'001).verdict, FailoverVerdict::kFailsOver);
  NumberedIo slow_answer = WrittenIo();
  slow_answer.worst_answer_ns = 2'000 * kMs;
  EXPECT_THAT(JudgedWith(slow_answer).text,
              HasSubstr("missing or not answered for 2.0 s, wanted at most 1.0 s"));
}

TEST(Failover, TakesTooLongWhereWritesWereNeverAnswered) {
  NumberedIo open = WrittenIo();
  open.complete = false;
  open.answered = 990;
  const FailoverJudgement judged = JudgedWith(open);
  EXPECT_EQ(judged.verdict, FailoverVerdict::kTooLong);
  EXPECT_THAT(judged.text, HasSubstr("at the end 10 writes were not answered"));
}

TEST(Failover, IsUnknownWhereATestWasStoppedBeforeItsEnd) {
  NumberedIo open = WrittenIo();
  open.complete = false;
  open.answered = 990;
  FailoverRun stopped = LostOnce(open);
  stopped.paths[0].uses[0].result.failure = {FailureKind::kCancelled, "came into use by pid 7"};
  EXPECT_EQ(JudgeFailover(stopped, 1'000).text, "unknown: p: came into use by pid 7");
  FailoverRun refused = LostOnce(open);
  refused.paths[1].uses.pop_back();
  refused.paths[1].refused = "too many calls";
  EXPECT_EQ(JudgeFailover(refused, 1'000).text, "unknown: q: too many calls");
  EXPECT_EQ(JudgeFailover(refused, 1'000).lost, std::nullopt) << "they may arrive still";
}

TEST(Failover, TakesTheLogFromEveryPath) {
  FailoverRun run = LostOnce();
  run.paths[1].uses[0].result.numbered->log.late = 1;
  EXPECT_EQ(JudgeFailover(run, 1'000).verdict, FailoverVerdict::kLosesWrites);
  NumberedIo old_log = WrittenIo();
  old_log.log.looked = 10;
  EXPECT_EQ(JudgedWith(old_log).text, "unknown: the responder's log is older than the end of the test");
}

TEST(Failover, CallsNoPathLostThatNeverWroteOrThatAnAgentEnded) {
  for (const auto& [kind, messages] :
       {std::pair(FailureKind::kSetup, 200), std::pair(FailureKind::kPeerGone, 200),
        std::pair(FailureKind::kCompletion, 0)}) {
    FailoverRun run = LostOnce();
    run.paths[1].uses[0].result.failure.kind = kind;
    run.paths[1].uses[0].result.messages = static_cast<std::uint64_t>(messages);
    EXPECT_EQ(JudgeFailover(run, 1'000).text, "unknown: no path was lost while the test ran");
  }
}

TEST(Failover, LosesWritesByAnyOfFourSigns) {
  for (const int sign : {0, 1, 2, 3}) {
    NumberedIo io = WrittenIo();
    if (sign == 0) io.log.arrived = 999;
    if (sign == 1) io.log.doubled = 1;
    if (sign == 2) io.log.late = 1;
    if (sign == 3) io.log.wrong = 1;
    EXPECT_EQ(JudgedWith(io).verdict, FailoverVerdict::kLosesWrites) << sign;
  }
  FailoverRun none_lost = LostOnce();
  none_lost.paths.pop_back();
  none_lost.paths[0].uses[0].result.numbered->log.late = 1;
  EXPECT_EQ(JudgeFailover(none_lost, 1'000).verdict, FailoverVerdict::kLosesWrites)
      << "also where no path was lost";
}

TEST(Failover, IsUnknownWhereNothingWasCut) {
  FailoverRun run = LostOnce();
  run.paths[1].uses.erase(run.paths[1].uses.begin());
  EXPECT_EQ(JudgeFailover(run, 1'000).text, "unknown: no path was lost while the test ran");
  run.paths[1].uses[0].result.failure = {FailureKind::kCancelled, "the caller gave up"};
  EXPECT_EQ(JudgeFailover(run, 1'000).verdict, FailoverVerdict::kUnknown)
      << "a path that was given up is not lost";
}

TEST(Failover, IsUnknownWhereNobodyConfirmsThatThePathIsClosed) {
  NumberedIo io = WrittenIo();
  io.unconfirmed = 8;
  io.answered = io.log.arrived = 992;
  const FailoverJudgement judged = JudgedWith(io);
  EXPECT_EQ(judged.verdict, FailoverVerdict::kUnknown);
  EXPECT_EQ(judged.lost, 0U);
  EXPECT_THAT(judged.text, HasSubstr("8 writes could not be made again"));
}

TEST(Failover, IsUnknownWhereTheProgramFailed) {
  FailoverRun run = LostOnce();
  run.cut = CutProgram{.command = {"cut"}, .failure = "cut ended with status 1"};
  EXPECT_EQ(JudgeFailover(run, 1'000).text, "unknown: the program that cuts failed: cut ended with status 1");
}

TEST(Failover, IsUnknownWhereAnAgentBeganAnew) {
  NumberedIo io = WrittenIo();
  io.log.doubled = 7;  // its numbers began at 0 again
  FailoverRun run = LostOnce(io);
  run.agent_gone = "the agent of b began anew while the test ran";
  EXPECT_EQ(JudgeFailover(run, 1'000).text, "unknown: the agent of b began anew while the test ran");
}

TEST(Failover, IsUnknownWithoutNumbers) {
  EXPECT_EQ(JudgeFailover({.paths = {{.subject = "p"}}}, 1'000).verdict, FailoverVerdict::kUnknown);
}

TEST(Failover, SaysWhyAPathDidNotComeBack) {
  FailoverRun run = LostOnce();
  run.paths[1].uses.pop_back();
  run.paths[1].last_failure = "no \x1b[31manswer";
  const FailoverJudgement judged = JudgeFailover(run, 1'000);
  EXPECT_EQ(judged.paths[1].used_again_ms, std::nullopt);
  EXPECT_EQ(judged.paths[1].why_not_again.find('\x1b'), std::string::npos);
  EXPECT_EQ(judged.verdict, FailoverVerdict::kFailsOver) << "the cable may be out still";
}

}  // namespace
}  // namespace rdmaready
