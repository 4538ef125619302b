// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/readiness.h"
#include "tests/unit/checks/fleet/wired_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

Facts HostNumber(int number, std::uint8_t tos = 106) {
  return WithPort([&](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses =
        std::vector<IpAddress>{{.address = "10.0.0." + std::to_string(number), .prefix_length = 24}};
    port.netdev = netdev;
    std::vector<Gid> gids = *port.gids;
    gids.back().raw[15] = static_cast<std::uint8_t>(number);
    port.gids = gids;
    port.cm_default_tos = tos;
  });
}

struct Fleet {
  std::vector<Facts> facts{};
  std::vector<std::string> names{};
  std::vector<std::vector<Finding>> findings{};
  std::vector<PairFinding> between{};  // of the last Judge()

  std::vector<std::vector<Finding>> Judge(const Profile& profile = VirtualFabricProfile()) {
    std::vector<ComparedHost> hosts;
    findings.clear();
    names.clear();
    for (std::size_t i = 0; i < facts.size(); ++i) {
      findings.push_back(JudgeHost(facts[i], profile));
      names.push_back("host" + std::to_string(i + 1));
    }
    for (std::size_t i = 0; i < facts.size(); ++i) hosts.push_back({names[i], &facts[i], findings[i]});
    Agreed agreed = JudgeAgreement(hosts, profile);
    between = std::move(agreed.between);
    return std::move(agreed.of_hosts);
  }

  std::vector<std::string> BetweenIds() const {
    std::vector<std::string> ids;
    for (const PairFinding& one : between) ids.push_back(one.finding.id);
    return ids;
  }
};

// Nobody asks for a ToS: only the others can say that one differs.
Profile SilentAboutTos() {
  Profile profile = VirtualFabricProfile();
  profile.tos.reset();
  profile.dscp.reset();
  profile.trust = Profile::Trust::kAny;
  return profile;
}

TEST(Agreement, SaysNothingOfAHostByItself) {
  Fleet fleet{.facts = {HostNumber(1)}};
  for (const auto& findings : fleet.Judge()) EXPECT_TRUE(findings.empty());
}

TEST(Agreement, PassesOrDoesNotApplyWhereAllAreAlike) {
  Fleet fleet{.facts = {HostNumber(1), HostNumber(2), HostNumber(3)}};
  for (const auto& findings : fleet.Judge()) {
    EXPECT_FALSE(findings.empty());
    for (const Finding& finding : findings) {
      EXPECT_TRUE(finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable)
          << finding.id << ": " << finding.observed;
    }
  }
}

TEST(Agreement, NamesTheOddOneOutAndNobodyElse) {
  Fleet fleet{.facts = {HostNumber(1), HostNumber(2), HostNumber(3, 24), HostNumber(4)}};
  const auto findings = fleet.Judge(SilentAboutTos());
  const Finding odd = Of(findings[2], "agree.marking");
  EXPECT_EQ(odd.outcome, Outcome::kWarn);
  EXPECT_EQ(odd.subject, "rxe0/1 dcb0");
  EXPECT_EQ(odd.observed, "RDMA-CM marks ToS 24; RDMA-CM marks ToS 106 at 3 of 4 hosts");
  EXPECT_EQ(odd.expected, "RDMA-CM marks ToS 106, like the others");
  for (const std::size_t other : {0U, 1U, 3U}) {
    EXPECT_EQ(Of(findings[other], "agree.marking").outcome, Outcome::kPass);
    EXPECT_EQ(Of(findings[other], "agree.marking").observed, "RDMA-CM marks ToS 106, like 3 of 4 hosts");
  }
}

TEST(Agreement, MakesOneFindingWithBothValuesOfTwoHosts) {
  Fleet fleet{.facts = {HostNumber(1), HostNumber(2, 24)}};
  const auto findings = fleet.Judge(SilentAboutTos());
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.marking"));
  const PairFinding& one = fleet.between.front();
  EXPECT_EQ(one.from, 0U);
  EXPECT_EQ(one.to, 1U);
  EXPECT_EQ(one.finding.scope, Scope::kPair);
  EXPECT_EQ(one.finding.rung, Rung::kHost);
  EXPECT_EQ(one.finding.subject, "rxe0/1 -> rxe0/1");
  EXPECT_EQ(one.finding.outcome, Outcome::kWarn);
  EXPECT_EQ(one.finding.observed,
            "RDMA-CM marks ToS 106 at host1 rxe0/1, RDMA-CM marks ToS 24 at host2 rxe0/1");
  ASSERT_TRUE(one.finding.remedy.has_value());
  EXPECT_EQ(one.finding.remedy->cautions.front(), "run it on host2");
  EXPECT_THAT(one.finding.fix,
              HasSubstr("echo 106 > /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"));
  EXPECT_THAT(one.finding.remedy->alternatives,
              testing::Contains(HasSubstr("where host2 is right, on host1: ")));
  for (const auto& of_host : findings) {
    for (const Finding& finding : of_host) EXPECT_NE(finding.id, "agree.marking");
  }
}

