// SPDX-License-Identifier: Apache-2.0
// libnftnl does not decode here: it ends the process at an attribute of another size than it expects, and reads
// through a null pointer at an expression without a name. Recordings come from anywhere.
#include "collectors/firewall/nft_rule.h"

#include <endian.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "api/base/status.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;

constexpr std::string_view kRuleWords = "rule of the packet filter";
constexpr std::int32_t kNotUnderstood = NFT_BREAK;  // no rule ends with this verdict
constexpr std::uint32_t kCtStateNew = 8;
constexpr std::uint8_t kTcpSyn = 0x02;
constexpr std::uint8_t kTcpEcn = 0xc0;

Holds YesIf(bool holds) { return holds ? Holds::kYes : Holds::kNo; }
Holds NotIf(bool inverted, Holds holds) {
  return inverted && holds != Holds::kMaybe ? YesIf(holds == Holds::kNo) : holds;
}

// Numbers are in network byte order; all ones where there is none.
std::uint32_t NumberIn(const Attributes& data, int type) { return be32toh(data.U32(type).value_or(~0U)); }

Octets In(const Attributes& data, int type) { return data.Find(type).value_or(Octets{}); }

Octets InNest(const Attributes& data, int type, int inner) {
  const absl::StatusOr<Attributes> nest = Attributes::Parse(In(data, type), kRuleWords);
  return nest.ok() ? In(*nest, inner) : Octets{};
}

void SetVerdict(const Attributes& data, int type, NftEffect& effect) {
  const auto verdict = Attributes::Parse(InNest(data, type, NFTA_DATA_VERDICT), kRuleWords);
  effect.verdict = kNotUnderstood;
  if (!verdict.ok()) return;
  effect.verdict = static_cast<std::int32_t>(NumberIn(*verdict, NFTA_VERDICT_CODE));
  effect.target = verdict->Text(NFTA_VERDICT_CHAIN).value_or("");
}

// Bytes, and which of their bits are known.
struct Bits {
  static constexpr std::size_t kBytes = 80;  // of all registers
  std::array<std::byte, kBytes> value{};
  std::array<std::byte, kBytes> known{};

  template <class Number>
  void Put(std::size_t at, Number number, Number unknown_bits = 0) {
    const auto mask = static_cast<Number>(~unknown_bits);
    std::memcpy(&value[at], &number, sizeof number);
    std::memcpy(&known[at], &mask, sizeof number);
  }
  void Put(std::size_t at, Octets bytes) {
    std::ranges::copy(bytes, &value[at]);
    std::fill_n(&known[at], bytes.size(), std::byte{0xff});
  }
  Holds Compare(std::size_t at, std::uint32_t operation, Octets with) const;
};

// By NFT_CMP_*.
Holds Bits::Compare(std::size_t at, std::uint32_t operation, Octets with) const {
  if (with.empty() || with.size() > kBytes - at) return Holds::kMaybe;
  bool differs = false;
  bool all_known = true;
  for (std::size_t i = 0; i < with.size(); ++i) {
    differs = differs || ((value[at + i] ^ with[i]) & known[at + i]) != std::byte{0};
    all_known = all_known && known[at + i] == std::byte{0xff};
  }
  if (operation == NFT_CMP_EQ || operation == NFT_CMP_NEQ) {
    return NotIf(operation == NFT_CMP_NEQ, differs ? Holds::kNo : all_known ? Holds::kYes : Holds::kMaybe);
  }
  const int order = std::memcmp(&value[at], with.data(), with.size());
  if (!all_known || operation > NFT_CMP_GTE) return Holds::kMaybe;
  const bool equal_too = operation == NFT_CMP_LTE || operation == NFT_CMP_GTE;
  const bool below = operation == NFT_CMP_LT || operation == NFT_CMP_LTE;
  return YesIf(order == 0 ? equal_too : (order < 0) == below);
}

// ---- what is known of a packet ----

