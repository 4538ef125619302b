// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/firewall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>

#include "tests/support/nft_wire.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using nft_wire::operator+;

NetlinkRequest Request(int command, std::uint8_t family = NFPROTO_UNSPEC, const Payload& about = {}) {
  Payload payload = Payload::Of(nft_wire::Family(family));
  payload.Join(about);
  return {NETLINK_NETFILTER, static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | command), true,
          payload.bytes()};
}

FakeHost WithRules(std::vector<NetlinkMessage> tables, std::vector<NetlinkMessage> chains,
                   std::vector<NetlinkMessage> rules) {
  FakeHost host;
  host.directories.emplace("/sys/module", std::vector<std::string>{"nf_tables", "nfnetlink"});
  host.Answer(Request(NFT_MSG_GETTABLE), std::move(tables));
  host.Answer(Request(NFT_MSG_GETCHAIN), std::move(chains));
  host.Answer(Request(NFT_MSG_GETRULE), std::move(rules));
  return host;
}

const Fact<Kernel> kKernel = Kernel{.release = "6.12"};
const Fact<std::vector<Port>> kPorts =
    std::vector<Port>{{.netdev = Netdev{.name = "dcb0", .ifindex = 3},
                       .lowers = std::vector<Netdev>{},
                       .uppers = std::vector<UpperNetdev>{{.name = "dcb0.100", .ifindex = 9}},
                       .listeners = std::vector<RdmaListener>{{.port = 5000}}}};

TEST(Firewall, OfAKernelWithoutItIsEmptyAndNothingIsAsked) {
  FakeHost host;
  host.directories.emplace("/sys/module", std::vector<std::string>{"veth"});
  host.files.emplace("/lib/modules/6.12/modules.builtin", "kernel/net/core/other.ko\n");
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel, kPorts);
  ASSERT_TRUE(firewall);
  EXPECT_EQ(*firewall, Firewall{});
  EXPECT_FALSE(host.Asked("ask netlink"));
}

TEST(Firewall, ThatIsBuiltInIsAsked) {
  FakeHost host = WithRules({}, {}, {});
  host.directories.at("/sys/module") = std::vector<std::string>{};
  host.files.emplace("/lib/modules/6.12/modules.builtin", "kernel/net/netfilter/nf_tables.ko\n");
  EXPECT_TRUE(ReadFirewall(host, kKernel, kPorts));
  EXPECT_TRUE(host.Asked("ask netlink"));
}

TEST(Firewall, IsMissingWhereAskingMightLoadItAndNobodyTells) {
  FakeHost host = WithRules({}, {}, {});
  host.directories.at("/sys/module") = std::vector<std::string>{};
  host.files.emplace("/proc/modules", "veth 1 0 - Live 0x0\n");
  EXPECT_EQ(ReadFirewall(host, kKernel, kPorts).missing().kind, Missing::Kind::kFailed);
  EXPECT_FALSE(host.Asked("ask netlink"));
  host.files.clear();  // a kernel that takes no modules
  EXPECT_TRUE(ReadFirewall(host, kKernel, kPorts));
  EXPECT_TRUE(host.Asked("ask netlink"));
}

TEST(Firewall, NeedsAPrivilege) {
  FakeHost host = WithRules({}, {}, {});
  host.Answer(Request(NFT_MSG_GETTABLE), ErrnoStatus(EPERM, "list by nf_tables netlink command 1"));
  EXPECT_EQ(ReadFirewall(host, kKernel, kPorts).missing().kind, Missing::Kind::kDenied);
}

constexpr std::uint8_t kTcp = IPPROTO_TCP;
constexpr std::uint8_t kUdp = IPPROTO_UDP;

TEST(Firewall, TriesEachNetdevWithEachPort) {
  FakeHost host =
      WithRules({}, {nft_wire::Chain(NFPROTO_INET, "filter", "input", nft_wire::Hook{.policy = NF_DROP})}, {});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel, kPorts);
  ASSERT_TRUE(firewall) << firewall.missing().detail;
  EXPECT_EQ(firewall->packets.size(), 2U * 2U * 7U);  // netdevs, IPv4 and IPv6, ports
  for (const char* netdev : {"dcb0", "dcb0.100"}) {
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{445, 5445, 3260, 4420, 20049, 5000, 4791}) {
      const FilteredPacket expected{.netdev = netdev,
                                    .ipv6 = true,
                                    .protocol = port == 4791 ? kUdp : kTcp,
                                    .port = port,
                                    .fate = PacketFate::kDropped,
                                    .chain = "inet filter input",
                                    .place = "the policy of inet filter input"};
      EXPECT_THAT(firewall->packets, testing::Contains(expected)) << netdev << ' ' << port;
    }
  }
}

