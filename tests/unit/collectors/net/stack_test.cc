// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Link Named(std::uint32_t ifindex, std::string name, std::string kind = "") {
  return {.ifindex = ifindex, .name = std::move(name), .kind = std::move(kind)};
}

Link Member(Link link, std::uint32_t master) {
  link.master = master;
  return link;
}

Link Child(Link link, std::uint32_t parent) {
  link.peer = parent;
  return link;
}

Link Vlan(std::uint32_t ifindex, std::string name, std::uint16_t id, std::uint32_t parent) {
  Link link = Child(Named(ifindex, std::move(name), "vlan"), parent);
  link.vlan_id = id;
  link.vlan_egress = {{4, 3}};
  return link;
}

Link Bond(std::uint32_t ifindex, std::string name, std::uint8_t mode = 1) {
  Link link = Named(ifindex, std::move(name), "bond");
  link.bond_mode = mode;
  return link;
}

std::vector<std::uint32_t> Lowers(const LinkTable& links, std::uint32_t ifindex) {
  const auto lowers = LowersOf(links, ifindex);
  if (!lowers) ADD_FAILURE() << lowers.missing().detail;
  return lowers ? *lowers : std::vector<std::uint32_t>{};
}

std::vector<UpperNetdev> Uppers(const LinkTable& links, std::vector<std::uint32_t> bases,
                                const AddressTable& addresses = {}) {
  const auto uppers = UppersOf(links, bases, addresses);
  if (!uppers) ADD_FAILURE() << uppers.missing().detail;
  return uppers ? *uppers : std::vector<UpperNetdev>{};
}

std::vector<std::string> NamesOf(const std::vector<UpperNetdev>& uppers) {
  std::vector<std::string> names;
  for (const UpperNetdev& upper : uppers) names.push_back(upper.name);
  return names;
}

// eth0 and eth1 in bond0; VLAN bond0.5 on the bond, bridge br0 on the VLAN; VLAN eth0.7 on the port itself.
LinkTable WholeStack() {
  return LinkTable({Member(Named(2, "eth0"), 4), Member(Named(3, "eth1"), 4), Bond(4, "bond0", 4),
                    Member(Vlan(5, "bond0.5", 5, 4), 6), Named(6, "br0", "bridge"), Vlan(7, "eth0.7", 7, 2),
                    Named(8, "eth2")});
}

TEST(Lowers, OfAPortAreNone) {
  EXPECT_THAT(Lowers(WholeStack(), 2), IsEmpty());
  EXPECT_THAT(Lowers(LinkTable({Named(2, "dcb0", "dcbnic")}), 2), IsEmpty());
  EXPECT_THAT(Lowers(LinkTable({Child(Named(2, "a", "veth"), 9)}), 2), IsEmpty());
}

TEST(Lowers, OfABondAreItsMembers) { EXPECT_THAT(Lowers(WholeStack(), 4), ElementsAre(2U, 3U)); }

TEST(Lowers, OfABridgeOnAVlanOnABondAreThePortsAtTheBottom) {
  EXPECT_THAT(Lowers(WholeStack(), 6), ElementsAre(2U, 3U));
}

TEST(Lowers, TapsAndVethsInABridgeAreNoPorts) {
  const LinkTable links({Member(Named(2, "eth0"), 5), Member(Named(3, "tap0", "tun"), 5),
                         Member(Child(Named(4, "veth0", "veth"), 9), 5), Named(5, "br0", "bridge")});
  EXPECT_THAT(Lowers(links, 5), ElementsAre(2U));
}

TEST(Lowers, ABondWithoutMembersHasNoPortAndSaysSo) {
  EXPECT_EQ(LowersOf(LinkTable({Bond(4, "bond0")}), 4).missing(),
            (Missing{Missing::Kind::kFailed, "no Ethernet port under bond0"}));
  const LinkTable only_tap({Member(Named(3, "tap0", "tun"), 5), Named(5, "br0", "bridge")});
  EXPECT_EQ(LowersOf(only_tap, 5).missing().detail, "no Ethernet port under br0");
}