Bits MetaOf(const NftPacket& packet, std::uint32_t key) {
  Bits bits;
  if (key == NFT_META_IIF) bits.Put(0, packet.ifindex);
  if (key == NFT_META_L4PROTO) bits.Put(0, packet.protocol);
  if (key == NFT_META_NFPROTO) bits.Put(0, static_cast<std::uint8_t>(packet.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4));
  if (key == NFT_META_IIFNAME) {
    std::array<char, 16> name{};
    packet.netdev.copy(name.data(), name.size() - 1);
    bits.Put(0, Octets(std::as_bytes(std::span(name))));
  }
  return bits;
}

Bits HeaderOf(const NftPacket& packet, std::uint32_t base) {
  Bits bits;
  if (base == NFT_PAYLOAD_NETWORK_HEADER) bits.Put(packet.ipv6 ? 6 : 9, packet.protocol);
  if (base != NFT_PAYLOAD_TRANSPORT_HEADER) return bits;
  bits.Put(2, htobe16(packet.port));
  if (packet.protocol == IPPROTO_TCP) bits.Put(13, kTcpSyn, kTcpEcn);
  return bits;
}

Bits ConntrackOf(std::uint32_t key) {
  Bits bits;
  if (key == NFT_CT_STATE) bits.Put(0, kCtStateNew);
  if (key == NFT_CT_STATUS) bits.Put(0, 0U, ~std::uint32_t{IPS_SRC_NAT | IPS_DST_NAT});
  return bits;
}

Bits RouteOf(std::uint32_t result, std::uint32_t flags) {
  Bits bits;
  const bool destination = (flags & NFTA_FIB_F_DADDR) != 0;
  if (result == NFT_FIB_RESULT_ADDRTYPE && destination) bits.Put(0, std::uint32_t{RTN_LOCAL});
  if (result == NFT_FIB_RESULT_OIF && !destination && (flags & NFTA_FIB_F_PRESENT) != 0) bits.Put(0, 1U);
  return bits;
}

// ---- matches and targets of xtables, by which iptables-nft writes rules ----

template <class Info>
std::optional<Info> InfoAs(Octets bytes) {  // the kernel rounds their sizes up
  Info info{};
  if (bytes.size() < sizeof info) return std::nullopt;
  std::memcpy(&info, bytes.data(), sizeof info);
  return info;
}

bool Within(std::uint16_t port, std::uint16_t first, std::uint16_t last) {
  return first <= port && port <= last;
}

// Of xt_tcp and xt_udp.
template <class Info>
Holds PortsHold(const Info& info, const NftPacket& packet, std::uint8_t protocol, bool more_asked) {
  static_assert(XT_TCP_INV_DSTPT == XT_UDP_INV_DSTPT);
  const bool inverted = (info.invflags & XT_TCP_INV_DSTPT) != 0;
  if (packet.protocol != protocol || Within(packet.port, info.dpts[0], info.dpts[1]) == inverted) {
    return Holds::kNo;
  }
  const bool any_source = info.spts[0] == 0 && info.spts[1] == 0xffff;
  return any_source && !more_asked && (info.invflags & ~XT_TCP_INV_DSTPT) == 0 ? Holds::kYes : Holds::kMaybe;
}

Holds MultiportHolds(const xt_multiport_v1& info, const NftPacket& packet) {
  if (info.flags != XT_MULTIPORT_DESTINATION || info.count > XT_MULTI_PORTS) return Holds::kMaybe;
  bool within = false;
  for (std::size_t i = 0; i < info.count; ++i) {
    const std::uint16_t first = info.ports[i];
    if (info.pflags[i] != 0 && i + 1 < info.count) ++i;
    within = within || Within(packet.port, first, info.ports[i]);
  }
  return YesIf(within != (info.invert != 0));
}

