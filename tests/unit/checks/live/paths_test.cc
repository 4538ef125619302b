// SPDX-License-Identifier: Apache-2.0
#include "checks/live/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

StressFlow CarriedOf(std::uint64_t megabytes_per_s) {
  return {.from = "a",
          .to = "b",
          .result = {.messages = 1'000, .throughput_bytes_per_s = megabytes_per_s * 1'000'000}};
}

StressFlow FailedPath(FailureKind kind, const std::string& detail) {
  StressFlow flow = CarriedOf(0);
  flow.result.failure = {kind, detail};
  return flow;
}

TestedPath PathOf(const std::string& subject, std::uint64_t before, std::uint64_t together,
                  std::uint64_t after) {
  return {.subject = subject,
          .before = CarriedOf(before),
          .together = CarriedOf(together),
          .after = CarriedOf(after)};
}

PathsJudgement JudgedPathsOf(std::vector<TestedPath> paths) {
  return JudgePaths({.from = "a", .to = "b", .case_name = "write-512k", .paths = std::move(paths)});
}

TEST(Paths, AddUpFromNineTenthsOfTheSum) {
  const auto verdict = [](std::uint64_t first, std::uint64_t second) {
    return JudgedPathsOf({PathOf("p", 100, first, 100), PathOf("q", 100, second, 100)}).verdict;
  };
  EXPECT_EQ(verdict(90, 90), PathsVerdict::kAddUp);
  EXPECT_EQ(verdict(100, 79), PathsVerdict::kFallShort);
  EXPECT_EQ(verdict(120, 110), PathsVerdict::kAddUp);
}

TEST(Paths, SayTheShareOfEachPathAndTheCostOfTheOthers) {
  const PathsJudgement judged = JudgedPathsOf({PathOf("p", 190, 150, 210), PathOf("q", 100, 50, 100)});
  EXPECT_EQ(judged.sum_bytes_per_s, 300'000'000U);
  EXPECT_EQ(judged.together_bytes_per_s, 200'000'000U);
  EXPECT_EQ(judged.kept_permille, 667U);
  EXPECT_EQ(judged.paths[0].share_permille, 750U);
  EXPECT_EQ(judged.paths[0].kept_permille, 750U);
  EXPECT_EQ(judged.paths[1].kept_permille, 500U);
  EXPECT_THAT(judged.text, HasSubstr("2 paths fall short together: 200 MB/s at once, 300 MB/s as the sum"));
}

TEST(Paths, SaysUnknownWhereAPathAloneChanges) {
  EXPECT_EQ(JudgedPathsOf({PathOf("p", 10, 50, 100), PathOf("q", 100, 100, 100)}).verdict,
            PathsVerdict::kUnknown)
      << "more than the mean, and half of the better one";
  const PathsJudgement judged = JudgedPathsOf({PathOf("p", 100, 60, 60), PathOf("q", 100, 90, 100)});
  EXPECT_EQ(judged.verdict, PathsVerdict::kUnknown);
  EXPECT_THAT(judged.why_unknown,
              HasSubstr("160 MB/s at one time and 200 MB/s at another, and 150 MB/s at once"));
  EXPECT_EQ(JudgedPathsOf({PathOf("p", 100, 40, 60), PathOf("q", 100, 90, 100)}).verdict,
            PathsVerdict::kFallShort)
      << "less than 90 % of the worse ones, too";
}

TEST(Paths, FallShortWhereOnePathStarves) {
  const PathsJudgement judged = JudgedPathsOf({PathOf("p", 1'000, 1'000, 1'000), PathOf("q", 100, 10, 100)});
  EXPECT_EQ(judged.verdict, PathsVerdict::kFallShort) << "although the sum is 92 %";
  EXPECT_THAT(judged.text, HasSubstr("q keeps 10.0 % of its own rate, wanted 50.0 %"));
}

TEST(Paths, SayWhoSendsWhatIsRead) {
  TestedPath path = PathOf("p", 100, 100, 100);
  path.together.counters = {{.host = "a", .members = {{"eth0", 9, 100}, {"eth1", 0, 300}}},
                            {.host = "b", .members = {{"eth0", 200, 9}, {"eth1", 200, 0}}}};
  const PathsJudgement judged = JudgePaths({.case_name = "read-512k", .paths = {path}});
  ASSERT_EQ(judged.paths[0].bonds.size(), 2U);
  EXPECT_FALSE(judged.paths[0].bonds[0].sender);
  EXPECT_THAT(judged.paths[0].bonds[0].members, ElementsAre(Pair("eth0", 250U), Pair("eth1", 750U)));
  EXPECT_TRUE(judged.paths[0].bonds[1].sender);
  EXPECT_THAT(judged.paths[0].bonds[1].members, ElementsAre(Pair("eth0", 500U), Pair("eth1", 500U)));
}

TEST(Paths, OneAloneShowsNothing) {
  const PathsJudgement judged = JudgedPathsOf({PathOf("p", 100, 100, 100)});
  EXPECT_EQ(judged.verdict, PathsVerdict::kUnknown);
  EXPECT_THAT(judged.text, HasSubstr("one path"));
  EXPECT_FALSE(judged.fault());
}

TEST(Paths, ATransferThatFailedIsAFaultUnlessItWasGivenUp) {
  TestedPath path = PathOf("q", 100, 100, 100);
  path.together = FailedPath(FailureKind::kStalled, "12 of 16 writes did not complete");
  const PathsJudgement failed = JudgedPathsOf({PathOf("p", 100, 100, 100), path});
  EXPECT_EQ(failed.verdict, PathsVerdict::kUnknown);
  EXPECT_TRUE(failed.fault());
  EXPECT_EQ(failed.paths[1].why_failed, "beside the others: 12 of 16 writes did not complete");
  path.together = FailedPath(FailureKind::kCancelled, "the port came into use");
  EXPECT_FALSE(JudgedPathsOf({PathOf("p", 100, 100, 100), path}).fault());
}

TEST(Paths, NameTheMembersOfABond) {
  TestedPath path = PathOf("p", 100, 100, 100);
  path.together.counters = {
      {.host = "a", .members = {{.netdev = "eth0", .sent = 900}, {.netdev = "eth1", .sent = 100}}},
      {.host = "b", .members = {{.netdev = "eth2", .received = 1'000}, {.netdev = "eth3", .sent = 50}}}};
  const PathsJudgement judged = JudgedPathsOf({path, PathOf("q", 100, 100, 100)});
  ASSERT_EQ(judged.paths[0].bonds.size(), 2U);
  const BondShares& sender = judged.paths[0].bonds[0];
  EXPECT_TRUE(sender.sender);
  EXPECT_FALSE(sender.through_one);
  EXPECT_THAT(sender.members, ElementsAre(Pair("eth0", 900U), Pair("eth1", 100U)));
  const BondShares& receiver = judged.paths[0].bonds[1];
  EXPECT_FALSE(receiver.sender);
  EXPECT_TRUE(receiver.through_one);
  EXPECT_THAT(receiver.members, ElementsAre(Pair("eth2", 1'000U), Pair("eth3", 0U)));
  EXPECT_THAT(judged.paths[1].bonds, IsEmpty());
}

TEST(Paths, TakeAnyNumberThatAnAgentSays) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  TestedPath path = PathOf("p", 1, 1, 1);
  path.before.result.throughput_bytes_per_s = path.together.result.throughput_bytes_per_s =
      path.after.result.throughput_bytes_per_s = kMost;
  path.together.counters = {{.host = "a", .members = {{"x", kMost, kMost}, {"y", kMost, kMost}}}};
  EXPECT_EQ(JudgedPathsOf({path, path, path}).verdict, PathsVerdict::kAddUp);
}

}  // namespace
}  // namespace rdmaready
