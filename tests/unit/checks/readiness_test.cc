// SPDX-License-Identifier: Apache-2.0
#include "checks/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/names.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

Finding FindingOfASetting(Outcome outcome, bool blocking = true) {
  return {.id = "link.state", .rung = Rung::kHost, .outcome = outcome, .blocking = blocking};
}

Finding Live(Rung rung, Outcome outcome) {
  const bool peer = rung == Rung::kPeer;
  return {.id = peer ? "peer.send-1k" : "loopback.send-1k",
          .scope = peer ? Scope::kPair : Scope::kPort,
          .rung = rung,
          .outcome = outcome,
          .blocking = true,
          .fix = "do something"};
}

RungOutcome Of(Rung rung, const std::vector<Finding>& findings) {
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings) pointers.push_back(&finding);
  return OutcomeOf(rung, pointers);
}

TEST(Rung, FollowsItsTruthTable) {
  struct Row {
    std::vector<Finding> findings;
    RungOutcome expected;
  };
  const Finding pass = FindingOfASetting(Outcome::kPass), fail = FindingOfASetting(Outcome::kFail),
                unknown = FindingOfASetting(Outcome::kUnknown);
  const Finding warn = FindingOfASetting(Outcome::kWarn),
                not_applicable = FindingOfASetting(Outcome::kNotApplicable);
  const std::vector<Row> rows{
      {{}, RungOutcome::kNotRun},
      {{not_applicable}, RungOutcome::kNotRun},
      {{pass}, RungOutcome::kPass},
      {{pass, warn, not_applicable}, RungOutcome::kPass},
      {{pass, unknown}, RungOutcome::kUnknown},
      {{pass, unknown, fail}, RungOutcome::kFail},
      {{fail}, RungOutcome::kFail},
      {{pass, FindingOfASetting(Outcome::kFail, false)}, RungOutcome::kPass},
      {{pass, FindingOfASetting(Outcome::kUnknown, false)}, RungOutcome::kPass},
      {{FindingOfASetting(Outcome::kPass, false)}, RungOutcome::kNotRun},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(Name(Of(Rung::kHost, rows[i].findings)), Name(rows[i].expected)) << "row " << i;
  }
}

TEST(Rung, IsNotReachedBySettingsAloneAboveTheHost) {
  Finding agreement{.id = "mtu.pair", .scope = Scope::kPair, .rung = Rung::kPeer, .outcome = Outcome::kPass};
  agreement.blocking = true;
  EXPECT_EQ(Of(Rung::kPeer, {agreement}), RungOutcome::kNotRun);
  EXPECT_EQ(Of(Rung::kPeer, {agreement, Live(Rung::kPeer, Outcome::kPass)}), RungOutcome::kPass);
  agreement.outcome = Outcome::kFail;
  EXPECT_EQ(Of(Rung::kPeer, {agreement, Live(Rung::kPeer, Outcome::kPass)}), RungOutcome::kFail);
}

TEST(Rung, IsHeldUpByAFindingWhoseRungIsNotToldAndNotProvenByIt) {
  Finding stray = Live(Rung::kUnknown, Outcome::kPass);
  EXPECT_EQ(Of(Rung::kLoopback, {stray}), RungOutcome::kNotRun);
  for (const Rung rung : {Rung::kHost, Rung::kLoopback}) {
    const Finding proof = rung == Rung::kHost ? FindingOfASetting(Outcome::kPass) : Live(rung, Outcome::kPass);
    stray.outcome = Outcome::kPass;
    EXPECT_EQ(Of(rung, {proof, stray}), RungOutcome::kPass);
    stray.outcome = Outcome::kUnknown;
    EXPECT_EQ(Of(rung, {proof, stray}), RungOutcome::kUnknown);
    stray.outcome = Outcome::kFail;
    EXPECT_EQ(Of(rung, {proof, stray}), RungOutcome::kFail);
  }
  EXPECT_EQ(ReadinessOf({}, Rung::kUnknown), Readiness::kUndetermined);
}

TEST(Rung, IsUnknownWhenAHiddenFindingHasLostWhatHidesIt) {
  Finding hidden = FindingOfASetting(Outcome::kNotApplicable);
  hidden.id = "link.speed";
  hidden.hidden_by = "link.state";
  EXPECT_EQ(Of(Rung::kHost, {FindingOfASetting(Outcome::kFail), hidden}), RungOutcome::kFail);
  EXPECT_EQ(Of(Rung::kHost, {FindingOfASetting(Outcome::kPass), hidden}), RungOutcome::kUnknown);
}

