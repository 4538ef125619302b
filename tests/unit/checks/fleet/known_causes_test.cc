// SPDX-License-Identifier: Apache-2.0
// Each fault between two hosts, as it is known before any test, and a healthy pair that looks like it.
#include "checks/fleet/known_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/fleet/agreement.h"
#include "checks/judge.h"
#include "tests/unit/checks/fleet/wired_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Failure kNoAnswer{FailureKind::kUnreachable, "connect to 10.0.0.2 port 4711: no answer in time"};
const Failure kRetries{FailureKind::kCompletion, "RDMA write: transport retry counter exceeded"};

Profile Silent() {
  Profile profile;
  profile.name = "silent";
  return profile;
}

// Two hosts, a and b, as a check sees them before it tests them.
class TwoHosts {
 public:
  TwoHosts(Facts a, Facts b, Profile profile = VirtualFabricProfile())
      : facts_{std::move(a), std::move(b)}, profile_(std::move(profile)) {
    for (std::size_t i = 0; i < 2; ++i) findings_[i] = JudgeHost(facts_[i], profile_);
    const ComparedHost hosts[] = {{"a", &facts_[0], findings_[0]}, {"b", &facts_[1], findings_[1]}};
    Agreed agreed = JudgeAgreement(hosts, profile_);
    for (PairFinding& one : agreed.between) between_.push_back(std::move(one.finding));
    for (std::size_t i = 0; i < 2; ++i) {
      for (Finding& finding : agreed.of_hosts[i]) findings_[i].push_back(std::move(finding));
    }
    for (Finding& finding : JudgePair({"a", facts_[0], PortOf(0), findings_[0]},
                                      {"b", facts_[1], PortOf(1), findings_[1]}, profile_)) {
      between_.push_back(std::move(finding));
    }
  }

  std::vector<KnownCause> Causes() const { return KnownCauses(End(0), End(1), between_, profile_); }

  // "ip.firewall at b", "agree.vlan": those that explain the failure, in their order.
  std::vector<std::string> Explaining(const Failure& failure) const {
    std::vector<std::string> said;
    for (const KnownCause& cause : Causes()) {
      if (Explains(cause.kind, failure))
        said.push_back(cause.finding.id + (cause.host.empty() ? "" : " at " + cause.host));
    }
    return said;
  }

  // The first.
  Finding First(const Failure& failure) const {
    for (const KnownCause& cause : Causes()) {
      if (Explains(cause.kind, failure)) return cause.finding;
    }
    return {};
  }

  CauseEnd End(std::size_t i) const {
    return {i == 0 ? "a" : "b", &facts_[i], &PortOf(i), findings_[i], AddressOf(i)};
  }
  const Profile& profile() const { return profile_; }

 private:
  const Port& PortOf(std::size_t i) const { return facts_[i].ports->front(); }
  std::string_view AddressOf(std::size_t i) const {
    const Port& port = PortOf(i);
    if (!port.netdev->addresses->empty()) return port.netdev->addresses->back().address;
    return port.uppers->front().addresses->front().address;
  }

  Facts facts_[2];
  Profile profile_;
  std::vector<Finding> findings_[2];
  std::vector<Finding> between_{};
};

template <class Change>
Facts B(Change change, const Wired& wired = {"b", "10.0.0.2"}) {
  Facts host = WiredHost(wired);
  std::vector<Port> ports = *host.ports;
  change(ports.front());
  host.ports = ports;
  return host;
}

Facts A() { return WiredHost({"a", "10.0.0.1"}); }

template <class Change>
Facts NetdevOfB(Change change) {
  return B([&change](Port& port) {
    Netdev netdev = *port.netdev;
    change(netdev);
    port.netdev = netdev;
  });
}

Facts Dropping(Facts host, std::uint16_t port, std::uint8_t protocol = 17) {
  Firewall firewall;
  firewall.chains.push_back({.family = "inet", .table = "t", .name = "input", .input_hook = true});
  firewall.packets.push_back({.netdev = "dcb0",
                              .protocol = protocol,
                              .port = port,
                              .fate = PacketFate::kDropped,
                              .chain = "inet t input",
                              .place = "rule 4 of inet t input"});
  host.firewall = firewall;
  return host;
}