TEST(Lowers, InAnotherNamespaceAreUnsupportedAndSaySo) {
  Link vlan = Vlan(5, "eth0.5", 5, 2);
  vlan.peer_elsewhere = true;
  const LinkTable links({Named(2, "other"), vlan});
  EXPECT_EQ(LowersOf(links, 5).missing(),
            (Missing{Missing::Kind::kUnsupported, "what eth0.5 stands on is in another network namespace"}));
}

TEST(Lowers, ThatWentAwayAreAFailure) {
  EXPECT_THAT(LowersOf(LinkTable({Vlan(5, "eth0.5", 5, 2)}), 5).missing().detail, HasSubstr("went away"));
  EXPECT_THAT(LowersOf(LinkTable({Named(5, "v", "vlan")}), 5).missing().detail,
              HasSubstr("does not tell what v stands on"));
  EXPECT_THAT(LowersOf(LinkTable(), 5).missing().detail, HasSubstr("not in the list of links"));
}

TEST(Lowers, ACycleEnds) {
  const LinkTable links({Vlan(2, "a", 1, 3), Vlan(3, "b", 2, 2)});
  EXPECT_EQ(LowersOf(links, 2).missing().detail, "no Ethernet port under a");
  EXPECT_THAT(Lowers(LinkTable({Member(Bond(2, "a"), 2), Member(Named(3, "eth0"), 2)}), 2), ElementsAre(3U));
}

TEST(Lowers, OfTooManyPortsAreAFailure) {
  std::vector<Link> links{Named(1, "br0", "bridge")};
  for (std::uint32_t i = 2; i < 100; ++i) links.push_back(Member(Named(i, "eth" + std::to_string(i)), 1));
  EXPECT_EQ(LowersOf(LinkTable(links), 1).missing().detail, "more than 64 ports under br0");
}

TEST(UpperNetdevs, AreListedTheNearerFirst) {
  EXPECT_THAT(NamesOf(Uppers(WholeStack(), {2})), ElementsAre("bond0", "eth0.7", "bond0.5", "br0"));
}

TEST(UpperNetdevs, OfAPortNobodyStandsOnAreNone) { EXPECT_THAT(Uppers(WholeStack(), {8}), IsEmpty()); }

TEST(UpperNetdevs, KnowWhatTheyStandOnAsFarAsItLeadsToThePort) {
  const auto uppers = Uppers(WholeStack(), {2});
  ASSERT_EQ(uppers.size(), 4U);
  EXPECT_THAT(uppers[0].over, ElementsAre("eth0"));
  EXPECT_THAT(uppers[1].over, ElementsAre("eth0"));
  EXPECT_THAT(uppers[2].over, ElementsAre("bond0"));
  EXPECT_THAT(uppers[3].over, ElementsAre("bond0.5"));
}

// rxe on br0: the bond in between stands on the ports, br0 is the netdev itself.
TEST(UpperNetdevs, OfAStackAreThoseOnItAndOnWhatItStandsOn) {
  const auto uppers = Uppers(WholeStack(), {6, 2, 3});
  EXPECT_THAT(NamesOf(uppers), ElementsAre("bond0", "eth0.7", "bond0.5"));
  EXPECT_THAT(uppers[0].over, ElementsAre("eth0", "eth1"));
}

// The next boot may find the ports in another order.
TEST(Stack, HasTheOrderOfNamesUnderAnyNumbersOfInterfaces) {
  const auto names = [](std::uint32_t eth2, std::uint32_t eth3, std::uint32_t low, std::uint32_t high) {
    const LinkTable links({Member(Named(eth2, "eth2"), 20), Member(Named(eth3, "eth3"), 20), Bond(20, "bond0"),
                           Vlan(low, "bond0.5", 5, 20), Vlan(high, "bond0.7", 7, 20)});
    std::vector<std::string> all;
    for (const std::uint32_t lower : Lowers(links, 20)) all.push_back(links.Find(lower)->name);
    for (const UpperNetdev& upper : Uppers(links, {eth2, eth3})) {
      all.push_back(upper.name);
      all.insert(all.end(), upper.over.begin(), upper.over.end());
    }
    return all;
  };
  const auto expected =
      ElementsAre("eth2", "eth3", "bond0", "eth2", "eth3", "bond0.5", "bond0", "bond0.7", "bond0");
  EXPECT_THAT(names(2, 3, 30, 31), expected);
  EXPECT_THAT(names(9, 4, 33, 31), expected);
}

