// SPDX-License-Identifier: Apache-2.0
// Whole checks of several hosts, against agents that say what the test wants.
#include "cli/fleet/hosts_check.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <span>
#include <thread>

#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "api/model/cases.h"
#include "api/profile/profile_proto.h"
#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "checks/words/fix.h"
#include "tests/unit/checks/fleet/wired_host.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/cli/fleet/checked_agent.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

TEST_F(HostsCheckTest, FindsTwoGoodHostsReadyUpToPeer) {
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary summary = check.Run();
  EXPECT_EQ(summary.report.verdict, Readiness::kReady);
  EXPECT_EQ(StatusOf(summary), ExitStatus::kOk);
  EXPECT_EQ(NamesOf(summary.report.profiles), "virtual-fabric");
  EXPECT_EQ(PeerFindings(summary).size(), 2 * CheckedCasesOn(Rung::kPeer).size());
  EXPECT_EQ(summary.report.hosts[1].host, "b");
  EXPECT_TRUE(summary.notes[0].software);
}

// The agents' echo of the profile lacks what they do not know of it.
TEST_F(HostsCheckTest, JudgesTransfersByTheProfileThatTheCallerGave) {
  a_.BeHardware();
  b_.BeHardware();
  Profile demanding = VirtualFabricProfile();
  demanding.min_throughput_mbps = 20'000;
  HostsCheck check(hosts_, {.level = Rung::kPeer, .site = SiteOf({demanding})}, {});
  const std::vector<Finding> findings = PeerFindings(check.Run());
  const auto write = std::ranges::find(findings, "peer.write-512k", &Finding::id);
  ASSERT_NE(write, findings.end());
  EXPECT_EQ(write->outcome, Outcome::kFail);
  EXPECT_THAT(write->expected, HasSubstr("at 20000 Mb/s or more"));
}

TEST_F(HostsCheckTest, JudgesEachHostByWhatItsInventorySays) {
  Profile other = VirtualFabricProfile();
  other.name = "other";
  const auto site = std::make_shared<const Site>(SiteOf({other}));
  HostsCheck check(hosts_, {.level = Rung::kPeer, .origins = {{"east", "r1", site}, {"west", "", nullptr}}},
                   {});
  EXPECT_EQ(NamesOf(check.Snapshot().report.profiles), "other");
  const CheckSummary summary = check.Run();
  EXPECT_EQ(a_.asked_profiles, std::vector<std::string>{"other"});
  EXPECT_TRUE(b_.asked_profiles.empty()) << "it takes its own";
  EXPECT_EQ(summary.notes[0].group, "east");
  EXPECT_EQ(summary.notes[0].rack, "r1");
  EXPECT_FALSE(summary.profiles_of_agents);
  EXPECT_TRUE(summary.report.pairs.empty()) << "they are of two groups";
  EXPECT_EQ(summary.report.verdict, Readiness::kUndetermined);
  const std::vector<Finding>& found = summary.report.hosts[0].findings;
  EXPECT_TRUE(std::ranges::any_of(found, [](const Finding& finding) {
    return finding.observed.find("no other host of group east in this run") != std::string::npos;
  }));
}

TEST_F(HostsCheckTest, NamesTheHostThatDiesInTheMiddleOfATest) {
  b_.dies_after = 1;
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary summary = check.Run();
  EXPECT_EQ(b_.peer_tests, 2);  // nothing more is asked of it
  EXPECT_THAT(summary.report.hosts[1].error, HasSubstr("host b: the agent went away"));
  EXPECT_EQ(summary.report.hosts[0].error, "");
  EXPECT_FALSE(summary.report.hosts[0].findings.empty());
  EXPECT_EQ(StatusOf(summary), ExitStatus::kNotReady);
  std::size_t failed = 0;
  for (const Finding& finding : PeerFindings(summary)) {
    if (finding.outcome != Outcome::kFail) continue;
    ++failed;
    EXPECT_THAT(finding.observed, HasSubstr("host b"));
    EXPECT_EQ(finding.fix, "systemctl restart rdmaready-agent");
    ASSERT_TRUE(finding.remedy.has_value());
    EXPECT_THAT(OneLine(*finding.remedy), HasSubstr("  # run the command on host b;"));
  }
  EXPECT_EQ(failed, 1U);
}

