// SPDX-License-Identifier: Apache-2.0
#include "checks/live/own_past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kDayNs = 86'400'000'000'000;
constexpr std::uint64_t kMega = 1'000'000;
constexpr std::int64_t kFirstDay = 20'000;

BaselineDay Day(std::int64_t number, std::uint64_t rate, const std::string& test = "write-512k") {
  return {.port = "mlx5_0/1",
          .case_name = test,
          .role = "loopback",
          .day_unix_ns = number * kDayNs,
          .tests = 1,
          .p10_bytes_per_s = rate,
          .p50_bytes_per_s = rate,
          .p90_bytes_per_s = rate,
          .worst_bytes_per_s = rate,
          .latency_p99_ns = 5000,
          .last_bytes_per_s = rate,
          .last_unix_ns = number * kDayNs + 7};
}

// One test a day, the last one today.
std::vector<CaseBaseline> PastOf(const std::vector<std::uint64_t>& rates) {
  std::vector<BaselineDay> days;
  for (std::size_t i = 0; i < rates.size(); ++i)
    days.push_back(Day(kFirstDay + static_cast<std::int64_t>(i), rates[i] * kMega));
  return BaselinesOf(days);
}

std::vector<std::uint64_t> Then(std::size_t days, std::uint64_t rate, std::vector<std::uint64_t> rest) {
  std::vector<std::uint64_t> rates(days, rate);
  rates.insert(rates.end(), rest.begin(), rest.end());
  return rates;
}

const TransferPlace kPort{.rung = Rung::kLoopback, .subject = "mlx5_0/1 ens1f0"};

TEST(OwnPast, ThirteenTodayAfterNinetyDaysOfNinetySeven) {
  const std::vector<CaseBaseline> past = PastOf(Then(90, 97, {13}));
  ASSERT_EQ(past.size(), 1u);
  EXPECT_EQ(past[0].last_bytes_per_s, 13 * kMega);
  EXPECT_EQ(past[0].days, 30u);
  EXPECT_EQ(past[0].p10_bytes_per_s, 97 * kMega);
  EXPECT_EQ(past[0].p50_bytes_per_s, 97 * kMega);
  EXPECT_EQ(past[0].latency_p99_ns, 5000);
  EXPECT_EQ(past[0].days_kept, 91u);
  EXPECT_EQ(past[0].first_unix_ns, kFirstDay * kDayNs);
  EXPECT_EQ(past[0].changed_unix_ns, (kFirstDay + 90) * kDayNs);
  EXPECT_EQ(past[0].before_bytes_per_s, 97 * kMega);
  EXPECT_EQ(past[0].before_days, 90u);
  const Finding finding = JudgeOwnPast(past, kPort);
  EXPECT_EQ(finding.id, "cmp.own-past");
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_FALSE(finding.blocking);
  EXPECT_THAT(finding.observed, HasSubstr("write-512k 13.0 MB/s, 97.0 MB/s for 90 days until 2025-01-0"));
  EXPECT_THAT(finding.expected, HasSubstr("0.7 of the 10th percentile of the last 30 days"));
  EXPECT_THAT(finding.source, HasSubstr("history"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("rdmaready history --since 2025-01-"));
}

TEST(OwnPast, FiveDaysAreAPastAndTwoAreNone) {
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(5, 97, {13})), kPort).outcome, Outcome::kWarn);
  const Finding finding = JudgeOwnPast(PastOf(Then(2, 97, {13})), kPort);
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_EQ(finding.observed, "tests on 2 of 5 days of the last 30");
  EXPECT_EQ(JudgeOwnPast(PastOf({13}), kPort).observed, "tests on 0 of 5 days of the last 30");
}

TEST(OwnPast, SevenTenthsAreEnough) {
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(30, 100, {70})), kPort).outcome, Outcome::kPass);
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(30, 100, {69})), kPort).outcome, Outcome::kWarn);
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(30, 100, {500})), kPort).outcome, Outcome::kPass);
}

