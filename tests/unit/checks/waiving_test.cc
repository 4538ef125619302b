// SPDX-License-Identifier: Apache-2.0
#include "checks/waiving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kNow = 1'796'904'000'000'000'000;  // noon of 2026-12-10

Finding Of(std::string id, std::string subject, Outcome outcome = Outcome::kFail) {
  return {.id = std::move(id),
          .scope = subject == "host" ? Scope::kHost : Scope::kPort,
          .rung = Rung::kHost,
          .subject = std::move(subject),
          .outcome = outcome,
          .blocking = true};
}

bool IsWaived(const Waiver& waiver, Finding finding, const std::vector<std::string>& hosts = {"node1.example.org"}) {
  Profile profile;
  profile.waivers = {waiver};
  Waive({&profile, 1}, hosts, kNow, {&finding, 1});
  return finding.waived.has_value();
}

Waiver For(std::string check, std::string port = {}, std::string host = {}) {
  return {.check = std::move(check),
          .host = std::move(host),
          .port = std::move(port),
          .reason = "a new switch",
          .who = "Ann",
          .until = "2026-12-10"};
}

TEST(Waiving, NamesAPortInEachWay) {
  const Finding finding = Of("pfc.lossless-priority", "mlx5_0/1 ens1f0np0");
  for (const char* port : {"", "mlx5_0/1", "mlx5_0", "mlx5_*", "ens1f0np0", "ens1*", "mlx5_0/1 ens1f0np0"})
    EXPECT_TRUE(IsWaived(For("pfc.lossless-priority", port), finding)) << port;
  for (const char* port : {"mlx5_1", "mlx5_0/2", "ens1f0", "lx5_0", "host"})
    EXPECT_FALSE(IsWaived(For("pfc.lossless-priority", port), finding)) << port;
  EXPECT_TRUE(IsWaived(For("peer.*", "rxe1/1"), Of("peer.send-1k", "rxe0/1 -> rxe1/1"))) << "said by one host alone";
}

TEST(Waiving, NamesAHostByItsWholeNameOrItsFirstPart) {
  const Finding finding = Of("host.irqbalance", "host");
  for (const char* host : {"", "node1.example.org", "node1", "node*", "node[1-8]"})
    EXPECT_TRUE(IsWaived(For("host.irqbalance", "", host), finding)) << host;
  for (const char* host : {"node2", "example.org", "node1.example"})
    EXPECT_FALSE(IsWaived(For("host.irqbalance", "", host), finding)) << host;
}

TEST(Waiving, NamesChecksByAPattern) {
  EXPECT_TRUE(IsWaived(For("pfc.*"), Of("pfc.only-one", "rxe0/1")));
  EXPECT_FALSE(IsWaived(For("pfc"), Of("pfc.only-one", "rxe0/1")));
  EXPECT_FALSE(IsWaived(For(""), Of("pfc.only-one", "rxe0/1")));
  EXPECT_FALSE(IsWaived(For("*"), Of("host.waivers", "host"))) << "that one has run out is not to be waived";
}

TEST(Waiving, IsForWhatCallsForAction) {
  for (const Outcome outcome : {Outcome::kFail, Outcome::kWarn, Outcome::kUnknown})
    EXPECT_TRUE(IsWaived(For("pfc.*"), Of("pfc.only-one", "rxe0/1", outcome))) << Name(outcome);
  for (const Outcome outcome : {Outcome::kPass, Outcome::kNotApplicable})
    EXPECT_FALSE(IsWaived(For("pfc.*"), Of("pfc.only-one", "rxe0/1", outcome))) << Name(outcome);
}

TEST(Waiving, EndsWithItsDay) {
  Waiver waiver = For("pfc.*");
  const Finding finding = Of("pfc.only-one", "rxe0/1");
  EXPECT_TRUE(IsWaived(waiver, finding));
  waiver.until = "2026-12-09";
  EXPECT_FALSE(IsWaived(waiver, finding));
  waiver.until = "for ever";
  EXPECT_FALSE(IsWaived(waiver, finding));
}

TEST(Waiving, TellsTheFirstThatFits) {
  Profile profile;
  profile.waivers = {For("ets.*"), For("pfc.*"), For("*")};
  profile.waivers[2].who = "Bob";
  Finding finding = Of("pfc.only-one", "rxe0/1");
  Waive({&profile, 1}, std::vector<std::string>{"node1"}, kNow, {&finding, 1});
  ASSERT_TRUE(finding.waived);
  EXPECT_EQ(finding.waived->who, "Ann");
  EXPECT_EQ(finding.outcome, Outcome::kFail) << "what was seen stays";
}