TEST_F(HostsCheckTest, LeavesTheVerdictOpenWhenAPortIsBusy) {
  a_.busy = true;
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary summary = check.Run();
  EXPECT_EQ(summary.report.verdict, Readiness::kUndetermined);
  EXPECT_EQ(StatusOf(summary), ExitStatus::kOwnFailure);
  EXPECT_THAT(PeerFindings(summary).front().observed, HasSubstr("in use by root@c"));
}

TEST_F(HostsCheckTest, ShowsTheOthersWhenAHostWasNeverReached) {
  hosts_[1] = {.name = "b", .error = "host b: refused", .failure = ExitStatus::kUnreachable};
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary summary = check.Run();
  EXPECT_EQ(StatusOf(summary), ExitStatus::kUnreachable);
  EXPECT_EQ(summary.report.hosts[1].error, "host b: refused");
  EXPECT_EQ(summary.report.hosts[0].ladder.front().outcome, RungOutcome::kPass);
}

TEST_F(HostsCheckTest, AsksAHostWhileAnotherIsStillBeingConnected) {
  std::atomic<bool> silent = true;
  HostClient late = std::move(hosts_[1]);
  AgentClient* const agent = late.agent;
  late.agent = nullptr;
  late.connect = [&](HostClient& host) {
    while (silent) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    host.agent = agent;
  };
  hosts_[1] = std::move(late);
  HostsCheck check(hosts_, {.level = Rung::kHost}, {});
  const CheckSummary sofar = SnapshotWhen(
      check, [](const CheckSummary& now) { return !now.report.hosts[0].kernel_release.empty(); },
      [&] { silent = false; });
  EXPECT_EQ(sofar.report.hosts[0].verdict, Readiness::kReady);
  EXPECT_THAT(sofar.report.hosts[1].error, HasSubstr("host b: interrupted"));
  EXPECT_NE(sofar.report.verdict, Readiness::kReady);
  EXPECT_EQ(check.Snapshot().report.verdict, Readiness::kReady);  // in the end both were asked
}

TEST_F(HostsCheckTest, AsksForFactsOnlyWhereHostsAreCompared) {
  HostsCheck two(hosts_, {.level = Rung::kHost}, {});
  two.Run();
  EXPECT_TRUE(a_.asked_for_facts);
  EXPECT_TRUE(b_.asked_for_facts);
  hosts_.pop_back();
  HostsCheck one(hosts_, {.level = Rung::kLoopback}, {});
  const CheckSummary summary = one.Run();
  EXPECT_FALSE(a_.asked_for_facts);
  EXPECT_TRUE(summary.notes[0].software);
  EXPECT_EQ(summary.report.verdict, Readiness::kReady) << Headline(summary.report);
}

TEST_F(HostsCheckTest, CountsTheTimeOfConnecting) {
  hosts_[0].connect = [](HostClient&) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  HostsCheck check(hosts_, {.level = Rung::kHost}, {});
  EXPECT_GE(check.Run().report.duration_ns, 50'000'000);
}

TEST_F(HostsCheckTest, TestsNothingBetweenTwoNamesOfOneAgent) {
  hosts_[1].connect = [](HostClient& host) {
    host.agent = nullptr;
    host.twin = true;
    host.error = "hosts a and b are the same";
    host.failure = ExitStatus::kUsage;
  };
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary summary = check.Run();
  EXPECT_TRUE(summary.report.pairs.empty());
  EXPECT_EQ(a_.peer_tests, 0);
  EXPECT_EQ(CheckNoTwins(hosts_).message(), "hosts a and b are the same");
}

