// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/metrics/state.h"

namespace rdmaready::metrics {
namespace {

TEST(BookTest, KnowsNothingBeforeTheFirstCheck) {
  const Kept kept = Book().Now();
  EXPECT_TRUE(kept.rungs.empty());
  EXPECT_EQ(kept.losses.end_unix_ns, 0);
  EXPECT_TRUE(kept.tests.empty());
}

TEST(BookTest, KeepsTheNewestCheckOfARungWhicheverIsToldLast) {
  Book book;
  MadeCheck newer({Found("link.state", Outcome::kPass)});
  newer.started_s = 2'000;
  const MadeCheck older({Found("link.state", Outcome::kFail)}, RungOutcome::kFail);
  book.Checked(newer.Done());
  book.Checked(older.Done());
  ASSERT_EQ(book.Now().rungs.size(), 1U);
  EXPECT_EQ(book.Now().rungs[0].outcome, RungOutcome::kPass);
  EXPECT_EQ(book.Now().rungs[0].started_unix_ns, 2'000 * kSecond);
  EXPECT_TRUE(book.Now().rungs[0].not_well.empty());
}

TEST(BookTest, KeepsTheLaterCheckAlsoWhereTheClockWasSetBack) {
  Book book;
  MadeCheck before({Found("link.state", Outcome::kPass)});
  before.started_s = 90'000;
  MadeCheck after({Found("link.state", Outcome::kFail)}, RungOutcome::kFail);
  after.started_s = 1'000;
  CheckDone later = after.Done();
  later.started_steady_ns = before.Done().started_steady_ns + 1;
  book.Checked(before.Done());
  book.Checked(later);
  EXPECT_EQ(book.Now().rungs.at(0).outcome, RungOutcome::kFail);
}

TEST(BookTest, TakesNoCheckThatDoesNotSpeakForTheWholeHostByItsOwnProfile) {
  Book book;
  MadeCheck some_ports({Found("link.state", Outcome::kFail)}, RungOutcome::kFail);
  some_ports.order.ports = {"mlx5_0/1"};
  MadeCheck other_profile = MadeCheck({Found("link.state", Outcome::kFail)}, RungOutcome::kFail);
  other_profile.order.profiles = {{.name = "smb-direct-roce", .digest = "changed"}};
  MadeCheck more_profiles = MadeCheck({Found("link.state", Outcome::kFail)}, RungOutcome::kFail);
  more_profiles.order.profiles.push_back({.name = "infiniband"});
  for (const MadeCheck* check : {&some_ports, &other_profile, &more_profiles}) book.Checked(check->Done());
  EXPECT_TRUE(book.Now().rungs.empty());
}

TEST(BookTest, KeepsOnlyWhatIsNotWellAndCountsTheRest) {
  Book book;
  book.Checked(
      MadeCheck({Found("a.a", Outcome::kPass), Found("b.b", Outcome::kWarn), Found("c.c", Outcome::kUnknown),
                 Found("d.d", Outcome::kFail), Found("e.e", Outcome::kNotApplicable)})
          .Done());
  const LastRung rung = book.Now().rungs.at(0);
  ASSERT_EQ(rung.not_well.size(), 3U);
  EXPECT_EQ(rung.not_well[0].check, "b.b");
  EXPECT_THAT(rung.findings, testing::Each(1U));
  EXPECT_EQ(rung.ports, 2U);
}

TEST(BookTest, BoundsWhatIsNotWellAndSaysHowMuchIsLeftOut) {
  Book book;
  book.Checked(MadeCheck(std::vector<Finding>(kMostNotWell + 7, Found("a.a", Outcome::kFail))).Done());
  EXPECT_EQ(book.Now().rungs.at(0).not_well.size(), kMostNotWell);
  EXPECT_EQ(book.Now().rungs.at(0).left_out, 7U);
}

TEST(BookTest, KeepsTheLossesOfTheLastWindowUntilThereIsAnother) {
  Book book;
  MadeCheck compared({});
  compared.run.facts.ports = std::vector<Port>{ReadTwice("mlx5_0", 5, 17), ReadTwice("mlx5_1", 5, 5)};
  book.Checked(compared.Done());
  MadeCheck not_compared({});  // a caller's, with one reading
  not_compared.started_s = 3'000;
  book.Checked(not_compared.Done());
  MadeCheck watched({});  // a caller's, whose second of watching says nothing of the time before
  watched.started_s = 4'000;
  watched.run.facts.ports = std::vector<Port>{ReadTwice("mlx5_0", 17, 17)};
  CheckDone by_caller = watched.Done();
  by_caller.compares = false;
  book.Checked(by_caller);
  const LossWindow losses = book.Now().losses;
  EXPECT_EQ(losses.end_unix_ns, 1'000 * kSecond + kSecond / 2);
  ASSERT_EQ(losses.ports.size(), 2U);
  EXPECT_EQ(losses.ports[0].port, "mlx5_0/1");
  EXPECT_EQ(losses.ports[0].window_s, 60);
  EXPECT_TRUE(losses.ports[0].known);
  ASSERT_EQ(losses.ports[0].grown.size(), 1U) << "congestion control at its work is no loss";
  EXPECT_EQ(losses.ports[0].grown[0].name, "out_of_sequence");
  EXPECT_EQ(losses.ports[0].grown[0].by, 12U);
  EXPECT_TRUE(losses.ports[1].grown.empty());
}

TEST(BookTest, DoesNotTakeCountersThatCouldNotBeReadForNoLoss) {
  Book book;
  MadeCheck check({});
  Port port = ReadTwice("mlx5_0", 5, 5);
  port.hw_counters = Missing{Missing::Kind::kDenied, "no"};
  check.run.facts.ports = std::vector<Port>{port};
  book.Checked(check.Done());
  ASSERT_EQ(book.Now().losses.ports.size(), 1U);
  EXPECT_FALSE(book.Now().losses.ports[0].known);
}

TEST(BookTest, KeepsTheLastTestOfACaseOnItsOwnAndOfAPair) {
  Book book;
  book.Tested(Moved("mlx5_0/1", "write-512k", FailureKind::kStalled), true, 1 * kSecond);
  book.Tested(Moved("mlx5_0/1", "write-512k"), true, 2 * kSecond);
  book.Tested(Moved("mlx5_0/1", "write-512k", FailureKind::kLost), false, 3 * kSecond);
  const std::vector<LastTest> tests = book.Now().tests;
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_EQ(tests[0].failure, FailureKind::kNone);
  EXPECT_TRUE(tests[0].loopback);
  EXPECT_EQ(tests[1].failure, FailureKind::kLost);
  EXPECT_FALSE(tests[1].loopback);
}

TEST(BookTest, TakesAFailureOfEitherDirectionAndNoneOfACallerWhoGaveUp) {
  Book book;
  LiveTest both = Moved("mlx5_0/1", "write-512k");
  both.reverse = both.result;
  both.reverse->failure.kind = FailureKind::kCorrupt;
  book.Tested(both, false, kSecond);
  book.Tested(Moved("mlx5_0/1", "write-512k", FailureKind::kCancelled), false, 2 * kSecond);
  ASSERT_EQ(book.Now().tests.size(), 1U);
  EXPECT_EQ(book.Now().tests[0].failure, FailureKind::kCorrupt);
}

TEST(BookTest, KeepsNoMoreTestsThanAPortMayHave) {
  Book book;
  for (const TransferCase& test : kTransferCases) {
    book.Tested(Moved("mlx5_0/1", test.name), true, kSecond);
    book.Tested(Moved("mlx5_0/1", test.name), false, kSecond);
  }
  book.Tested(Moved("mlx5_0/1", "no-such-case"), true, kSecond);
  EXPECT_EQ(book.Now().tests.size(), kMostTestsOfPort);
  for (std::size_t i = 0; i < 2 * kMostPorts; ++i)
    book.Tested(Moved("p" + std::to_string(i), "send-1k"), true, kSecond);
  EXPECT_LT(book.Now().tests.size(), kMostTestsOfPort + kMostPorts);
}

}  // namespace
}  // namespace rdmaready::metrics
