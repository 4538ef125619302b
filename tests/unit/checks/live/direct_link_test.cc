// SPDX-License-Identifier: Apache-2.0
#include "checks/live/direct_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr const char* kMacOfA = "02:00:00:00:00:0a";
constexpr const char* kMacOfB = "02:00:00:00:00:0b";

constexpr const char* kNearestBridge = "01:80:c2:00:00:0e";

LldpNeighbour Agent(const std::string& chassis, const std::string& port, std::uint8_t port_subtype = 5) {
  return {.destination_mac = kNearestBridge,
          .chassis = {.subtype = 4, .text = chassis},
          .port = {.subtype = port_subtype, .text = port}};
}

Netdev End(const std::string& name, const std::string& mac, const LldpNeighbour& own,
           const LldpNeighbour& peer) {
  Netdev netdev{.name = name, .mac = mac};
  netdev.lldp = LldpHeard{.listened_ms = 31'000, .peers = {peer}, .own = {own}};
  return netdev;
}

class DirectLink : public testing::Test {
 protected:
  LinkProof Find() const { return FindDirectLink({"a", &a}, {"b", &b}); }
  // Changes what an end heard.
  static void Hear(Netdev& netdev, const std::vector<LldpNeighbour>& peers,
                   const std::vector<LldpNeighbour>& own = {}) {
    netdev.lldp = LldpHeard{.listened_ms = 31'000, .peers = peers, .own = own};
  }

  static LldpNeighbour To(const std::string& group, LldpNeighbour agent) {
    agent.destination_mac = group;
    return agent;
  }

  const LldpNeighbour of_a = Agent("chassis a", "ens1");
  const LldpNeighbour of_b = Agent("chassis b", "ens2");
  Netdev a = End("ens1", kMacOfA, of_a, of_b);
  Netdev b = End("ens2", kMacOfB, of_b, of_a);
};

TEST_F(DirectLink, IsProvenByTheIdsThatEachAnnounces) {
  EXPECT_TRUE(Find().direct);
  EXPECT_EQ(Find().text, "by LLDP, a ens1 and b ens2 hear each other and nobody else");
}

TEST_F(DirectLink, IsProvenByAPortIdThatIsTheHardwareAddress) {
  Hear(a, {Agent("whatever", kMacOfB, 3)});
  Hear(b, {Agent("whatever", kMacOfA, 3)});
  EXPECT_TRUE(Find().direct);
}

TEST_F(DirectLink, KnowsTheHardwareAddressOfABondsMember) {
  b.mac = "02:00:00:00:00:ff";
  b.permanent_mac = std::string(kMacOfB);
  Hear(a, {Agent("whatever", kMacOfB, 3)}, {of_a});
  EXPECT_TRUE(Find().direct);
}

TEST_F(DirectLink, TakesTheAnswerOfLldpadToo) {
  a.lldp_agent = *a.lldp;
  a.lldp = Fact<LldpHeard>();
  EXPECT_TRUE(Find().direct);
}

TEST_F(DirectLink, CountsAnAgentThatSpeaksToSeveralGroupsOnce) {
  Hear(a, {To("01:80:c2:00:00:03", of_b), of_b}, {of_a});
  EXPECT_TRUE(Find().direct);
}

TEST_F(DirectLink, IsNotProvenByAGroupThatBridgesPassOn) {
  for (const char* group : {"01:80:c2:00:00:03", "01:80:c2:00:00:00", ""}) {
    Hear(a, {To(group, of_b)}, {of_a});
    EXPECT_FALSE(Find().direct) << group;
    EXPECT_EQ(Find().text,
              "a ens1 does not hear b ens2 on 01:80:c2:00:00:0e, the one group that no bridge passes on");
  }
}

TEST_F(DirectLink, IsNotProvenWhereAnotherIsHeardBesideThePeer) {
  Hear(a, {of_b, To("01:80:c2:00:00:00", Agent("chassis c", "ens3"))}, {of_a});
  EXPECT_EQ(Find().text, "a ens1 hears 2 LLDP neighbours");
}

TEST_F(DirectLink, IsNotProvenByTheMemoryOfLldpadWhereNobodyWasHeard) {
  a.lldp_agent = *a.lldp;
  Hear(a, {}, {of_a});
  EXPECT_FALSE(Find().direct);
  EXPECT_THAT(Find().text, HasSubstr("a ens1 does not hear b ens2"));
}

TEST_F(DirectLink, IsNotProvenWhereASwitchAnswers) {
  Hear(a, {Agent("switch", "Ethernet1/1")}, {of_a});
  EXPECT_FALSE(Find().direct);
  EXPECT_THAT(Find().text,
              HasSubstr("a ens1 hears chassis switch port Ethernet1/1, which is not known to be b"));
}

TEST_F(DirectLink, IsNotProvenByOneEndAlone) {
  Hear(b, {Agent("switch", "Ethernet1/2")}, {of_b});
  EXPECT_FALSE(Find().direct);
  EXPECT_THAT(Find().text, HasSubstr("b ens2 hears chassis switch"));
}

TEST_F(DirectLink, IsNotProvenWithoutLldp) {
  a.lldp = Fact<LldpHeard>();
  EXPECT_FALSE(Find().direct);
  EXPECT_EQ(Find().text, "a ens1 hears no LLDP neighbour");
}

TEST_F(DirectLink, IsNotProvenWhereSeveralAreHeard) {
  Hear(a, {of_b, Agent("chassis c", "ens3")}, {of_a});
  EXPECT_FALSE(Find().direct);
  EXPECT_EQ(Find().text, "a ens1 hears 2 LLDP neighbours");
}

TEST_F(DirectLink, IsNotProvenByThePortOfAnotherChassis) {
  Hear(a, {Agent("another", "ens2")}, {of_a});
  EXPECT_FALSE(Find().direct);
}

TEST_F(DirectLink, IsNotProvenByEmptyIds) {
  Hear(a, {Agent("", "")}, {of_a});
  Hear(b, {of_a}, {Agent("", "")});
  EXPECT_FALSE(Find().direct);
  a.mac = b.mac = "";
  Hear(a, {Agent("", "", 3)});
  Hear(b, {Agent("", "", 3)});
  EXPECT_FALSE(Find().direct);
}

// An interface's own name is a port id on every host.
TEST_F(DirectLink, IsNotProvenByAHardwareAddressInAnotherSubtype) {
  Hear(a, {Agent("whatever", kMacOfB, 7)}, {of_a});
  EXPECT_FALSE(Find().direct);
}

TEST_F(DirectLink, KeepsItsTextPrintable) {
  Hear(a, {Agent("x\x1b[2J", "y\nz")}, {of_a});
  EXPECT_EQ(Find().text.find('\n'), std::string::npos);
  EXPECT_EQ(Find().text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace rdmaready
