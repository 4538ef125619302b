// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/firewall.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netlink.h>

#include <map>

#include "tests/support/nft_wire.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

namespace wire = nft_wire;
using wire::operator+;
using Sets = std::map<std::string, std::vector<wire::Element>>;

NftElements ElementsOf(const std::vector<wire::Element>& elements) {
  NftElements decoded;
  EXPECT_TRUE(DecodeNftElements(wire::Elements(NFPROTO_INET, elements).payload, &decoded).ok());
  return decoded;
}

std::vector<FirewallRule> Rules(const Payload& expressions, const Sets& sets = {},
                                const std::string& family = "inet") {
  const NftSurroundings around{.family = family,
                               .find_set = [&sets](const std::string& name) -> absl::StatusOr<NftElements> {
                                 const auto found = sets.find(name);
                                 if (found == sets.end()) return absl::NotFoundError("no such set");
                                 return ElementsOf(found->second);
                               },
                               .netdev_of = [](std::uint32_t ifindex) { return ifindex == 3 ? "dcb0" : ""; }};
  const absl::StatusOr<std::vector<FirewallRule>> rules = DecodeNftRule(expressions.bytes(), 7, around);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.value_or(std::vector<FirewallRule>{});
}

FirewallRule TcpRule(std::vector<L4Ports> ports, FirewallAction action = FirewallAction::kDrop) {
  return {.protocol = IPPROTO_TCP, .ports = std::move(ports), .action = action, .handle = 7};
}

const Payload kDrop = wire::Verdict(NF_DROP);
const Payload kAccept = wire::Verdict(NF_ACCEPT);

TEST(NftRule, ReadsAPortAndAVerdict) {
  EXPECT_EQ(Rules(wire::TcpPort(445) + wire::Expression("counter") + kDrop),
            std::vector<FirewallRule>{TcpRule({{445, 445}})});
}

TEST(NftRule, ReadsEveryWayToCompareAPort) {
  const auto with = [](const Payload& condition) {
    return Rules(wire::Tcp() + wire::DestinationPort() + condition + kDrop);
  };
  FirewallRule but = TcpRule({{445, 445}});
  but.negated_ports = true;
  EXPECT_EQ(with(wire::Isnt(wire::Port(445))), std::vector{but});
  EXPECT_EQ(with(wire::Range(wire::Port(400), wire::Port(500))), std::vector{TcpRule({{400, 500}})});
  EXPECT_EQ(with(wire::Compare(NFT_CMP_GTE, wire::Port(400)) + wire::Compare(NFT_CMP_LTE, wire::Port(500))),
            std::vector{TcpRule({{400, 500}})});
  EXPECT_EQ(with(wire::Compare(NFT_CMP_LT, wire::Port(1024))), std::vector{TcpRule({{0, 1023}})});
  EXPECT_EQ(with(wire::Compare(NFT_CMP_GT, wire::Port(1024))), std::vector{TcpRule({{1025, 65535}})});
  EXPECT_TRUE(with(wire::Compare(NFT_CMP_LT, wire::Port(0))).empty());
}

TEST(NftRule, ReadsTheInterface) {
  FirewallRule rule{.netdev = "dcb0", .action = FirewallAction::kAccept, .handle = 7};
  EXPECT_EQ(Rules(wire::CameBy("dcb0") + kAccept), std::vector{rule});
  const wire::Bytes index = wire::Native(std::uint32_t{3});
  EXPECT_EQ(Rules(wire::Meta(NFT_META_IIF) + wire::Is(index) + kAccept), std::vector{rule});
  rule.netdev = "dcb*";
  EXPECT_EQ(Rules(wire::Meta(NFT_META_IIFNAME) + wire::Is(wire::Name("dcb", 3)) + kAccept), std::vector{rule});
  // What comes from a peer never comes by the loopback interface.
  EXPECT_FALSE(Rules(wire::Meta(NFT_META_IIFNAME) + wire::Isnt(wire::Name("lo")) + kDrop)[0].other_conditions);
  EXPECT_TRUE(Rules(wire::Meta(NFT_META_IIFNAME) + wire::Isnt(wire::Name("eth0")) + kDrop)[0].other_conditions);
}