TEST(OwnPast, IsHeldAgainstTheSlowerDaysAndNotTheBestOnes) {
  std::vector<std::uint64_t> rates;
  for (int day = 0; day < 30; ++day) rates.push_back(day % 5 == 0 ? 40 : 100);
  rates.push_back(35);
  const std::vector<CaseBaseline> past = PastOf(rates);
  EXPECT_EQ(past[0].p10_bytes_per_s, 40 * kMega);
  EXPECT_EQ(past[0].p50_bytes_per_s, 100 * kMega);
  EXPECT_EQ(JudgeOwnPast(past, kPort).outcome, Outcome::kPass);
}

TEST(OwnPast, ADayWithManyTestsWeighsNoMoreThanOthers) {
  std::vector<BaselineDay> days;
  for (int day = 0; day < 10; ++day) days.push_back(Day(kFirstDay + day, 100 * kMega));
  days[3] = Day(kFirstDay + 3, 1 * kMega);
  days[3].tests = 100'000;
  EXPECT_EQ(BaselinesOf(days)[0].p50_bytes_per_s, 100 * kMega);
}

TEST(OwnPast, DaysBeforeTheLastThirtyDoNotCount) {
  std::vector<BaselineDay> days{Day(kFirstDay, 5 * kMega), Day(kFirstDay + 10, 97 * kMega)};
  days.push_back(Day(kFirstDay + 31, 97 * kMega));
  const CaseBaseline past = BaselinesOf(days)[0];
  EXPECT_EQ(past.days, 1u);
  EXPECT_EQ(past.p10_bytes_per_s, 97 * kMega);
}

TEST(OwnPast, ASlowWeekIsToldFromItsFirstDay) {
  const CaseBaseline past = PastOf(Then(60, 97, {13, 12, 14, 13}))[0];
  EXPECT_EQ(past.changed_unix_ns, (kFirstDay + 60) * kDayNs);
  EXPECT_EQ(past.before_days, 60u);
}

TEST(OwnPast, OneOddDayIsNoChange) {
  EXPECT_EQ(PastOf(Then(20, 97, {13, 97, 96}))[0].changed_unix_ns, 0);
  EXPECT_EQ(PastOf(Then(20, 97, {96, 98}))[0].changed_unix_ns, 0);
  EXPECT_EQ(PastOf({97})[0].changed_unix_ns, 0);
}

TEST(OwnPast, EachCaseHasItsOwn) {
  std::vector<BaselineDay> days;
  for (const char* test : {"read-512k", "write-512k"}) {
    for (int day = 0; day < 10; ++day) days.push_back(Day(kFirstDay + day, 97 * kMega, test));
  }
  days.back().last_bytes_per_s = 13 * kMega;
  const std::vector<CaseBaseline> past = BaselinesOf(days);
  ASSERT_EQ(past.size(), 2u);
  const Finding finding = JudgeOwnPast(past, kPort);
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_THAT(finding.observed, HasSubstr("write-512k"));
  EXPECT_THAT(finding.observed, testing::Not(HasSubstr("read-512k")));
  EXPECT_EQ(JudgeOwnPast(std::span(past).first(1), kPort).outcome, Outcome::kPass);
}

TEST(OwnPast, IsUnknownWhereATestCouldNotBeCompared) {
  const auto past = PastOf(Then(30, 100, {100}));
  EXPECT_EQ(JudgeOwnPast(past, kPort, "", past.size()).outcome, Outcome::kPass);
  const Finding finding = JudgeOwnPast(past, kPort, "", past.size() + 2);
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_NE(finding.observed.find("2 of 3 tests could not be compared"), std::string::npos) << finding.observed;
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(30, 100, {13})), kPort, "", 3).outcome, Outcome::kWarn) << "slow is slow";
}

TEST(OwnPast, SaysWhyThereIsNone) {
  const Finding finding = JudgeOwnPast({}, kPort, "no test that counts was kept");
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_EQ(finding.observed, "no test that counts was kept");
}

TEST(OwnPast, IsNothingForASoftwareDevice) {
  TransferPlace software = kPort;
  software.software = true;
  EXPECT_EQ(JudgeOwnPast(PastOf(Then(30, 97, {13})), software).outcome, Outcome::kNotApplicable);
}

