// SPDX-License-Identifier: Apache-2.0
// Rules and chains as the kernel writes them, run for one packet.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_tcpudp.h>

#include <map>

#include "collectors/firewall/nft_filter.h"
#include "tests/support/nft_wire.h"

namespace rdmaready {
namespace {

using nft_wire::operator+;
using Sets = std::map<std::string, std::vector<nft_wire::Element>>;

const Payload kDrop = nft_wire::Verdict(NF_DROP);
const Payload kAccept = nft_wire::Verdict(NF_ACCEPT);

NftPacket Tcp(std::uint16_t port) {
  return {.netdev = "dcb0", .ifindex = 3, .protocol = IPPROTO_TCP, .port = port};
}
NftPacket Smb() { return Tcp(445); }
NftPacket Roce() {
  NftPacket packet = Tcp(4791);
  packet.protocol = IPPROTO_UDP;
  return packet;
}
NftPacket By(const char* netdev, NftPacket packet) {
  packet.netdev = netdev;
  return packet;
}
NftPacket Ipv6(NftPacket packet) {
  packet.ipv6 = true;
  return packet;
}

struct Wire {
  std::vector<NetlinkMessage> chains{};
  std::vector<NetlinkMessage> rules{};
  Sets sets{};
};

// "pass", "drop by ...", "open by ...", "cut at ..."; of the first chain that stops it.
std::string Fate(const Wire& from, const NftPacket& packet = Smb()) {
  const NftArrival arrival{.packet = packet, .carriers = {{"dcb0", 3}}};
  const auto sets = [&from](std::uint8_t, const std::string&,
                            const std::string& name) -> absl::StatusOr<std::vector<NetlinkMessage>> {
    const auto found = from.sets.find(name);
    if (found == from.sets.end()) return absl::NotFoundError("no such set");
    return std::vector<NetlinkMessage>{nft_wire::Elements(NFPROTO_INET, found->second)};
  };
  const absl::StatusOr<Firewall> firewall =
      TryPackets({.chains = from.chains, .rules = from.rules}, {arrival}, sets);
  EXPECT_TRUE(firewall.ok()) << firewall.status();
  if (!firewall.ok() || firewall->packets.empty()) return "nothing tried";
  const FilteredPacket& first = firewall->packets.front();
  if (first.fate == PacketFate::kPasses) return "pass";
  if (first.fate == PacketFate::kTooManyRules) return "cut at " + first.place;
  return (first.fate == PacketFate::kDropped ? "drop by " : "open by ") + first.place;
}

// Rule 7 and those after it, in the chain at the hook.
Wire Input(const std::vector<Payload>& rules, std::uint32_t policy = NF_ACCEPT, Sets sets = {}) {
  Wire made{.chains = {nft_wire::Chain(NFPROTO_INET, "filter", "input", nft_wire::Hook{.policy = policy})},
            .sets = std::move(sets)};
  std::uint64_t handle = 7;
  for (const Payload& rule : rules)
    made.rules.push_back(nft_wire::Rule(NFPROTO_INET, "filter", "input", handle++, rule));
  return made;
}

Wire& Called(Wire& made, const std::string& name, const std::vector<Payload>& rules) {
  made.chains.push_back(nft_wire::Chain(NFPROTO_INET, "filter", name));
  std::uint64_t handle = 20;
  for (const Payload& rule : rules)
    made.rules.push_back(nft_wire::Rule(NFPROTO_INET, "filter", name, handle++, rule));
  return made;
}

// Of a rule that drops what the condition holds for: "yes", "no", "maybe".
std::string Holding(const Payload& condition, const NftPacket& packet = Smb(), const Sets& sets = {}) {
  const std::string fate = Fate(Input({condition + kDrop}, NF_ACCEPT, sets), packet);
  if (fate == "drop by rule 7 of inet filter input") return "yes";
  if (fate == "open by rule 7 of inet filter input") return "maybe";
  return fate == "pass" ? "no" : fate;
}

TEST(NftRule, AsksForProtocolAndPort) {
  EXPECT_EQ(Holding(nft_wire::TcpPort(445)), "yes");
  EXPECT_EQ(Holding(nft_wire::TcpPort(22)), "no");
  EXPECT_EQ(Holding(nft_wire::TcpPort(4791), Roce()), "no");
  EXPECT_EQ(
      Holding(nft_wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 9, 1) + nft_wire::Is(nft_wire::Raw({17})), Roce()),
      "yes");
  EXPECT_EQ(Holding(nft_wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 6, 1) + nft_wire::Is(nft_wire::Raw({17})),
                    Ipv6(Roce())),
            "yes");
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_NFPROTO) + nft_wire::Is(nft_wire::Raw({NFPROTO_IPV6}))), "no");
  EXPECT_EQ(
      Holding(nft_wire::Meta(NFT_META_NFPROTO) + nft_wire::Is(nft_wire::Raw({NFPROTO_IPV6})), Ipv6(Smb())),
      "yes");
}

