// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "collectors/firewall/nft_filter.h"
#include "collectors/system/boot_targets.h"
#include "tests/support/nbft_table.h"
#include "tests/support/nft_wire.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;
using nft_wire::operator+;
using nft_wire::Bytes;

constexpr const char* kSet = "s";

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

// Every set is answered with `elements`.
void Try(const NftAnswers& answers, const NetlinkMessage& elements) {
  std::vector<NftArrival> arrivals;
  for (const std::uint16_t port : {std::uint16_t{445}, std::uint16_t{4791}}) {
    for (const bool ipv6 : {false, true}) {
      arrivals.push_back({.packet = {.netdev = "dcb0", .ifindex = 3, .ipv6 = ipv6, .protocol = 6, .port = port},
                          .carriers = {{"dcb0", 3}}});
    }
  }
  const auto ask_set = [&elements](std::uint8_t, const std::string&, const std::string&) {
    return absl::StatusOr<std::vector<NetlinkMessage>>({elements});
  };
  const absl::StatusOr<Firewall> firewall = TryPackets(answers, arrivals, ask_set);
  if (!firewall.ok()) return Demand(!firewall.status().message().empty());
  Demand(firewall->chains.empty() == firewall->packets.empty());
  for (const FirewallChain& chain : firewall->chains) {
    Demand(!chain.family.empty() && chain.policy != FirewallAction::kUnknown);
    Demand(chain.rules.size() <= answers.rules.size());
  }
  for (const FilteredPacket& packet : firewall->packets) {
    Demand(packet.netdev == "dcb0" && packet.protocol == 6);
    Demand((packet.fate == PacketFate::kPasses) == packet.place.empty());
    Demand(packet.place.empty() == packet.chain.empty());
  }
}

NetlinkMessage SomeElements() {
  return nft_wire::Elements(NFPROTO_INET,
                            {{nft_wire::Port(400)}, {nft_wire::Port(500), NFT_SET_ELEM_INTERVAL_END}});
}

NetlinkMessage SomeChain() { return nft_wire::Chain(NFPROTO_INET, "t", "in", nft_wire::Hook{}); }

void OneRule(Octets bytes) {
  Payload expressions;
  expressions.Bytes(NFTA_RULE_EXPRESSIONS, bytes);
  NetlinkMessage rule = nft_wire::Rule(NFPROTO_INET, "t", "in", 7, {});
  rule.payload.insert(rule.payload.end(), expressions.bytes().begin(), expressions.bytes().end());
  Try({.chains = {SomeChain()}, .rules = {rule}}, SomeElements());
}

void Elements(Octets bytes) {
  namespace wire = nft_wire;
  const Payload port = wire::Tcp() + wire::DestinationPort();
  Try({.chains = {SomeChain()},
       .rules = {wire::Rule(NFPROTO_INET, "t", "in", 1, port + wire::Lookup(kSet) + wire::Verdict(NF_DROP)),
                 wire::Rule(NFPROTO_INET, "t", "in", 2, port + wire::Lookup(kSet, false, true))}},
      {0, {bytes.begin(), bytes.end()}});
}

// Messages of a kind and a length each, which two bytes before them say: tables, chains, rules.
void Answers(Octets bytes) {
  NftAnswers answers;
  while (bytes.size() >= 2) {
    const auto kind = std::to_integer<unsigned>(bytes[0]) % 3;
    const std::size_t length =
        std::min<std::size_t>(std::to_integer<std::size_t>(bytes[1]) * 2, bytes.size() - 2);
    const Octets payload = bytes.subspan(2, length);
    bytes = bytes.subspan(2 + length);
    std::vector<NetlinkMessage>& into = kind == 0 ? answers.tables : kind == 1 ? answers.chains : answers.rules;
    into.push_back({0, {payload.begin(), payload.end()}});
  }
  Try(answers, SomeElements());
}

void DemandSane(const BootTarget& target) {
  Demand(target.table == "NBFT" && target.target.size() <= 256);
  Demand(target.mac.empty() || target.mac.size() == 17);
  Demand(std::ranges::all_of(target.target, [](char letter) { return letter > ' ' && letter <= '~'; }));
}