TEST(Waiving, OfAProfileIsForWhatThatProfileAsksFor) {
  std::vector<Profile> profiles(2);
  profiles[0].name = "storage";
  profiles[0].waivers = {For("pfc.*")};
  profiles[1].name = "ai";
  const std::vector<std::string> hosts{"node1"};
  std::vector<Finding> findings(3, Of("pfc.only-one", "rxe0/1"));
  findings[0].profile = "storage";
  findings[1].profile = "ai";
  Waive(profiles, hosts, kNow, findings);
  EXPECT_TRUE(findings[0].waived);
  EXPECT_FALSE(findings[1].waived);
  EXPECT_FALSE(findings[2].waived) << "both ask for it, and one of them waives it";
  profiles[1].waivers = {For("pfc.*")};
  Waive(profiles, hosts, kNow, findings);
  EXPECT_TRUE(findings[2].waived);
}

TEST(Waiving, OfAPairTakesHostAndPortOfOneEnd) {
  Finding pair = Of("peer.send-1k", "mlx5_0/1 -> mlx5_1/1");
  pair.scope = Scope::kPair;
  const std::vector<std::string> hosts{"nodeA", "nodeB"};
  EXPECT_TRUE(IsWaived(For("peer.*", "mlx5_0/1", "nodeA"), pair, hosts));
  EXPECT_TRUE(IsWaived(For("peer.*", "mlx5_1", "nodeB"), pair, hosts));
  EXPECT_FALSE(IsWaived(For("peer.*", "mlx5_1", "nodeA"), pair, hosts)) << "that port of nodeA has no part in it";
  EXPECT_TRUE(IsWaived(For("peer.*", "mlx5_1"), pair, hosts));
}

// ---- and the verdict ----

Report Judged(std::vector<Finding> findings) {
  Report report{.level = Rung::kHost};
  report.hosts.push_back({.host = "node1", .findings = std::move(findings)});
  Conclude(report);
  return report;
}

Finding WithWaiver(Finding finding) {
  finding.waived = {.reason = "a new switch", .who = "Ann", .until = "2026-12-10"};
  return finding;
}

TEST(AWaivedFinding, DoesNotCountForTheVerdictAndIsCountedApart) {
  const Finding pass = Of("link.state", "rxe0/1", Outcome::kPass);
  for (const Outcome outcome : {Outcome::kFail, Outcome::kUnknown}) {
    const Report report = Judged({pass, WithWaiver(Of("pfc.only-one", "rxe0/1", outcome))});
    EXPECT_EQ(Name(report.verdict), Name(Readiness::kReady));
    EXPECT_EQ(Headline(report), "ready up to host: node1; 1 finding waived");
    EXPECT_EQ(WaivedOf(report), 1U);
    EXPECT_FALSE(FirstThingToDo(report));
    EXPECT_TRUE(WorthSaying(report.hosts[0].findings).empty());
  }
}

TEST(AWaivedFinding, LeavesTheOthersAsTheyAre) {
  const Report report = Judged({WithWaiver(Of("pfc.only-one", "rxe0/1")), Of("ets.bandwidth", "rxe0/1")});
  EXPECT_EQ(Name(report.verdict), Name(Readiness::kNotReady));
  EXPECT_THAT(Headline(report), HasSubstr("node1 (ets.bandwidth); 1 finding waived"));
}

TEST(AWaivedFinding, ProvesNothing) {
  EXPECT_EQ(Name(Judged({WithWaiver(Of("link.state", "rxe0/1"))}).verdict), Name(Readiness::kUndetermined));
}

TEST(AWaivedFinding, CoversWhatItExplains) {
  Finding hidden = Of("mtu.active", "rxe0/1", Outcome::kNotApplicable);
  hidden.hidden_by = "link.state";
  const Finding pass = Of("inv.rdma-present", "host", Outcome::kPass);
  EXPECT_EQ(Name(Judged({pass, WithWaiver(Of("link.state", "rxe0/1")), hidden}).verdict),
            Name(Readiness::kReady));
  EXPECT_EQ(Name(Judged({pass, Of("link.state", "rxe0/1"), hidden}).verdict), Name(Readiness::kNotReady));
  hidden.hidden_by = "link.other";
  EXPECT_EQ(Name(Judged({pass, WithWaiver(Of("link.state", "rxe0/1")), hidden}).verdict),
            Name(Readiness::kUndetermined));
}

}  // namespace
}  // namespace rdmaready