TEST(Host, FollowsItsTruthTable) {
  using enum RungOutcome;
  const auto readiness = [](std::vector<RungOutcome> outcomes, Rung level) {
    std::vector<RungResult> ladder;
    const Rung rungs[] = {Rung::kHost, Rung::kLoopback, Rung::kPeer};
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      ladder.push_back({.rung = rungs[i], .outcome = outcomes[i]});
    return ReadinessOf(ladder, level);
  };
  EXPECT_EQ(readiness({kPass}, Rung::kHost), Readiness::kReady);
  EXPECT_EQ(readiness({kPass}, Rung::kLoopback), Readiness::kUndetermined);
  EXPECT_EQ(readiness({}, Rung::kHost), Readiness::kUndetermined);
  EXPECT_EQ(readiness({kPass, kNotRun}, Rung::kLoopback), Readiness::kUndetermined);
  EXPECT_EQ(readiness({kPass, kUnknown, kPass}, Rung::kPeer), Readiness::kUndetermined);
  EXPECT_EQ(readiness({kUnknown, kFail}, Rung::kLoopback), Readiness::kNotReady);
  EXPECT_EQ(readiness({kFail, kPass, kPass}, Rung::kPeer), Readiness::kNotReady);
  EXPECT_EQ(readiness({kPass, kFail}, Rung::kHost), Readiness::kReady);
  EXPECT_EQ(readiness({kPass, kPass, kPass}, Rung::kPeer), Readiness::kReady);
}

TEST(Hosts, AreAsReadyAsTheWorstOfThem) {
  const auto verdict = [](std::vector<Readiness> each) {
    std::vector<HostReport> hosts(each.size());
    for (std::size_t i = 0; i < each.size(); ++i) hosts[i].verdict = each[i];
    return ReadinessOf(hosts);
  };
  using enum Readiness;
  EXPECT_EQ(verdict({}), kUndetermined);
  EXPECT_EQ(verdict({kReady, kReady}), kReady);
  EXPECT_EQ(verdict({kReady, kUndetermined}), kUndetermined);
  EXPECT_EQ(verdict({kUndetermined, kNotReady, kReady}), kNotReady);
}

Report TwoHosts(const Facts& a, const Facts& b) {
  const Profile profile = VirtualFabricProfile();
  Report report;
  report.level = Rung::kPeer;
  report.hosts = {{.host = "1", .findings = JudgeHost(a, profile)},
                  {.host = "2", .findings = JudgeHost(b, profile)}};
  for (HostReport& host : report.hosts) host.findings.push_back(Live(Rung::kLoopback, Outcome::kPass));
  const PairSide from{.name = "1", .host = a, .port = a.ports->front(), .findings = report.hosts[0].findings};
  const PairSide to{.name = "2", .host = b, .port = b.ports->front(), .findings = report.hosts[1].findings};
  report.pairs = {{.from = "1", .to = "2", .findings = JudgePair(from, to, profile)},
                  {.from = "2", .to = "1", .findings = JudgePair(to, from, profile)}};
  for (PairReport& pair : report.pairs) pair.findings.push_back(Live(Rung::kPeer, Outcome::kPass));
  return report;
}

std::string LadderText(const HostReport& host) {
  std::string text;
  for (const RungResult& rung : host.ladder) text += std::string(Name(rung.outcome)) + " ";
  return text;
}

TEST(Conclude, FindsTwoGoodHostsReady) {
  Report report = TwoHosts(GoodHost(), GoodHost());
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kReady);
  EXPECT_EQ(LadderText(report.hosts[0]), "pass pass pass ");
  EXPECT_EQ(Headline(report), "ready up to peer: 1, 2");
  EXPECT_FALSE(FirstThingToDo(report).has_value());
}

TEST(Conclude, BlamesTheHostThatIsWrongAndNotTheOther) {
  Report report = TwoHosts(WithPfc(1U << 4), GoodHost());
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kNotReady);
  EXPECT_EQ(LadderText(report.hosts[0]), "fail pass pass ");
  EXPECT_EQ(LadderText(report.hosts[1]), "pass pass pass ");
  EXPECT_EQ(report.hosts[1].verdict, Readiness::kReady);
  EXPECT_EQ(Headline(report), "not ready: 1 (pfc.lossless-priority)");
  EXPECT_EQ(FirstThingToDo(report)->where, "on host 1");
  EXPECT_EQ(FirstThingToDo(report)->finding->fix, "dcb pfc set dev dcb0 prio-pfc all:off 3:on");
}

TEST(Conclude, CountsAFailedTransferAgainstBothEnds) {
  Report report = TwoHosts(GoodHost(), GoodHost());
  report.pairs[0].findings.push_back(Live(Rung::kPeer, Outcome::kFail));
  Conclude(report);
  EXPECT_EQ(report.hosts[0].verdict, Readiness::kNotReady);
  EXPECT_EQ(report.hosts[1].verdict, Readiness::kNotReady);
  EXPECT_EQ(Headline(report), "not ready: 1 (peer.send-1k), 2 (peer.send-1k)");
  EXPECT_EQ(FirstThingToDo(report)->where, "between 1 and 2");
  EXPECT_EQ(FirstThingToDo(report)->finding->fix, "do something");
}

TEST(Conclude, NeverFindsAHostReadyThatWasNotTestedSoFar) {
  Report report = TwoHosts(GoodHost(), GoodHost());
  report.pairs.clear();
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kUndetermined);
  EXPECT_THAT(Headline(report), HasSubstr("undetermined: 1 (peer not-run), 2 (peer not-run)"));
}

