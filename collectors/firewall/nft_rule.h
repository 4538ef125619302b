// SPDX-License-Identifier: Apache-2.0
// One rule of nftables, run for one packet as the kernel runs it: its expressions load what is known of the
// packet into registers, and compare them. What depends on anything else is open, never guessed. Pure.
#pragma once

#include <arpa/inet.h>  // before those of the kernel, which declare the same otherwise
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collectors/attributes.h"

namespace rdmaready {

// It opens a connection from a peer: new to conntrack, of TCP's flags only SYN is set (and perhaps those of
// ECN), its destination is an address of this host and was not changed, and a route leads back.
struct NftPacket {
  std::string netdev{};  // it came by
  std::uint32_t ifindex = 0;
  bool ipv6 = false;
  std::uint8_t protocol = 0;
  std::uint16_t port = 0;  // of its destination
};

enum class Holds : std::uint8_t { kNo, kMaybe, kYes };

struct NftEffect {
  Holds holds = Holds::kYes;
  std::int32_t verdict = NFT_CONTINUE;  // NF_ACCEPT, NF_DROP, NFT_*; any other is not understood
  std::string target{};                 // the chain of NFT_JUMP and NFT_GOTO
};

using NftExpressions = std::vector<std::pair<std::string, Attributes>>;  // names and data
using NftElements = std::vector<Attributes>;                             // of a set

// `bytes` are the inside of NFTA_RULE_EXPRESSIONS and must outlive the result.
absl::StatusOr<NftExpressions> DecodeNftRule(std::span<const std::byte> bytes);

// Asked only for sets in which something known is looked up; nullptr, not known, leaves the rule open.
using FindNftSet = std::function<const NftElements*(const std::string& set)>;

NftEffect RunNftRule(const NftExpressions& rule, const NftPacket& packet, const FindNftSet& find_set);

}  // namespace rdmaready