TEST(UpperNetdevs, CarryWhatTheirKindHas) {
  const auto uppers = Uppers(WholeStack(), {2}, {{7, {{"10.0.7.1", 24}}}});
  ASSERT_EQ(uppers.size(), 4U);
  EXPECT_EQ(*uppers[0].bond_mode, "802.3ad");
  EXPECT_EQ(uppers[0].vlan_id.missing().detail, "not a VLAN device");
  EXPECT_THAT(*uppers[0].addresses, IsEmpty());
  EXPECT_EQ(uppers[1].kind, "vlan");
  EXPECT_EQ(*uppers[1].vlan_id, 7);
  EXPECT_THAT(*uppers[1].vlan_egress, ElementsAre(VlanPriority{4, 3}));
  EXPECT_EQ(uppers[1].bond_mode.missing().detail, "not a bond");
  EXPECT_THAT(*uppers[1].addresses, ElementsAre(IpAddress{"10.0.7.1", 24}));
}

TEST(UpperNetdevs, WithoutAddressesSayWhy) {
  const Missing why{Missing::Kind::kFailed, "list by rtnetlink GETADDR: Interrupted system call"};
  const auto uppers = UppersOf(WholeStack(), std::vector<std::uint32_t>{2}, why);
  ASSERT_TRUE(uppers);
  EXPECT_EQ(uppers->front().addresses.missing(), why);
}

TEST(UpperNetdevs, ABondThatHidesItsModeSaysSo) {
  const LinkTable links({Member(Named(2, "eth0"), 4), Named(4, "bond0", "bond")});
  EXPECT_THAT(Uppers(links, {2}).front().bond_mode.missing().detail, HasSubstr("does not tell the mode"));
}

TEST(UpperNetdevs, TooManyAreAFailureAndNotAPartOfThem) {
  std::vector<Link> links{Named(1, "eth0")};
  for (std::uint32_t i = 2; i < 2000; ++i) links.push_back(Vlan(i, "v" + std::to_string(i), 1, 1));
  EXPECT_THAT(UppersOf(LinkTable(links), std::vector<std::uint32_t>{1}, AddressTable{}).missing().detail,
              HasSubstr("more than 1024"));
}

TEST(UpperNetdevs, AreNeverTheirOwnBase) {
  EXPECT_THAT(Uppers(LinkTable({Vlan(2, "a", 1, 3), Vlan(3, "b", 2, 2)}), {2}), testing::SizeIs(1));
}

TEST(BondMode, HasTheNamesOfIproute) {
  EXPECT_EQ(*BondModeOf(0), "balance-rr");
  EXPECT_EQ(*BondModeOf(1), "active-backup");
  EXPECT_EQ(*BondModeOf(6), "balance-alb");
  EXPECT_EQ(BondModeOf(7).missing().detail, "unknown bond mode 7");
}

TEST(Stack, NoTableHoweverTangledHangsOrNamesWhatIsNotThere) {
  std::mt19937 random(20240601);
  const std::array<const char*, 6> kinds{"", "vlan", "bond", "bridge", "macvlan", "veth"};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Link> links;
    for (std::uint32_t i = 1; i <= 12; ++i) {
      Link link = Named(i, "n" + std::to_string(i), kinds[random() % kinds.size()]);
      if (random() % 2 == 0) link.master = random() % 14;
      if (random() % 2 == 0) link.peer = random() % 14;
      link.peer_elsewhere = random() % 8 == 0;
      links.push_back(link);
    }
    const LinkTable table(links);
    for (std::uint32_t ifindex = 0; ifindex < 14; ++ifindex) {
      const auto lowers = LowersOf(table, ifindex);
      std::vector<std::uint32_t> bases{ifindex};
      if (lowers) bases.insert(bases.end(), lowers->begin(), lowers->end());
      for (const UpperNetdev& upper : Uppers(table, bases)) EXPECT_FALSE(upper.over.empty());
    }
  }
}

}  // namespace
}  // namespace rdmaready