TEST(KnownCauses, FindNothingBetweenTwoHealthyHosts) {
  const TwoHosts well(A(), WiredHost({"b", "10.0.0.2"}));
  EXPECT_THAT(well.Causes(), IsEmpty());
  EXPECT_THAT(TwoHosts(A(), WiredHost({"b", "10.0.0.2"}), Silent()).Causes(), IsEmpty());
}

TEST(KnownCauses, NameBothVlansWhereTheyDiffer) {
  const TwoHosts hosts(WiredHost({"a", "10.0.0.1", 24, 711}), WiredHost({"b", "10.0.0.2", 24, 712}));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("agree.vlan"));
  const Finding vlan = hosts.First(kNoAnswer);
  EXPECT_EQ(vlan.scope, Scope::kPair);
  EXPECT_EQ(vlan.outcome, Outcome::kFail);
  EXPECT_TRUE(vlan.blocking);
  EXPECT_THAT(vlan.observed, HasSubstr("VLAN 711 at a rxe0/1 (10.0.0.1), VLAN 712 at b rxe0/1 (10.0.0.2)"));
  EXPECT_EQ(vlan.remedy->cautions.front(), "run it on b");
  EXPECT_THAT(vlan.remedy->alternatives,
              testing::Contains(HasSubstr("where b is right, on a: ip link add link dcb0")));
}

TEST(KnownCauses, NameTheTaggedAndTheUntaggedHost) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.0.2", 24, 711}));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("agree.vlan"));
  EXPECT_EQ(hosts.First(kNoAnswer).outcome, Outcome::kFail)
      << "a failed test shows that no switch joins the two";
  EXPECT_EQ(hosts.First(kNoAnswer).fix,
            "ip address del 10.0.0.2/24 dev dcb0.711 && ip address add 10.0.0.2/24 dev dcb0");
}

TEST(KnownCauses, NameTheHostThatIsNotOnTheProfilesVlan) {
  Profile tagged = VirtualFabricProfile();
  tagged.vlan = Profile::Vlan::kTagged;
  tagged.vlan_ids = std::vector<std::uint16_t>{711};
  const TwoHosts hosts(WiredHost({"a", "10.0.0.1", 24, 711}), WiredHost({"b", "10.0.0.2", 24, 712}), tagged);
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("vlan.id at b"));
}

TEST(KnownCauses, NameOneAddressOnTwoHosts) {
  const TwoHosts hosts(A(), NetdevOfB([](Netdev& netdev) {
                         netdev.addresses =
                             std::vector<IpAddress>{{.address = "10.0.0.1", .prefix_length = 24},
                                                    {.address = "10.0.0.2", .prefix_length = 24}};
                       }));
  EXPECT_EQ(hosts.Explaining(kNoAnswer).front(), "agree.address");
}

TEST(KnownCauses, NameTwoSubnets) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.1.2"}));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("peer.path"));
  EXPECT_THAT(hosts.First(kNoAnswer).observed,
              HasSubstr("10.0.0.1/24 on dcb0 of a, 10.0.1.2/24 on dcb0 of b: no subnet"));
}

TEST(KnownCauses, NameTwoPrefixLengths) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.0.200", 25}));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("peer.path"));
  EXPECT_THAT(hosts.First(kNoAnswer).observed, HasSubstr("only a takes the other to be in its subnet"));
  EXPECT_EQ(hosts.First(kNoAnswer).fix,
            "ip address del 10.0.0.200/25 dev dcb0 && ip address add 10.0.0.200/24 dev dcb0");
  EXPECT_THAT(hosts.First(kNoAnswer).remedy->alternatives,
              ElementsAre("where b is right, on a: ip address del 10.0.0.1/24 dev dcb0 && ip address add "
                          "10.0.0.1/25 dev dcb0"));
}

// A switch may put the frames of the untagged host into the VLAN: that only warns.
TEST(KnownCauses, PutAFailureBeforeAWarningThatIsNearerToTheWire) {
  Facts b = Dropping(WiredHost({"b", "10.0.0.2", 24, 711}), 4791);
  Firewall firewall = *b.firewall;
  firewall.packets.front().netdev = "dcb0.711";
  b.firewall = firewall;
  const TwoHosts hosts(A(), b);
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("ip.firewall at b", "agree.vlan"));
}