Holds XtMatchHolds(const Attributes& data, const NftPacket& packet) {
  const std::string name = data.Text(NFTA_MATCH_NAME).value_or("");
  const std::uint32_t revision = NumberIn(data, NFTA_MATCH_REV);
  const Octets bytes = In(data, NFTA_MATCH_INFO);
  if (name == "comment") return Holds::kYes;
  if (const auto tcp = InfoAs<xt_tcp>(bytes); tcp && name == "tcp") {
    return PortsHold(*tcp, packet, IPPROTO_TCP, tcp->option != 0 || tcp->flg_mask != 0);
  }
  if (const auto udp = InfoAs<xt_udp>(bytes); udp && name == "udp") {
    return PortsHold(*udp, packet, IPPROTO_UDP, false);
  }
  if (const auto ports = InfoAs<xt_multiport_v1>(bytes); ports && name == "multiport" && revision == 1) {
    return MultiportHolds(*ports, packet);
  }
  if (const auto ct = InfoAs<xt_conntrack_mtinfo3>(bytes); ct && name == "conntrack" && revision == 3) {
    if ((ct->match_flags & ~XT_CONNTRACK_STATE_ALIAS) != XT_CONNTRACK_STATE) return Holds::kMaybe;
    return NotIf((ct->invert_flags & XT_CONNTRACK_STATE) != 0, YesIf((ct->state_mask & kCtStateNew) != 0));
  }
  if (const auto type = InfoAs<xt_addrtype_info_v1>(bytes); type && name == "addrtype" && revision == 1) {
    constexpr std::uint32_t kMore = XT_ADDRTYPE_INVERT_SOURCE | XT_ADDRTYPE_LIMIT_IFACE_OUT;
    if ((type->flags & kMore) != 0 || type->source != 0 || type->dest == 0) return Holds::kMaybe;
    return NotIf((type->flags & XT_ADDRTYPE_INVERT_DEST) != 0, YesIf((type->dest & XT_ADDRTYPE_LOCAL) != 0));
  }
  return Holds::kMaybe;
}

std::int32_t XtVerdict(const std::string& target) {
  constexpr std::string_view kPassOn =
      " LOG NFLOG MARK CONNMARK TCPMSS DSCP TOS CLASSIFY TRACE CT SET CHECKSUM ";
  if (target == "REJECT") return NF_DROP;
  return kPassOn.find(' ' + target + ' ') == kPassOn.npos ? kNotUnderstood : NFT_CONTINUE;
}

// ---- sets ----

struct Found {
  Holds holds = Holds::kNo;
  const Attributes* element = nullptr;
};

// A set of ranges has the first key of each, and the first one after it with a flag; the last may have no end.
Found FindElement(const NftElements& elements, const Bits& bits, std::size_t at) {
  Found found;
  Found others;
  Octets below{};  // the key of ranges that is nearest to the value, and not above it
  const auto flagged = [](const Attributes& element, std::uint32_t flag) {
    return In(element, NFTA_SET_ELEM_FLAGS).size() == 4 && (NumberIn(element, NFTA_SET_ELEM_FLAGS) & flag) != 0;
  };
  const bool ranges = std::ranges::any_of(
      elements, [&](const Attributes& one) { return flagged(one, NFT_SET_ELEM_INTERVAL_END); });
  for (const Attributes& element : elements) {
    const Octets key = InNest(element, NFTA_SET_ELEM_KEY, NFTA_DATA_VALUE);
    const Octets last = InNest(element, NFTA_SET_ELEM_KEY_END, NFTA_DATA_VALUE);
    const Holds from = bits.Compare(at, NFT_CMP_GTE, key);
    const bool ends = flagged(element, NFT_SET_ELEM_INTERVAL_END);
    if (flagged(element, NFT_SET_ELEM_CATCHALL)) {
      others = {Holds::kYes, &element};
    } else if (ranges) {
      if (from == Holds::kMaybe) return {Holds::kMaybe};
      const bool nearer =
          std::ranges::lexicographical_compare(below, key) || (!ends && std::ranges::equal(below, key));
      if (from == Holds::kYes && nearer) {
        below = key;
        found = {YesIf(!ends), &element};
      }
    } else if (found.holds != Holds::kYes) {
      const Holds holds = last.empty() ? bits.Compare(at, NFT_CMP_EQ, key)
                                       : std::min(from, bits.Compare(at, NFT_CMP_LTE, last));
      if (holds != Holds::kNo) found = {holds, &element};
    }
  }
  return found.holds == Holds::kNo ? others : found;
}

// ---- expressions ----

class Run {
 public:
  Run(const NftPacket& packet, const FindNftSet& find_set) : packet_(packet), find_set_(find_set) {}

  // True while the rule goes on.
  bool Do(std::string_view name, const Attributes& data);
  const NftEffect& effect() const { return effect_; }