TEST(Firewall, KeepsChainsThatAPacketMeetsInTheirOrder) {
  FakeHost host = WithRules(
      {nft_wire::Table(NFPROTO_INET, "filter"), nft_wire::Table(NFPROTO_IPV4, "asleep", NFT_TABLE_F_DORMANT)},
      {nft_wire::Chain(NFPROTO_INET, "filter", "late", nft_wire::Hook{.priority = 10, .policy = NF_DROP}),
       nft_wire::Chain(NFPROTO_INET, "filter", "early", nft_wire::Hook{.priority = -10}),
       nft_wire::Chain(NFPROTO_INET, "filter", "called"), nft_wire::Chain(NFPROTO_INET, "filter", "unused"),
       nft_wire::Chain(NFPROTO_INET, "filter", "forward",
                       nft_wire::Hook{.number = NF_INET_FORWARD, .policy = NF_DROP}),
       nft_wire::Chain(NFPROTO_INET, "filter", "first",
                       nft_wire::Hook{.number = NF_INET_PRE_ROUTING, .priority = 50, .policy = NF_DROP}),
       nft_wire::Chain(
           NFPROTO_NETDEV, "n", "wire",
           nft_wire::Hook{.number = NF_NETDEV_INGRESS, .policy = NF_DROP, .netdevs = {"dcb0", "dcb1"}}),
       nft_wire::Chain(NFPROTO_ARP, "filter", "arp", nft_wire::Hook{.policy = NF_DROP}),
       nft_wire::Chain(NFPROTO_IPV4, "asleep", "input", nft_wire::Hook{.policy = NF_DROP})},
      {nft_wire::Rule(NFPROTO_INET, "filter", "early", 4,
                      nft_wire::TcpPort(445) + nft_wire::Verdict(NFT_JUMP, "called")),
       nft_wire::Rule(NFPROTO_INET, "filter", "called", 5, nft_wire::Verdict(NF_DROP)),
       nft_wire::Rule(NFPROTO_INET, "filter", "forward", 6, nft_wire::Verdict(NF_DROP))});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel, kPorts);
  ASSERT_TRUE(firewall) << firewall.missing().detail;
  std::vector<std::string> places;
  for (const FilteredPacket& packet : firewall->packets) {
    if (packet.netdev == "dcb0" && packet.port == 445 && !packet.ipv6) places.push_back(packet.place);
    EXPECT_EQ(packet.ingress, packet.chain == "netdev n wire");
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"the policy of netdev n wire", "the policy of inet filter first",
                                      "rule 5 of inet filter called", "the policy of inet filter late"}));
}

FirewallChain ChainOf(const char* family, const char* table, const char* name, FirewallAction policy) {
  return {.family = family, .table = table, .name = name, .policy = policy};
}