TEST(NftRule, ComparesAPortInEveryWay) {
  const auto with = [](const Payload& condition, std::uint16_t port) {
    return Holding(nft_wire::Tcp() + nft_wire::DestinationPort() + condition, Tcp(port));
  };
  struct Row {
    Payload condition;
    std::uint16_t holds;
    std::uint16_t not_for;
  };
  for (const Row& row :
       {Row{nft_wire::Isnt(nft_wire::Port(445)), 446, 445},
        Row{nft_wire::Range(nft_wire::Port(400), nft_wire::Port(500)), 500, 501},
        Row{nft_wire::Range(nft_wire::Port(400), nft_wire::Port(500)), 400, 399},
        Row{nft_wire::Range(nft_wire::Port(400), nft_wire::Port(500), NFT_RANGE_NEQ), 501, 400},
        Row{nft_wire::Compare(NFT_CMP_GTE, nft_wire::Port(400)), 400, 399},
        Row{nft_wire::Compare(NFT_CMP_LTE, nft_wire::Port(500)), 500, 501},
        Row{nft_wire::Compare(NFT_CMP_LT, nft_wire::Port(1024)), 1023, 1024},
        Row{nft_wire::Compare(NFT_CMP_GT, nft_wire::Port(1024)), 1025, 1024}}) {
    EXPECT_EQ(with(row.condition, row.holds), "yes") << row.holds;
    EXPECT_EQ(with(row.condition, row.not_for), "no") << row.not_for;
  }
}

TEST(NftRule, AsksForTheInterface) {
  EXPECT_EQ(Holding(nft_wire::CameBy("dcb0")), "yes");
  EXPECT_EQ(Holding(nft_wire::CameBy("dcb")), "no");
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_IIFNAME) + nft_wire::Is(nft_wire::Name("dcb", 3))), "yes");  // dcb*
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_IIFNAME) + nft_wire::Isnt(nft_wire::Name("lo"))), "yes");
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_IIFNAME) + nft_wire::Isnt(nft_wire::Name("dcb0"))), "no");
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_IIF) + nft_wire::Is(nft_wire::Native(std::uint32_t{3}))), "yes");
  EXPECT_EQ(Holding(nft_wire::Meta(NFT_META_IIF) + nft_wire::Is(nft_wire::Native(std::uint32_t{1}))), "no");
}

// iptables -A INPUT ! -i dcb0 -p udp --dport 4791 -j DROP
TEST(NftRule, OfEveryInterfaceButOneHoldsForTheOthers) {
  const Payload roce = nft_wire::Meta(NFT_META_L4PROTO) + nft_wire::Is(nft_wire::Raw({17})) +
                       nft_wire::DestinationPort() + nft_wire::Is(nft_wire::Port(4791));
  const Payload rule = nft_wire::Meta(NFT_META_IIFNAME) + nft_wire::Isnt(nft_wire::Name("dcb0")) + roce;
  EXPECT_EQ(Holding(rule, By("dcb0", Roce())), "no");
  EXPECT_EQ(Holding(rule, By("dcb1", Roce())), "yes");
}

