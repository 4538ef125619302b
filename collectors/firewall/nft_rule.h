// SPDX-License-Identifier: Apache-2.0
// One rule of nftables, decoded once and run for each packet as the kernel runs it: its expressions load what
// is known of the packet into registers, and compare them. What depends on anything else is open, never
// guessed. Pure. What is decoded holds views: the bytes that it came from must outlive it.
#pragma once

#include <arpa/inet.h>  // before those of the kernel, which declare the same otherwise
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collectors/attributes.h"

namespace rdmaready {

using NftBytes = std::span<const std::byte>;

// It opens a connection from a peer: new to conntrack, of TCP's flags only SYN is set (and perhaps those of
// ECN), its destination is an address of this host and was not changed, and a route leads back.
struct NftPacket {
  std::string netdev{};  // it came by
  std::uint32_t ifindex = 0;
  bool ipv6 = false;
  std::uint8_t protocol = 0;
  std::uint16_t port = 0;  // of its destination
};

// ---- expressions ----

inline constexpr std::size_t kNftRegisterBytes = 80;  // of all registers: places in them are counted in bytes
inline constexpr std::int32_t kNftNotUnderstood = NFT_BREAK;  // no rule ends with this verdict

struct NftVerdict {
  std::int32_t code = NFT_CONTINUE;  // NF_ACCEPT, NF_DROP, NFT_*, kNftNotUnderstood
  std::string chain{};               // of NFT_JUMP and NFT_GOTO
};

// Of the packet, or of what the kernel knows of it.
struct NftLoad {
  enum class From : std::uint8_t { kUnknown, kMeta, kConntrack, kRoute, kNetworkHeader, kTransportHeader };
  From from = From::kUnknown;
  std::uint32_t key = 0;    // NFT_META_*, NFT_CT_*, NFT_FIB_RESULT_*
  std::uint32_t flags = 0;  // NFTA_FIB_F_*
  std::size_t offset = 0;   // bytes, in a header
  std::size_t bytes = 16;
  std::size_t to = 0;
};

struct NftMask {
  std::size_t from = 0;
  std::size_t to = 0;
  NftBytes mask{};
  NftBytes flip{};
};

struct NftCompare {
  std::size_t at = 0;
  std::uint32_t operation = 0;  // NFT_CMP_*
  NftBytes with{};
};

struct NftRange {
  std::size_t at = 0;
  bool inverted = false;
  NftBytes first{};
  NftBytes last{};
};

struct NftLookup {
  std::size_t at = 0;
  bool inverted = false;
  bool verdicts = false;            // the element found has a verdict
  std::optional<std::size_t> to{};  // else perhaps other data
  std::string set{};
};

// Of a module of xtables.
struct NftMatch {
  enum class Module : std::uint8_t { kUnknown, kComment, kTcp, kUdp, kMultiport, kConntrack, kAddrtype };
  Module module = Module::kUnknown;
  NftBytes info{};
};

// It may be a condition, and write any register.
struct NftUnknown {};

using NftExpression =
    std::variant<NftUnknown, NftLoad, NftMask, NftCompare, NftRange, NftLookup, NftMatch, NftVerdict>;
using NftRule = std::vector<NftExpression>;  // without those that change nothing here: counter, log

// `bytes` are the inside of NFTA_RULE_EXPRESSIONS.
absl::StatusOr<NftRule> DecodeNftRule(NftBytes bytes);

// ---- sets ----

struct NftElement {
  NftBytes key{};
  NftBytes last{};            // empty: it is no range
  bool ends_range = false;    // the range of the element before it does not have `key` any more
  bool is_any_other = false;  // whatever no other element has
  NftVerdict verdict{.code = kNftNotUnderstood};
};
using NftSet = std::vector<NftElement>;

// `bytes` are the inside of NFTA_SET_ELEM_LIST_ELEMENTS.
absl::StatusOr<NftSet> DecodeNftSet(NftBytes bytes);

// ---- running ----

enum class Holds : std::uint8_t { kNo, kMaybe, kYes };

struct NftEffect {
  Holds holds = Holds::kYes;
  NftVerdict verdict{};
};

// Asked only for sets in which something known is looked up; nullptr, not known, leaves the rule open.
using FindNftSet = std::function<const NftSet*(const std::string& set)>;

NftEffect RunNftRule(const NftRule& rule, const NftPacket& packet, const FindNftSet& find_set);

}  // namespace rdmaready
