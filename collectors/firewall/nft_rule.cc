// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/nft_rule.h"

#include <endian.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace rdmaready {
namespace {

constexpr std::uint32_t kCtStateNew = 8;
constexpr std::uint8_t kTcpSyn = 0x02;
constexpr std::uint8_t kTcpEcn = 0xc0;

Holds YesIf(bool holds) { return holds ? Holds::kYes : Holds::kNo; }
Holds NotIf(bool inverted, Holds holds) {
  return inverted && holds != Holds::kMaybe ? YesIf(holds == Holds::kNo) : holds;
}

// Bytes, and which of their bits are known.
template <std::size_t kBytes>
struct Bits {
  std::array<std::byte, kBytes> value{};
  std::array<std::byte, kBytes> known{};

  template <class Number>
  void Put(std::size_t at, Number number, Number unknown_bits = 0) {
    const auto mask = static_cast<Number>(~unknown_bits);
    std::memcpy(&value[at], &number, sizeof number);
    std::memcpy(&known[at], &mask, sizeof number);
  }
};

using Source = Bits<16>;  // nothing behind these bytes is known of any
using Registers = Bits<kNftRegisterBytes>;

// By NFT_CMP_*.
Holds Compare(const Registers& registers, std::size_t at, std::uint32_t operation, NftBytes with) {
  if (with.empty() || with.size() > kNftRegisterBytes - at) return Holds::kMaybe;
  bool differs = false;
  bool all_known = true;
  for (std::size_t i = 0; i < with.size(); ++i) {
    differs = differs || ((registers.value[at + i] ^ with[i]) & registers.known[at + i]) != std::byte{0};
    all_known = all_known && registers.known[at + i] == std::byte{0xff};
  }
  if (operation == NFT_CMP_EQ || operation == NFT_CMP_NEQ) {
    return NotIf(operation == NFT_CMP_NEQ, differs ? Holds::kNo : all_known ? Holds::kYes : Holds::kMaybe);
  }
  const int order = std::memcmp(&registers.value[at], with.data(), with.size());
  if (!all_known || operation > NFT_CMP_GTE) return Holds::kMaybe;
  const bool equal_too = operation == NFT_CMP_LTE || operation == NFT_CMP_GTE;
  const bool below = operation == NFT_CMP_LT || operation == NFT_CMP_LTE;
  return YesIf(order == 0 ? equal_too : (order < 0) == below);
}

// ---- what is known of a packet ----

Source MetaOf(const NftPacket& packet, std::uint32_t key) {
  Source bits;
  if (key == NFT_META_IIF) bits.Put(0, packet.ifindex);
  if (key == NFT_META_L4PROTO) bits.Put(0, packet.protocol);
  if (key == NFT_META_NFPROTO)
    bits.Put(0, static_cast<std::uint8_t>(packet.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4));
  if (key == NFT_META_IIFNAME) {
    packet.netdev.copy(reinterpret_cast<char*>(bits.value.data()), bits.value.size() - 1);
    bits.known.fill(std::byte{0xff});
  }
  return bits;
}

Source NetworkHeaderOf(const NftPacket& packet) {
  Source bits;
  bits.Put(packet.ipv6 ? 6 : 9, packet.protocol);
  return bits;
}

Source TransportHeaderOf(const NftPacket& packet) {
  Source bits;
  bits.Put(2, htobe16(packet.port));
  if (packet.protocol == IPPROTO_TCP) bits.Put(13, kTcpSyn, kTcpEcn);
  return bits;
}

Source ConntrackOf(std::uint32_t key) {
  Source bits;
  if (key == NFT_CT_STATE) bits.Put(0, kCtStateNew);
  if (key == NFT_CT_STATUS) bits.Put(0, 0U, ~std::uint32_t{IPS_SRC_NAT | IPS_DST_NAT});
  return bits;
}

Source RouteOf(std::uint32_t result, std::uint32_t flags) {
  Source bits;
  const bool destination = (flags & NFTA_FIB_F_DADDR) != 0;
  if (result == NFT_FIB_RESULT_ADDRTYPE && destination) bits.Put(0, std::uint32_t{RTN_LOCAL});
  if (result == NFT_FIB_RESULT_OIF && !destination && (flags & NFTA_FIB_F_PRESENT) != 0) bits.Put(0, 1U);
  return bits;
}

Source SourceOf(const NftPacket& packet, const NftLoad& load) {
  switch (load.from) {
    case NftLoad::From::kUnknown:
      break;
    case NftLoad::From::kMeta:
      return MetaOf(packet, load.key);
    case NftLoad::From::kConntrack:
      return ConntrackOf(load.key);
    case NftLoad::From::kRoute:
      return RouteOf(load.key, load.flags);
    case NftLoad::From::kNetworkHeader:
      return NetworkHeaderOf(packet);
    case NftLoad::From::kTransportHeader:
      return TransportHeaderOf(packet);
  }
  return {};
}

// ---- matches of xtables ----

template <class Info>
std::optional<Info> InfoAs(NftBytes bytes) {  // the kernel rounds their sizes up
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

template <class Info, class Judge>
Holds Understood(NftBytes bytes, const Judge& judge) {
  const std::optional<Info> info = InfoAs<Info>(bytes);
  return info ? judge(*info) : Holds::kMaybe;
}

Holds ConntrackHolds(const xt_conntrack_mtinfo3& ct) {
  if ((ct.match_flags & ~XT_CONNTRACK_STATE_ALIAS) != XT_CONNTRACK_STATE) return Holds::kMaybe;
  return NotIf((ct.invert_flags & XT_CONNTRACK_STATE) != 0, YesIf((ct.state_mask & kCtStateNew) != 0));
}

Holds AddrtypeHolds(const xt_addrtype_info_v1& type) {
  constexpr std::uint32_t kMore = XT_ADDRTYPE_INVERT_SOURCE | XT_ADDRTYPE_LIMIT_IFACE_OUT;
  if ((type.flags & kMore) != 0 || type.source != 0 || type.dest == 0) return Holds::kMaybe;
  return NotIf((type.flags & XT_ADDRTYPE_INVERT_DEST) != 0, YesIf((type.dest & XT_ADDRTYPE_LOCAL) != 0));
}

Holds MatchHolds(const NftMatch& match, const NftPacket& packet) {
  switch (match.module) {
    case NftMatch::Module::kUnknown:
      break;
    case NftMatch::Module::kComment:
      return Holds::kYes;
    case NftMatch::Module::kTcp:
      return Understood<xt_tcp>(match.info, [&packet](const xt_tcp& tcp) {
        return PortsHold(tcp, packet, IPPROTO_TCP, tcp.option != 0 || tcp.flg_mask != 0);
      });
    case NftMatch::Module::kUdp:
      return Understood<xt_udp>(
          match.info, [&packet](const xt_udp& udp) { return PortsHold(udp, packet, IPPROTO_UDP, false); });
    case NftMatch::Module::kMultiport:
      return Understood<xt_multiport_v1>(
          match.info, [&packet](const xt_multiport_v1& ports) { return MultiportHolds(ports, packet); });
    case NftMatch::Module::kConntrack:
      return Understood<xt_conntrack_mtinfo3>(match.info, ConntrackHolds);
    case NftMatch::Module::kAddrtype:
      return Understood<xt_addrtype_info_v1>(match.info, AddrtypeHolds);
  }
  return Holds::kMaybe;
}

// ---- sets ----

struct Found {
  Holds holds = Holds::kNo;
  const NftElement* element = nullptr;
};

// A set of ranges has the first key of each, and the first one after it with a flag; the last may have no end.
Found FindElement(const NftSet& set, const Registers& registers, std::size_t at) {
  Found found;
  Found others;
  NftBytes below{};  // the key of ranges that is nearest to the value, and not above it
  const bool ranges = std::ranges::any_of(set, &NftElement::ends_range);
  for (const NftElement& element : set) {
    if (element.is_any_other) {
      others = {Holds::kYes, &element};
    } else if (ranges) {
      const Holds from = Compare(registers, at, NFT_CMP_GTE, element.key);
      if (from == Holds::kMaybe) return {Holds::kMaybe};
      const bool nearer = std::ranges::lexicographical_compare(below, element.key) ||
                          (!element.ends_range && std::ranges::equal(below, element.key));
      if (from == Holds::kYes && nearer) {
        below = element.key;
        found = {YesIf(!element.ends_range), &element};
      }
    } else if (found.holds != Holds::kYes) {
      const Holds holds = element.last.empty() ? Compare(registers, at, NFT_CMP_EQ, element.key)
                                               : std::min(Compare(registers, at, NFT_CMP_GTE, element.key),
                                                          Compare(registers, at, NFT_CMP_LTE, element.last));
      if (holds != Holds::kNo) found = {holds, &element};
    }
  }
  return found.holds == Holds::kNo ? others : found;
}

// ---- expressions ----

class Run {
 public:
  Run(const NftPacket& packet, const FindNftSet& find_set) : packet_(packet), find_set_(find_set) {}

  void operator()(const NftUnknown&);
  void operator()(const NftLoad& load);
  void operator()(const NftMask& mask);
  void operator()(const NftCompare& compare);
  void operator()(const NftRange& range);
  void operator()(const NftLookup& lookup);
  void operator()(const NftMatch& match) { Require(MatchHolds(match, packet_)); }
  void operator()(const NftVerdict& verdict) { effect_.verdict = verdict; }

  bool GoesOn() const { return effect_.verdict.code == NFT_CONTINUE && effect_.holds != Holds::kNo; }
  NftEffect Take() { return std::move(effect_); }

 private:
  void Put(std::size_t place, const Source& from, std::size_t offset, std::size_t bytes);
  void Require(Holds holds) { effect_.holds = std::min(effect_.holds, holds); }

  const NftPacket& packet_;
  const FindNftSet& find_set_;
  Registers registers_{};
  NftEffect effect_{};
};

void Run::Put(std::size_t place, const Source& from, std::size_t offset, std::size_t bytes) {
  constexpr std::size_t kSource = std::tuple_size_v<decltype(from.value)>;
  if (place == kNftRegisterBytes || bytes > kSource) registers_ = {};  // who knows which
  for (std::size_t i = 0; i < kSource && place + i < kNftRegisterBytes; ++i) {
    const bool there = i < bytes && offset < kSource - i;
    registers_.value[place + i] = there ? from.value[offset + i] : std::byte{0};
    registers_.known[place + i] = there ? from.known[offset + i] : std::byte{0};
  }
}

void Run::operator()(const NftUnknown&) {
  registers_ = {};
  Require(Holds::kMaybe);
}

void Run::operator()(const NftLoad& load) { Put(load.to, SourceOf(packet_, load), load.offset, load.bytes); }

void Run::operator()(const NftMask& mask) {
  Source masked;
  const std::size_t bytes = std::min({mask.mask.size(), masked.value.size(), kNftRegisterBytes - mask.from});
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::byte flip = i < mask.flip.size() ? mask.flip[i] : std::byte{0};
    masked.value[i] = (registers_.value[mask.from + i] & mask.mask[i]) ^ flip;
    masked.known[i] = registers_.known[mask.from + i] | ~mask.mask[i];
  }
  Put(mask.to, masked, 0, mask.mask.size());
}

void Run::operator()(const NftCompare& compare) {
  Require(Compare(registers_, compare.at, compare.operation, compare.with));
}

void Run::operator()(const NftRange& range) {
  const Holds from = Compare(registers_, range.at, NFT_CMP_GTE, range.first);
  const Holds to = Compare(registers_, range.at, NFT_CMP_LTE, range.last);
  Require(NotIf(range.inverted, std::min(from, to)));
}

void Run::operator()(const NftLookup& lookup) {
  const bool known = lookup.at < kNftRegisterBytes && registers_.known[lookup.at] != std::byte{0};
  const NftSet* set = known ? find_set_(lookup.set) : nullptr;
  const Found found = set == nullptr ? Found{Holds::kMaybe} : FindElement(*set, registers_, lookup.at);
  Require(NotIf(lookup.inverted, found.holds));
  if (lookup.to) Put(*lookup.to, {}, 0, 16);
  if (!lookup.verdicts) return;
  effect_.verdict.code = kNftNotUnderstood;
  if (found.holds == Holds::kYes) effect_.verdict = found.element->verdict;
}

}  // namespace

NftEffect RunNftRule(const NftRule& rule, const NftPacket& packet, const FindNftSet& find_set) {
  Run run(packet, find_set);
  for (const NftExpression& expression : rule) {
    std::visit(run, expression);
    if (!run.GoesOn()) break;
  }
  return run.Take();
}

}  // namespace rdmaready