// ip6 nexthdr tcp tcp dport 445 drop
TEST(NftRule, OfIpv6AloneHoldsForNoOther) {
  const Payload rule = nft_wire::Meta(NFT_META_NFPROTO) + nft_wire::Is(nft_wire::Raw({NFPROTO_IPV6})) +
                       nft_wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 6, 1) + nft_wire::Is(nft_wire::Raw({6})) +
                       nft_wire::TcpPort(445);
  EXPECT_EQ(Holding(rule, Smb()), "no");
  EXPECT_EQ(Holding(rule, Ipv6(Smb())), "yes");
}

TEST(NftRule, KnowsWhatEveryOpeningPacketHas) {
  EXPECT_EQ(Holding(nft_wire::CtState(1)), "no");      // invalid
  EXPECT_EQ(Holding(nft_wire::CtState(2 | 4)), "no");  // established, related
  EXPECT_EQ(Holding(nft_wire::CtState(8)), "yes");     // new
  const Payload nat = nft_wire::Ct(NFT_CT_STATUS) + nft_wire::Mask(nft_wire::Native(std::uint32_t{0x20}));
  EXPECT_EQ(Holding(nat + nft_wire::Isnt(nft_wire::Native(std::uint32_t{0}))), "no");
  const Payload type = nft_wire::Fib(NFT_FIB_RESULT_ADDRTYPE, NFTA_FIB_F_DADDR);
  EXPECT_EQ(Holding(type + nft_wire::Is(nft_wire::Native(std::uint32_t{2}))), "yes");  // local
  EXPECT_EQ(Holding(type + nft_wire::Is(nft_wire::Native(std::uint32_t{3}))), "no");   // broadcast
  EXPECT_EQ(Holding(nft_wire::Fib(NFT_FIB_RESULT_OIF, NFTA_FIB_F_SADDR | NFTA_FIB_F_IIF | NFTA_FIB_F_PRESENT) +
                    nft_wire::Is(nft_wire::Raw({0}))),
            "no");  // no way back
  const Payload flags = nft_wire::Tcp() + nft_wire::Header(NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1);
  EXPECT_EQ(Holding(flags + nft_wire::Mask(nft_wire::Raw({0x17})) + nft_wire::Isnt(nft_wire::Raw({0x02}))),
            "no");                                                           // not SYN
  EXPECT_EQ(Holding(flags + nft_wire::Is(nft_wire::Raw({0x02}))), "maybe");  // without the flags of ECN
}

TEST(NftRule, LeavesOpenWhatItDoesNotUnderstand) {
  const Payload source =
      nft_wire::Header(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) + nft_wire::Is(nft_wire::Raw({10, 0, 0, 2}));
  EXPECT_EQ(Holding(source + nft_wire::TcpPort(445)), "maybe");
  EXPECT_EQ(Holding(source + nft_wire::TcpPort(22)), "no");  // whatever the source is
  EXPECT_EQ(Holding(nft_wire::Expression("limit")), "maybe");
  EXPECT_EQ(Holding(nft_wire::Expression("something new")), "maybe");
  EXPECT_EQ(Holding(nft_wire::Expression("cmp")), "maybe");  // without its parameters
  EXPECT_EQ(Fate(Input({nft_wire::Expression("immediate", nft_wire::Number(NFTA_IMMEDIATE_DREG, 0))})),
            "open by rule 7 of inet filter input");  // without its verdict
  EXPECT_EQ(Holding(nft_wire::Tcp() + nft_wire::DestinationPort() + nft_wire::Lookup("gone")), "maybe");
  for (const char* elsewhere : {"queue", "nat", "redir", "tproxy", "fwd"}) {
    EXPECT_EQ(Fate(Input({nft_wire::TcpPort(445) + nft_wire::Expression(elsewhere)})),
              "open by rule 7 of inet filter input");
  }
}

