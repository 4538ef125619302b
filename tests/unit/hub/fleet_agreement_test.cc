// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/fleet_agreement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checks/catalog.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<ProfileVotes> MtuVote(const std::string& value) {
  VotingPort port{.subject = "mlx5_0/1 ens1", .subnet = "10.0.0.0/24", .board = "X"};
  port.votes.push_back({.check = FindCheck("agree.mtu"), .value = value});
  return {{.profile = "p", .ports = {port}}};
}

class FleetAgreementTest : public testing::Test {
 protected:
  void Add(int number, const std::string& mtu) {
    FleetHost host{
        .host_id = fmt::format("id{}", number), .name = fmt::format("node{}", number), .group = "storage"};
    host.condition = HostCondition::kReady;
    host.profiles = {"p"};
    hosts_.push_back(host);
    agreement_.Put(host.host_id, MtuVote(mtu));
  }
  // Until what two counts in a row say is told.
  std::vector<std::string> CountTwice() {
    std::vector<std::string> others = agreement_.Count(hosts_, 1000);
    for (const std::string& id : agreement_.Count(hosts_, 1000)) others.push_back(id);
    return others;
  }

  FleetAgreement agreement_{};
  std::vector<FleetHost> hosts_{};
};

TEST_F(FleetAgreementTest, AnOddHostIsToldWithTheShareOfTheOthers) {
  for (int i = 1; i <= 4; ++i) Add(i, "RDMA MTU 4096");
  Add(5, "RDMA MTU 1024");
  EXPECT_TRUE(agreement_.Changed());
  EXPECT_THAT(agreement_.Count(hosts_, 1000), IsEmpty()) << "once is not enough";
  EXPECT_TRUE(agreement_.Changed()) << "whether it stays is to be found";
  EXPECT_THAT(agreement_.Count(hosts_, 1000), ElementsAre("id5"));
  EXPECT_FALSE(agreement_.Changed());
  EXPECT_THAT(agreement_.Count(hosts_, 1000), IsEmpty()) << "nothing is otherwise";
  const std::vector<Finding> odd = agreement_.OddOf("id5");
  ASSERT_THAT(odd, SizeIs(1));
  EXPECT_EQ(odd[0].id, "agree.mtu");
  EXPECT_EQ(odd[0].outcome, Outcome::kWarn);
  EXPECT_EQ(odd[0].observed, "RDMA MTU 1024");
  EXPECT_EQ(odd[0].expected, "RDMA MTU 4096: 4 of 5 hosts of group storage have it");
  ASSERT_TRUE(odd[0].remedy && !odd[0].remedy->steps.empty());
  EXPECT_THAT(odd[0].remedy->steps[0].action, HasSubstr("ip link set"));
  EXPECT_THAT(agreement_.OddOf("id1"), IsEmpty());
  ASSERT_THAT(agreement_.Last()->values, SizeIs(1));
  EXPECT_EQ(agreement_.Last()->values[0].among, "subnet 10.0.0.0/24");
  EXPECT_EQ(agreement_.Last()->values[0].others[0].host, "node5");
  // It is put right.
  agreement_.Put("id5", MtuVote("RDMA MTU 4096"));
  EXPECT_THAT(agreement_.Count(hosts_, 1000), ElementsAre("id5"));
  EXPECT_THAT(agreement_.OddHosts(), IsEmpty());
}

TEST_F(FleetAgreementTest, WhoIsSilentOrWorkedOnKeepsWhatItHas) {
  for (int i = 1; i <= 5; ++i) Add(i, "RDMA MTU 4096");
  Add(6, "RDMA MTU 1024");
  CountTwice();
  hosts_[5].condition = HostCondition::kSilent;
  EXPECT_THAT(CountTwice(), IsEmpty());
  EXPECT_THAT(agreement_.OddOf("id6"), SizeIs(1));
  hosts_[5].condition = HostCondition::kReady;
  hosts_[5].maintenance_until_unix_ns = 2000;
  EXPECT_THAT(CountTwice(), IsEmpty());
  EXPECT_THAT(agreement_.OddOf("id6"), SizeIs(1));
  EXPECT_EQ(agreement_.Last()->values[0].state, ComparisonState::kAlike);
}

TEST_F(FleetAgreementTest, WithoutAMajorityAnOddOneBecomesUnknownAndWithoutAQuorumItStays) {
  for (int i = 1; i <= 4; ++i) Add(i, "RDMA MTU 4096");
  Add(5, "RDMA MTU 1024");
  CountTwice();
  for (int i = 1; i <= 2; ++i) agreement_.Put(fmt::format("id{}", i), MtuVote("RDMA MTU 2048"));
  EXPECT_THAT(CountTwice(), ElementsAre("id5"));
  EXPECT_EQ(agreement_.OddOf("id5")[0].outcome, Outcome::kUnknown);
  for (int i = 1; i <= 2; ++i) agreement_.Put(fmt::format("id{}", i), MtuVote("RDMA MTU 4096"));
  EXPECT_THAT(CountTwice(), ElementsAre("id5"));
  EXPECT_EQ(agreement_.OddOf("id5")[0].outcome, Outcome::kWarn);
  for (int i = 0; i < 2; ++i) hosts_[static_cast<std::size_t>(i)].condition = HostCondition::kSilent;
  hosts_.push_back({.name = "late", .group = "storage", .condition = HostCondition::kNeverReported});
  EXPECT_THAT(CountTwice(), IsEmpty()) << "three of six are away";
  EXPECT_EQ(agreement_.OddOf("id5")[0].outcome, Outcome::kWarn);
}

TEST_F(FleetAgreementTest, WhatWasKeptHoldsUntilItIsCounted) {
  FleetFinding kept{.host_id = "id5", .check = "agree.mtu", .subject = "mlx5_0/1 ens1"};
  kept.outcome = Outcome::kWarn;
  kept.observed = "RDMA MTU 1024";
  agreement_.Restore(kept);
  kept.check = "pfc.lossless-priority";
  agreement_.Restore(kept);
  EXPECT_THAT(agreement_.OddOf("id5"), SizeIs(1));
  for (int i = 1; i <= 4; ++i) Add(i, "RDMA MTU 4096");
  Add(5, "RDMA MTU 1024");
  EXPECT_THAT(CountTwice(), IsEmpty()) << "it is as it was";
  EXPECT_EQ(agreement_.OddOf("id5")[0].observed, "RDMA MTU 1024");
}

TEST_F(FleetAgreementTest, WordsThatNobodyHasAnyMoreAreLetGoOf) {
  for (int i = 1; i <= 3; ++i) Add(i, "RDMA MTU 4096");
  for (int i = 0; i < 20'000; ++i) agreement_.Put("id1", MtuVote(fmt::format("RDMA MTU {}", i)));
  Add(4, "RDMA MTU 4096");
  agreement_.Put("id1", MtuVote("RDMA MTU 1024"));
  EXPECT_THAT(CountTwice(), ElementsAre("id1"));
  EXPECT_EQ(agreement_.OddOf("id1")[0].observed, "RDMA MTU 1024");
  EXPECT_EQ(agreement_.Last()->values[0].value, "RDMA MTU 4096");
}

}  // namespace
}  // namespace rdmaready::hub