TEST(KnownCauses, TakeNoRouteOutOfTheSubnetForAWrongOne) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.1.2"}));
  const Failure no_route{FailureKind::kSetup,
                         "resolve the address 10.0.1.2 from 10.0.0.1: Network is unreachable"};
  EXPECT_FALSE(RouteCause(no_route, hosts.End(0), hosts.End(1), hosts.profile()).has_value());
  EXPECT_THAT(hosts.Explaining(no_route), ElementsAre("peer.path"));
}

// In a routed fabric each port has a subnet of its own.
TEST(KnownCauses, BlameNoSubnetsWhereAFirewallDrops) {
  const TwoHosts hosts(A(), Dropping(WiredHost({"b", "10.0.1.2"}), 4791));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("ip.firewall at b"));
}

TEST(KnownCauses, NameTheHostWhoseFirewallDropsRoce) {
  const TwoHosts at_b(A(), Dropping(WiredHost({"b", "10.0.0.2"}), 4791));
  EXPECT_THAT(at_b.Explaining(kNoAnswer), ElementsAre("ip.firewall at b"));
  EXPECT_EQ(at_b.First(kNoAnswer).outcome, Outcome::kFail);
  EXPECT_TRUE(at_b.First(kNoAnswer).blocking);
  EXPECT_THAT(at_b.First(kNoAnswer).fix, HasSubstr("nft"));
  const TwoHosts at_a(Dropping(A(), 4791), WiredHost({"b", "10.0.0.2"}));
  EXPECT_THAT(at_a.Explaining(kNoAnswer), ElementsAre("ip.firewall at a"));
}

TEST(KnownCauses, LeaveOutAFirewallThatDropsSomethingElse) {
  const TwoHosts hosts(A(), Dropping(WiredHost({"b", "10.0.0.2"}), 53));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), IsEmpty());
}

// The NIC takes RoCE's frames before any packet filter does.
TEST(KnownCauses, LeaveOutTheFirewallOfANicThatDoesRdmaItself) {
  Facts hardware = B([](Port& port) { port.software = false; });
  const TwoHosts hosts(A(), Dropping(hardware, 4791));
  for (const KnownCause& cause : hosts.Causes()) EXPECT_NE(cause.kind, CauseKind::kFirewall);
}

TEST(KnownCauses, NameTheHostWhoseMtuIsTooSmallForTheProfile) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         Netdev netdev = *port.netdev;
                         netdev.mtu_bytes = 1500;
                         port.netdev = netdev;
                         port.active_mtu_bytes = 1024;
                       }));
  EXPECT_THAT(hosts.Explaining(kRetries), ElementsAre("mtu.ethernet at b"));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), IsEmpty()) << "a small MTU keeps nobody from connecting";
}

TEST(KnownCauses, NameBothMtusWhereNoProfileSaysWhichIsRight) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         Netdev netdev = *port.netdev;
                         netdev.mtu_bytes = 1500;
                         port.netdev = netdev;
                         port.active_mtu_bytes = 1024;
                       }),
                       Silent());
  EXPECT_THAT(hosts.Explaining(kRetries), ElementsAre("mtu.pair"));
}

TEST(KnownCauses, NameGidsWithoutATypeInCommon) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         std::vector<Gid> gids = *port.gids;
                         gids.back().type = GidType::kRoceV1;
                         port.gids = gids;
                       }),
                       Silent());
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("agree.gid"));
  EXPECT_EQ(hosts.First(kNoAnswer).observed,
            "RoCE v2 GIDs only for 10.0.0.1 at a, RoCE v1 GIDs only for 10.0.0.2 at b");
}

TEST(KnownCauses, LeaveOutGidsOfAnotherIndex) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         std::vector<Gid> gids = *port.gids;
                         gids.back().index = 5;
                         port.gids = gids;
                       }),
                       Silent());
  EXPECT_THAT(hosts.Causes(), IsEmpty());
}

TEST(KnownCauses, NameTheMarkOfTheHostThatDiffersFromTheProfile) {
  const TwoHosts hosts(A(), B([](Port& port) { port.cm_default_tos = std::uint8_t{24}; }));
  ASSERT_THAT(hosts.Causes(), testing::SizeIs(1));
  EXPECT_EQ(hosts.Causes().front().kind, CauseKind::kMark);
  EXPECT_EQ(hosts.Causes().front().finding.id, "roce.tos");
  EXPECT_EQ(hosts.Causes().front().host, "b");
  EXPECT_THAT(hosts.Explaining(kNoAnswer), IsEmpty());
}

