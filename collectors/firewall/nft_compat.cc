// SPDX-License-Identifier: Apache-2.0
// The matches and targets of xtables inside of nftables rules: their structs are those of linux/netfilter.
#include <arpa/inet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_tcpudp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "collectors/firewall/nft_condition.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kLastPort = 65535;

// The kernel rounds their sizes up.
template <class Info>
bool Copy(std::span<const std::byte> info, Info* into) {
  if (info.size() < sizeof(Info)) return false;
  std::memcpy(into, info.data(), sizeof(Info));
  return true;
}

bool AnyPort(const std::uint16_t (&ports)[2]) { return ports[0] == 0 && ports[1] == kLastPort; }

void RequireDestination(const std::uint16_t (&ports)[2], bool inverted, NftRuleState* state) {
  if (!AnyPort(ports) || inverted) state->RequirePorts({{ports[0], ports[1]}}, inverted);
}

bool RequireTcp(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_tcp info{};
  if (!Copy(bytes, &info)) return false;
  state->RequireProtocol(IPPROTO_TCP);
  RequireDestination(info.dpts, (info.invflags & XT_TCP_INV_DSTPT) != 0, state);
  bool understood = AnyPort(info.spts) && (info.invflags & XT_TCP_INV_SRCPT) == 0 && info.option == 0;
  if ((info.flg_mask & kTcpEcnFlags) != 0) {
    understood = false;
  } else {
    const bool holds = (kTcpSyn & info.flg_mask) == info.flg_cmp;
    if (holds == ((info.invflags & XT_TCP_INV_FLAGS) != 0)) state->never = true;
  }
  return understood;
}

bool RequireUdp(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_udp info{};
  if (!Copy(bytes, &info)) return false;
  state->RequireProtocol(IPPROTO_UDP);
  RequireDestination(info.dpts, (info.invflags & XT_UDP_INV_DSTPT) != 0, state);
  return AnyPort(info.spts) && (info.invflags & XT_UDP_INV_SRCPT) == 0;
}

bool RequireMultiport(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_multiport_v1 info{};
  if (!Copy(bytes, &info) || info.flags != XT_MULTIPORT_DESTINATION || info.count > XT_MULTI_PORTS)
    return false;
  std::vector<L4Ports> ports;
  for (std::size_t i = 0; i < info.count; ++i) {
    const std::uint16_t first = info.ports[i];
    if (info.pflags[i] != 0 && i + 1 >= info.count) return false;
    ports.push_back({first, info.pflags[i] != 0 ? info.ports[++i] : first});
  }
  state->RequirePorts(std::move(ports), info.invert != 0);
  return true;
}

bool RequireConntrack(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_conntrack_mtinfo3 info{};
  if (!Copy(bytes, &info)) return false;
  const auto asked = static_cast<std::uint16_t>(info.match_flags & ~XT_CONNTRACK_STATE_ALIAS);
  if (asked != XT_CONNTRACK_STATE) return false;
  const bool inverted = (info.invert_flags & XT_CONNTRACK_STATE) != 0;
  state->RequireState(inverted ? ~std::uint32_t{info.state_mask} : info.state_mask);
  return true;
}

bool RequireOldState(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_state_info info{};
  if (!Copy(bytes, &info)) return false;
  state->RequireState(info.statemask);
  return true;
}

bool RequireAddressType(std::span<const std::byte> bytes, NftRuleState* state) {
  xt_addrtype_info_v1 info{};
  if (!Copy(bytes, &info) || info.source != 0 || info.dest == 0) return false;
  if ((info.flags & (XT_ADDRTYPE_INVERT_SOURCE | XT_ADDRTYPE_LIMIT_IFACE_OUT)) != 0) return false;
  const bool holds = (info.dest & XT_ADDRTYPE_LOCAL) != 0;
  if (holds == ((info.flags & XT_ADDRTYPE_INVERT_DEST) != 0)) state->never = true;
  return true;
}

bool NoCondition(std::span<const std::byte>, NftRuleState*) { return true; }

struct Match {
  std::string_view name;
  std::uint32_t revision;
  bool (*require)(std::span<const std::byte> info, NftRuleState* state);  // false: it is not understood
};

constexpr std::array<Match, 7> kMatches{{
    {"tcp", 0, RequireTcp},
    {"udp", 0, RequireUdp},
    {"multiport", 1, RequireMultiport},
    {"conntrack", 3, RequireConntrack},
    {"state", 0, RequireOldState},
    {"addrtype", 1, RequireAddressType},
    {"comment", 0, NoCondition},
}};

}  // namespace

void RequireXtMatch(const std::string& name, std::uint32_t revision, std::span<const std::byte> info,
                    NftRuleState* state) {
  const auto* const match = std::ranges::find_if(
      kMatches, [&](const Match& one) { return one.name == name && one.revision == revision; });
  if (match == kMatches.end() || !match->require(info, state)) state->rule.other_conditions = true;
}

FirewallAction XtTarget(const std::string& name) {
  constexpr std::array<std::string_view, 12> kPassOn{"LOG",    "NFLOG", "MARK", "CONNMARK",
                                                     "TCPMSS", "DSCP",  "TOS",  "CLASSIFY",
                                                     "TRACE",  "CT",    "SET",  "CHECKSUM"};
  if (name == "REJECT") return FirewallAction::kDrop;
  if (std::ranges::find(kPassOn, name) != kPassOn.end()) return FirewallAction::kNone;
  return FirewallAction::kUnknown;  // sent elsewhere, or queued
}

}  // namespace rdmaready
