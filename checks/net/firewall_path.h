// SPDX-License-Identifier: Apache-2.0
// What a host's packet filter does to a packet that opens a connection to it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

// The packets of which the rules were read: see collectors/firewall/nft_rule.h.
struct ArrivingPacket {
  std::string netdev{};                 // that the IP stack says it came by
  std::vector<std::string> carriers{};  // those below it that it came through; may be empty
  bool ipv6 = false;
  std::uint8_t protocol = 0;  // IPPROTO_TCP, IPPROTO_UDP
  std::uint16_t port = 0;     // of its destination
};

// A chain at a hook that does not let the packet pass for certain. Points into the Firewall.
struct FirewallStop {
  bool certain = false;                  // it drops the packet; else that is open
  const FirewallChain* base = nullptr;   // the chain at the hook
  const FirewallChain* chain = nullptr;  // where it is decided: `base`, or one that it calls
  const FirewallRule* rule = nullptr;    // that drops, or is not understood; null: the policy of `base`
};

// One for each chain at a hook, in the order of the chains; none: the packet passes. Rules that call one
// another for ever, or more of them than any kernel would take, leave it open.
std::vector<FirewallStop> StopsOf(const Firewall& firewall, const ArrivingPacket& packet);

// "rule 7 of inet filter input", "the policy of inet filter input".
std::string PlaceText(const FirewallStop& stop);

}  // namespace rdmaready