 private:
  void Load(std::uint32_t number, const Bits& from, std::size_t at = 0, std::size_t bytes = 16);
  void Require(Holds holds) { effect_.holds = std::min(effect_.holds, holds); }
  void Mask(const Attributes& data);
  void LookUp(const Attributes& data);
  Holds RangeHolds(const Attributes& data) const;
  void SetRegister(const Attributes& data);

  const NftPacket& packet_;
  const FindNftSet& find_set_;
  Bits registers_{};
  NftEffect effect_{};
};

// Registers are counted twice: 1 to 4 have 16 bytes each, and those from NFT_REG32_00 are the same in fours.
std::size_t PlaceOf(std::uint32_t number) {
  if (number <= NFT_REG_4) return number * std::size_t{16};
  return number <= NFT_REG32_15 ? (number - NFT_REG32_00 + 4) * std::size_t{4} : Bits::kBytes;
}

void Run::Load(std::uint32_t number, const Bits& from, std::size_t at, std::size_t bytes) {
  const std::size_t place = PlaceOf(number);
  if (place == Bits::kBytes || bytes > 16) registers_ = {};  // who knows which
  for (std::size_t i = 0; i < 16 && place + i < Bits::kBytes; ++i) {
    const bool there = i < bytes && at < Bits::kBytes - i;
    registers_.value[place + i] = there ? from.value[at + i] : std::byte{0};
    registers_.known[place + i] = there ? from.known[at + i] : std::byte{0};
  }
}

void Run::Mask(const Attributes& data) {
  const std::size_t place = PlaceOf(NumberIn(data, NFTA_BITWISE_SREG));
  const Octets mask = InNest(data, NFTA_BITWISE_MASK, NFTA_DATA_VALUE);
  const Octets flip = InNest(data, NFTA_BITWISE_XOR, NFTA_DATA_VALUE);
  const bool shift = data.Find(NFTA_BITWISE_OP) && NumberIn(data, NFTA_BITWISE_OP) != NFT_BITWISE_BOOL;
  Bits masked;
  for (std::size_t i = 0; !shift && i < std::min(mask.size(), Bits::kBytes - place); ++i) {
    masked.value[i] = (registers_.value[place + i] & mask[i]) ^ (i < flip.size() ? flip[i] : std::byte{0});
    masked.known[i] = registers_.known[place + i] | ~mask[i];
  }
  Load(NumberIn(data, NFTA_BITWISE_DREG), masked, 0, mask.size());
}

void Run::LookUp(const Attributes& data) {
  const std::size_t place = PlaceOf(NumberIn(data, NFTA_LOOKUP_SREG));
  const std::uint32_t flags = data.Find(NFTA_LOOKUP_FLAGS) ? NumberIn(data, NFTA_LOOKUP_FLAGS) : 0;
  const NftElements* elements = nullptr;
  if (place < Bits::kBytes && registers_.known[place] != std::byte{0}) {
    elements = find_set_(data.Text(NFTA_LOOKUP_SET).value_or(""));
  }
  const Found found = elements == nullptr ? Found{Holds::kMaybe} : FindElement(*elements, registers_, place);
  Require(NotIf((flags & NFT_LOOKUP_F_INV) != 0, found.holds));
  if (!data.Find(NFTA_LOOKUP_DREG)) return;
  const std::uint32_t target = NumberIn(data, NFTA_LOOKUP_DREG);
  if (target != NFT_REG_VERDICT) return Load(target, {});
  effect_.verdict = kNotUnderstood;
  if (found.holds == Holds::kYes) SetVerdict(*found.element, NFTA_SET_ELEM_DATA, effect_);
}

Holds Run::RangeHolds(const Attributes& data) const {
  const std::size_t place = PlaceOf(NumberIn(data, NFTA_RANGE_SREG));
  const Holds from =
      registers_.Compare(place, NFT_CMP_GTE, InNest(data, NFTA_RANGE_FROM_DATA, NFTA_DATA_VALUE));
  const Holds to = registers_.Compare(place, NFT_CMP_LTE, InNest(data, NFTA_RANGE_TO_DATA, NFTA_DATA_VALUE));
  return NotIf(NumberIn(data, NFTA_RANGE_OP) == NFT_RANGE_NEQ, std::min(from, to));
}