TEST(NftRule, PassesOverWhatOnlyCountsLogsOrMarks) {
  EXPECT_EQ(Fate(Input({nft_wire::TcpPort(445) + nft_wire::Expression("log") + nft_wire::Expression("counter"),
                        kAccept},
                       NF_DROP)),
            "pass");
  EXPECT_EQ(Holding(nft_wire::TcpPort(445) + nft_wire::Expression("counter") + nft_wire::Expression("last")),
            "yes");
  const Payload mark =
      nft_wire::Expression("immediate", nft_wire::Number(NFTA_IMMEDIATE_DREG, NFT_REG_1) +
                                            nft_wire::Data(NFTA_IMMEDIATE_DATA, nft_wire::Port(1))) +
      nft_wire::Expression("meta", nft_wire::Number(NFTA_META_SREG, NFT_REG_1));
  EXPECT_EQ(Holding(nft_wire::TcpPort(445) + mark), "yes");
}

TEST(NftRule, LooksUpPortsInSets) {
  const Sets sets = {{"ranges",
                      {{nft_wire::Port(501), NFT_SET_ELEM_INTERVAL_END},
                       {nft_wire::Port(400)},
                       {nft_wire::Port(600), NFT_SET_ELEM_INTERVAL_END},
                       {nft_wire::Port(501)},
                       {nft_wire::Port(0), NFT_SET_ELEM_INTERVAL_END},
                       {nft_wire::Port(60000)}}},
                     {"some", {{nft_wire::Port(445)}, {nft_wire::Port(22)}}}};
  const auto with = [&sets](const Payload& lookup, std::uint16_t port) {
    return Holding(nft_wire::Tcp() + nft_wire::DestinationPort() + lookup, Tcp(port), sets);
  };
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{400, 500, 501, 599, 60000, 65535})
    EXPECT_EQ(with(nft_wire::Lookup("ranges"), port), "yes") << port;
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{0, 399, 600, 59999})
    EXPECT_EQ(with(nft_wire::Lookup("ranges"), port), "no") << port;
  EXPECT_EQ(with(nft_wire::Lookup("some"), 445), "yes");
  EXPECT_EQ(with(nft_wire::Lookup("some"), 446), "no");
  EXPECT_EQ(with(nft_wire::Lookup("some", true), 446), "yes");
  EXPECT_EQ(with(nft_wire::Lookup("some", true), 445), "no");
}

TEST(NftRule, LooksUpVerdicts) {
  const Sets sets = {{"ports",
                      {{nft_wire::Port(22), 0, nft_wire::VerdictData(NF_ACCEPT)},
                       {nft_wire::Port(445), 0, nft_wire::VerdictData(NFT_JUMP, "smb")},
                       {{}, NFT_SET_ELEM_CATCHALL, nft_wire::VerdictData(NF_DROP)}}},
                     {"states",
                      {{nft_wire::Native(std::uint32_t{2}), 0, nft_wire::VerdictData(NF_ACCEPT)},
                       {nft_wire::Native(std::uint32_t{1}), 0, nft_wire::VerdictData(NF_DROP)}}}};
  const Payload map = nft_wire::Tcp() + nft_wire::DestinationPort() + nft_wire::Lookup("ports", false, true);
  Wire from = Input({map}, NF_ACCEPT, sets);
  Called(from, "smb", {kDrop});
  EXPECT_EQ(Fate(from, Tcp(22)), "pass");
  EXPECT_EQ(Fate(from, Tcp(445)), "drop by rule 20 of inet filter smb");
  EXPECT_EQ(Fate(from, Tcp(80)), "drop by rule 7 of inet filter input");
  EXPECT_EQ(Fate(Input({nft_wire::Ct(NFT_CT_STATE) + nft_wire::Lookup("states", false, true)}, NF_DROP, sets)),
            "drop by the policy of inet filter input");
  EXPECT_EQ(
      Fate(Input({nft_wire::Tcp() + nft_wire::DestinationPort() + nft_wire::Lookup("gone", false, true)})),
      "open by rule 7 of inet filter input");
}

