// SPDX-License-Identifier: Apache-2.0
#include "checks/net/firewall_path.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

namespace rdmaready {
namespace {

using Action = FirewallAction;

FirewallRule Rule(Action action, std::vector<L4Ports> ports = {}) {
  return {.ports = std::move(ports), .action = action, .handle = 7};
}
FirewallRule Call(Action action, const char* target) {
  return {.action = action, .target = target, .handle = 8};
}
FirewallRule Unclear(Action action) { return {.other_conditions = true, .action = action, .handle = 9}; }

FirewallChain Base(std::vector<FirewallRule> rules, Action policy = Action::kAccept) {
  return {.family = "inet",
          .table = "filter",
          .name = "input",
          .input_hook = true,
          .policy = policy,
          .rules = std::move(rules)};
}
FirewallChain Called(const char* name, std::vector<FirewallRule> rules) {
  return {.family = "inet", .table = "filter", .name = name, .rules = std::move(rules)};
}

ArrivingPacket Smb() { return {.netdev = "dcb0", .carriers = {"dcb0"}, .protocol = IPPROTO_TCP, .port = 445}; }

// "pass", "drop by ...", "open by ..."; of the first chain that stops it.
std::string Fate(std::vector<FirewallChain> chains, const ArrivingPacket& packet = Smb()) {
  const Firewall firewall{.chains = std::move(chains)};
  const std::vector<FirewallStop> stops = StopsOf(firewall, packet);
  if (stops.empty()) return "pass";
  return (stops[0].certain ? "drop by " : "open by ") + PlaceText(stops[0]);
}

TEST(FirewallPath, IsOpenWithoutRules) { EXPECT_EQ(Fate({}), "pass"); }

TEST(FirewallPath, TheFirstRuleThatHoldsDecides) {
  EXPECT_EQ(Fate({Base({Rule(Action::kAccept, {{445, 445}}), Rule(Action::kDrop)})}), "pass");
  EXPECT_EQ(Fate({Base({Rule(Action::kDrop, {{400, 500}}), Rule(Action::kAccept)})}),
            "drop by rule 7 of inet filter input");
  EXPECT_EQ(Fate({Base({Rule(Action::kDrop, {{22, 22}})})}), "pass");
}

TEST(FirewallPath, ThePolicyIsLast) {
  EXPECT_EQ(Fate({Base({Rule(Action::kAccept, {{22, 22}})}, Action::kDrop)}),
            "drop by the policy of inet filter input");
  EXPECT_EQ(Fate({Base({Rule(Action::kAccept, {{445, 445}})}, Action::kDrop)}), "pass");
}

TEST(FirewallPath, AConnectionIsNotEstablishedYet) {
  FirewallRule established = Rule(Action::kAccept);
  established.established_only = true;
  EXPECT_EQ(Fate({Base({established}, Action::kDrop)}), "drop by the policy of inet filter input");
}

TEST(FirewallPath, AsksForProtocolInterfaceAndPorts) {
  FirewallRule udp = Rule(Action::kDrop);
  udp.protocol = IPPROTO_UDP;
  EXPECT_EQ(Fate({Base({udp})}), "pass");
  FirewallRule other = Rule(Action::kDrop);
  other.netdev = "eth0";
  EXPECT_EQ(Fate({Base({other})}), "pass");
  other.netdev = "dcb*";
  EXPECT_EQ(Fate({Base({other})}), "drop by rule 7 of inet filter input");
  FirewallRule but = Rule(Action::kDrop, {{445, 445}});
  but.negated_ports = true;
  EXPECT_EQ(Fate({Base({but})}), "pass");
}

TEST(FirewallPath, GoesThroughTheChainsThatAreCalled) {
  EXPECT_EQ(Fate({Base({Call(Action::kJump, "smb"), Rule(Action::kDrop)}),
                  Called("smb", {Rule(Action::kAccept, {{445, 445}})})}),
            "pass");
  // By return and at the end the caller goes on; of goto its caller, here the policy.
  EXPECT_EQ(Fate({Base({Call(Action::kJump, "smb"), Rule(Action::kDrop)}),
                  Called("smb", {Rule(Action::kReturn), Rule(Action::kAccept)})}),
            "drop by rule 7 of inet filter input");
  EXPECT_EQ(Fate({Base({Call(Action::kGoto, "smb"), Rule(Action::kDrop)}), Called("smb", {})}), "pass");
  EXPECT_EQ(Fate({Base({Call(Action::kGoto, "smb")}, Action::kDrop), Called("smb", {})}),
            "drop by the policy of inet filter input");
}

TEST(FirewallPath, EveryChainAtAHookHasItsSay) {
  FirewallChain second = Base({Rule(Action::kDrop)});
  second.name = "late";
  EXPECT_EQ(Fate({Base({Rule(Action::kAccept)}), second}), "drop by rule 7 of inet filter late");
}

TEST(FirewallPath, LooksAtTheFamilyOfTheAddress) {
  FirewallChain six = Base({Rule(Action::kDrop)});
  six.family = "ip6";
  EXPECT_EQ(Fate({six}), "pass");
  ArrivingPacket packet = Smb();
  packet.ipv6 = true;
  EXPECT_EQ(Fate({six}, packet), "drop by rule 7 of ip6 filter input");
}

TEST(FirewallPath, AChainOfANetdevSeesWhatComesByIt) {
  FirewallChain wire = Base({Rule(Action::kDrop)});
  wire.family = "netdev";
  wire.netdev = "dcb1";
  EXPECT_EQ(Fate({wire}), "pass");
  wire.netdev = "dcb0";
  EXPECT_EQ(Fate({wire}), "drop by rule 7 of netdev filter input");
}

TEST(FirewallPath, StaysOpenWhereARuleIsNotUnderstood) {
  EXPECT_EQ(Fate({Base({Unclear(Action::kAccept)}, Action::kDrop)}), "open by rule 9 of inet filter input");
  EXPECT_EQ(Fate({Base({Unclear(Action::kDrop)})}), "open by rule 9 of inet filter input");
  EXPECT_EQ(Fate({Base({Rule(Action::kUnknown)})}), "open by rule 7 of inet filter input");
  // It makes no difference where both ways end alike.
  EXPECT_EQ(Fate({Base({Unclear(Action::kAccept)})}), "pass");
  EXPECT_EQ(Fate({Base({Unclear(Action::kDrop), Rule(Action::kDrop)})}), "drop by rule 7 of inet filter input");
}

TEST(FirewallPath, EndsWhereRulesCallOneAnother) {
  EXPECT_EQ(Fate({Base({Call(Action::kJump, "a")}),
                  Called("a", {Call(Action::kJump, "a"), Call(Action::kJump, "a")})}),
            "open by rule 8 of inet filter a");
  EXPECT_EQ(Fate({Base({Call(Action::kJump, "gone")})}), "open by rule 8 of inet filter input");
}

}  // namespace
}  // namespace rdmaready
