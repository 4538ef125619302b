// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Facts HostAt(const std::string& address) {
  return WithNetdev([&](Netdev& netdev) {
    netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
  });
}

struct Fixture {
  Profile profile = VirtualFabricProfile();
  std::vector<Facts> facts;
  std::vector<std::vector<Finding>> findings;
  std::vector<PlanHost> hosts;

  explicit Fixture(std::vector<Facts> all) : facts(std::move(all)) {
    for (const Facts& one : facts) findings.push_back(JudgeHost(one, profile));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      hosts.push_back({std::string(1, static_cast<char>('a' + i)), &facts[i], findings[i]});
    }
  }
  PairPlan Plan() const { return PlanPairs(hosts, Ring(hosts.size()), profile); }
};

TEST(PairPlan, TestsTwoHostsBothWays) {
  const PairPlan plan = Fixture({HostAt("10.0.0.1"), HostAt("10.0.0.2")}).Plan();
  ASSERT_EQ(plan.pairs.size(), 2U);
  EXPECT_EQ(plan.pairs[0].from + plan.pairs[0].to + plan.pairs[1].from + plan.pairs[1].to, "abba");
  ASSERT_EQ(plan.jobs.size(), 2U);
  EXPECT_EQ(plan.jobs[0].place.peer_address, "10.0.0.2");
  EXPECT_EQ(plan.jobs[1].place.peer_address, "10.0.0.1");
  EXPECT_EQ(plan.jobs[1].place.peer_host, "a");
  // What must agree is judged once.
  EXPECT_FALSE(plan.pairs[0].findings.empty());
  EXPECT_TRUE(plan.pairs[1].findings.empty());
}