TEST(NftRule, ReadsTheMatchesOfXtables) {
  xt_tcp tcp{};
  tcp.spts[1] = 65535;
  tcp.dpts[0] = tcp.dpts[1] = 445;
  EXPECT_EQ(Holding(nft_wire::XtMatch("tcp", 0, nft_wire::Native(tcp))), "yes");
  EXPECT_EQ(Holding(nft_wire::XtMatch("tcp", 0, nft_wire::Native(tcp)), Tcp(22)), "no");
  EXPECT_EQ(Holding(nft_wire::XtMatch("udp", 0, nft_wire::Native(tcp))), "no");
  tcp.spts[0] = 1024;
  EXPECT_EQ(Holding(nft_wire::XtMatch("tcp", 0, nft_wire::Native(tcp))), "maybe");
  EXPECT_EQ(Holding(nft_wire::XtMatch("tcp", 0, nft_wire::Raw({1, 2}))), "maybe");

  xt_conntrack_mtinfo3 conntrack{};
  conntrack.match_flags = XT_CONNTRACK_STATE | XT_CONNTRACK_STATE_ALIAS;
  conntrack.state_mask = XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED) | XT_CONNTRACK_STATE_BIT(IP_CT_RELATED);
  EXPECT_EQ(Holding(nft_wire::XtMatch("conntrack", 3, nft_wire::Native(conntrack))), "no");
  conntrack.state_mask = XT_CONNTRACK_STATE_INVALID;
  EXPECT_EQ(Holding(nft_wire::XtMatch("conntrack", 3, nft_wire::Native(conntrack))), "no");
  conntrack.invert_flags = XT_CONNTRACK_STATE;
  EXPECT_EQ(Holding(nft_wire::XtMatch("conntrack", 3, nft_wire::Native(conntrack))), "yes");

  xt_multiport_v1 ports{};
  ports.flags = XT_MULTIPORT_DESTINATION;
  ports.count = 3;
  ports.ports[0] = 22;
  ports.ports[1] = 400;
  ports.ports[2] = 500;
  ports.pflags[1] = 1;
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{22, 400, 445, 500})
    EXPECT_EQ(Holding(nft_wire::XtMatch("multiport", 1, nft_wire::Native(ports)), Tcp(port)), "yes") << port;
  EXPECT_EQ(Holding(nft_wire::XtMatch("multiport", 1, nft_wire::Native(ports)), Tcp(23)), "no");

  xt_addrtype_info_v1 type{};
  type.dest = XT_ADDRTYPE_LOCAL;
  EXPECT_EQ(Holding(nft_wire::XtMatch("addrtype", 1, nft_wire::Native(type))), "yes");
  type.dest = XT_ADDRTYPE_BROADCAST;
  EXPECT_EQ(Holding(nft_wire::XtMatch("addrtype", 1, nft_wire::Native(type))), "no");
  EXPECT_EQ(Holding(nft_wire::XtMatch("recent", 1, {})), "maybe");
  EXPECT_EQ(Holding(nft_wire::XtMatch("comment", 0, {})), "yes");
}

TEST(NftRule, ReadsTheTargetsOfXtables) {
  EXPECT_EQ(Fate(Input({nft_wire::XtTarget("REJECT")})), "drop by rule 7 of inet filter input");
  EXPECT_EQ(Fate(Input({nft_wire::XtTarget("DNAT")})), "open by rule 7 of inet filter input");
  EXPECT_EQ(Fate(Input({nft_wire::XtTarget("LOG")})), "pass");
}

TEST(NftRule, FailsOnBytesThatAreNoRule) { EXPECT_FALSE(DecodeNftRule(nft_wire::Raw({1, 2, 3})).ok()); }