void Nbft(Octets bytes) {
  const absl::StatusOr<std::vector<BootTarget>> targets = DecodeNbft(bytes);
  if (!targets.ok()) return Demand(!targets.status().message().empty());
  for (const BootTarget& target : *targets) DemandSane(target);
}

// With its length and checksum put right, so that mutations are spent on the rest.
void WholeNbft(Octets bytes) {
  std::string table(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (table.size() < 128) return;
  nbft::Put(table, 4, static_cast<std::uint32_t>(table.size()), 4);
  table = nbft::WithSum(table);
  Nbft(std::as_bytes(std::span(table)));
}

constexpr void (*kDecoders[])(Octets) = {OneRule, Elements, Answers, Nbft, WholeNbft};

std::vector<std::uint8_t> Seed(std::size_t decoder, Octets bytes) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(decoder)};
  for (const std::byte byte : bytes) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

void Append(Bytes& into, int kind, const NetlinkMessage& message) {
  const Bytes head = nft_wire::Raw({kind, static_cast<int>((message.payload.size() + 1) / 2)});
  into.insert(into.end(), head.begin(), head.end());
  into.insert(into.end(), message.payload.begin(), message.payload.end());
  if (message.payload.size() % 2 != 0) into.push_back(std::byte{0});
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  namespace wire = nft_wire;
  std::vector<std::vector<std::uint8_t>> seeds;
  const Payload drop = wire::Verdict(NF_DROP);
  for (const Payload& rule :
       {wire::TcpPort(445) + drop, wire::CameBy("dcb0") + wire::Verdict(NF_ACCEPT), wire::CtState(6) + drop,
        wire::Tcp() + wire::DestinationPort() + wire::Lookup(kSet) + drop,
        wire::Tcp() + wire::DestinationPort() + wire::Lookup(kSet, false, true),
        wire::DestinationPort() + wire::Range(wire::Port(1), wire::Port(9)) + drop,
        wire::Fib(NFT_FIB_RESULT_ADDRTYPE, NFTA_FIB_F_DADDR) + wire::Is(wire::Native(std::uint32_t{2})) + drop,
        wire::Header(NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1) + wire::Mask(wire::Raw({0x17})) +
            wire::Is(wire::Raw({2})) + drop,
        wire::XtMatch("tcp", 0, Bytes(16)) + wire::XtTarget("REJECT"),
        wire::XtMatch("multiport", 1, Bytes(48)) + drop, wire::XtMatch("conntrack", 3, Bytes(160)) + drop,
        wire::XtMatch("addrtype", 1, Bytes(8)) + drop}) {
    seeds.push_back(Seed(0, rule.bytes()));
  }
  seeds.push_back(
      Seed(1, wire::Elements(NFPROTO_INET, {{wire::Port(400), 0, wire::VerdictData(NF_ACCEPT)},
                                            {wire::Port(500), NFT_SET_ELEM_INTERVAL_END},
                                            {{}, NFT_SET_ELEM_CATCHALL, wire::VerdictData(NFT_JUMP, "a")}})
                  .payload));
  Bytes answers;
  Append(answers, 0, wire::Table(NFPROTO_INET, "t"));
  Append(answers, 1, wire::Chain(NFPROTO_INET, "t", "in", wire::Hook{.policy = NF_DROP}));
  Append(answers, 1, wire::Chain(NFPROTO_INET, "t", "a"));
  Append(answers, 2, wire::Rule(NFPROTO_INET, "t", "in", 3, wire::Verdict(NFT_JUMP, "a")));
  Append(answers, 2, wire::Rule(NFPROTO_INET, "t", "a", 4, wire::TcpPort(445) + drop));
  seeds.push_back(Seed(2, answers));
  const std::string table = nbft::Table();
  seeds.push_back(Seed(3, std::as_bytes(std::span(table))));
  seeds.push_back(Seed(4, std::as_bytes(std::span(table))));
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy that ends where its memory ends.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1,
                                     reinterpret_cast<const std::byte*>(data) + size);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](bytes);
  return 0;
}
