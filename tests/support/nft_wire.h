// SPDX-License-Identifier: Apache-2.0
// Answers of nf_tables netlink, as the kernel writes them for rules that `nft` made.
#pragma once

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectors/attributes.h"
#include "collectors/host_reader.h"

namespace rdmaready::nft_wire {

using Bytes = std::vector<std::byte>;

inline Bytes Raw(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

inline Bytes Port(std::uint16_t port) { return Raw({port >> 8, port & 0xff}); }

// As it stands in a register: 16 bytes.
inline Bytes Name(const std::string& name, std::size_t bytes = 16) {
  Bytes padded(bytes);
  std::memcpy(padded.data(), name.data(), std::min(name.size(), bytes));
  return padded;
}

template <class Number>
Bytes Native(Number number) {
  Bytes bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline Payload Number(int type, std::uint32_t value) { return Payload().U32(type, htobe32(value)); }
inline Payload Data(int type, const Bytes& value) {
  return Payload().Nest(type, Payload().Bytes(NFTA_DATA_VALUE, value));
}

inline Payload operator+(Payload a, const Payload& b) { return a.Join(b); }

inline Payload Expression(const std::string& name, const Payload& data = {}) {
  Payload inside;
  inside.Text(NFTA_EXPR_NAME, name).Nest(NFTA_EXPR_DATA, data);
  return Payload().Nest(NFTA_LIST_ELEM, inside);
}

// ---- loads into the first register ----

inline Payload Meta(std::uint32_t key) {
  return Expression("meta", Number(NFTA_META_KEY, key) + Number(NFTA_META_DREG, NFT_REG_1));
}
inline Payload Header(std::uint32_t base, std::uint32_t offset, std::uint32_t bytes) {
  return Expression("payload", Number(NFTA_PAYLOAD_DREG, NFT_REG_1) + Number(NFTA_PAYLOAD_BASE, base) +
                                   Number(NFTA_PAYLOAD_OFFSET, offset) + Number(NFTA_PAYLOAD_LEN, bytes));
}
inline Payload Ct(std::uint32_t key) {
  return Expression("ct", Number(NFTA_CT_KEY, key) + Number(NFTA_CT_DREG, NFT_REG_1));
}
inline Payload Fib(std::uint32_t result, std::uint32_t flags) {
  return Expression("fib", Number(NFTA_FIB_DREG, NFT_REG_1) + Number(NFTA_FIB_RESULT, result) +
                               Number(NFTA_FIB_FLAGS, flags));
}
inline Payload Mask(const Bytes& mask) {
  return Expression("bitwise", Number(NFTA_BITWISE_SREG, NFT_REG_1) + Number(NFTA_BITWISE_DREG, NFT_REG_1) +
                                   Number(NFTA_BITWISE_LEN, static_cast<std::uint32_t>(mask.size())) +
                                   Data(NFTA_BITWISE_MASK, mask) + Data(NFTA_BITWISE_XOR, Bytes(mask.size())));
}

// ---- conditions on it ----

inline Payload Compare(std::uint32_t operation, const Bytes& with) {
  return Expression(
      "cmp", Number(NFTA_CMP_SREG, NFT_REG_1) + Number(NFTA_CMP_OP, operation) + Data(NFTA_CMP_DATA, with));
}
inline Payload Is(const Bytes& with) { return Compare(NFT_CMP_EQ, with); }
inline Payload Isnt(const Bytes& with) { return Compare(NFT_CMP_NEQ, with); }
inline Payload Range(const Bytes& from, const Bytes& to, std::uint32_t operation = NFT_RANGE_EQ) {
  return Expression("range", Number(NFTA_RANGE_SREG, NFT_REG_1) + Number(NFTA_RANGE_OP, operation) +
                                 Data(NFTA_RANGE_FROM_DATA, from) + Data(NFTA_RANGE_TO_DATA, to));
}
inline Payload Lookup(const std::string& set, bool negated = false, bool verdicts = false) {
  Payload data;
  data.Text(NFTA_LOOKUP_SET, set);
  data.Join(Number(NFTA_LOOKUP_SREG, NFT_REG_1));
  if (verdicts) data.Join(Number(NFTA_LOOKUP_DREG, NFT_REG_VERDICT));
  if (negated) data.Join(Number(NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV));
  return Expression("lookup", data);
}

// ---- verdicts ----

inline Payload VerdictData(std::int32_t code, const std::string& chain = {}) {
  Payload verdict = Number(NFTA_VERDICT_CODE, static_cast<std::uint32_t>(code));
  if (!chain.empty()) verdict.Text(NFTA_VERDICT_CHAIN, chain);
  return Payload().Nest(NFTA_DATA_VERDICT, verdict);
}
inline Payload Verdict(std::int32_t code, const std::string& chain = {}) {
  Payload data = Number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
  data.Nest(NFTA_IMMEDIATE_DATA, VerdictData(code, chain));
  return Expression("immediate", data);
}

// ---- what nft writes ----

inline Payload Tcp() { return Meta(NFT_META_L4PROTO) + Is(Raw({6})); }
inline Payload DestinationPort() { return Header(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2); }
inline Payload TcpPort(std::uint16_t port) { return Tcp() + DestinationPort() + Is(Port(port)); }
inline Payload CameBy(const std::string& netdev) { return Meta(NFT_META_IIFNAME) + Is(Name(netdev)); }
inline Payload CtState(std::uint32_t states) {
  return Ct(NFT_CT_STATE) + Mask(Native(states)) + Isnt(Native(std::uint32_t{0}));
}
inline Payload XtMatch(const std::string& name, std::uint32_t revision, const Bytes& info) {
  Payload data;
  data.Text(NFTA_MATCH_NAME, name);
  data.Join(Number(NFTA_MATCH_REV, revision)).Bytes(NFTA_MATCH_INFO, info);
  return Expression("match", data);
}
inline Payload XtTarget(const std::string& name) {
  Payload data;
  data.Text(NFTA_TARGET_NAME, name);
  data.Join(Number(NFTA_TARGET_REV, 0));
  return Expression("target", data);
}

// ---- messages ----

inline nfgenmsg Family(std::uint8_t family) { return {.nfgen_family = family, .version = 0, .res_id = 0}; }
inline NetlinkMessage Message(int command, const Payload& payload) {
  return {static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | command), payload.bytes()};
}

inline NetlinkMessage Table(std::uint8_t family, const std::string& name, std::uint32_t flags = 0) {
  Payload payload = Payload::Of(Family(family));
  payload.Text(NFTA_TABLE_NAME, name).Join(Number(NFTA_TABLE_FLAGS, flags));
  return Message(NFT_MSG_NEWTABLE, payload);
}

struct Hook {
  std::uint32_t number = NF_INET_LOCAL_IN;
  std::int32_t priority = 0;
  std::uint32_t policy = NF_ACCEPT;
  std::vector<std::string> netdevs{};
};
inline NetlinkMessage Chain(std::uint8_t family, const std::string& table, const std::string& name,
                            const std::optional<Hook>& hook = std::nullopt) {
  Payload payload = Payload::Of(Family(family));
  payload.Text(NFTA_CHAIN_TABLE, table).Text(NFTA_CHAIN_NAME, name);
  if (hook) {
    Payload inside = Number(NFTA_HOOK_HOOKNUM, hook->number) +
                     Number(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(hook->priority));
    if (hook->netdevs.size() == 1) inside.Text(NFTA_HOOK_DEV, hook->netdevs.front());
    if (hook->netdevs.size() > 1) {
      Payload list;
      for (const std::string& netdev : hook->netdevs) list.Text(1, netdev);
      inside.Nest(NFTA_HOOK_DEVS, list);
    }
    payload.Nest(NFTA_CHAIN_HOOK, inside).Join(Number(NFTA_CHAIN_POLICY, hook->policy));
  }
  return Message(NFT_MSG_NEWCHAIN, payload);
}

inline NetlinkMessage Rule(std::uint8_t family, const std::string& table, const std::string& chain,
                           std::uint64_t handle, const Payload& expressions) {
  const std::uint64_t number = htobe64(handle);
  Payload payload = Payload::Of(Family(family));
  payload.Text(NFTA_RULE_TABLE, table).Text(NFTA_RULE_CHAIN, chain);
  payload.Bytes(NFTA_RULE_HANDLE, std::as_bytes(std::span(&number, 1)));
  payload.Nest(NFTA_RULE_EXPRESSIONS, expressions);
  return Message(NFT_MSG_NEWRULE, payload);
}

struct Element {
  Bytes key{};
  std::uint32_t flags = 0;
  std::optional<Payload> verdict{};
};
inline NetlinkMessage Elements(std::uint8_t family, const std::vector<Element>& elements) {
  Payload list;
  for (const Element& element : elements) {
    Payload inside;
    if (!element.key.empty()) inside.Join(Data(NFTA_SET_ELEM_KEY, element.key));
    if (element.flags != 0) inside.Join(Number(NFTA_SET_ELEM_FLAGS, element.flags));
    if (element.verdict) inside.Nest(NFTA_SET_ELEM_DATA, *element.verdict);
    list.Nest(NFTA_LIST_ELEM, inside);
  }
  Payload payload = Payload::Of(Family(family));
  payload.Text(NFTA_SET_ELEM_LIST_TABLE, "filter").Nest(NFTA_SET_ELEM_LIST_ELEMENTS, list);
  return Message(NFT_MSG_NEWSETELEM, payload);
}

}  // namespace rdmaready::nft_wire