// ---- what is remembered, judged by who did not see the tests
// ----------------------------------------------------

constexpr std::int64_t kToday = (kFirstDay + 90) * kDayNs + 9;

TEST(KeptPast, IsJudgedAsTheAgentJudgesIt) {
  const std::vector<CaseBaseline> slow = PastOf(Then(90, 97, {13}));
  EXPECT_EQ(JudgeKeptPast(slow, kPort, kToday), JudgeOwnPast(slow, kPort));
  const std::vector<CaseBaseline> well = PastOf(Then(90, 97, {96}));
  EXPECT_EQ(JudgeKeptPast(well, kPort, kToday), JudgeOwnPast(well, kPort));
  EXPECT_EQ(JudgeKeptPast(well, kPort, kToday).outcome, Outcome::kPass);
}

TEST(KeptPast, ATestOfMoreThanThirtyDaysAgoSaysNothingOfToday) {
  const std::vector<CaseBaseline> slow = PastOf(Then(90, 97, {13}));
  EXPECT_EQ(JudgeKeptPast(slow, kPort, kToday + 29 * kDayNs).outcome, Outcome::kWarn);
  const Finding old = JudgeKeptPast(slow, kPort, kToday + 31 * kDayNs);
  EXPECT_EQ(old.outcome, Outcome::kUnknown);
  EXPECT_EQ(old.observed, "the last test was on 2025-01-02: it says nothing of today");
  std::vector<CaseBaseline> two = slow;
  two.push_back(slow.front());
  two.back().case_name = "send-1k";
  two.back().last_bytes_per_s = two.back().p50_bytes_per_s;
  two.back().last_unix_ns += 40 * kDayNs;
  EXPECT_EQ(JudgeKeptPast(two, kPort, kToday + 40 * kDayNs).outcome, Outcome::kPass)
      << "the other one was tested since";
  EXPECT_EQ(JudgeKeptPast({}, kPort, kToday).outcome, Outcome::kUnknown);
}

TEST(KeptPast, ACaseThatNoCheckMakesCountsOnceItHasAPast) {
  std::vector<CaseBaseline> past = PastOf(Then(90, 97, {96}));
  past.push_back(past.front());
  past.back().case_name = "made-by-hand";
  past.back().days = 0;
  EXPECT_EQ(JudgeKeptPast(past, kPort, kToday).outcome, Outcome::kPass);
  past.back().case_name = "send-1k";
  EXPECT_EQ(JudgeKeptPast(past, kPort, kToday).outcome, Outcome::kUnknown) << "a check makes it";
  past.back().case_name = "made-by-hand";
  past.back().days = kLeastDays;
  past.back().last_bytes_per_s /= 9;
  EXPECT_EQ(JudgeKeptPast(past, kPort, kToday).outcome, Outcome::kWarn);
  past.back().role = "responder";
  EXPECT_EQ(JudgeKeptPast(past, kPort, kToday).outcome, Outcome::kPass) << "with a peer it is nobody's own";
}

TEST(KeptPast, HasAStateForEachTest) {
  const CaseBaseline slow = PastOf(Then(90, 97, {13})).front();
  EXPECT_EQ(PastStateOf(slow, false, kToday), PastState::kSlower);
  EXPECT_EQ(PastStateOf(slow, true, kToday), PastState::kSoftware);
  EXPECT_EQ(PastStateOf(slow, false, kToday + 31 * kDayNs), PastState::kOld);
  EXPECT_EQ(PastStateOf(slow, false, kToday - 40 * kDayNs), PastState::kOld) << "by a clock that was ahead";
  EXPECT_EQ(PastStateOf(PastOf(Then(90, 97, {96})).front(), false, kToday), PastState::kAsBefore);
  EXPECT_EQ(PastStateOf(PastOf(Then(3, 97, {13})).front(), false, (kFirstDay + 3) * kDayNs),
            PastState::kUnknown);
}

}  // namespace
}  // namespace rdmaready