// ---- the way through chains ----

Payload Jump(const char* target) { return nft_wire::Verdict(NFT_JUMP, target); }
Payload Goto(const char* target) { return nft_wire::Verdict(NFT_GOTO, target); }
const Payload kUnclear = nft_wire::Expression("limit");

TEST(FirewallPath, TheFirstRuleThatHoldsDecidesAndThePolicyIsLast) {
  EXPECT_EQ(Fate(Input({nft_wire::TcpPort(445) + kAccept, kDrop})), "pass");
  EXPECT_EQ(Fate(Input({nft_wire::TcpPort(445) + kDrop, kAccept})), "drop by rule 7 of inet filter input");
  EXPECT_EQ(Fate(Input({nft_wire::TcpPort(22) + kAccept}, NF_DROP)), "drop by the policy of inet filter input");
  EXPECT_EQ(Fate(Input({nft_wire::TcpPort(445) + kAccept}, NF_DROP)), "pass");
}

TEST(FirewallPath, GoesThroughTheChainsThatAreCalled) {
  Wire jump = Input({Jump("smb"), kDrop});
  EXPECT_EQ(Fate(Called(jump, "smb", {nft_wire::TcpPort(445) + kAccept})), "pass");
  // By return and at the end the caller goes on; of goto its caller, here the policy.
  Wire back = Input({Jump("smb"), kDrop});
  EXPECT_EQ(Fate(Called(back, "smb", {nft_wire::Verdict(NFT_RETURN), kAccept})),
            "drop by rule 8 of inet filter input");
  Wire gone = Input({Goto("smb"), kDrop});
  EXPECT_EQ(Fate(Called(gone, "smb", {})), "pass");
  Wire policy = Input({Goto("smb")}, NF_DROP);
  EXPECT_EQ(Fate(Called(policy, "smb", {})), "drop by the policy of inet filter input");
}

TEST(FirewallPath, EveryChainAtAHookHasItsSay) {
  Wire two = Input({kAccept});
  two.chains.push_back(nft_wire::Chain(NFPROTO_INET, "filter", "late", nft_wire::Hook{.priority = 10}));
  two.rules.push_back(nft_wire::Rule(NFPROTO_INET, "filter", "late", 9, kDrop));
  EXPECT_EQ(Fate(two), "drop by rule 9 of inet filter late");
}

TEST(FirewallPath, LooksAtTheFamilyOfTheAddress) {
  const Wire six{
      .chains = {nft_wire::Chain(NFPROTO_IPV6, "filter", "input", nft_wire::Hook{.policy = NF_DROP})}};
  EXPECT_EQ(Fate(six), "pass");
  EXPECT_EQ(Fate(six, Ipv6(Smb())), "drop by the policy of ip6 filter input");
}

TEST(FirewallPath, AChainOfANetdevSeesWhatComesByIt) {
  const auto chain = [](std::vector<std::string> netdevs) {
    return Wire{
        .chains = {nft_wire::Chain(NFPROTO_NETDEV, "t", "wire",
                                   nft_wire::Hook{.number = NF_NETDEV_INGRESS, .netdevs = std::move(netdevs)})},
        .rules = {nft_wire::Rule(NFPROTO_NETDEV, "t", "wire", 3, nft_wire::CameBy("dcb0") + kDrop)}};
  };
  NftPacket by_vlan = Smb();
  by_vlan.netdev = "dcb0.100";  // over dcb0
  EXPECT_EQ(Fate(chain({"dcb1"})), "pass");
  EXPECT_EQ(Fate(chain({"dcb0"})), "drop by rule 3 of netdev t wire");
  EXPECT_EQ(Fate(chain({"dcb1", "dcb0"}), by_vlan), "drop by rule 3 of netdev t wire");
}