TEST(NftRule, LeavesOutWhatHoldsForNoOpeningPacket) {
  EXPECT_TRUE(Rules(wire::CtState(1) + kDrop).empty());  // invalid
  EXPECT_TRUE(Rules(wire::Ct(NFT_CT_STATUS) + wire::Mask(wire::Native(std::uint32_t{0x20})) +
                    wire::Isnt(wire::Native(std::uint32_t{0})) + kAccept)
                  .empty());  // its address was changed
  EXPECT_TRUE(Rules(wire::Fib(NFT_FIB_RESULT_ADDRTYPE, NFTA_FIB_F_DADDR) +
                    wire::Is(wire::Native(std::uint32_t{3})) + kDrop)
                  .empty());  // broadcast
  EXPECT_TRUE(Rules(wire::Fib(NFT_FIB_RESULT_OIF, NFTA_FIB_F_SADDR | NFTA_FIB_F_IIF | NFTA_FIB_F_PRESENT) +
                    wire::Is(wire::Raw({0})) + kDrop)
                  .empty());  // no way back
  EXPECT_TRUE(Rules(wire::Tcp() + wire::Header(NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1) +
                    wire::Mask(wire::Raw({0x17})) + wire::Isnt(wire::Raw({0x02})) + kDrop)
                  .empty());  // new without SYN
  EXPECT_TRUE(Rules(wire::TcpPort(445) + wire::Expression("log") + wire::Expression("counter")).empty());
}

TEST(NftRule, TellsEstablishedFromNew) {
  const std::vector<FirewallRule> established = Rules(wire::CtState(2 | 4) + kAccept);
  ASSERT_EQ(established.size(), 1U);
  EXPECT_TRUE(established[0].established_only);
  EXPECT_EQ(Rules(wire::CtState(8) + wire::TcpPort(445) + kAccept),
            std::vector{TcpRule({{445, 445}}, FirewallAction::kAccept)});
}

TEST(NftRule, SaysWhatItDoesNotUnderstand) {
  const Payload source = wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) + wire::Is(wire::Raw({10, 0, 0, 2}));
  EXPECT_TRUE(Rules(source + wire::TcpPort(445) + kDrop)[0].other_conditions);
  EXPECT_TRUE(Rules(wire::Expression("limit") + kDrop)[0].other_conditions);
  EXPECT_TRUE(Rules(wire::Expression("something new") + kAccept)[0].other_conditions);
  EXPECT_EQ(Rules(wire::TcpPort(445) + wire::Expression("queue"))[0].action, FirewallAction::kUnknown);
  EXPECT_EQ(Rules(wire::TcpPort(445) + wire::Expression("nat"))[0].action, FirewallAction::kUnknown);
  // A set of another kind, or one that is gone.
  EXPECT_TRUE(Rules(wire::Tcp() + wire::DestinationPort() + wire::Lookup("gone") + kDrop)[0].other_conditions);
}

TEST(NftRule, ReadsSetsOfPortsWithTheirRanges) {
  const Sets sets = {{"ports",
                      {{wire::Port(501), NFT_SET_ELEM_INTERVAL_END},
                       {wire::Port(400)},
                       {wire::Port(4421), NFT_SET_ELEM_INTERVAL_END},
                       {wire::Port(4420)},
                       {wire::Port(0), NFT_SET_ELEM_INTERVAL_END},
                       {wire::Port(60000)}}},
                     {"one", {{wire::Port(445)}, {wire::Port(22)}}}};
  const auto with = [&sets](const Payload& lookup) {
    return Rules(wire::Tcp() + wire::DestinationPort() + lookup + kAccept, sets);
  };
  EXPECT_EQ(with(wire::Lookup("ports")),
            std::vector{TcpRule({{400, 500}, {4420, 4420}, {60000, 65535}}, FirewallAction::kAccept)});
  FirewallRule but = TcpRule({{22, 22}, {445, 445}}, FirewallAction::kAccept);
  but.negated_ports = true;
  EXPECT_EQ(with(wire::Lookup("one", true)), std::vector{but});
}

TEST(NftRule, MakesARuleOfEachElementOfAVerdictMap) {
  const Sets sets = {{"ports",
                      {{wire::Port(22), 0, wire::VerdictData(NF_ACCEPT)},
                       {wire::Port(445), 0, wire::VerdictData(NFT_JUMP, "smb")},
                       {{}, NFT_SET_ELEM_CATCHALL, wire::VerdictData(NF_DROP)}}},
                     {"states",
                      {{wire::Native(std::uint32_t{2}), 0, wire::VerdictData(NF_ACCEPT)},
                       {wire::Native(std::uint32_t{1}), 0, wire::VerdictData(NF_DROP)}}}};
  FirewallRule jump = TcpRule({{445, 445}}, FirewallAction::kJump);
  jump.target = "smb";
  FirewallRule others = TcpRule({{22, 22}, {445, 445}});
  others.negated_ports = true;
  EXPECT_EQ(Rules(wire::Tcp() + wire::DestinationPort() + wire::Lookup("ports", false, true), sets),
            (std::vector{TcpRule({{22, 22}}, FirewallAction::kAccept), jump, others}));
  const std::vector<FirewallRule> states =
      Rules(wire::Ct(NFT_CT_STATE) + wire::Lookup("states", false, true), sets);
  ASSERT_EQ(states.size(), 1U);
  EXPECT_TRUE(states[0].established_only);
}