TEST(Agreement, SaysOneThingOfTwoMtusWhereOneFollowsFromTheOther) {
  Facts small = HostNumber(2);
  std::vector<Port> ports = *small.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.mtu_bytes = 1500;
  ports.front().netdev = netdev;
  ports.front().active_mtu_bytes = 1024;
  small.ports = ports;
  Profile silent = VirtualFabricProfile();
  silent.mtu_bytes.reset();
  silent.roce_mtu_bytes.reset();
  Fleet fleet{.facts = {HostNumber(1), small}};
  const auto findings = fleet.Judge(silent);
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.netdev-mtu"));
  EXPECT_EQ(fleet.between.front().finding.observed, "MTU 9000 at host1 rxe0/1, MTU 1500 at host2 rxe0/1");
  EXPECT_EQ(fleet.between.front().finding.fix, "ip link set dev dcb0 mtu 9000");
  for (const auto& of_host : findings) {
    for (const Finding& finding : of_host) EXPECT_EQ(finding.id.find("mtu"), std::string::npos) << finding.id;
  }
}

// The smaller one is raised, whichever host has it.
TEST(Agreement, RaisesTheSmallerMtuOfTwo) {
  Facts small = HostNumber(1);
  std::vector<Port> ports = *small.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.mtu_bytes = 4200;
  ports.front().netdev = netdev;
  small.ports = ports;
  Profile silent = VirtualFabricProfile();
  silent.mtu_bytes.reset();
  Fleet fleet{.facts = {small, HostNumber(2)}};
  fleet.Judge(silent);
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.netdev-mtu"));
  EXPECT_EQ(fleet.between.front().finding.remedy->cautions.front(), "run it on host1");
}

TEST(Agreement, KeepsTwoHostsOfTwoVlansFromBeingReady) {
  Fleet fleet{.facts = {WiredHost({"a", "10.0.0.1", 24, 711}), WiredHost({"b", "10.0.0.2", 24, 712})}};
  fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.vlan"));
  const Finding& vlan = fleet.between.front().finding;
  EXPECT_EQ(vlan.outcome, Outcome::kFail);
  EXPECT_TRUE(vlan.blocking);
  EXPECT_EQ(vlan.observed, "VLAN 711 at host1 rxe0/1 (10.0.0.1), VLAN 712 at host2 rxe0/1 (10.0.0.2)");
}

TEST(Agreement, OnlyWarnsOfAHostThatIsUntagged) {
  Fleet fleet{.facts = {WiredHost({"a", "10.0.0.1"}), WiredHost({"b", "10.0.0.2", 24, 712})}};
  fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.vlan"));
  EXPECT_EQ(fleet.between.front().finding.outcome, Outcome::kWarn);
}

TEST(Agreement, NamesTheHostThatIsOnAnotherVlanThanMost) {
  Fleet fleet{.facts = {WiredHost({"a", "10.0.0.1", 24, 711}), WiredHost({"b", "10.0.0.2", 24, 712}),
                        WiredHost({"c", "10.0.0.3", 24, 711})}};
  const auto findings = fleet.Judge();
  EXPECT_THAT(fleet.BetweenIds(), testing::IsEmpty());
  EXPECT_EQ(Of(findings[0], "agree.vlan").outcome, Outcome::kPass);
  EXPECT_EQ(Of(findings[1], "agree.vlan").outcome, Outcome::kFail);
  EXPECT_EQ(Of(findings[1], "agree.vlan").observed, "VLAN 712; VLAN 711 at 2 of 3 hosts");
  EXPECT_EQ(Of(findings[2], "agree.vlan").outcome, Outcome::kPass);
}

// A host of two ports in one subnet, on VLANs of their own; 0: untagged.
Facts TwoRails(const std::string& name, int number, std::uint16_t first, std::uint16_t second) {
  const std::string net = "10.0.0.";
  Facts host = WiredHost({name, net + std::to_string(number), 24, first});
  const Facts other = WiredHost({name, net + std::to_string(number + 100), 24, second});
  std::vector<Port> ports = *host.ports;
  ports.push_back(other.ports->front());
  ports.back().device = "rxe1";
  host.ports = ports;
  return host;
}

