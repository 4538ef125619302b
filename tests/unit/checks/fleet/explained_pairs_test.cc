// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/explained_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/words/fix.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

const Failure kNoAnswer{FailureKind::kUnreachable, "no answer in time"};

Finding Live(const std::string& id, Outcome outcome, const std::string& hidden_by = {}) {
  return {.id = id,
          .scope = Scope::kPair,
          .rung = Rung::kPeer,
          .subject = "rxe0/1 -> rxe0/1",
          .outcome = outcome,
          .blocking = true,
          .observed = "the peer is not reachable by RDMA",
          .hidden_by = hidden_by};
}

Finding Own(const std::string& id, Outcome outcome, bool blocking) {
  return {.id = id,
          .scope = Scope::kPort,
          .rung = Rung::kHost,
          .subject = "rxe0/1 dcb0",
          .outcome = outcome,
          .blocking = blocking,
          .observed = "seen"};
}

KnownCause CauseAt(const std::string& host, CauseKind kind, const std::string& id) {
  Finding finding = Own(id, Outcome::kFail, true);
  finding.rung = Rung::kPeer;
  return {kind, host, finding};
}

KnownCause CauseBetween(CauseKind kind, const std::string& id) {
  Finding finding = Live(id, Outcome::kFail);
  finding.observed = "both values";
  return {kind, "", finding};
}

// Two hosts, two tests in each direction and the traffic class; the first test of a -> b fails.
struct TestedPair {
  Report report{};
  std::vector<TestedWay> ways{};

  explicit TestedPair(std::vector<KnownCause> causes) {
    report.level = Rung::kPeer;
    report.hosts = {{.host = "a"}, {.host = "b"}};
    const Finding waits = Live("peer.write-8k", Outcome::kNotApplicable, "peer.send-1k");
    const Finding of_class = Live("tx.effective-class", Outcome::kNotApplicable, "peer.send-1k");
    report.pairs = {
        {.from = "a", .to = "b", .findings = {Live("peer.send-1k", Outcome::kFail), waits, of_class}},
        {.from = "b",
         .to = "a",
         .findings = {Live("peer.send-1k", Outcome::kNotApplicable, "peer.send-1k"), waits, of_class}}};
    for (std::size_t i = 0; i < 2; ++i) {
      ways.push_back({.pair = i,
                      .failures = {kNoAnswer, {}},
                      .from = i,
                      .to = 1 - i,
                      .subject = "rxe0/1 -> rxe0/1",
                      .back = "rxe0/1 -> rxe0/1",
                      .causes = causes});
    }
  }

  void Pass() {
    for (PairReport& pair : report.pairs) {
      for (Finding& finding : pair.findings) finding = Live(finding.id, Outcome::kPass);
    }
    for (TestedWay& way : ways) way.failures = {{}, {}};
  }
};

TEST(ExplainedPairs, PutEveryTestOfTheTwoPortsBehindTheCauseAtItsHost) {
  TestedPair run({CauseAt("b", CauseKind::kFirewall, "ip.firewall")});
  run.report.hosts[1].findings = {Own("ip.firewall", Outcome::kWarn, false)};
  ExplainPairs(run.ways, run.report);
  ASSERT_EQ(run.report.hosts[1].findings.size(), 1U);
  EXPECT_EQ(run.report.hosts[1].findings[0].outcome, Outcome::kFail);
  EXPECT_TRUE(run.report.hosts[1].findings[0].blocking);
  EXPECT_TRUE(run.report.hosts[0].findings.empty());
  for (const PairReport& pair : run.report.pairs) {
    for (const Finding& finding : pair.findings) {
      EXPECT_EQ(finding.hidden_by, "ip.firewall") << pair.from << " " << finding.id;
      EXPECT_EQ(finding.observed, "not judged: ip.firewall fails on b");
    }
  }
}

TEST(ExplainedPairs, LeaveAHostsOwnFailureAsItIs) {
  TestedPair run({CauseAt("b", CauseKind::kVlan, "vlan.id")});
  run.report.hosts[1].findings = {Own("vlan.id", Outcome::kFail, true)};
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(run.report.hosts[1].findings[0].rung, Rung::kHost);
}

TEST(ExplainedPairs, MakeOneFindingBetweenTheTwo) {
  TestedPair run({CauseBetween(CauseKind::kSubnet, "peer.path")});
  ExplainPairs(run.ways, run.report);
  const auto red = [](const PairReport& pair) {
    return std::ranges::count_if(pair.findings, [](const Finding& f) { return f.outcome == Outcome::kFail; });
  };
  EXPECT_EQ(red(run.report.pairs[0]), 1);
  EXPECT_EQ(run.report.pairs[0].findings.back().id, "peer.path");
  EXPECT_EQ(red(run.report.pairs[1]), 0);
  EXPECT_EQ(run.report.pairs[1].findings.front().hidden_by, "peer.path");
}

TEST(ExplainedPairs, TakeWhatTheComparisonSaidOfTheTwo) {
  TestedPair run({CauseBetween(CauseKind::kVlan, "agree.vlan")});
  Finding warned = Live("agree.vlan", Outcome::kWarn);
  warned.rung = Rung::kHost;
  run.report.pairs[0].findings.push_back(warned);
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(std::ranges::count(run.report.pairs[0].findings, "agree.vlan", &Finding::id), 1);
  EXPECT_EQ(run.report.pairs[0].findings.back().outcome, Outcome::kFail);
}

