// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/profile_fleets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "api/profile/site.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Profile Of(const std::string& name, const std::string& netdev) {
  Profile profile = VirtualFabricProfile();
  profile.name = name;
  if (!netdev.empty()) profile.ports = {{.netdev = netdev}};
  return profile;
}

// A storage port dcb0 at 10.0.0.`number`, and another, dcb1, at 10.0.1.`number`.
Facts HostNumbered(int number) {
  const auto at = [number](const std::string& subnet) {
    return std::vector<IpAddress>{{.address = subnet + std::to_string(number), .prefix_length = 24}};
  };
  return WithSecond(WithNetdev([&](Netdev& netdev) { netdev.addresses = at("10.0.0."); }), [&](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = at("10.0.1.");
    port.netdev = netdev;
  });
}

// Its second port has no cable.
Facts WithoutCable(Facts host) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports[1].netdev;
  netdev.carrier = false;
  netdev.addresses = std::vector<IpAddress>{};
  ports[1].netdev = netdev;
  ports[1].state = PortState::kDown;
  host.ports = ports;
  return host;
}

class Fleets : public testing::Test {
 protected:
  void Add(const std::string& name, std::vector<Profile> profiles, bool answers = true,
           const std::function<Facts(Facts)>& change = nullptr) {
    facts_.push_back(HostNumbered(static_cast<int>(facts_.size()) + 1));
    if (change) facts_.back() = change(facts_.back());
    profiles_.push_back(std::move(profiles));
    findings_.emplace_back();
    if (answers) {
      parts_.push_back(*HostParts::Divide(facts_.back(), profiles_.back()));
      findings_.back() = JudgeHost(parts_.back());
    }
    hosts_.push_back({name, profiles_.back(), answers ? &parts_.back() : nullptr, findings_.back()});
  }

  std::vector<std::string> Jobs() const {
    std::vector<std::string> jobs;
    for (const PairJob& job : PlanFleets(hosts_).pairs.jobs) {
      jobs.push_back(hosts_[job.from].name + hosts_[job.to].name + " " + job.from_port.device + " " +
                     job.profile->name);
    }
    return jobs;
  }

  std::deque<Facts> facts_;
  std::deque<std::vector<Profile>> profiles_;
  std::deque<HostParts> parts_;
  std::deque<std::vector<Finding>> findings_;
  std::vector<FollowingHost> hosts_;
};

TEST_F(Fleets, AreOneOfAllHostsWhereEachProfileIsForEveryPort) {
  Add("a", {Of("p", "")});
  Add("b", {Of("q", "")});
  Add("c", {}, false);
  ASSERT_EQ(FleetsOf(hosts_).size(), 1U);
  EXPECT_EQ(FleetsOf(hosts_)[0].profile->name, "p");
  EXPECT_THAT(FleetsOf(hosts_)[0].members, ElementsAre(0U, 1U, 2U));
}

TEST_F(Fleets, PairPortsOfOneProfileOnly) {
  Add("a", {Of("storage", "dcb0"), Of("ai", "dcb1")});
  Add("b", {Of("storage", "dcb0")});
  Add("c", {Of("ai", "dcb1")});
  EXPECT_THAT(Jobs(), ElementsAre("ab rxe0 storage", "ba rxe0 storage", "ac rxe1 ai", "ca rxe1 ai"));
  for (const PairReport& pair : PlanFleets(hosts_).pairs.pairs) {
    for (const Finding& finding : pair.findings) EXPECT_EQ(finding.id.find("peer.path"), std::string::npos);
  }
}

TEST_F(Fleets, LeaveSparePortsWithoutAPartner) {
  Add("a", {Of("storage", "")}, true, WithoutCable);
  Add("b", {Of("storage", "")}, true, WithoutCable);
  EXPECT_THAT(Jobs(), ElementsAre("ab rxe0 storage", "ba rxe0 storage"));
  for (const PairReport& pair : PlanFleets(hosts_).pairs.pairs) {
    for (const Finding& finding : pair.findings) EXPECT_EQ(finding.subject.find("rxe1"), std::string::npos);
  }
}

TEST_F(Fleets, HaveOnePairReportForOneDirectionBetweenTwoHosts) {
  Add("a", {Of("storage", "dcb0"), Of("ai", "dcb1")});
  Add("b", {Of("storage", "dcb0"), Of("ai", "dcb1")});
  const PairPlan plan = PlanFleets(hosts_).pairs;
  ASSERT_EQ(plan.pairs.size(), 2U);
  ASSERT_EQ(plan.jobs.size(), 4U);
  for (const PairJob& job : plan.jobs) EXPECT_EQ(plan.pairs[job.pair].from, hosts_[job.from].name);
}