TEST(Agreement, GivesEachHostOneVote) {
  Facts big = TwoRails("a", 1, 711, 711);
  std::vector<Port> ports = *big.ports;
  const Facts more = TwoRails("a", 11, 711, 711);
  ports.insert(ports.end(), more.ports->begin(), more.ports->end());
  ports[2].device = "rxe2";
  ports[3].device = "rxe3";
  big.ports = ports;
  Fleet fleet{.facts = {big, WiredHost({"b", "10.0.0.2", 24, 712}), WiredHost({"c", "10.0.0.3", 24, 712})}};
  const auto findings = fleet.Judge();
  EXPECT_EQ(Of(findings[0], "agree.vlan").outcome, Outcome::kFail);
  EXPECT_EQ(Of(findings[0], "agree.vlan").observed, "VLAN 711; VLAN 712 at 2 of 3 hosts");
  EXPECT_EQ(Of(findings[1], "agree.vlan").outcome, Outcome::kPass);
  EXPECT_EQ(Of(findings[2], "agree.vlan").outcome, Outcome::kPass);
}

TEST(Agreement, NamesOfTwoRailsTheOneThatDiffers) {
  Fleet fleet{.facts = {TwoRails("a", 1, 710, 711), TwoRails("b", 2, 710, 712)}};
  const auto findings = fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.vlan"));
  EXPECT_EQ(fleet.between.front().finding.observed,
            "VLAN 711 at host1 rxe1/1 (10.0.0.101), VLAN 712 at host2 rxe1/1 (10.0.0.102)");
  for (const auto& of_host : findings) {
    for (const Finding& finding : of_host)
      EXPECT_NE(finding.outcome, Outcome::kFail) << finding.subject << ": " << finding.observed;
  }
}

TEST(Agreement, FindsAVlanThatDiffersBesideASubnetThatAgrees) {
  const auto with_both = [](const std::string& name, int number, std::uint16_t vlan) {
    Facts host = WiredHost({name, "10.7.11." + std::to_string(number), 24, vlan});
    std::vector<Port> ports = *host.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.addresses =
        std::vector<IpAddress>{{.address = "10.0.0." + std::to_string(number), .prefix_length = 24}};
    ports.front().netdev = netdev;
    host.ports = ports;
    return host;
  };
  Fleet fleet{.facts = {with_both("a", 1, 711), with_both("b", 2, 712)}};
  fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.vlan"));
  EXPECT_EQ(fleet.between.front().finding.observed,
            "VLAN 711 at host1 rxe0/1 (10.7.11.1), VLAN 712 at host2 rxe0/1 (10.7.11.2)");
}

TEST(Agreement, SaysNothingOfTwoSubnetsOnTwoVlans) {
  Fleet fleet{.facts = {WiredHost({"a", "10.0.1.1", 24, 711}), WiredHost({"b", "10.0.2.2", 24, 712})}};
  fleet.Judge();
  EXPECT_THAT(fleet.BetweenIds(), testing::IsEmpty());
}

TEST(Agreement, NamesBothHostsOfOneAddressOnce) {
  Fleet fleet{
      .facts = {WiredHost({"a", "10.0.0.1"}), WiredHost({"b", "10.0.0.1"}), WiredHost({"c", "10.0.0.3"})}};
  const auto findings = fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.address"));
  const PairFinding& twice = fleet.between.front();
  EXPECT_EQ(twice.from, 0U);
  EXPECT_EQ(twice.to, 1U);
  EXPECT_EQ(twice.finding.outcome, Outcome::kFail);
  EXPECT_TRUE(twice.finding.blocking);
  EXPECT_EQ(twice.finding.observed, "10.0.0.1 is on dcb0 at host1 and on dcb0 at host2");
  EXPECT_EQ(twice.finding.remedy->cautions.front(), "run it on host2");
  EXPECT_EQ(Of(findings[2], "agree.address").outcome, Outcome::kPass);
}

// 10.0.0.1 is an address too many of the host that has another one there.
TEST(Agreement, TakesAnAddressFromTheHostThatHasAnother) {
  Facts both = WiredHost({"a", "10.0.0.1"});
  std::vector<Port> ports = *both.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.addresses = std::vector<IpAddress>{{.address = "10.0.0.2", .prefix_length = 24},
                                            {.address = "10.0.0.1", .prefix_length = 24}};
  ports.front().netdev = netdev;
  both.ports = ports;
  Fleet fleet{.facts = {both, WiredHost({"b", "10.0.0.1"})}};
  fleet.Judge();
  ASSERT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.address"));
  EXPECT_EQ(fleet.between.front().finding.remedy->cautions.front(), "run it on host1");
  EXPECT_EQ(fleet.between.front().finding.fix, "ip address del 10.0.0.1/24 dev dcb0");
}

TEST(Agreement, JudgesManyHostsInTimeThatGrowsWithTheirNumber) {
  Fleet fleet;
  for (int i = 0; i < 400; ++i) {
    const std::string address = "10.1." + std::to_string(i / 200) + "." + std::to_string(1 + i % 200);
    fleet.facts.push_back(WiredHost({"h" + std::to_string(i), address, 16}));
  }
  fleet.facts.back() = WiredHost({"last", "10.1.0.1", 16});
  fleet.Judge();
  EXPECT_THAT(fleet.BetweenIds(), testing::ElementsAre("agree.address"));
}