TEST(ExplainedPairs, LeaveAFailureThatNothingExplains) {
  TestedPair run({CauseAt("b", CauseKind::kMtu, "mtu.ethernet")});
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(run.report.pairs[0].findings[0].outcome, Outcome::kFail);
  EXPECT_EQ(run.report.pairs[1].findings[0].hidden_by, "peer.send-1k");
  EXPECT_TRUE(run.report.hosts[1].findings.empty());
}

TEST(ExplainedPairs, BelieveTheKernelThatHasNoRoute) {
  TestedPair run({CauseAt("b", CauseKind::kFirewall, "ip.firewall")});
  run.ways[1].route = CauseAt("b", CauseKind::kRoute, "ip.route-symmetric");
  run.report.hosts[1].findings = {Own("ip.route-symmetric", Outcome::kPass, true)};
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(run.report.hosts[1].findings[0].outcome, Outcome::kFail);
  EXPECT_EQ(run.report.pairs[0].findings[0].hidden_by, "ip.route-symmetric");
  EXPECT_EQ(run.report.pairs[1].findings[0].hidden_by, "ip.route-symmetric");
}

TEST(ExplainedPairs, BlameTheRouteOfTheHostThatRejectsWhatItDoesItself) {
  TestedPair run({});
  run.ways[0].failures = {{FailureKind::kRejected, "rejected by the peer"}, {}};
  run.ways[0].no_way_back = CauseAt("b", CauseKind::kRoute, "ip.route-symmetric");
  for (Finding& finding : run.report.pairs[1].findings) finding = Live(finding.id, Outcome::kPass);
  run.ways[1].failures = {{}, {}};
  ExplainPairs(run.ways, run.report);
  ASSERT_EQ(run.report.hosts[1].findings.size(), 1U);
  EXPECT_EQ(run.report.pairs[0].findings[0].hidden_by, "ip.route-symmetric");
  EXPECT_EQ(run.report.pairs[1].findings[0].outcome, Outcome::kPass);
}

TEST(ExplainedPairs, AcceptVlansThatASwitchBringsTogether) {
  TestedPair run({});
  run.Pass();
  Finding differs = Live("agree.vlan", Outcome::kFail);
  differs.observed = "VLAN 711 at a, untagged at b";
  run.report.pairs[0].findings.push_back(differs);
  for (TestedWay& way : run.ways) way.other_vlan = differs;
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(run.report.pairs[0].findings.back().outcome, Outcome::kPass);
  EXPECT_THAT(run.report.pairs[0].findings.back().observed, HasSubstr("passes all the same"));
}

TEST(ExplainedPairs, AcceptVlansOfSeveralPortsWhereAllReachEachOther) {
  TestedPair run({});
  run.Pass();
  Finding differs = Live("agree.vlan", Outcome::kFail);
  differs.observed = "VLAN 711 at a, untagged at b";
  for (TestedWay& way : run.ways) way.other_vlan = differs;
  differs.observed += ", and 2 ports more";
  run.report.pairs[0].findings.push_back(differs);
  run.report.hosts[1].findings.push_back(Own("agree.vlan", Outcome::kWarn, true));
  ExplainPairs(run.ways, run.report);
  EXPECT_EQ(run.report.pairs[0].findings.back().outcome, Outcome::kPass);
  EXPECT_EQ(run.report.hosts[1].findings.back().outcome, Outcome::kPass);
}

TEST(ExplainedPairs, FoldTwoChecksThatSayOneThing) {
  Report report{.pairs = {{.from = "a", .to = "b"}}};
  Finding pair = Live("mtu.pair", Outcome::kFail);
  Finding agree = Live("agree.netdev-mtu", Outcome::kWarn);
  agree.blocking = false;
  Finding adapter = Live("agree.adapter", Outcome::kWarn);
  adapter.blocking = false;
  report.pairs[0].findings = {agree, pair, adapter};
  FoldPairs(report);
  EXPECT_EQ(report.pairs[0].findings[0].hidden_by, "mtu.pair");
  EXPECT_EQ(report.pairs[0].findings[1].outcome, Outcome::kFail);
  EXPECT_EQ(report.pairs[0].findings[2].outcome, Outcome::kWarn);
}

TEST(ExplainedPairs, FoldAPathThatWasNotTriedBehindTheAddressThatIsThereTwice) {
  Report report{.pairs = {{.from = "a", .to = "b"}}};
  Finding path = Live("peer.path", Outcome::kFail);
  path.subject.clear();
  path.observed = "duplicate address: a and b both have 10.0.0.1/24";
  report.pairs[0].findings = {Live("agree.address", Outcome::kFail), path};
  FoldPairs(report);
  EXPECT_EQ(report.pairs[0].findings[1].hidden_by, "agree.address");
}

TEST(ExplainedPairs, SayTheCauseWithATestByItself) {
  Finding live = Live("peer.send-1k", Outcome::kFail);
  KnownCause cause = CauseAt("b", CauseKind::kFirewall, "ip.firewall");
  SetFix(cause.finding, Fix("nft insert rule inet t input udp dport 4791 accept"));
  const Finding said = WithCause(live, cause);
  EXPECT_EQ(said.id, "peer.send-1k");
  EXPECT_EQ(said.observed, "the peer is not reachable by RDMA; ip.firewall on b: seen");
  EXPECT_EQ(said.fix, "nft insert rule inet t input udp dport 4791 accept");
  EXPECT_EQ(said.remedy->cautions.front(), "run it on b");
}

}  // namespace
}  // namespace rdmaready
