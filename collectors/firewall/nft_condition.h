// SPDX-License-Identifier: Apache-2.0
// The conditions of a rule of nftables, as far as they are understood: see nft_rule.h, of which this is a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/firewall.h"

namespace rdmaready {

// Up to there a rule is understood.
struct NftRuleState {
  FirewallRule rule{};
  bool never = false;  // it holds for none of the packets that matter

  // Each adds a condition.
  void RequirePorts(std::vector<L4Ports> ports, bool negated);
  void RequireProtocol(std::uint8_t protocol);
  void RequireNetdev(const std::string& netdev);
  void RequireState(std::uint32_t states);  // one of these, by the bits of `ct state`
};

// What a register holds.
struct NftValue {
  enum class Kind {
    kUnknown,
    kNetdevName,
    kNetdevIndex,
    kProtocol,
    kPort,     // of the destination
    kCtState,  // with a mask: of its bits
    kCtStatus,
    kTcpFlags,
    kAddressType,  // of the address it goes to
    kWayBack,      // whether a route leads back to the sender
  };
  Kind kind = Kind::kUnknown;
  std::optional<std::uint32_t> mask{};
};

// The number that `bytes` are in network byte order; nullopt when they are no port.
std::optional<std::uint16_t> NftPort(std::span<const std::byte> bytes);

// That `value` compares with `with` by NFT_CMP_*. False when that is not understood. `netdev_of` tells the name
// of an ifindex, empty when it is not known.
bool RequireNftValue(NftRuleState& state, const NftValue& value, std::uint32_t operation,
                     std::span<const std::byte> with,
                     const std::function<std::string(std::uint32_t ifindex)>& netdev_of);

// What xtables' modules say, by which iptables-nft writes its rules: `conditions` adds to the state; `target`
// gives the verdict.
void RequireXtMatch(const std::string& name, std::uint32_t revision, std::span<const std::byte> info,
                    NftRuleState* state);
FirewallAction XtTarget(const std::string& name);

// The bits of `ct state`, also of xtables' conntrack.
inline constexpr std::uint32_t kCtEstablished = 2;
inline constexpr std::uint32_t kCtNew = 8;

// Of the TCP flags that every opening packet has: SYN. ECN's two may be there, or not.
inline constexpr std::uint8_t kTcpSyn = 0x02;
inline constexpr std::uint8_t kTcpEcnFlags = 0xc0;

}  // namespace rdmaready
