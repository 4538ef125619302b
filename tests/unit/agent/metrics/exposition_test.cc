// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/agent/metrics/state.h"

namespace rdmaready::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExpositionTest, TellsBeforeTheFirstCheckOnlyOfTheAgentItself) {
  const std::string text = TextOf(Book());
  EXPECT_THAT(text, Not(HasSubstr("rdmaready_ready")));
  EXPECT_THAT(text, Not(HasSubstr("rdmaready_check_last_run")));
  EXPECT_THAT(text, Not(HasSubstr("rdmaready_loss")));
  EXPECT_THAT(text, HasSubstr("rdmaready_build_info{version=\"9.9.9\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("process_open_fds 30\n"));
}

TEST(ExpositionTest, TellsReadyNotReadyAndNotKnownApart) {
  for (const auto& [outcome, ready, undetermined] : {std::tuple{RungOutcome::kPass, 1, 0},
                                                     {RungOutcome::kFail, 0, 0},
                                                     {RungOutcome::kUnknown, 0, 1},
                                                     {RungOutcome::kNotRun, 0, 1}}) {
    Book book;
    book.Checked(MadeCheck({}, outcome).Done());
    EXPECT_THAT(TextOf(book), HasSubstr("rdmaready_ready{rung=\"host\"} " + std::to_string(ready) + "\n"));
    EXPECT_THAT(TextOf(book),
                HasSubstr("rdmaready_undetermined{rung=\"host\"} " + std::to_string(undetermined) + "\n"));
    EXPECT_THAT(TextOf(book), HasSubstr("rdmaready_check_last_run_timestamp_seconds{rung=\"host\"} 1000\n"));
  }
}

TEST(ExpositionTest, HasASeriesForEachCheckThatIsNotWellAndForNoOther) {
  Book book;
  Finding advice = Found("mtu.same", Outcome::kWarn, "host");
  advice.blocking = false;
  book.Checked(
      MadeCheck({Found("link.state", Outcome::kPass), Found("pfc.one", Outcome::kFail), advice,
                 Found("drift.foreign-writer", Outcome::kWarn), Found("dcb.at-boot", Outcome::kUnknown)})
          .Done());
  const std::string text = TextOf(book);
  EXPECT_THAT(text, HasSubstr("rdmaready_check_state{check=\"pfc.one\",outcome=\"fail\",severity=\"blocking\","
                              "subject=\"mlx5_0/1 ens1f0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_check_state{check=\"mtu.same\",outcome=\"warn\",severity=\"advisory\","
                              "subject=\"host\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("link.state")));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_findings{kind=\"written-by-others\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_findings{kind=\"lost-at-boot\"} 0\n"))
      << "what is unknown is no drift";
  EXPECT_THAT(text, HasSubstr("rdmaready_findings{rung=\"host\",outcome=\"warn\"} 2\n"));
}

TEST(ExpositionTest, NeverHasTwoSeriesWithTheSameLabels) {
  Book book;
  book.Checked(MadeCheck({Found("a.a", Outcome::kFail), Found("a.a", Outcome::kFail)}).Done());
  book.Tested(Moved("mlx5_0/1", "send-1k"), true, kSecond);
  std::set<std::string> seen;
  for (const std::string& line : Series(TextOf(book)))
    EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line;
  EXPECT_EQ(CountOf(TextOf(book), "check=\"a.a\""), 1);
}

TEST(ExpositionTest, KeepsALabelOnOneLineWhateverItSays) {
  Book book;
  book.Checked(MadeCheck({Found("a.a", Outcome::kFail, "x\"\\\n\x01# HELP y")}).Done());
  EXPECT_EQ(CountOf(TextOf(book), R"(subject="x\"\\??# HELP y"})"), 1) << TextOf(book);
}

TEST(ExpositionTest, TellsLossesWhereTheyAreKnownAndNoFalseZero) {
  Book book;
  MadeCheck check({});
  Port unread = ReadTwice("mlx5_1", 1, 1);
  unread.hw_counters = Missing{Missing::Kind::kDenied, "no"};
  check.run.facts.ports = std::vector<Port>{ReadTwice("mlx5_0", 5, 17), unread};
  book.Checked(check.Done());
  const std::string text = TextOf(book);
  EXPECT_THAT(text,
              HasSubstr("rdmaready_loss_window_events{port=\"mlx5_0/1\",counter=\"out_of_sequence\"} 12\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_loss_known{port=\"mlx5_1/1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_loss_window_seconds{port=\"mlx5_0/1\"} 60\n"));
}

TEST(ExpositionTest, TellsOfALiveTestTheFigureThatCounts) {
  Book book;
  book.Tested(Moved("mlx5_0/1", "write-512k"), true, 5 * kSecond);
  book.Tested(Moved("mlx5_0/1", "send-1k"), false, 6 * kSecond);
  book.Tested(Moved("mlx5_1/1", "read-8k", FailureKind::kStalled), true, 7 * kSecond);
  const std::string text = TextOf(book);
  EXPECT_THAT(text, HasSubstr("rdmaready_test_throughput_bytes_per_second{port=\"mlx5_0/"
                              "1\",case=\"write-512k\",way=\"loopback\"} 12000000000\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_test_worst_window_bytes_per_second{port=\"mlx5_0/"
                              "1\",case=\"write-512k\",way=\"loopback\"} 11000000000\n"));
  EXPECT_THAT(
      text, HasSubstr("rdmaready_test_latency_p99_seconds{port=\"mlx5_0/1\",case=\"send-1k\",way=\"peer\"} 9"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "rdmaready_test_failed{port=\"mlx5_1/1\",case=\"read-8k\",way=\"loopback\",kind=\"stalled\"} 1\n"));
  EXPECT_EQ(CountOf(text, "case=\"read-8k\""), 2) << "a figure of a test that failed is none";
}

// A host that was checked and tested on its own, as an agent's schedule does.
void MakeHealthy(Book& book, int ports) {
  MadeCheck check({Found("link.state", Outcome::kPass)});
  check.run.report.ladder.push_back({Rung::kLoopback, RungOutcome::kPass});
  std::vector<Port> read;
  for (int i = 0; i < ports; ++i) read.push_back(ReadTwice("mlx5_" + std::to_string(i), 5, 5));
  check.run.facts.ports = read;
  book.Checked(check.Done());
  for (const Port& port : read) {
    for (const TransferCase& test : CheckedCasesOn(Rung::kLoopback))
      book.Tested(Moved(PortName(port), test.name), true, kSecond);
  }
}

TEST(ExpositionTest, TellsHowManySettingsBecameOthersByWhoWroteThemAndWhen) {
  Book book;
  std::string text = TextOf(book);
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_watched 0\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_changes_total{kind=\"foreign\"} 0\n"));
  EXPECT_EQ(CountOf(text, "rdmaready_drift_last_change_timestamp_seconds"), 0) << "there was none";
  book.Drifted(false, 2, 5 * kSecond);
  book.Drifted(false, 1, 7 * kSecond);
  book.Drifted(true, 4, 9 * kSecond);
  text = TextOf(book, {.version = "9.9.9", .drift_watched = true});
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_watched 1\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_changes_total{kind=\"foreign\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_changes_total{kind=\"own\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready_drift_last_change_timestamp_seconds{kind=\"foreign\"} 7\n"));
}

TEST(ExpositionTest, HasAtMostSixtySeriesAPortOfAHealthyHost) {
  for (const std::size_t ports : {1U, 2U, 4U}) {
    Book book;
    MakeHealthy(book, static_cast<int>(ports));
    EXPECT_LE(Series(TextOf(book)).size(), 60 * ports) << TextOf(book);
  }
}

TEST(ExpositionTest, HasAtMostSixtySeriesOfAPortWhateverIsTestedThroughIt) {
  Book book;
  MakeHealthy(book, 1);
  for (const TransferCase& test : kTransferCases) {
    for (const bool loopback : {true, false}) book.Tested(Moved("mlx5_0/1", test.name), loopback, kSecond);
  }
  EXPECT_LE(CountOf(TextOf(book), "port=\"mlx5_0/1\""), 60);
  EXPECT_GT(CountOf(TextOf(book), "port=\"mlx5_0/1\""), 50);
}

}  // namespace
}  // namespace rdmaready::metrics