TEST_F(HostsCheckTest, KnowsAtAnyTimeWhatItKnowsSoFar) {
  b_.hangs = true;
  HostsCheck check(hosts_, {.level = Rung::kHost}, {});
  CheckSummary sofar;
  {
    const std::jthread run([&] { check.Run(); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      sofar = check.Snapshot();
    } while ((sofar.report.hosts[0].kernel_release.empty() || sofar.report.hosts[1].findings.empty()) &&
             std::chrono::steady_clock::now() < deadline);
    b_.hangs = false;
  }
  EXPECT_EQ(sofar.report.hosts[0].error, "");
  EXPECT_EQ(sofar.report.hosts[1].findings.size(), 1U);
  EXPECT_THAT(sofar.report.hosts[1].error, HasSubstr("interrupted"));
  EXPECT_NE(sofar.report.verdict, Readiness::kReady);
}

TEST_F(HostsCheckTest, SaysOfEveryPlannedPeerTestThatItWasInterrupted) {
  a_.waits_after = 1;  // the first case passes, the second one hangs
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary sofar = SnapshotWhen(
      check,
      [&](const CheckSummary& now) {
        return std::ranges::count(PeerFindings(now), Outcome::kPass, &Finding::outcome) == 1;
      },
      [&] { a_.waits_after = 1000; });
  const std::vector<Finding> findings = PeerFindings(sofar);
  EXPECT_EQ(findings.size(), 2 * CheckedCasesOn(Rung::kPeer).size());
  EXPECT_EQ(std::ranges::count(findings, "not tested: interrupted", &Finding::observed),
            static_cast<std::ptrdiff_t>(2 * CheckedCasesOn(Rung::kPeer).size() - 1));
  for (const HostReport& host : sofar.report.hosts) {
    EXPECT_EQ(host.verdict, Readiness::kUndetermined);
    EXPECT_EQ(host.ladder.at(2).outcome, RungOutcome::kUnknown);
  }
  EXPECT_EQ(sofar.report.verdict, Readiness::kUndetermined);
  // In the end every slot holds its answer.
  EXPECT_EQ(check.Snapshot().report.verdict, Readiness::kReady);
}

TEST_F(HostsCheckTest, TakesNoCheckOfWhichFindingsAreLost) {
  b_.miscounted = 1;
  HostsCheck check(hosts_, {.level = Rung::kHost}, {});
  const Report report = check.Run().report;
  EXPECT_EQ(report.hosts[0].error, "");
  EXPECT_THAT(report.hosts[1].error,
              testing::ContainsRegex("the agent sent [0-9]+ findings of the [0-9]+ that it"));
  EXPECT_NE(report.verdict, Readiness::kReady);
}

TEST_F(HostsCheckTest, SaysOfAHostInTheMiddleOfItsLoopbackTestsThatTheyWereInterrupted) {
  Finding link{.id = "link.state",
               .scope = Scope::kPort,
               .rung = Rung::kHost,
               .subject = "rxe0/1 dcb0",
               .outcome = Outcome::kPass,
               .blocking = true};
  b_.early = {
      link,
      JudgeTransfer({.case_name = "send-1k", .messages = 1, .bytes = 8, .bytes_verified = 8, .elapsed_ns = 1},
                    {.rung = Rung::kLoopback, .subject = "rxe0/1 dcb0"})};
  b_.hangs = true;
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary sofar = SnapshotWhen(
      check,
      [](const CheckSummary& now) {
        return !now.report.hosts[0].kernel_release.empty() &&
               std::ranges::count(now.report.hosts[1].findings, "loopback.send-1k", &Finding::id) == 1 &&
               Of(now.report.hosts[1].findings, "loopback.send-1k").outcome == Outcome::kPass;
      },
      [&] { b_.hangs = false; });
  const HostReport& b = sofar.report.hosts[1];
  EXPECT_EQ(std::ranges::count(b.findings, "not tested: interrupted", &Finding::observed),
            static_cast<std::ptrdiff_t>(CheckedCasesOn(Rung::kPeer).size() - 1));
  EXPECT_EQ(b.ladder.at(0).outcome, RungOutcome::kUnknown);  // not every setting was judged
  EXPECT_EQ(b.ladder.at(1).outcome, RungOutcome::kUnknown);
  for (const HostReport& host : sofar.report.hosts) EXPECT_NE(host.verdict, Readiness::kReady);
}

TEST_F(HostsCheckTest, LeavesOutWhatOneDeviceOfAPairCannot) {
  b_.LoseWindows();
  HostsCheck check(hosts_, {.level = Rung::kSmbDirect}, {});
  const CheckSummary run = check.Run();
  const auto made =
      static_cast<int>(2 * (CheckedCasesOn(Rung::kPeer).size() + CheckedCasesOn(Rung::kSmbDirect).size() -
                            1));  // in each direction, less the one
  EXPECT_EQ(a_.peer_tests, made);
  std::size_t left_out = 0;
  for (const PairReport& pair : run.report.pairs) {
    for (const Finding& finding : pair.findings) {
      if (finding.outcome != Outcome::kNotApplicable || !finding.id.starts_with("smb-direct.")) continue;
      EXPECT_EQ(finding.id, "smb-direct.smbd-invalidate");
      EXPECT_EQ(finding.observed, "b: rxe0 has no memory windows of type 2");
      ++left_out;
    }
  }
  EXPECT_EQ(left_out, 2U);
  for (const HostReport& host : run.report.hosts) {
    EXPECT_EQ(OutcomeOn(host.ladder, Rung::kSmbDirect), RungOutcome::kPass);
  }
}

TEST_F(HostsCheckTest, OfLevelServerProbesFromEveryHost) {
  HostsCheck check(
      hosts_,
      {.level = Rung::kServer,
       .server = {.protocol = Protocol::kSmb, .target = "fs1", .timeout = std::chrono::milliseconds(7'000)}},
      {});
  const CheckSummary run = check.Run();
  EXPECT_EQ(a_.probed, "fs1");
  EXPECT_EQ(b_.probed, "fs1");
  EXPECT_EQ(b_.time_ms, 7'000U);
  EXPECT_EQ(run.report.verdict, Readiness::kReady) << Headline(run.report);
  for (const HostReport& host : run.report.hosts) {
    EXPECT_EQ(OutcomeOn(host.ladder, Rung::kServer), RungOutcome::kPass);
    EXPECT_EQ(OutcomeOn(host.ladder, Rung::kSmbDirect), RungOutcome::kPass);
  }
}

TEST_F(HostsCheckTest, OfLevelServerOneHostAloneLeavesOutWhatNeedsTwo) {
  hosts_.pop_back();
  HostsCheck check(hosts_, {.level = Rung::kServer, .server = {.protocol = Protocol::kSmb, .target = "fs1"}},
                   {});
  const CheckSummary run = check.Run();
  EXPECT_EQ(run.report.verdict, Readiness::kReady) << Headline(run.report);
  EXPECT_EQ(OutcomeOn(run.report.hosts[0].ladder, Rung::kPeer), RungOutcome::kNotRun);
  EXPECT_TRUE(run.report.pairs.empty());
}

TEST_F(HostsCheckTest, AProbeThatIsNotMadeLeavesTheHostUndetermined) {
  hosts_.pop_back();
  a_.busy = true;
  HostsCheck check(hosts_, {.level = Rung::kServer, .server = {.protocol = Protocol::kSmb, .target = "fs1"}},
                   {});
  const CheckSummary run = check.Run();
  EXPECT_EQ(run.report.verdict, Readiness::kUndetermined);
  const Finding& last = run.report.hosts[0].findings.back();
  EXPECT_EQ(last.id, "server.smb2-over-rdma");
  EXPECT_THAT(last.observed, HasSubstr("in use by root@c"));
}

// ---- failures that something known explains ----

const Failure kNoAnswer{FailureKind::kUnreachable, "connect to 10.0.0.2 port 4711: no answer in time"};

std::vector<std::string> RedLines(const CheckSummary& run) {
  std::vector<std::string> red;
  for (const HostReport& host : run.report.hosts) {
    for (const Finding& finding : host.findings) {
      if (BlocksReadiness(finding)) red.push_back(finding.id + " at " + host.host);
    }
  }
  for (const PairReport& pair : run.report.pairs) {
    for (const Finding& finding : pair.findings) {
      if (BlocksReadiness(finding)) red.push_back(finding.id + " between " + pair.from + " and " + pair.to);
    }
  }
  return red;
}

void DropRoce(Facts& facts) {
  facts.hostname = "b";
  facts.firewall = Firewall{.chains = {{.family = "inet", .table = "t", .name = "input", .input_hook = true}},
                            .packets = {{.netdev = "dcb0",
                                         .protocol = 17,
                                         .port = 4791,
                                         .fate = PacketFate::kDropped,
                                         .chain = "inet t input",
                                         .place = "rule 4 of inet t input"}}};
}

void PutOnVlan(Facts& facts, const std::string& host, std::uint16_t vlan, const std::string& address) {
  facts = WiredHost({host, address, 24, vlan});
}

TEST_F(HostsCheckTest, EndsTheTestsOfTwoPortsAtTheFirstThatCannotConnect) {
  a_.fails = b_.fails = kNoAnswer;
  a_.Change([](Facts& facts) { PutOnVlan(facts, "a", 0, "10.0.0.1"); });
  b_.Change([](Facts& facts) { PutOnVlan(facts, "b", 0, "10.0.0.2"); });
  HostsCheck check(hosts_, {.level = Rung::kSmbDirect}, {});
  const CheckSummary run = check.Run();
  EXPECT_EQ(a_.peer_tests, 2) << "one test in each direction";
  EXPECT_THAT(RedLines(run), testing::ElementsAre("peer.send-1k between a and b"));
  for (const PairReport& pair : run.report.pairs) {
    for (const Finding& finding : pair.findings) {
      if (finding.id.starts_with("peer.") || finding.id.starts_with("smb-direct.")) {
        EXPECT_TRUE(finding.hidden_by == "peer.send-1k" || finding.outcome == Outcome::kFail) << finding.id;
      }
    }
  }
  EXPECT_EQ(run.report.verdict, Readiness::kNotReady);
}

TEST_F(HostsCheckTest, PutsFailedTestsBehindTheFirewallThatIsKnown) {
  a_.fails = b_.fails = kNoAnswer;
  b_.Change(DropRoce);
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  EXPECT_THAT(RedLines(run), testing::ElementsAre("ip.firewall at b"));
  const Finding firewall = Of(run.report.hosts[1].findings, "ip.firewall");
  EXPECT_EQ(firewall.rung, Rung::kPeer);
  EXPECT_THAT(firewall.fix, HasSubstr("nft "));
  for (const Finding& finding : PeerFindings(run)) {
    EXPECT_EQ(finding.hidden_by, "ip.firewall") << finding.id << ": " << finding.observed;
  }
  EXPECT_EQ(run.report.hosts[0].verdict, Readiness::kUndetermined);
  EXPECT_EQ(run.report.hosts[1].verdict, Readiness::kNotReady);
}

TEST_F(HostsCheckTest, OnlyWarnsOfAFirewallWhileTheTestsPass) {
  b_.Change(DropRoce);
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  EXPECT_THAT(RedLines(run), testing::IsEmpty());
  EXPECT_EQ(Of(run.report.hosts[1].findings, "ip.firewall").outcome, Outcome::kWarn);
}

TEST_F(HostsCheckTest, NamesTwoVlansOnceAndNoHostForThem) {
  a_.fails = b_.fails = kNoAnswer;
  a_.Change([](Facts& facts) { PutOnVlan(facts, "a", 711, "10.0.0.1"); });
  b_.Change([](Facts& facts) { PutOnVlan(facts, "b", 712, "10.0.0.2"); });
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  EXPECT_THAT(RedLines(run), testing::ElementsAre("agree.vlan between a and b"));
  for (const Finding& finding : PeerFindings(run)) EXPECT_EQ(finding.hidden_by, "agree.vlan") << finding.id;
}

TEST_F(HostsCheckTest, FindsTwoVlansAtLevelHost) {
  a_.Change([](Facts& facts) { PutOnVlan(facts, "a", 711, "10.0.0.1"); });
  b_.Change([](Facts& facts) { PutOnVlan(facts, "b", 712, "10.0.0.2"); });
  HostsCheck check(hosts_, {.level = Rung::kHost}, {});
  const CheckSummary run = check.Run();
  EXPECT_THAT(RedLines(run), testing::ElementsAre("agree.vlan between a and b"));
  EXPECT_EQ(run.report.verdict, Readiness::kNotReady);
}

TEST_F(HostsCheckTest, TakesAnUntaggedHostWhereTheTestsPass) {
  a_.Change([](Facts& facts) { PutOnVlan(facts, "a", 0, "10.0.0.1"); });
  b_.Change([](Facts& facts) { PutOnVlan(facts, "b", 711, "10.0.0.2"); });
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  const Finding vlan = Of(run.report.pairs.front().findings, "agree.vlan");
  EXPECT_EQ(vlan.outcome, Outcome::kPass);
  EXPECT_THAT(vlan.observed, HasSubstr("RDMA between them passes all the same"));
}

TEST_F(HostsCheckTest, SaysOnceThatTwoHostsHaveOneAddress) {
  b_.Change([](Facts& facts) { PutOnVlan(facts, "b", 0, "10.0.0.1"); });
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  EXPECT_THAT(RedLines(run), testing::ElementsAre("agree.address between a and b"));
  EXPECT_EQ(a_.peer_tests, 0);
}

TEST_F(HostsCheckTest, NamesTheHostThatHasNoRoute) {
  a_.fails = {FailureKind::kSetup, "resolve the address 10.0.0.2 from 10.0.0.1: Invalid argument"};
  b_.fails = a_.fails;
  HostsCheck check(hosts_, {.level = Rung::kPeer}, {});
  const CheckSummary run = check.Run();
  EXPECT_EQ(RedLines(run).front(), "ip.route-symmetric at a");
  EXPECT_THAT(Of(run.report.hosts[0].findings, "ip.route-symmetric").observed, HasSubstr("blackhole"));
}

}  // namespace
}  // namespace rdmaready