TEST(NftRule, ReadsXtablesModules) {
  xt_tcp tcp{};
  tcp.spts[1] = 65535;
  tcp.dpts[0] = tcp.dpts[1] = 445;
  EXPECT_EQ(Rules(wire::XtMatch("tcp", 0, wire::Native(tcp)) + kDrop), std::vector{TcpRule({{445, 445}})});
  tcp.spts[0] = 1024;
  EXPECT_TRUE(Rules(wire::XtMatch("tcp", 0, wire::Native(tcp)) + kDrop)[0].other_conditions);

  xt_conntrack_mtinfo3 conntrack{};
  conntrack.match_flags = XT_CONNTRACK_STATE | XT_CONNTRACK_STATE_ALIAS;
  conntrack.state_mask = XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED) | XT_CONNTRACK_STATE_BIT(IP_CT_RELATED);
  EXPECT_TRUE(Rules(wire::XtMatch("conntrack", 3, wire::Native(conntrack)) + kAccept)[0].established_only);
  conntrack.state_mask = XT_CONNTRACK_STATE_INVALID;
  EXPECT_TRUE(Rules(wire::XtMatch("conntrack", 3, wire::Native(conntrack)) + kDrop).empty());

  xt_multiport_v1 ports{};
  ports.flags = XT_MULTIPORT_DESTINATION;
  ports.count = 3;
  ports.ports[0] = 22;
  ports.ports[1] = 400;
  ports.ports[2] = 500;
  ports.pflags[1] = 1;
  EXPECT_EQ(Rules(wire::Tcp() + wire::XtMatch("multiport", 1, wire::Native(ports)) + wire::XtTarget("REJECT")),
            std::vector{TcpRule({{22, 22}, {400, 500}})});

  xt_addrtype_info_v1 type{};
  type.dest = XT_ADDRTYPE_LOCAL;
  EXPECT_FALSE(Rules(wire::XtMatch("addrtype", 1, wire::Native(type)) + kDrop)[0].other_conditions);
  type.dest = XT_ADDRTYPE_BROADCAST;
  EXPECT_TRUE(Rules(wire::XtMatch("addrtype", 1, wire::Native(type)) + kDrop).empty());

  EXPECT_TRUE(Rules(wire::XtMatch("recent", 1, {}) + kDrop)[0].other_conditions);
  EXPECT_TRUE(Rules(wire::XtMatch("tcp", 0, wire::Raw({1, 2})) + kDrop)[0].other_conditions);
  EXPECT_EQ(Rules(wire::Tcp() + wire::XtTarget("DNAT"))[0].action, FirewallAction::kUnknown);
  EXPECT_TRUE(Rules(wire::Tcp() + wire::XtTarget("LOG")).empty());
}

TEST(NftRule, FailsOnBytesThatAreNoRule) {
  const NftSurroundings around{.find_set = [](const std::string&) { return absl::NotFoundError(""); },
                               .netdev_of = [](std::uint32_t) { return ""; }};
  EXPECT_FALSE(DecodeNftRule(wire::Raw({1, 2, 3}), 1, around).ok());
  EXPECT_FALSE(DecodeNftRule(wire::Expression("cmp").bytes(), 1, around).ok());
}

// ---- chains ----

NetlinkRequest Request(int command, std::uint8_t family = NFPROTO_UNSPEC, const Payload& about = {}) {
  Payload payload = Payload::Of(wire::Family(family));
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

TEST(Firewall, OfAKernelWithoutItIsEmptyAndNothingIsAsked) {
  FakeHost host;
  host.directories.emplace("/sys/module", std::vector<std::string>{"veth"});
  host.files.emplace("/lib/modules/6.12/modules.builtin", "kernel/net/core/other.ko\n");
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel);
  ASSERT_TRUE(firewall);
  EXPECT_EQ(*firewall, Firewall{});
  EXPECT_FALSE(host.Asked("ask netlink"));
}

TEST(Firewall, ThatIsBuiltInIsAsked) {
  FakeHost host = WithRules({}, {}, {});
  host.directories.at("/sys/module") = std::vector<std::string>{};
  host.files.emplace("/lib/modules/6.12/modules.builtin", "kernel/net/netfilter/nf_tables.ko\n");
  EXPECT_TRUE(ReadFirewall(host, kKernel));
  EXPECT_TRUE(host.Asked("ask netlink"));
}

TEST(Firewall, IsMissingWhereAskingMightLoadItAndNobodyTells) {
  FakeHost host = WithRules({}, {}, {});
  host.directories.at("/sys/module") = std::vector<std::string>{};
  host.files.emplace("/proc/modules", "veth 1 0 - Live 0x0\n");
  EXPECT_EQ(ReadFirewall(host, kKernel).missing().kind, Missing::Kind::kFailed);
  EXPECT_FALSE(host.Asked("ask netlink"));
  host.files.clear();  // a kernel that takes no modules
  EXPECT_TRUE(ReadFirewall(host, kKernel));
  EXPECT_TRUE(host.Asked("ask netlink"));
}