TEST(PairPlan, TellsTheTestsWhatTheProfileAsksOfTheirSpeed) {
  Fixture fixture({HostAt("10.0.0.1"), HostAt("10.0.0.2")});
  fixture.profile.min_throughput_mbps = 90'000;
  fixture.profile.min_worst_mbps = 80'000;
  fixture.profile.max_latency_us = 30;
  const PairPlan plan = fixture.Plan();
  ASSERT_EQ(plan.jobs.size(), 2U);
  for (const PairJob& job : plan.jobs) {
    EXPECT_EQ(job.place.min_throughput_mbps, 90'000);
    EXPECT_EQ(job.place.min_worst_mbps, 80'000);
    EXPECT_EQ(job.place.max_latency_us, 30);
  }
}

TEST(PairPlan, NeverUsesAPortTwiceInARound) {
  const PairPlan plan =
      Fixture({HostAt("10.0.0.1"), HostAt("10.0.0.2"), HostAt("10.0.0.3"), HostAt("10.0.0.4")}).Plan();
  ASSERT_EQ(plan.jobs.size(), 8U);
  std::size_t made = 0;
  for (const std::vector<std::size_t>& round : Rounds(plan.jobs)) {
    std::vector<std::size_t> hosts;  // each has one port
    for (const std::size_t job : round) {
      hosts.push_back(plan.jobs[job].from);
      hosts.push_back(plan.jobs[job].to);
    }
    std::ranges::sort(hosts);
    EXPECT_EQ(std::ranges::adjacent_find(hosts), hosts.end());
    made += round.size();
  }
  EXPECT_EQ(made, 8U);
  EXPECT_LE(Rounds(plan.jobs).size(), 4U);
}

TEST(PairPlan, SaysWhyAPortThatIsDownIsNotTested) {
  Facts down = HostAt("10.0.0.2");
  std::vector<Port> ports = *down.ports;
  ports[0].state = PortState::kDown;
  down.ports = ports;
  const PairPlan plan = Fixture({HostAt("10.0.0.1"), down}).Plan();
  EXPECT_TRUE(plan.jobs.empty());
  for (const PairReport& pair : plan.pairs) {
    const auto live = std::ranges::count(pair.findings, "link.state", &Finding::hidden_by);
    EXPECT_GE(live, static_cast<std::ptrdiff_t>(CheckedCasesOn(Rung::kPeer).size()));
  }
}

Facts IwarpAt(const std::string& address) {
  Facts host = HostAt(address);
  std::vector<Port> ports = *host.ports;
  ports[0].transport = Transport::kIwarp;
  ports[0].device = "siw0";
  host.ports = ports;
  return host;
}

TEST(PairPlan, TestsNothingBetweenIwarpAndRoceAndSaysWhy) {
  for (const bool first : {true, false}) {
    const Facts iwarp = IwarpAt("10.0.0.1");
    Fixture fixture(first ? std::vector{iwarp, HostAt("10.0.0.2")} : std::vector{HostAt("10.0.0.2"), iwarp});
    // A profile that asks for neither: each host is fine by itself.
    fixture.profile = Profile{.name = "any"};
    for (std::size_t i = 0; i < fixture.facts.size(); ++i) {
      fixture.findings[i] = JudgeHost(fixture.facts[i], fixture.profile);
      fixture.hosts[i].findings = fixture.findings[i];
    }
    const PairPlan plan = fixture.Plan();
    EXPECT_TRUE(plan.jobs.empty());
    ASSERT_EQ(plan.pairs.size(), 1U);
    const Finding protocol = Of(plan.pairs[0].findings, "iw.peer-protocol");
    EXPECT_EQ(protocol.outcome, Outcome::kFail);
    EXPECT_TRUE(protocol.blocking);
    EXPECT_THAT(protocol.observed, HasSubstr(first ? "a speaks iWARP, b RoCE" : "a speaks RoCE, b iWARP"));
    EXPECT_EQ(Of(plan.pairs[0].findings, "peer.path").hidden_by, "iw.peer-protocol");
  }
}

TEST(PairPlan, SaysAnOddTransportOnceWhereTheHostAlreadyDoes) {
  const PairPlan plan = Fixture({HostAt("10.0.0.1"), IwarpAt("10.0.0.2")}).Plan();
  EXPECT_TRUE(plan.jobs.empty());
  ASSERT_EQ(plan.pairs.size(), 1U);
  EXPECT_THAT(IdsWith(plan.pairs[0].findings, Outcome::kFail), ElementsAre());
  for (const Finding& finding : plan.pairs[0].findings)
    EXPECT_EQ(finding.hidden_by, "inv.transport") << finding.id;
}

Facts TwoRails(const std::string& first, const std::string& second) {
  Facts host = HostAt(first);
  Port rail = HostAt(second).ports->front();
  rail.device = "rxe1";
  Netdev netdev = *rail.netdev;
  netdev.name = "dcb1";
  rail.netdev = netdev;
  std::vector<Port> ports = *host.ports;
  ports.push_back(rail);
  host.ports = ports;
  return host;
}

std::vector<Finding> PathFindings(const PairPlan& plan) {
  std::vector<Finding> findings;
  for (const PairReport& pair : plan.pairs) {
    std::ranges::copy_if(pair.findings, std::back_inserter(findings),
                         [](const Finding& finding) { return finding.id == "peer.path"; });
  }
  return findings;
}

TEST(PairPlan, TriesByRouteWhereNoSubnetIsCommon) {
  const PairPlan plan = Fixture({HostAt("10.0.0.1"), HostAt("10.0.1.2")}).Plan();
  ASSERT_EQ(plan.jobs.size(), 2U);
  for (const PairJob& job : plan.jobs) EXPECT_TRUE(job.place.routed);
  EXPECT_EQ(plan.jobs[0].from_port.address, "10.0.0.1");
  EXPECT_EQ(plan.jobs[0].to_port.address, "10.0.1.2");
  EXPECT_TRUE(PathFindings(plan).empty());
  for (const PairJob& job : Fixture({HostAt("10.0.0.1"), HostAt("10.0.0.2")}).Plan().jobs)
    EXPECT_FALSE(job.place.routed);
}

// No connection can be tried between IPv4 and IPv6: that needs no test.
TEST(PairPlan, FailsWithoutAnAddressFamilyInCommon) {
  const PairPlan families = Fixture({HostAt("10.0.0.1"), HostAt("2001:db8::2")}).Plan();
  EXPECT_TRUE(families.jobs.empty());
  ASSERT_EQ(PathFindings(families).size(), 1U);
  const Finding path = PathFindings(families).front();
  EXPECT_EQ(path.outcome, Outcome::kFail);
  EXPECT_THAT(path.observed, HasSubstr("neither IPv4 nor IPv6 on both"));
  ASSERT_TRUE(path.remedy.has_value());
  EXPECT_EQ(path.remedy->cautions.front(), "run it on b");
  EXPECT_EQ(path.remedy->steps.front().action, "fill in and run: ip address add ADDRESS dev dcb0");
}

TEST(PairPlan, PutsAHostWithoutAnAddressBehindItsOwnFinding) {
  const Facts bare = WithNetdev([](Netdev& netdev) { netdev.addresses = std::vector<IpAddress>{}; });
  const PairPlan unaddressed = Fixture({HostAt("10.0.0.1"), bare}).Plan();
  EXPECT_TRUE(unaddressed.jobs.empty());
  ASSERT_EQ(PathFindings(unaddressed).size(), 1U);
  EXPECT_EQ(PathFindings(unaddressed).front().hidden_by, "ip.address");
}

TEST(PairPlan, PortsThatAPersonNamesAreTriedAsNamed) {
  const Fixture fixture({TwoRails("10.0.0.1", "10.0.1.1"), TwoRails("10.0.0.2", "10.0.1.2")});
  const std::vector<PortSelection> named{{.device = "rxe0", .number = 1}, {.device = "rxe1", .number = 1}};
  const auto jobs = JobsBetween(fixture.hosts[0], fixture.hosts[1], named);
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().from_port.address, "10.0.0.1");
  EXPECT_EQ(jobs->front().to_port.address, "10.0.1.2");
  EXPECT_TRUE(jobs->front().place.routed);
}

TEST(PairPlan, PutsAHostWithoutRdmaBehindItsOwnFinding) {
  Facts bare = GoodHost();
  bare.ports = std::vector<Port>{};
  const PairPlan plan = Fixture({HostAt("10.0.0.1"), bare}).Plan();
  ASSERT_EQ(plan.pairs[0].findings.size(), 1U);
  EXPECT_EQ(plan.pairs[0].findings[0].hidden_by, "inv.rdma-present");
}

TEST(PairPlan, LeavesTheVerdictOpenWhenAHostDidNotAnswer) {
  Fixture fixture({HostAt("10.0.0.1"), HostAt("10.0.0.2")});
  fixture.hosts[1].facts = nullptr;
  const PairPlan plan = fixture.Plan();
  ASSERT_EQ(plan.pairs.size(), 1U);
  EXPECT_EQ(plan.pairs[0].findings[0].outcome, Outcome::kNotApplicable) << "the error of the host says it";
  EXPECT_THAT(plan.pairs[0].findings[0].observed, HasSubstr("host b could not be asked"));
  Report report{.level = Rung::kPeer,
                .hosts = {{.host = "a", .findings = fixture.findings[0]}, {.host = "b", .error = "refused"}},
                .pairs = plan.pairs};
  Conclude(report);
  EXPECT_EQ(report.hosts[0].verdict, Readiness::kUndetermined);
  EXPECT_EQ(report.verdict, Readiness::kUndetermined);
}

TEST(PairPlan, LeavesTheVerdictOpenWhenAPortHasNoPartner) {
  const PairPlan plan = Fixture({TwoRails("10.0.0.1", "10.0.1.1"), TwoRails("10.0.0.2", "10.0.9.2")}).Plan();
  EXPECT_EQ(plan.jobs.size(), 2U);  // the first rail, both ways
  const std::vector<Finding> alone = PathFindings(plan);
  ASSERT_EQ(alone.size(), 2U);
  for (const Finding& finding : alone) {
    EXPECT_EQ(finding.outcome, Outcome::kUnknown);
    EXPECT_TRUE(finding.blocking);
    EXPECT_EQ(finding.rung, Rung::kPeer);
  }
  EXPECT_EQ(alone[0].observed, "rxe1/1 of a: no port of b in its subnet: not tested");
  EXPECT_EQ(alone[1].observed, "rxe1/1 of b: no port of a in its subnet: not tested");
  // It keeps both hosts from being ready, whatever the first rail shows.
  Report report{.level = Rung::kPeer, .hosts = {{.host = "a"}, {.host = "b"}}, .pairs = plan.pairs};
  report.pairs[0].findings.push_back(JudgeTransfer(
      {.case_name = "send-1k", .messages = 1, .bytes = 8, .bytes_verified = 8}, {.rung = Rung::kPeer}));
  Conclude(report);
  for (const HostReport& host : report.hosts) EXPECT_EQ(host.ladder.at(2).outcome, RungOutcome::kUnknown);
}

TEST(PairPlan, GivesAHostToOneTestAloneWhereItsSpeedIsJudged) {
  Fixture fixture({TwoRails("10.0.0.1", "10.0.1.1"), TwoRails("10.0.0.2", "10.0.1.2")});
  const PairPlan plan = fixture.Plan();
  ASSERT_EQ(plan.jobs.size(), 4U);
  EXPECT_EQ(Rounds(plan.jobs).size(), 2U);  // both rails at once
  fixture.profile.max_latency_us = 30;
  EXPECT_EQ(Rounds(fixture.Plan().jobs).size(), 4U);
}

TEST(PairPlan, SaysOnceThatAPulledCableKeepsAPortAlone) {
  Facts b = TwoRails("10.0.0.2", "10.0.9.2");
  std::vector<Port> ports = *b.ports;
  ports[1].state = PortState::kDown;
  b.ports = ports;
  const std::vector<Finding> alone = PathFindings(Fixture({HostAt("10.0.0.1"), b}).Plan());
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].outcome, Outcome::kNotApplicable);
  EXPECT_EQ(alone[0].hidden_by, "link.state");
}

TEST(PairPlan, LeavesTheVerdictOpenWhenThePortsAreNotKnown) {
  Facts blind = HostAt("10.0.0.2");
  blind.ports = Denied();
  const std::vector<Finding> paths = PathFindings(Fixture({HostAt("10.0.0.1"), blind}).Plan());
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(paths[0].observed, "not tested: the ports of b are not known");
  EXPECT_THAT(paths[0].fix, HasSubstr("rdmaready facts a b"));
}

TEST(PairPlan, LeavesTheVerdictOpenWhenAddressesAreNotKnown) {
  const Facts blind = WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); });
  const std::vector<Finding> paths = PathFindings(Fixture({HostAt("10.0.0.1"), blind}).Plan());
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].outcome, Outcome::kUnknown);
}

}  // namespace
}  // namespace rdmaready
