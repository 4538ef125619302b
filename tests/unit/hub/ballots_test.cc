// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/ballots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "checks/catalog.h"

namespace rdmaready::hub {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::uint16_t CheckIndex(std::string_view id) {
  return static_cast<std::uint16_t>(FindCheck(id) - AllChecks().data());
}

// Words of the tests, as numbers.
enum Word : std::uint32_t {
  kNone,
  kStorage,
  kProfile,
  kSubnetA,
  kSubnetB,
  kPort1,
  kPort2,
  kBoardX,
  kBoardY,
  kRight,
  kWrong,
  kThird
};

PaperPort PortOf(std::uint32_t name, std::uint32_t subnet, std::uint32_t value,
                 std::string_view check = "agree.mtu", std::uint32_t board = kBoardX) {
  return {.subject = name,
          .name = name,
          .profile = kProfile,
          .subnet = subnet,
          .board = board,
          .votes = {{.check = CheckIndex(check), .value = value}}};
}

// Hosts of one group.
class Ballots : public testing::Test {
 protected:
  void Add(std::vector<PaperPort> ports, BallotHost::Part part = BallotHost::Part::kVotes) {
    papers_.push_back({.ports = std::move(ports)});
    hosts_.push_back({.group = 0, .part = part, .paper = &papers_.back()});
  }
  void AddMany(std::size_t count, std::uint32_t value, BallotHost::Part part = BallotHost::Part::kVotes) {
    for (std::size_t i = 0; i < count; ++i) Add({PortOf(kPort1, kSubnetA, value)}, part);
  }
  Counted Count() { return CountBallots(hosts_); }

  std::deque<Paper> papers_{};
  std::vector<BallotHost> hosts_{};
};

TEST_F(Ballots, OneOfManyIsOdd) {
  AddMany(9, kRight);
  AddMany(1, kWrong);
  const Counted counted = Count();
  ASSERT_THAT(counted.ballots, SizeIs(1));
  EXPECT_EQ(counted.ballots[0].state, ComparisonState::kOddOnes);
  EXPECT_EQ(counted.ballots[0].value, kRight);
  EXPECT_EQ(counted.ballots[0].hosts, 9U);
  EXPECT_EQ(counted.ballots[0].of, 10U);
  ASSERT_THAT(counted.odd, SizeIs(1));
  EXPECT_EQ(counted.odd[0].host, 9U);
  EXPECT_EQ(counted.odd[0].value, kWrong);
}

TEST_F(Ballots, ATieAccusesNobody) {
  AddMany(5, kRight);
  AddMany(5, kWrong);
  const Counted counted = Count();
  EXPECT_EQ(counted.ballots[0].state, ComparisonState::kNoMajority);
  EXPECT_THAT(counted.odd, IsEmpty());
  // Nor does a value that only the largest minority has.
  hosts_.clear();
  AddMany(4, kRight);
  AddMany(3, kWrong);
  AddMany(2, kThird);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kNoMajority);
}

TEST_F(Ballots, TwoHostsAreTooFew) {
  AddMany(1, kRight);
  AddMany(1, kWrong);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kTooFew);
  EXPECT_THAT(Count().odd, IsEmpty());
}

TEST_F(Ballots, WhoIsSilentHasNoVoteAndMostHaveToBeThere) {
  AddMany(3, kRight);
  AddMany(1, kWrong);
  AddMany(3, kWrong, BallotHost::Part::kAbsent);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kOddOnes);
  EXPECT_EQ(Count().ballots[0].of, 4U);
  AddMany(1, kWrong, BallotHost::Part::kAbsent);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kNoQuorum) << "four of eight are away";
  EXPECT_THAT(Count().odd, IsEmpty());
}

TEST_F(Ballots, WhoIsWorkedOnIsAsIfHeWereNotThere) {
  AddMany(3, kRight);
  AddMany(9, kWrong, BallotHost::Part::kExcused);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kAlike);
  EXPECT_EQ(Count().ballots[0].of, 3U);
}

TEST_F(Ballots, RailsAreComparedApart) {
  for (int i = 0; i < 4; ++i) Add({PortOf(kPort1, kSubnetA, kRight), PortOf(kPort2, kSubnetB, kWrong)});
  const Counted counted = Count();
  ASSERT_THAT(counted.ballots, SizeIs(2));
  EXPECT_EQ(counted.ballots[0].state, ComparisonState::kAlike);
  EXPECT_EQ(counted.ballots[1].state, ComparisonState::kAlike);
}