void Run::SetRegister(const Attributes& data) {
  const std::uint32_t target = NumberIn(data, NFTA_IMMEDIATE_DREG);
  if (target != NFT_REG_VERDICT) return Load(target, {});
  SetVerdict(data, NFTA_IMMEDIATE_DATA, effect_);
}

bool Run::Do(std::string_view name, const Attributes& data) {
  const auto load = [&](int type, const Bits& bits) { Load(NumberIn(data, type), bits); };
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  if (is_one_of("counter", "log", "last", "notrack", "dup", "flow_offload")) return true;
  if (is_one_of("nat", "redir", "masq", "tproxy", "queue", "fwd", "synproxy")) {
    effect_.verdict = kNotUnderstood;
  } else if (name == "reject") {
    effect_.verdict = NF_DROP;
  } else if (name == "target") {
    effect_.verdict = XtVerdict(data.Text(NFTA_TARGET_NAME).value_or(""));
  } else if (name == "match") {
    Require(XtMatchHolds(data, packet_));
  } else if (name == "meta") {
    if (!data.Find(NFTA_META_SREG)) load(NFTA_META_DREG, MetaOf(packet_, NumberIn(data, NFTA_META_KEY)));
  } else if (name == "ct") {
    if (!data.Find(NFTA_CT_SREG)) load(NFTA_CT_DREG, ConntrackOf(NumberIn(data, NFTA_CT_KEY)));
  } else if (name == "fib") {
    load(NFTA_FIB_DREG, RouteOf(NumberIn(data, NFTA_FIB_RESULT), NumberIn(data, NFTA_FIB_FLAGS)));
  } else if (name == "payload") {
    if (data.Find(NFTA_PAYLOAD_SREG)) effect_.verdict = kNotUnderstood;  // it changes the packet
    Load(NumberIn(data, NFTA_PAYLOAD_DREG), HeaderOf(packet_, NumberIn(data, NFTA_PAYLOAD_BASE)),
         NumberIn(data, NFTA_PAYLOAD_OFFSET), NumberIn(data, NFTA_PAYLOAD_LEN));
  } else if (name == "bitwise") {
    Mask(data);
  } else if (name == "cmp") {
    Require(registers_.Compare(PlaceOf(NumberIn(data, NFTA_CMP_SREG)), NumberIn(data, NFTA_CMP_OP),
                               InNest(data, NFTA_CMP_DATA, NFTA_DATA_VALUE)));
  } else if (name == "range") {
    Require(RangeHolds(data));
  } else if (name == "lookup") {
    LookUp(data);
  } else if (name == "immediate") {
    SetRegister(data);
  } else if (name != "objref" || NumberIn(data, NFTA_OBJREF_IMM_TYPE) != NFT_OBJECT_COUNTER) {
    registers_ = {};  // it may be a condition, and write any register
    Require(Holds::kMaybe);
  }
  return effect_.verdict == NFT_CONTINUE && effect_.holds != Holds::kNo;
}

}  // namespace

absl::StatusOr<NftExpressions> DecodeNftRule(Octets bytes) {
  RR_ASSIGN_OR_RETURN(const Attributes list, Attributes::Parse(bytes, kRuleWords));
  NftExpressions expressions;
  for (const Attributes::Attribute& one : list.all()) {
    RR_ASSIGN_OR_RETURN(const Attributes expression, Attributes::Parse(one.value, kRuleWords));
    RR_ASSIGN_OR_RETURN(Attributes data, Attributes::Parse(In(expression, NFTA_EXPR_DATA), kRuleWords));
    expressions.emplace_back(expression.Text(NFTA_EXPR_NAME).value_or(""), std::move(data));
  }
  return expressions;
}

NftEffect RunNftRule(const NftExpressions& rule, const NftPacket& packet, const FindNftSet& find_set) {
  Run run(packet, find_set);
  for (const auto& [name, data] : rule) {
    if (!run.Do(name, data)) break;
  }
  return run.effect();
}

}  // namespace rdmaready
