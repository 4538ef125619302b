// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "checks/net/firewall_path.h"
#include "collectors/firewall/firewall.h"
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

// Every set has these elements: what follows the rules of an input.
NftLookups LookupsOf(const NftElements& elements) {
  return {
      .find_set = [&elements](std::uint8_t, const std::string&,
                              const std::string&) -> absl::StatusOr<NftElements> { return elements; },
      .netdev_of = [](std::uint32_t ifindex) { return ifindex == 3 ? std::string("dcb0") : std::string(); }};
}

void DemandSane(const FirewallRule& rule) {
  Demand(rule.action != FirewallAction::kNone);
  Demand(rule.target.empty() || rule.action == FirewallAction::kJump || rule.action == FirewallAction::kGoto);
}

void Evaluate(const Firewall& firewall) {
  for (const std::uint16_t port : {std::uint16_t{445}, std::uint16_t{4791}}) {
    for (const bool ipv6 : {false, true}) {
      const ArrivingPacket packet{
          .netdev = "dcb0", .carriers = {"dcb0"}, .ipv6 = ipv6, .protocol = 6, .port = port};
      const std::vector<FirewallStop> stops = StopsOf(firewall, packet);
      Demand(stops.size() <= firewall.chains.size());
      for (const FirewallStop& stop : stops) {
        Demand(stop.base != nullptr && stop.chain != nullptr && stop.base->input_hook);
        Demand(stop.rule != nullptr || stop.chain == stop.base);
        Demand(!PlaceText(stop).empty());
      }
    }
  }
}

const NftElements& SomeElements() {
  static const NftElements elements = [] {
    NftElements some;
    const NetlinkMessage message = nft_wire::Elements(
        NFPROTO_INET, {{nft_wire::Port(400)}, {nft_wire::Port(500), NFT_SET_ELEM_INTERVAL_END}});
    Demand(DecodeNftElements(message.payload, &some).ok());
    return some;
  }();
  return elements;
}

void OneRule(Octets bytes) {
  const NftLookups lookups = LookupsOf(SomeElements());
  const NftSurroundings around{
      .family = "inet",
      .find_set = [&lookups](const std::string& set) { return lookups.find_set(NFPROTO_INET, "", set); },
      .netdev_of = lookups.netdev_of};
  const absl::StatusOr<std::vector<FirewallRule>> rules = DecodeNftRule(bytes, 7, around);
  if (!rules.ok()) return Demand(!rules.status().message().empty());
  for (const FirewallRule& rule : *rules) DemandSane(rule);
  Evaluate({.chains = {{.family = "inet", .table = "t", .name = "in", .input_hook = true, .rules = *rules}}});
}

void Elements(Octets bytes) {
  NftElements elements;
  if (!DecodeNftElements(bytes, &elements).ok()) return;
  const auto ranges = PortRangesOf(elements);
  if (!ranges) return;
  Demand(ranges->size() <= elements.size());
  for (const NftPortRange& range : *ranges) Demand(range.ports.first <= range.ports.last);
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
  absl::StatusOr<std::vector<FirewallChain>> chains = DecodeNftChains(answers, LookupsOf(SomeElements()));
  if (!chains.ok()) return Demand(!chains.status().message().empty());
  for (const FirewallChain& chain : *chains) {
    for (const FirewallRule& rule : chain.rules) DemandSane(rule);
  }
  Evaluate({.chains = *std::move(chains)});
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