TEST_F(Ballots, WithoutCommonSubnetsPortsOfOneNameAreCompared) {
  for (std::uint32_t i = 0; i < 4; ++i)
    Add({PortOf(kPort1, 100 + i, kRight), PortOf(kPort2, 200 + i, i == 3 ? kThird : kWrong)});
  const Counted counted = Count();
  ASSERT_THAT(counted.ballots, SizeIs(2));
  EXPECT_EQ(counted.ballots[0].state, ComparisonState::kAlike);
  EXPECT_FALSE(counted.ballots[0].of_subnet);
  ASSERT_THAT(counted.odd, SizeIs(1));
  EXPECT_EQ(counted.odd[0].subject, kPort2);
}

TEST_F(Ballots, TheSpeedOfAnotherModelIsNoFault) {
  for (int i = 0; i < 7; ++i) Add({PortOf(kPort1, kSubnetA, kRight, "agree.speed")});
  for (int i = 0; i < 3; ++i) Add({PortOf(kPort1, kSubnetA, kWrong, "agree.speed", kBoardY)});
  for (const Ballot& ballot : Count().ballots) EXPECT_EQ(ballot.state, ComparisonState::kAlike);
  EXPECT_THAT(Count().odd, IsEmpty());
  // What has to be the same on the wire is compared over all models.
  Add({PortOf(kPort1, kSubnetA, kRight), PortOf(kPort2, kNone, kNone, "agree.firmware", kNone)});
  for (int i = 0; i < 3; ++i) Add({PortOf(kPort1, kSubnetA, i == 0 ? kWrong : kRight, "agree.mtu", kBoardY)});
  ASSERT_THAT(Count().odd, SizeIs(1)) << "and firmware without a model with none";
}

TEST_F(Ballots, AHostWhosePortsDifferHasNoVoteAndItsOddPortIsNamed) {
  for (int i = 0; i < 4; ++i) Add({PortOf(kPort1, kSubnetA, kRight), PortOf(kPort2, kSubnetA, kRight)});
  Add({PortOf(kPort1, kSubnetA, kRight), PortOf(kPort2, kSubnetA, kWrong)});
  const Counted counted = Count();
  EXPECT_EQ(counted.ballots[0].hosts, 4U);
  EXPECT_EQ(counted.ballots[0].of, 5U);
  ASSERT_THAT(counted.odd, SizeIs(1));
  EXPECT_EQ(counted.odd[0].subject, kPort2);
  // Two kinds of adapters in every host: nothing is usual.
  hosts_.clear();
  for (int i = 0; i < 4; ++i) Add({PortOf(kPort1, kSubnetA, kRight), PortOf(kPort2, kSubnetA, kWrong)});
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kNoMajority);
}

TEST_F(Ballots, WhatIsNotKnownIsNoValue) {
  AddMany(4, kRight);
  Add({PortOf(kPort1, kSubnetA, kThird)});
  papers_.back().ports[0].votes[0].known = false;
  Counted counted = Count();
  ASSERT_THAT(counted.odd, SizeIs(1));
  EXPECT_FALSE(counted.odd[0].known);
  for (Paper& paper : papers_) paper.ports[0].votes[0].known = false;
  counted = Count();
  EXPECT_EQ(counted.ballots[0].state, ComparisonState::kNoMajority);
  EXPECT_THAT(counted.odd, IsEmpty());
}

TEST_F(Ballots, GroupsAndProfilesAreApart) {
  AddMany(3, kRight);
  for (int i = 0; i < 3; ++i) {
    AddMany(1, kWrong);
    hosts_.back().group = 1;
    AddMany(1, kThird);
    papers_.back().ports[0].profile = kThird;
  }
  EXPECT_THAT(Count().ballots, SizeIs(3));
  EXPECT_THAT(Count().odd, IsEmpty());
}

TEST_F(Ballots, WhoWasOddIsToldOfAlsoWhereNothingCanBeSaidNow) {
  AddMany(2, kRight);
  AddMany(2, kWrong);
  hosts_[3].was_odd = true;
  ASSERT_THAT(Count().odd, SizeIs(1));
  EXPECT_EQ(Count().odd[0].host, 3U);
  EXPECT_EQ(Count().ballots[0].state, ComparisonState::kNoMajority);
}

}  // namespace
}  // namespace rdmaready::hub