TEST(Conclude, NeverFindsAHostReadyThatDidNotAnswer) {
  Report report = TwoHosts(GoodHost(), GoodHost());
  report.hosts[1].error = "connect to 2: Connection refused";
  Conclude(report);
  EXPECT_EQ(report.hosts[1].verdict, Readiness::kUndetermined);
  EXPECT_EQ(report.verdict, Readiness::kUndetermined);
  EXPECT_THAT(Headline(report), HasSubstr("Connection refused"));
}

HostReport Answered(const std::string& name, std::vector<Finding> findings) {
  return {.host = name, .findings = std::move(findings)};
}

HostReport Dead(const std::string& name) { return {.host = name, .error = "host " + name + ": refused"}; }

TEST(Headline, LeavesTheReasonOfASilentHostToWhatFollows) {
  Report report;
  report.level = Rung::kHost;
  report.hosts = {{.host = "c", .error = "host c: refused"}};
  Conclude(report);
  EXPECT_EQ(Headline(report), "undetermined: c (host c: refused)");
  EXPECT_EQ(Headline(report, true), "undetermined: no answer from c");
}

std::string HeadlineOf(std::vector<HostReport> hosts) {
  Report report{.level = Rung::kHost, .hosts = std::move(hosts)};
  Conclude(report);
  return Headline(report);
}

TEST(Headline, AccountsForEveryHost) {
  const HostReport good = Answered("good", {FindingOfASetting(Outcome::kPass)});
  const HostReport bad = Answered("bad", {FindingOfASetting(Outcome::kFail)});
  const HostReport open = Answered("open", {FindingOfASetting(Outcome::kUnknown)});
  EXPECT_EQ(HeadlineOf({bad, Dead("c"), good, Dead("d")}),
            "not ready: bad (link.state); no answer: c, d; ready: good");
  EXPECT_EQ(HeadlineOf({Dead("c"), bad, open}),
            "not ready: bad (link.state); undetermined: open (link.state is not known); no answer: c");
  EXPECT_EQ(HeadlineOf({good, Dead("c")}), "undetermined: c (host c: refused); ready: good");
  EXPECT_EQ(HeadlineOf({good, Dead("c"), open}),
            "undetermined: open (link.state is not known); no answer: c; ready: good");
  // Who is not named is ready.
  EXPECT_EQ(HeadlineOf({good, bad}), "not ready: bad (link.state)");
  EXPECT_EQ(HeadlineOf({good, open, bad}),
            "not ready: bad (link.state); undetermined: open (link.state is not known)");
}

TEST(Headline, NamesTheFirstOfManyHostsAndCountsTheRest) {
  std::vector<HostReport> hosts{Answered("bad", {FindingOfASetting(Outcome::kFail)})};
  for (int i = 1; i <= 18; ++i) hosts.push_back(Dead("d" + std::to_string(i)));
  EXPECT_EQ(HeadlineOf(hosts), "not ready: bad (link.state); no answer: d1, d2, d3, d4 and 14 more");
}

TEST(Headline, CountsWhatElseStandsInTheWay) {
  std::vector<Finding> findings;
  for (const char* id : {"mtu.ethernet", "mtu.ethernet", "pfc.lossless-priority", "ets.map"}) {
    findings.push_back(FindingOfASetting(Outcome::kFail));
    findings.back().id = id;
  }
  findings.push_back(FindingOfASetting(Outcome::kFail, false));
  EXPECT_EQ(HeadlineOf({Answered("a", findings)}), "not ready: a (mtu.ethernet and 2 more)");
  for (Finding& finding : findings) finding.outcome = Outcome::kUnknown;
  EXPECT_EQ(HeadlineOf({Answered("a", findings)}), "undetermined: a (mtu.ethernet and 2 more are not known)");
}

TEST(Conclude, NeverFindsNoHostReady) {
  Report report;
  report.verdict = Readiness::kReady;
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kUndetermined);
}

TEST(FirstThingToDo, TakesTheLowestRungBeforeTheFirstHost) {
  Report report = TwoHosts(GoodHost(), WithPfc(0));
  report.hosts[0].findings.push_back(Live(Rung::kLoopback, Outcome::kFail));
  Conclude(report);
  const std::optional<FirstStep> first = FirstThingToDo(report);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->where, "on host 2");
  EXPECT_EQ(first->finding->id, "pfc.lossless-priority");
}

TEST(FirstThingToDo, TakesWhatIsUnknownOnlyWhenNothingFails) {
  Report report = TwoHosts(WithPort([](Port& port) { port.state = Denied(); }), GoodHost());
  Conclude(report);
  EXPECT_EQ(FirstThingToDo(report)->finding->id, "link.state");
  EXPECT_EQ(Headline(report), "undetermined: 1 (link.state is not known)");
}

TEST(FirstThingToDo, IsNothingAboveTheLevelThatWasAskedFor) {
  Report report = TwoHosts(GoodHost(), GoodHost());
  report.hosts[0].findings.push_back(Live(Rung::kLoopback, Outcome::kFail));
  report.level = Rung::kHost;
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kReady);
  EXPECT_FALSE(FirstThingToDo(report).has_value());
}

}  // namespace
}  // namespace rdmaready
