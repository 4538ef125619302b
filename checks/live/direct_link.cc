// SPDX-License-Identifier: Apache-2.0
#include "checks/live/direct_link.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kPortIsMac = 3;  // 802.1AB table 8-3

bool IsSameAgent(const LldpNeighbour& one, const LldpNeighbour& other) {
  return one.chassis == other.chassis && one.port == other.port;
}

// Nearest bridge: no bridge passes it on. 01-80-c2-00-00-03 (nearest non-TPMR bridge) passes a two-port MAC
// relay, and 01-80-c2-00-00-00 (nearest customer bridge) a provider's bridge: 802.1AB 7.1, 802.1Q 8.6.3.
constexpr std::string_view kNearestBridge = "01:80:c2:00:00:0e";

// The agents that were heard, each once: one may speak to several groups.
std::vector<LldpNeighbour> PeersOf(const Netdev& netdev) {
  std::vector<LldpNeighbour> peers;
  for (const Fact<LldpHeard>* const heard : {&netdev.lldp, &netdev.lldp_agent}) {
    if (!*heard) continue;
    for (const LldpNeighbour& peer : (*heard)->peers) {
      const auto known = [&peer](const LldpNeighbour& one) { return IsSameAgent(one, peer); };
      if (std::ranges::none_of(peers, known)) peers.push_back(peer);
    }
  }
  return peers;
}

// Whether nothing can be between the port and that agent. The host's own agent keeps what it heard for some
// time (lldpad: the TTL, 120 s), so our listener is asked, where it listened.
bool IsNearest(const Netdev& netdev, const LldpNeighbour& peer) {
  const Fact<LldpHeard>& heard = netdev.lldp ? netdev.lldp : netdev.lldp_agent;
  return heard && std::ranges::any_of(heard->peers, [&peer](const LldpNeighbour& one) {
           return IsSameAgent(one, peer) && one.destination_mac == kNearestBridge;
         });
}

bool IsMacOf(const Netdev& netdev, const LldpId& port) {
  if (port.subtype != kPortIsMac || port.text.empty()) return false;
  return port.text == netdev.mac || (netdev.permanent_mac && port.text == *netdev.permanent_mac);
}

// Whether `peer` announces this port.
bool Announces(const LldpNeighbour& peer, const Netdev& netdev) {
  if (IsMacOf(netdev, peer.port)) return true;
  for (const Fact<LldpHeard>* const heard : {&netdev.lldp, &netdev.lldp_agent}) {
    if (!*heard) continue;
    for (const LldpNeighbour& own : (*heard)->own)
      if (!own.port.text.empty() && !own.chassis.text.empty() && IsSameAgent(own, peer)) return true;
  }
  return false;
}

// Why `hears` does not show that `heard` is at the other end; empty: it does.
std::string WhyNotHeard(const LinkEnd& hears, const LinkEnd& heard) {
  const std::vector<LldpNeighbour> peers = PeersOf(*hears.netdev);
  const std::string port = Cat(hears.host, " ", hears.netdev->name);
  if (peers.empty()) return Cat(port, " hears no LLDP neighbour");
  if (peers.size() > 1) return Cat(port, " hears ", peers.size(), " LLDP neighbours");
  const LldpNeighbour& peer = peers.front();
  if (Announces(peer, *heard.netdev) && IsNearest(*hears.netdev, peer)) return {};
  if (Announces(peer, *heard.netdev))
    return Cat(port, " does not hear ", heard.host, " ", heard.netdev->name, " on ", kNearestBridge,
               ", the one group that no bridge passes on");
  return Cat(port, " hears chassis ", peer.chassis.text, " port ", peer.port.text,
             ", which is not known to be ", heard.host, " ", heard.netdev->name);
}

}  // namespace

LinkProof FindDirectLink(const LinkEnd& one, const LinkEnd& other) {
  std::string why = WhyNotHeard(one, other);
  if (why.empty()) why = WhyNotHeard(other, one);
  if (!why.empty()) return {.direct = false, .text = Printable(why)};
  return {.direct = true,
          .text = Printable(Cat("by LLDP, ", one.host, " ", one.netdev->name, " and ", other.host, " ",
                                other.netdev->name, " hear each other and nobody else"))};
}

}  // namespace rdmaready
