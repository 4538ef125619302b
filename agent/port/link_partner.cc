// SPDX-License-Identifier: Apache-2.0
#include "agent/port/link_partner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

// IEEE 802.1AB table 8-4.
constexpr std::uint16_t kBridgeOrRouter = 0x14;
constexpr std::uint16_t kStationOnly = 0x80;
constexpr std::string_view kNearestBridge = "01:80:c2:00:00:0e";

bool IsSameAgent(const LldpNeighbour& one, const LldpNeighbour& other) {
  return one.chassis == other.chassis && one.port == other.port;
}

std::string NameOf(const LldpNeighbour& peer) {
  return fmt::format("chassis {} port {}", peer.chassis.text, peer.port.text);
}

bool IsStation(const LldpNeighbour& peer) {
  return (peer.capabilities_enabled & kStationOnly) != 0 &&
         (peer.destination_mac.empty() || peer.destination_mac == kNearestBridge);
}

std::optional<std::uint64_t> CarrierChangesOf(const Netdev& netdev) {
  return netdev.carrier_changes ? std::optional(*netdev.carrier_changes) : std::nullopt;
}

}  // namespace

LinkPartner PartnerBy(const std::vector<LldpNeighbour>& peers) {
  using Kind = LinkPartner::Kind;
  if (peers.empty()) return {};
  const LldpNeighbour& first = peers.front();
  for (const LldpNeighbour& peer : peers) {
    if ((peer.capabilities_enabled & kBridgeOrRouter) != 0)
      return {Kind::kOther, NameOf(peer) + " is a bridge or a router"};
    if (!IsSameAgent(peer, first))
      return {Kind::kOther, fmt::format("{} and {} are two neighbours", NameOf(first), NameOf(peer))};
  }
  if (std::ranges::any_of(peers, IsStation)) return {Kind::kStation, NameOf(first) + " is a station"};
  return {};
}

void HeardNeighbours::Remember(const Facts& facts, Clock::TimePoint begun) {
  if (!facts.ports) return;
  std::map<std::string, std::vector<Heard>> now;
  const std::lock_guard lock(mutex_);
  for (const Port& port : *facts.ports) {
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      if (!netdev || now.contains(netdev->name)) continue;  // two RDMA ports may share it
      std::vector<Heard>& all = now[netdev->name];
      const auto keep = [&](Heard heard) {
        const auto same = [&](const Heard& one) { return IsSameAgent(one.neighbour, heard.neighbour); };
        if (all.size() < kMostNeighbours && std::ranges::none_of(all, same)) all.push_back(std::move(heard));
      };
      if (netdev->lldp) {
        for (const LldpNeighbour& peer : netdev->lldp->peers)
          keep({peer, begun + std::chrono::milliseconds(peer.last_ms) + std::chrono::seconds(peer.ttl_s),
                CarrierChangesOf(*netdev)});
      }
      if (const auto before = heard_.find(netdev->name); before != heard_.end())
        for (const Heard& one : before->second)
          if (one.until > begun) keep(one);
    }
  }
  heard_ = std::move(now);
}

std::vector<LldpNeighbour> HeardNeighbours::Of(const Netdev& netdev, Clock::TimePoint now) {
  std::vector<LldpNeighbour> peers;
  if (netdev.lldp_agent) peers = netdev.lldp_agent->peers;
  const std::lock_guard lock(mutex_);
  const auto heard = heard_.find(netdev.name);
  if (heard == heard_.end()) return peers;
  for (const Heard& one : heard->second) {
    if (one.until > now && one.carrier_changes == CarrierChangesOf(netdev)) peers.push_back(one.neighbour);
  }
  return peers;
}

}  // namespace rdmaready