TEST(KnownCauses, NamePfcOfTheHostThatDiffersFromTheProfile) {
  const TwoHosts hosts(A(), NetdevOfB([](Netdev& netdev) {
                         Pfc pfc = *netdev.dcb.pfc;
                         pfc.enabled = 1U << 4;
                         netdev.dcb.pfc = pfc;
                       }));
  EXPECT_THAT(hosts.Explaining(kRetries), ElementsAre("pfc.lossless-priority at b"));
}

TEST(KnownCauses, NameTheHostThatHasNoWayToTheSubnet) {
  const TwoHosts hosts(B(
                           [](Port& port) {
                             port.subnets =
                                 std::vector<Subnet>{{.netdev = "dcb0",
                                                      .own = {.address = "10.0.0.1", .prefix_length = 24},
                                                      .probe = "10.0.0.9",
                                                      .route = IpRoute{.netdev = "mgmt0"}}};
                           },
                           {"a", "10.0.0.1"}),
                       WiredHost({"b", "10.0.0.2"}));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), ElementsAre("ip.route-symmetric at a"));
}

TEST(KnownCauses, TakeTheKernelsWordForABlackhole) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.0.2"}));
  const Failure blackhole{FailureKind::kSetup, "resolve the address 10.0.0.2 from 10.0.0.1: Invalid argument"};
  const std::optional<KnownCause> route = RouteCause(blackhole, hosts.End(0), hosts.End(1), hosts.profile());
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->host, "a");
  EXPECT_EQ(route->finding.id, "ip.route-symmetric");
  EXPECT_EQ(route->finding.subject, "rxe0/1 dcb0");
  EXPECT_EQ(route->finding.observed,
            "from 10.0.0.1 to 10.0.0.2 of b: a route or a rule is a blackhole (Invalid argument)");
  EXPECT_EQ(route->finding.fix, "ip route replace 10.0.0.2/32 dev dcb0 src 10.0.0.1");
  EXPECT_FALSE(RouteCause(kNoAnswer, hosts.End(0), hosts.End(1), hosts.profile()).has_value());
}

TEST(KnownCauses, NameTheRouteOfTheHostThatRejects) {
  const TwoHosts hosts(A(), WiredHost({"b", "10.0.0.2"}));
  const Failure rejected{FailureKind::kRejected,
                         "connect to 10.0.0.2 port 4711: rejected by the peer (reason 28)"};
  EXPECT_THAT(hosts.Explaining(rejected), IsEmpty());
  const std::optional<KnownCause> back = NoWayBack(rejected, hosts.End(0), hosts.End(1), hosts.profile());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->host, "b");
  EXPECT_EQ(back->finding.id, "ip.route-symmetric");
  EXPECT_EQ(back->finding.fix, "ip route replace 10.0.0.1/32 dev dcb0 src 10.0.0.2");
  EXPECT_FALSE(NoWayBack(kNoAnswer, hosts.End(0), hosts.End(1), hosts.profile()).has_value());
}

TEST(KnownCauses, NameTheHostWithoutALink) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         port.state = PortState::kDown;
                         Netdev netdev = *port.netdev;
                         netdev.carrier = false;
                         port.netdev = netdev;
                       }));
  EXPECT_EQ(hosts.Explaining(kNoAnswer).front(), "link.state at b");
}

TEST(KnownCauses, NameTheHostThatMayLockTooLittleMemory) {
  Facts low = WiredHost({"b", "10.0.0.2"});
  low.memlock = Memlock{.limit_bytes = 65'536, .cap_ipc_lock = false, .pid = 7};
  const TwoHosts hosts(A(), low);
  const Failure memory{FailureKind::kSetup, "register 512 KiB: Cannot allocate memory (memlock limit 64 KiB)"};
  EXPECT_THAT(hosts.Explaining(memory), ElementsAre("host.memlock at b"));
  EXPECT_THAT(hosts.Explaining(kNoAnswer), IsEmpty());
}

TEST(KnownCauses, TakeNothingUnknownForACause) {
  const TwoHosts hosts(A(), B([](Port& port) {
                         port.gids = Denied();
                         port.active_mtu_bytes = Denied();
                         port.subnets = Denied();
                         port.cm_default_tos = Denied();
                       }));
  for (const Failure& failure : {kNoAnswer, kRetries}) EXPECT_THAT(hosts.Explaining(failure), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
