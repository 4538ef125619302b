// SPDX-License-Identifier: Apache-2.0
#include "checks/words/ethernet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/words.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Netdev Below(const std::string& name) {
  Netdev netdev = GoodNetdev();
  netdev.name = name;
  netdev.master = "bond0";
  netdev.addresses = std::vector<IpAddress>{};
  return netdev;
}

// rxe0 on bond0, which stands on dcb0 and dcb1. DCB is only below.
template <class Change>
Facts HostOnABond(Change change) {
  return WithPort([&change](Port& port) {
    Netdev bond = *port.netdev;
    const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "driver has no DCB (no dcbnl_ops)"};
    bond.name = "bond0";
    bond.driver = "bond";
    bond.dcb = Dcb{.ets = none, .pfc = none, .app = none, .app_trust = none, .dcbx = none};
    std::vector<Netdev> lowers{Below("dcb0"), Below("dcb1")};
    change(bond, lowers);
    port.netdev = bond;
    port.lowers = lowers;
  });
}

TEST(EthernetPorts, AreThePortsOwnNetdevWhereItStandsOnNothing) {
  for (const bool known : {true, false}) {
    Port port = GoodPort();
    port.lowers = known ? Fact<std::vector<Netdev>>(std::vector<Netdev>{}) : Fact<std::vector<Netdev>>();
    const std::vector<NetdevRef> ethernets = EthernetPortsOf(port);
    ASSERT_EQ(ethernets.size(), 1U);
    EXPECT_EQ(ethernets[0], port.netdev);
    EXPECT_EQ(SubjectOf(port, ethernets[0]), "rxe0/1 dcb0");
  }
}

// dcb0 and dcb1 are in bond0 and share one RDMA device, of which the kernel names dcb0.
Port LagPort() {
  Port port = GoodPort();
  port.software = false;
  port.netdev = Below("dcb0");
  port.lowers = std::vector<Netdev>{Below("dcb0"), Below("dcb1")};
  port.uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .over = {"dcb0", "dcb1"}}};
  return port;
}

TEST(EthernetPorts, AreAllMembersThatShareTheRdmaDevice) {
  const Port port = LagPort();
  EXPECT_EQ(SubjectOf(port), "rxe0/1 bond0");
  const std::vector<NetdevRef> ethernets = EthernetPortsOf(port);
  ASSERT_EQ(ethernets.size(), 2U);
  EXPECT_EQ(SubjectOf(port, ethernets[0]), "rxe0/1 bond0 > dcb0");
  EXPECT_EQ(SubjectOf(port, ethernets[1]), "rxe0/1 bond0 > dcb1");
  EXPECT_FALSE(SamePlace(SubjectOf(port, ethernets[0]), SubjectOf(port, ethernets[1])));
  EXPECT_TRUE(SamePlace(SubjectOf(port), SubjectOf(port, ethernets[1])));
  EXPECT_THAT(StackText(port), HasSubstr(", one RDMA device with dcb1"));
}

TEST(EthernetPorts, AreNotAllKnownWhereOthersOfTheBondMayShareTheDevice) {
  Port port = LagPort();
  port.lowers = Denied();
  ASSERT_EQ(EthernetPortsOf(port).size(), 2U);
  EXPECT_TRUE(EthernetPortsOf(port)[0]);
  EXPECT_FALSE(EthernetPortsOf(port)[1]);
  port.uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "vrf", .over = {"dcb0"}}};
  EXPECT_EQ(EthernetPortsOf(port).size(), 1U);
  port.uppers = Denied();
  port.software = true;  // stands on the one that it was made on
  EXPECT_EQ(EthernetPortsOf(port).size(), 1U);
}

TEST(EthernetPorts, AreNotKnownBelowABondThatNobodyLookedUnder) {
  Port port = GoodPort();
  Netdev bond = *port.netdev;
  bond.driver = "bond";
  port.netdev = bond;
  port.lowers = Denied();
  ASSERT_EQ(EthernetPortsOf(port).size(), 1U);
  EXPECT_FALSE(EthernetPortsOf(port)[0]);
  port.netdev = Denied();
  EXPECT_FALSE(EthernetPortsOf(port)[0]);
}