TEST(Firewall, ListsTheChainsAtAHookAndThoseThatTheyCall) {
  const std::vector<NetlinkMessage> chains{
      nft_wire::Chain(NFPROTO_INET, "filter", "late", nft_wire::Hook{.priority = 10, .policy = NF_DROP}),
      nft_wire::Chain(NFPROTO_INET, "filter", "early", nft_wire::Hook{.priority = -10}),
      nft_wire::Chain(NFPROTO_INET, "filter", "ssh"),
      nft_wire::Chain(NFPROTO_INET, "filter", "smb"),
      nft_wire::Chain(NFPROTO_INET, "filter", "unused"),
      nft_wire::Chain(NFPROTO_INET, "filter", "forward", nft_wire::Hook{.number = NF_INET_FORWARD}),
      nft_wire::Chain(NFPROTO_NETDEV, "n", "wire",
                      nft_wire::Hook{.number = NF_NETDEV_INGRESS, .netdevs = {"dcb0", "dcb1"}})};
  const auto rule = [](const char* chain, std::uint64_t handle, const Payload& expressions) {
    return nft_wire::Rule(NFPROTO_INET, "filter", chain, handle, expressions);
  };
  FakeHost host = WithRules(
      {}, chains,
      {rule("early", 4, nft_wire::TcpPort(22) + nft_wire::Verdict(NFT_GOTO, "ssh")),
       rule("early", 5, nft_wire::Tcp() + nft_wire::DestinationPort() + nft_wire::Lookup("ports", false, true)),
       rule("early", 6, nft_wire::Expression("counter")), rule("ssh", 7, nft_wire::Verdict(NF_ACCEPT)),
       rule("smb", 8, nft_wire::Expression("nat")), rule("forward", 9, nft_wire::Verdict(NF_DROP))});
  Payload about;
  about.Text(NFTA_SET_ELEM_LIST_TABLE, "filter").Text(NFTA_SET_ELEM_LIST_SET, "ports");
  host.Answer(Request(NFT_MSG_GETSETELEM, NFPROTO_INET, about),
              std::vector<NetlinkMessage>{nft_wire::Elements(
                  NFPROTO_INET, {{nft_wire::Port(445), 0, nft_wire::VerdictData(NFT_JUMP, "smb")}})});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel, kPorts);
  ASSERT_TRUE(firewall) << firewall.missing().detail;

  constexpr FirewallAction kAccept = FirewallAction::kAccept;
  FirewallChain wire = ChainOf("netdev", "n", "wire", kAccept);
  FirewallChain early = ChainOf("inet", "filter", "early", kAccept);
  FirewallChain late = ChainOf("inet", "filter", "late", FirewallAction::kDrop);
  wire.input_hook = early.input_hook = late.input_hook = true;
  wire.netdev = "dcb0";
  FirewallChain other_wire = wire;
  other_wire.netdev = "dcb1";
  early.priority = -10;
  early.rules = {{4, FirewallAction::kGoto, "ssh"}, {5, FirewallAction::kUnknown}, {6, FirewallAction::kNone}};
  late.priority = 10;
  FirewallChain ssh = ChainOf("inet", "filter", "ssh", kAccept);
  ssh.rules = {{7, kAccept}};
  FirewallChain smb = ChainOf("inet", "filter", "smb", kAccept);
  smb.rules = {{8, FirewallAction::kUnknown}};
  EXPECT_THAT(firewall->chains, testing::ElementsAre(wire, other_wire, early, late, ssh, smb));
}

TEST(Firewall, AsksForTheSetsThatMatter) {
  Payload about;
  about.Text(NFTA_SET_ELEM_LIST_TABLE, "filter").Text(NFTA_SET_ELEM_LIST_SET, "storage");
  FakeHost host = WithRules({}, {nft_wire::Chain(NFPROTO_INET, "filter", "input", nft_wire::Hook{})},
                            {nft_wire::Rule(NFPROTO_INET, "filter", "input", 3,
                                            nft_wire::Tcp() + nft_wire::DestinationPort() +
                                                nft_wire::Lookup("storage") + nft_wire::Verdict(NF_DROP)),
                             nft_wire::Rule(NFPROTO_INET, "filter", "input", 4,
                                            nft_wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) +
                                                nft_wire::Lookup("thousands") + nft_wire::Verdict(NF_DROP))});
  host.Answer(Request(NFT_MSG_GETSETELEM, NFPROTO_INET, about),
              std::vector<NetlinkMessage>{nft_wire::Elements(NFPROTO_INET, {{nft_wire::Port(445)}})});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel, kPorts);
  ASSERT_TRUE(firewall) << firewall.missing().detail;
  for (const FilteredPacket& packet : firewall->packets)
    EXPECT_EQ(packet.fate, packet.port == 445 ? PacketFate::kDropped : PacketFate::kUnknown) << packet.port;
}

TEST(Firewall, TellsOfIptablesOfTheOlderKind) {
  FakeHost host = WithRules({}, {}, {});
  host.files.emplace("/proc/net/ip_tables_names", "filter\n");
  EXPECT_TRUE(ReadFirewall(host, kKernel, kPorts)->legacy_tables);
  host.files.at("/proc/net/ip_tables_names") = std::string();
  EXPECT_FALSE(ReadFirewall(host, kKernel, kPorts)->legacy_tables);
  host.files.at("/proc/net/ip_tables_names") = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadFirewall(host, kKernel, kPorts).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