TEST(Firewall, NeedsAPrivilege) {
  FakeHost host = WithRules({}, {}, {});
  host.Answer(Request(NFT_MSG_GETTABLE), ErrnoStatus(EPERM, "list by nf_tables netlink command 1"));
  EXPECT_EQ(ReadFirewall(host, kKernel).missing().kind, Missing::Kind::kDenied);
}

TEST(Firewall, KeepsChainsThatAPacketMeetsInTheirOrder) {
  FakeHost host = WithRules(
      {wire::Table(NFPROTO_INET, "filter"), wire::Table(NFPROTO_IPV4, "asleep", NFT_TABLE_F_DORMANT)},
      {wire::Chain(NFPROTO_INET, "filter", "late", wire::Hook{.priority = 10, .policy = NF_DROP}),
       wire::Chain(NFPROTO_INET, "filter", "early", wire::Hook{.priority = -10}),
       wire::Chain(NFPROTO_INET, "filter", "called"), wire::Chain(NFPROTO_INET, "filter", "unused"),
       wire::Chain(NFPROTO_INET, "filter", "forward", wire::Hook{.number = NF_INET_FORWARD}),
       wire::Chain(NFPROTO_INET, "filter", "first", wire::Hook{.number = NF_INET_PRE_ROUTING, .priority = 50}),
       wire::Chain(NFPROTO_NETDEV, "n", "wire",
                   wire::Hook{.number = NF_NETDEV_INGRESS, .netdevs = {"dcb0", "dcb1"}}),
       wire::Chain(NFPROTO_ARP, "filter", "arp"), wire::Chain(NFPROTO_IPV4, "asleep", "input", wire::Hook{})},
      {wire::Rule(NFPROTO_INET, "filter", "early", 4, wire::TcpPort(445) + wire::Verdict(NFT_JUMP, "called")),
       wire::Rule(NFPROTO_INET, "filter", "called", 5, kDrop),
       wire::Rule(NFPROTO_INET, "filter", "forward", 6, kDrop)});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel);
  ASSERT_TRUE(firewall) << firewall.missing().detail;
  std::vector<std::string> names;
  for (const FirewallChain& chain : firewall->chains)
    names.push_back(chain.netdev.empty() ? chain.name : chain.name + " " + chain.netdev);
  EXPECT_EQ(names, (std::vector<std::string>{"wire dcb0", "wire dcb1", "first", "early", "late", "called"}));
  EXPECT_EQ(firewall->chains[4].policy, FirewallAction::kDrop);
  EXPECT_EQ(firewall->chains[3].priority, -10);
  EXPECT_TRUE(firewall->chains[3].input_hook);
  EXPECT_FALSE(firewall->chains[5].input_hook);
  EXPECT_EQ(firewall->chains[5].rules.front().handle, 5U);
}

TEST(Firewall, AsksForTheSetsThatMatter) {
  Payload about;
  about.Text(NFTA_SET_ELEM_LIST_TABLE, "filter").Text(NFTA_SET_ELEM_LIST_SET, "storage");
  FakeHost host = WithRules(
      {}, {wire::Chain(NFPROTO_INET, "filter", "input", wire::Hook{})},
      {wire::Rule(NFPROTO_INET, "filter", "input", 3,
                  wire::Tcp() + wire::DestinationPort() + wire::Lookup("storage") + kDrop),
       wire::Rule(NFPROTO_INET, "filter", "input", 4,
                  wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) + wire::Lookup("thousands") + kDrop)});
  host.Answer(Request(NFT_MSG_GETSETELEM, NFPROTO_INET, about),
              std::vector<NetlinkMessage>{wire::Elements(NFPROTO_INET, {{wire::Port(445)}})});
  const Fact<Firewall> firewall = ReadFirewall(host, kKernel);
  ASSERT_TRUE(firewall) << firewall.missing().detail;
  ASSERT_EQ(firewall->chains[0].rules.size(), 2U);
  EXPECT_EQ(firewall->chains[0].rules[0].ports, (std::vector<L4Ports>{{445, 445}}));
  EXPECT_TRUE(firewall->chains[0].rules[1].other_conditions);
}

TEST(Firewall, TellsOfIptablesOfTheOlderKind) {
  FakeHost host = WithRules({}, {}, {});
  host.files.emplace("/proc/net/ip_tables_names", "filter\n");
  EXPECT_TRUE(ReadFirewall(host, kKernel)->legacy_tables);
  host.files.at("/proc/net/ip_tables_names") = std::string();
  EXPECT_FALSE(ReadFirewall(host, kKernel)->legacy_tables);
  host.files.at("/proc/net/ip_tables_names") = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadFirewall(host, kKernel).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