TEST_F(Fleets, SayThatAProfileHasNoOtherHost) {
  Add("a", {Of("storage", "dcb0"), Of("ai", "dcb1")});
  Add("b", {Of("storage", "dcb0")});
  const FleetPlan plan = PlanFleets(hosts_);
  ASSERT_EQ(plan.alone[0].size(), 1U);
  EXPECT_TRUE(plan.alone[1].empty());
  const Finding& alone = plan.alone[0][0];
  EXPECT_THAT(alone.observed, HasSubstr("no other host of this run follows profile ai"));
  EXPECT_EQ(alone.outcome, Outcome::kUnknown);
  EXPECT_TRUE(alone.blocking);
  EXPECT_EQ(alone.rung, Rung::kPeer);
}

TEST_F(Fleets, CountAHostThatDidNotAnswerWhereItsProfilesAreKnown) {
  Add("a", {Of("storage", "dcb0")});
  Add("b", {Of("storage", "dcb0")}, false);
  const PairPlan plan = PlanFleets(hosts_).pairs;
  EXPECT_TRUE(plan.jobs.empty());
  ASSERT_FALSE(plan.pairs.empty());
  EXPECT_THAT(plan.pairs[0].findings.at(0).observed, HasSubstr("host b could not be asked"));
}

TEST_F(Fleets, CompareThePortsOfOneProfileOnly) {
  Add("a", {Of("storage", "dcb0"), Of("ai", "dcb1")});
  Add("b", {Of("storage", "dcb0")});
  const auto findings = CompareFleets(hosts_).of_hosts;
  ASSERT_FALSE(findings[0].empty());
  for (const Finding& finding : findings[0]) {
    EXPECT_EQ(finding.profile, "storage");
    EXPECT_THAT(finding.subject, HasSubstr("rxe0/1"));
  }
  for (const Finding& finding : findings[1]) EXPECT_EQ(finding.profile, "");
}

TEST_F(Fleets, OfTwoGroupsOfAnInventoryHaveNothingToDoWithEachOther) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Add(name, {Of("storage", "")});
  hosts_[1].group = hosts_[3].group = "east";
  hosts_[2].group = "west";
  const std::vector<ProfileFleet> fleets = FleetsOf(hosts_);
  ASSERT_EQ(fleets.size(), 3U);
  EXPECT_THAT(fleets[0].members, ElementsAre(0U, 4U));
  EXPECT_THAT(fleets[1].members, ElementsAre(1U, 3U));
  EXPECT_THAT(fleets[2].members, ElementsAre(2U));
  const FleetPlan plan = PlanFleets(hosts_);
  for (const PairReport& pair : plan.pairs.pairs) {
    EXPECT_TRUE((pair.from + pair.to) == "ae" || (pair.from + pair.to) == "ea" ||
                (pair.from + pair.to) == "bd" || (pair.from + pair.to) == "db")
        << pair.from << pair.to;
  }
  EXPECT_THAT(plan.alone[2].at(0).observed,
              HasSubstr("no other host of group west in this run follows profile storage"));
}

TEST_F(Fleets, AreOneForEachRail) {
  const std::vector<Rail> rails{{"a", {{.netdev = "dcb0"}}}, {"b", {{.subnet = "10.0.1.0/24"}}}};
  const absl::StatusOr<Site> site = OnRails(SiteOf({Of("mine", "")}), rails);
  ASSERT_TRUE(site.ok()) << site.status();
  for (const char* name : {"a", "b"}) Add(name, *site->ProfilesOf(name));
  EXPECT_THAT(Jobs(), ElementsAre("ab rxe0 mine.a", "ba rxe0 mine.a", "ab rxe1 mine.b", "ba rxe1 mine.b"));
  const auto findings = CompareFleets(hosts_).of_hosts;
  for (const Finding& finding : findings[0]) {
    EXPECT_EQ(finding.profile, finding.subject.find("rxe0") != std::string::npos ? "mine.a" : "mine.b");
  }
}

TEST_F(Fleets, CompareNoHostWithThoseOfAnotherGroup) {
  const Profile profile = Of("storage", "");
  const auto faster = [](Facts host) {
    std::vector<Port> ports = *host.ports;
    Netdev netdev = *ports[0].netdev;
    netdev.speed_mbps = 100'000;
    ports[0].netdev = netdev;
    host.ports = ports;
    return host;
  };
  for (const char* name : {"a", "b", "c"}) Add(name, {profile});
  Add("d", {profile}, true, faster);
  const auto odd = [this](std::size_t host) {
    std::size_t count = 0;
    const auto compared = CompareFleets(hosts_).of_hosts;
    for (const Finding& finding : compared[host]) {
      if (finding.id == "agree.speed" && finding.subject.find("rxe0") != std::string::npos)
        count += finding.outcome != Outcome::kPass && finding.outcome != Outcome::kNotApplicable ? 1U : 0U;
    }
    return count;
  };
  EXPECT_GT(odd(3), 0U);
  hosts_[3].group = "west";
  EXPECT_EQ(odd(3), 0U);
}

}  // namespace
}  // namespace rdmaready