TEST(Agreement, LeavesAHostThatIsWrongByItselfToItsOwnFinding) {
  Fleet fleet{.facts = {HostNumber(1), HostNumber(2, 24)}};
  const auto findings = fleet.Judge();
  EXPECT_EQ(Of(fleet.findings[1], "roce.tos").outcome, Outcome::kFail);
  EXPECT_EQ(Of(findings[1], "agree.marking").outcome, Outcome::kNotApplicable);
  EXPECT_EQ(Of(findings[1], "agree.marking").hidden_by, "roce.tos");
  EXPECT_EQ(Of(findings[0], "agree.marking").outcome, Outcome::kNotApplicable);
}

// A virtual function is advised against; that its firmware is not known is another thing.
TEST(Agreement, HidesNothingUnknownBehindAWarning) {
  const Facts function = WithHardware([](Port& port, PciFunction& pci) {
    pci.virtual_function = true;
    port.firmware = Denied();
  });
  Fleet fleet{.facts = {function, Hardware()}};
  const auto findings = fleet.Judge();
  ASSERT_EQ(Of(fleet.findings[0], "inv.physical").outcome, Outcome::kWarn);
  EXPECT_EQ(Of(findings[0], "agree.firmware").outcome, Outcome::kUnknown);
}

TEST(Agreement, LeavesASparePortOut) {
  const auto with_spare = [](int number, std::uint32_t mtu_bytes) {
    return WithSecond(HostNumber(number), [mtu_bytes](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.carrier = false;
      netdev.mtu_bytes = mtu_bytes;
      netdev.addresses = std::vector<IpAddress>{};
      port.netdev = netdev;
      port.state = PortState::kDown;
    });
  };
  Fleet fleet{.facts = {with_spare(1, 1500), with_spare(2, 9000)}};
  for (const auto& findings : fleet.Judge()) {
    for (const Finding& finding : findings) EXPECT_EQ(finding.subject, "rxe0/1 dcb0") << finding.id;
  }
}

TEST(Agreement, AsksAPortThatDoesNotAnswerNobodyElse) {
  Facts silent = HostNumber(2);
  std::vector<Port> ports = *silent.ports;
  ports.front().cm_default_tos = Denied();
  silent.ports = ports;
  Fleet fleet{.facts = {HostNumber(1), silent, HostNumber(3)}};
  const auto findings = fleet.Judge(SilentAboutTos());
  EXPECT_EQ(Of(findings[1], "agree.marking").outcome, Outcome::kUnknown);
  EXPECT_EQ(Of(findings[0], "agree.marking").observed, "RDMA-CM marks ToS 106, like all 2 ports of 2 hosts");
}

TEST(Agreement, KeepsTwoRailsApart) {
  const auto second_rail = [](int number) {
    return WithSecond(HostNumber(number), [&](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.addresses =
          std::vector<IpAddress>{{.address = "10.0.1." + std::to_string(number), .prefix_length = 24}};
      netdev.mtu_bytes = 4200;
      port.netdev = netdev;
    });
  };
  Fleet fleet{.facts = {second_rail(1), second_rail(2)}};
  Profile profile = VirtualFabricProfile();
  profile.mtu_bytes.reset();
  for (const auto& findings : fleet.Judge(profile)) {
    for (const Finding& finding : findings) {
      if (finding.id != "agree.netdev-mtu") continue;
      EXPECT_EQ(finding.outcome, Outcome::kPass) << finding.observed;
    }
  }
}

TEST(Agreement, IsAdviceForAHostThatIsRightByItself) {
  Facts small = HostNumber(3);
  std::vector<Port> ports = *small.ports;
  ports.front().active_mtu_bytes = 1024;
  small.ports = ports;
  Profile profile = VirtualFabricProfile();
  profile.roce_mtu_bytes.reset();
  Fleet fleet{.facts = {HostNumber(1), HostNumber(2), small}};
  const auto findings = fleet.Judge(profile);
  EXPECT_EQ(Of(findings[2], "agree.mtu").outcome, Outcome::kWarn);
  EXPECT_FALSE(Of(findings[2], "agree.mtu").blocking);
  EXPECT_THAT(Of(findings[2], "agree.mtu").observed, HasSubstr("RDMA MTU 4096 at 2 of 3 hosts"));
}

TEST(Agreement, SkipsHostsThatDidNotAnswer) {
  const Facts one = HostNumber(1);
  const std::vector<ComparedHost> hosts{{"a", &one}, {"b", nullptr}};
  for (const auto& findings : JudgeAgreement(hosts, VirtualFabricProfile()).of_hosts)
    EXPECT_TRUE(findings.empty());
}

}  // namespace
}  // namespace rdmaready
