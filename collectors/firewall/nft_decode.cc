// SPDX-License-Identifier: Apache-2.0
// libnftnl does not decode here: it ends the process at an attribute of another size than it expects, and reads
// through a null pointer at an expression without a name. Recordings come from anywhere.
#include <endian.h>
#include <linux/netfilter/nf_tables_compat.h>

#include "api/base/status.h"
#include "collectors/firewall/nft_rule.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRuleWords = "rule of the packet filter";

// Numbers are in network byte order; all ones where there is none.
std::uint32_t NumberIn(const Attributes& data, int type) { return be32toh(data.U32(type).value_or(~0U)); }

NftBytes In(const Attributes& data, int type) { return data.Find(type).value_or(NftBytes{}); }

NftBytes InNest(const Attributes& data, int type, int inner) {
  const absl::StatusOr<Attributes> nest = Attributes::Parse(In(data, type), kRuleWords);
  return nest.ok() ? In(*nest, inner) : NftBytes{};
}

// Registers are counted twice: 1 to 4 have 16 bytes each, and those from NFT_REG32_00 are the same in fours.
std::size_t RegisterIn(const Attributes& data, int type) {
  const std::uint32_t number = NumberIn(data, type);
  if (number <= NFT_REG_4) return number * std::size_t{16};
  return number <= NFT_REG32_15 ? (number - NFT_REG32_00 + 4) * std::size_t{4} : kNftRegisterBytes;
}

NftVerdict VerdictIn(const Attributes& data, int type) {
  const auto verdict = Attributes::Parse(InNest(data, type, NFTA_DATA_VERDICT), kRuleWords);
  if (!verdict.ok() || !verdict->Find(NFTA_VERDICT_CODE)) return {.code = kNftNotUnderstood};
  return {.code = static_cast<std::int32_t>(NumberIn(*verdict, NFTA_VERDICT_CODE)),
          .chain = verdict->Text(NFTA_VERDICT_CHAIN).value_or("")};
}

// ---- expressions, by their names; nothing of those that change nothing here ----

using Decoded = std::optional<NftExpression>;

Decoded LoadOf(NftLoad::From from, const Attributes& data, int to, int key, int source) {
  if (data.Find(source)) return std::nullopt;  // it is set, not read
  return NftLoad{.from = from, .key = NumberIn(data, key), .to = RegisterIn(data, to)};
}

Decoded RouteOf(const Attributes& data) {
  return NftLoad{.from = NftLoad::From::kRoute,
                 .key = NumberIn(data, NFTA_FIB_RESULT),
                 .flags = NumberIn(data, NFTA_FIB_FLAGS),
                 .to = RegisterIn(data, NFTA_FIB_DREG)};
}

Decoded PayloadOf(const Attributes& data) {
  if (data.Find(NFTA_PAYLOAD_SREG)) return NftVerdict{.code = kNftNotUnderstood};  // it changes the packet
  NftLoad load{.offset = NumberIn(data, NFTA_PAYLOAD_OFFSET),
               .bytes = NumberIn(data, NFTA_PAYLOAD_LEN),
               .to = RegisterIn(data, NFTA_PAYLOAD_DREG)};
  const std::uint32_t base = NumberIn(data, NFTA_PAYLOAD_BASE);
  if (base == NFT_PAYLOAD_NETWORK_HEADER) load.from = NftLoad::From::kNetworkHeader;
  if (base == NFT_PAYLOAD_TRANSPORT_HEADER) load.from = NftLoad::From::kTransportHeader;
  return load;
}

Decoded MaskOf(const Attributes& data) {
  const std::size_t to = RegisterIn(data, NFTA_BITWISE_DREG);
  if (data.Find(NFTA_BITWISE_OP) && NumberIn(data, NFTA_BITWISE_OP) != NFT_BITWISE_BOOL)
    return NftLoad{.bytes = NumberIn(data, NFTA_BITWISE_LEN), .to = to};
  return NftMask{.from = RegisterIn(data, NFTA_BITWISE_SREG),
                 .to = to,
                 .mask = InNest(data, NFTA_BITWISE_MASK, NFTA_DATA_VALUE),
                 .flip = InNest(data, NFTA_BITWISE_XOR, NFTA_DATA_VALUE)};
}

Decoded CompareOf(const Attributes& data) {
  return NftCompare{.at = RegisterIn(data, NFTA_CMP_SREG),
                    .operation = NumberIn(data, NFTA_CMP_OP),
                    .with = InNest(data, NFTA_CMP_DATA, NFTA_DATA_VALUE)};
}

Decoded RangeOf(const Attributes& data) {
  return NftRange{.at = RegisterIn(data, NFTA_RANGE_SREG),
                  .inverted = NumberIn(data, NFTA_RANGE_OP) == NFT_RANGE_NEQ,
                  .first = InNest(data, NFTA_RANGE_FROM_DATA, NFTA_DATA_VALUE),
                  .last = InNest(data, NFTA_RANGE_TO_DATA, NFTA_DATA_VALUE)};
}