TEST(EthernetPorts, ShareThePlaceOfTheirRdmaPortAndNotOfEachOther) {
  EXPECT_TRUE(SamePlace("rxe0/1 bond0", "rxe0/1 bond0 > dcb0"));
  EXPECT_TRUE(SamePlace("rxe0/1 bond0 > dcb0", "rxe0/1 bond0"));
  EXPECT_FALSE(SamePlace("rxe0/1 bond0 > dcb1", "rxe0/1 bond0 > dcb0"));
  EXPECT_FALSE(SamePlace("rxe0/1 bond0", "rxe0/1 bond01"));
}

TEST(EthernetPorts, AreWhereDcbIsJudged) {
  const auto findings = JudgeHost(HostOnABond([](Netdev&, std::vector<Netdev>&) {}), VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), IsEmpty());
  EXPECT_THAT(IdsWith(findings, Outcome::kUnknown), IsEmpty());
  std::vector<std::string> subjects;
  for (const Finding& finding : findings) {
    if (finding.id == "pfc.lossless-priority") subjects.push_back(finding.subject);
  }
  EXPECT_THAT(subjects, ElementsAre("rxe0/1 bond0 > dcb0", "rxe0/1 bond0 > dcb1"));
  EXPECT_EQ(ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost), Readiness::kReady);
}

TEST(EthernetPorts, GiveOneRedLineForTheMemberThatDiffersAndAFixForIt) {
  const Facts host = HostOnABond(
      [](Netdev&, std::vector<Netdev>& lowers) { lowers[1].dcb.pfc = Pfc{.capability = 8, .enabled = 0}; });
  const auto findings = JudgeHost(host, VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), ElementsAre("pfc.lossless-priority"));
  for (const Finding& finding : findings) {
    if (finding.outcome != Outcome::kFail) continue;
    EXPECT_EQ(finding.subject, "rxe0/1 bond0 > dcb1");
    EXPECT_EQ(WhatToDo(finding), "dcb pfc set dev dcb1 prio-pfc all:off 3:on");
  }
  const Facts good = GoodHost();
  const auto of_good = JudgeHost(good, VirtualFabricProfile());
  const auto pair = JudgePair({"a", host, host.ports->front(), findings},
                              {"b", good, good.ports->front(), of_good}, VirtualFabricProfile());
  EXPECT_EQ(Of(pair, "pfc.both-directions").hidden_by, "pfc.lossless-priority");
}

TEST(EthernetPorts, AreHiddenBehindWhatIsFoundOfTheirRdmaPort) {
  const Facts host = HostOnABond([](Netdev& bond, std::vector<Netdev>& lowers) {
    bond.carrier = false;
    for (Netdev& lower : lowers) {
      lower.carrier = false;
      lower.speed_mbps = Missing{.kind = Missing::Kind::kFailed, .detail = "speed unknown while link is down"};
    }
  });
  EXPECT_THAT(IdsWith(JudgeHost(host, VirtualFabricProfile()), Outcome::kFail), ElementsAre("link.state"));
}

TEST(EthernetPorts, WarnOfAMemberThatIsDownWhileTheBondIsUp) {
  const Facts host = HostOnABond([](Netdev&, std::vector<Netdev>& lowers) {
    lowers[0].carrier = false;
    lowers[0].speed_mbps =
        Missing{.kind = Missing::Kind::kFailed, .detail = "speed unknown while link is down"};
  });
  const auto findings = JudgeHost(host, VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kWarn), ElementsAre("link.state"));
  EXPECT_THAT(Of(findings, "link.state").observed, HasSubstr("without carrier: dcb0"));
  EXPECT_THAT(IdsWith(findings, Outcome::kUnknown), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