TEST(FirewallPath, StaysOpenWhereARuleIsNotUnderstood) {
  EXPECT_EQ(Fate(Input({kUnclear + kAccept}, NF_DROP)), "open by rule 7 of inet filter input");
  EXPECT_EQ(Fate(Input({kUnclear + kDrop})), "open by rule 7 of inet filter input");
  // It makes no difference where both ways end alike.
  EXPECT_EQ(Fate(Input({kUnclear + kAccept})), "pass");
  EXPECT_EQ(Fate(Input({kUnclear + kDrop, kDrop})), "drop by rule 8 of inet filter input");
}

TEST(FirewallPath, NamesARuleOnlyWhereItDropsAllThatComesToIt) {
  const std::string policy = "drop by the policy of inet filter input";
  EXPECT_EQ(Fate(Input({kUnclear + kDrop}, NF_DROP)), policy);
  // A chain that is called for some, and one that lets some back.
  Wire some = Input({kUnclear + Jump("smb")}, NF_DROP);
  EXPECT_EQ(Fate(Called(some, "smb", {kDrop})), policy);
  Wire back = Input({Jump("smb")}, NF_DROP);
  EXPECT_EQ(Fate(Called(back, "smb", {kUnclear + nft_wire::Verdict(NFT_RETURN), kDrop})), policy);
  Wire all = Input({kUnclear + kDrop, Jump("smb")}, NF_DROP);
  EXPECT_EQ(Fate(Called(all, "smb", {kUnclear + kDrop, kDrop})), "drop by rule 21 of inet filter smb");
}

// As many rules as look at `elements` elements of a set, at a port that is none of them.
Wire Lookups(std::size_t elements) {
  constexpr std::size_t kInSet = 4000;
  Sets sets{{"many", std::vector<nft_wire::Element>(kInSet, {nft_wire::Port(1)})}};
  const Payload rule = nft_wire::Tcp() + nft_wire::DestinationPort() + nft_wire::Lookup("many") + kDrop;
  return Input(std::vector<Payload>(elements / kInSet, rule), NF_ACCEPT, std::move(sets));
}

TEST(FirewallPath, IsFollowedOnlySoFar) {
  EXPECT_EQ(Fate(Lookups(2'500'000)), "pass");
  EXPECT_EQ(Fate(Lookups(4'500'000)), "cut at inet filter input");
}

TEST(FirewallPath, OfEachPacketIsFollowedAsFar) {
  const Wire from = Lookups(2'500'000);
  const auto elements = [&from](std::uint8_t, const std::string&, const std::string&) {
    return absl::StatusOr<std::vector<NetlinkMessage>>(
        {nft_wire::Elements(NFPROTO_INET, from.sets.at("many"))});
  };
  const absl::StatusOr<Firewall> firewall = TryPackets({.chains = from.chains, .rules = from.rules},
                                                       {{.packet = Tcp(22)}, {.packet = Smb()}}, elements);
  ASSERT_TRUE(firewall.ok()) << firewall.status();
  ASSERT_EQ(firewall->packets.size(), 2U);
  for (const FilteredPacket& packet : firewall->packets) EXPECT_EQ(packet.fate, PacketFate::kPasses);
}

// Each of 15 chains calls the next one ten times.
TEST(FirewallPath, GoesThroughAChainOnce) {
  Wire from = Input({Jump("1")});
  for (int i = 1; i < 16; ++i) {
    const std::string next = std::to_string(i + 1);
    Called(from, std::to_string(i), std::vector<Payload>(10, Jump(next.c_str())));
  }
  EXPECT_EQ(Fate(Called(from, "16", {nft_wire::TcpPort(22) + kAccept})), "pass");
}

TEST(FirewallPath, EndsWhereRulesCallOneAnother) {
  Wire circle = Input({Jump("a")});
  EXPECT_EQ(Fate(Called(circle, "a", {Jump("a"), Jump("a")})), "open by rule 20 of inet filter a");
  EXPECT_EQ(Fate(Input({Jump("gone")})), "open by rule 7 of inet filter input");
}

}  // namespace
}  // namespace rdmaready