Decoded LookupOf(const Attributes& data) {
  NftLookup lookup{
      .at = RegisterIn(data, NFTA_LOOKUP_SREG),
      .inverted = data.Find(NFTA_LOOKUP_FLAGS) && (NumberIn(data, NFTA_LOOKUP_FLAGS) & NFT_LOOKUP_F_INV) != 0,
      .set = data.Text(NFTA_LOOKUP_SET).value_or("")};
  if (!data.Find(NFTA_LOOKUP_DREG)) return lookup;
  lookup.verdicts = NumberIn(data, NFTA_LOOKUP_DREG) == NFT_REG_VERDICT;
  if (!lookup.verdicts) lookup.to = RegisterIn(data, NFTA_LOOKUP_DREG);
  return lookup;
}

Decoded ImmediateOf(const Attributes& data) {
  if (NumberIn(data, NFTA_IMMEDIATE_DREG) == NFT_REG_VERDICT) return VerdictIn(data, NFTA_IMMEDIATE_DATA);
  return NftLoad{.to = RegisterIn(data, NFTA_IMMEDIATE_DREG)};
}

// Matches and targets of xtables, by which iptables-nft writes rules.
Decoded MatchOf(const Attributes& data) {
  using Module = NftMatch::Module;
  const std::string name = data.Text(NFTA_MATCH_NAME).value_or("");
  const std::uint32_t revision = NumberIn(data, NFTA_MATCH_REV);
  NftMatch match{.info = In(data, NFTA_MATCH_INFO)};
  if (name == "comment") match.module = Module::kComment;
  if (name == "tcp") match.module = Module::kTcp;
  if (name == "udp") match.module = Module::kUdp;
  if (name == "multiport" && revision == 1) match.module = Module::kMultiport;
  if (name == "conntrack" && revision == 3) match.module = Module::kConntrack;
  if (name == "addrtype" && revision == 1) match.module = Module::kAddrtype;
  return match;
}

Decoded TargetOf(const Attributes& data) {
  constexpr std::string_view kPassOn =
      " LOG NFLOG MARK CONNMARK TCPMSS DSCP TOS CLASSIFY TRACE CT SET CHECKSUM ";
  const std::string name = data.Text(NFTA_TARGET_NAME).value_or("");
  if (name == "REJECT") return NftVerdict{.code = NF_DROP};
  if (kPassOn.find(' ' + name + ' ') == kPassOn.npos) return NftVerdict{.code = kNftNotUnderstood};
  return std::nullopt;
}

Decoded ExpressionOf(std::string_view name, const Attributes& data) {
  using From = NftLoad::From;
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  if (is_one_of("counter", "log", "last", "notrack", "dup", "flow_offload")) return std::nullopt;
  if (is_one_of("nat", "redir", "masq", "tproxy", "queue", "fwd", "synproxy"))
    return NftVerdict{.code = kNftNotUnderstood};
  if (name == "reject") return NftVerdict{.code = NF_DROP};
  if (name == "target") return TargetOf(data);
  if (name == "match") return MatchOf(data);
  if (name == "meta") return LoadOf(From::kMeta, data, NFTA_META_DREG, NFTA_META_KEY, NFTA_META_SREG);
  if (name == "ct") return LoadOf(From::kConntrack, data, NFTA_CT_DREG, NFTA_CT_KEY, NFTA_CT_SREG);
  if (name == "fib") return RouteOf(data);
  if (name == "payload") return PayloadOf(data);
  if (name == "bitwise") return MaskOf(data);
  if (name == "cmp") return CompareOf(data);
  if (name == "range") return RangeOf(data);
  if (name == "lookup") return LookupOf(data);
  if (name == "immediate") return ImmediateOf(data);
  const bool counts = name == "objref" && NumberIn(data, NFTA_OBJREF_IMM_TYPE) == NFT_OBJECT_COUNTER;
  return counts ? std::nullopt : Decoded(NftUnknown{});
}

}  // namespace

absl::StatusOr<NftRule> DecodeNftRule(NftBytes bytes) {
  RR_ASSIGN_OR_RETURN(const Attributes list, Attributes::Parse(bytes, kRuleWords));
  NftRule rule;
  for (const Attributes::Attribute& one : list.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes expression, Attributes::Parse(one.value, kRuleWords));
    RR_ASSIGN_OR_RETURN(const Attributes data, Attributes::Parse(In(expression, NFTA_EXPR_DATA), kRuleWords));
    Decoded decoded = ExpressionOf(expression.Text(NFTA_EXPR_NAME).value_or(""), data);
    if (decoded) rule.push_back(*std::move(decoded));
  }
  return rule;
}

absl::StatusOr<NftSet> DecodeNftSet(NftBytes bytes) {
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(bytes, kRuleWords));
  NftSet set;
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes element, Attributes::Parse(row.value, kRuleWords));
    const std::uint32_t flags = be32toh(element.U32(NFTA_SET_ELEM_FLAGS).value_or(0));
    set.push_back({.key = InNest(element, NFTA_SET_ELEM_KEY, NFTA_DATA_VALUE),
                   .last = InNest(element, NFTA_SET_ELEM_KEY_END, NFTA_DATA_VALUE),
                   .ends_range = (flags & NFT_SET_ELEM_INTERVAL_END) != 0,
                   .is_any_other = (flags & NFT_SET_ELEM_CATCHALL) != 0,
                   .verdict = VerdictIn(element, NFTA_SET_ELEM_DATA)});
  }
  return set;
}

}  // namespace rdmaready
