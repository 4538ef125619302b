// SPDX-License-Identifier: Apache-2.0
// How what ethtool, the IP stack and /proc tell is written for people.
#include <fmt/format.h>

#include <algorithm>

#include "checks/device/link_modes.h"
#include "checks/words/names.h"
#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNeighbours = 8;

std::string Count(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : std::string("not counted");
}

std::string Degrees(std::int32_t thousandths) { return fmt::format("{} C", thousandths / 1000); }

std::string TemperatureText(const Temperature& one) {
  std::string text = (one.label.empty() ? "" : one.label + " ") + Degrees(one.now_mc);
  if (one.warn_mc) text += " of " + Degrees(*one.warn_mc);
  if (one.critical_mc) text += ", critical " + Degrees(*one.critical_mc);
  return text;
}

std::string StateText(NeighbourState state) {
  switch (state) {
    case NeighbourState::kUnknown:
      break;
    case NeighbourState::kIncomplete:
      return "asked for";
    case NeighbourState::kReachable:
      return "reachable";
    case NeighbourState::kStale:
      return "stale";
    case NeighbourState::kDelay:
    case NeighbourState::kProbe:
      return "asked again";
    case NeighbourState::kFailed:
      return "no answer";
    case NeighbourState::kPermanent:
      return "permanent";
  }
  return "in an unknown state";
}

}  // namespace

std::string Ipv4Text(const Ipv4Settings& settings) {
  return fmt::format("arp_ignore {}, arp_announce {}, rp_filter {}, accept_local {:d}, arp_filter {:d}",
                     settings.arp_ignore, settings.arp_announce, settings.rp_filter, settings.accept_local,
                     settings.arp_filter);
}

std::string LinkModesText(const LinkModes& modes) {
  std::string text = modes.autoneg ? "autonegotiation on" : "autonegotiation off";
  if (modes.lanes > 0) text += fmt::format(", lanes {}", modes.lanes);
  text += fmt::format(", advertised: {}", ListWords(modes.advertised));
  if (!modes.peer.empty()) text += fmt::format(", by the peer: {}", ListWords(modes.peer));
  return text;
}

std::string FecText(const Fec& fec) {
  return fmt::format("{}, configured: {}{}; blocks corrected {}, beyond it {}",
                     fec.active.empty() ? "active one not told" : fec.active, ListWords(fec.configured),
                     fec.automatic ? ", automatic" : "", Count(fec.corrected_blocks),
                     Count(fec.uncorrectable_blocks));
}

std::string PauseFramesText(const PauseFrames& frames) {
  return fmt::format("sent {}, received {}", frames.sent, frames.received);
}

std::string EeeText(const Eee& eee) {
  return !eee.enabled ? "off" : eee.active ? "on, in use" : "on, not in use";
}

std::string RingsText(const Rings& rings) {
  return fmt::format("receive {} of {}, send {} of {}", rings.rx, rings.rx_max, rings.tx, rings.tx_max);
}

std::string ChannelsText(const Channels& channels) {
  std::string text = fmt::format("{} of {}", channels.combined, channels.combined_max);
  if (channels.rx + channels.tx > 0) text += fmt::format(", receive {}, send {}", channels.rx, channels.tx);
  return text;
}

std::string PrivateFlagsText(const std::vector<PrivateFlag>& flags) {
  std::vector<std::string> words;
  for (const PrivateFlag& flag : flags) words.push_back(flag.name + (flag.on ? " on" : " off"));
  return ListWords(words);
}

std::string TemperaturesText(const std::vector<Temperature>& temperatures) {
  std::string text;
  for (const Temperature& one : temperatures) text += (text.empty() ? "" : "; ") + TemperatureText(one);
  return text;
}

std::string SubnetText(const Subnet& subnet) {
  std::string text = fmt::format("{}/{} on {}", subnet.own.address, subnet.own.prefix_length, subnet.netdev);
  for (const SubnetSharer& sharer : subnet.shared_with)
    text += fmt::format(", shared with {} ({})", sharer.netdev, sharer.address);
  if (!subnet.route) {
    const Missing& why = subnet.route.missing();
    return text + fmt::format("; route ({}: {})", Name(why.kind), why.detail);
  }
  text += fmt::format("; to {} ", subnet.probe);
  if (subnet.route->netdev.empty()) return text + "no route";
  text += "by " + subnet.route->netdev;
  return subnet.route->gateway.empty() ? text : text + " and " + subnet.route->gateway;
}

std::string NeighboursText(const std::vector<Neighbour>& neighbours) {
  std::string text;
  for (std::size_t i = 0; i < std::min(neighbours.size(), kMostNeighbours); ++i) {
    const Neighbour& one = neighbours[i];
    text +=
        fmt::format("{}{} on {} {}", text.empty() ? "" : "; ", one.address, one.netdev, StateText(one.state));
    if (!one.mac.empty()) text += " at " + one.mac;
  }
  if (neighbours.size() > kMostNeighbours)
    text += fmt::format(" and {} more", neighbours.size() - kMostNeighbours);
  return text.empty() ? "none" : text;
}

std::string InterruptsText(const Interrupts& interrupts) {
  return fmt::format("{} at {} CPUs, {} of them on its own NUMA node", interrupts.count, interrupts.cpus,
                     interrupts.local);
}

std::string OpenFilesText(const OpenFiles& files) {
  const auto word = [](std::uint64_t limit) {
    return limit == OpenFiles::kUnlimited ? std::string("unlimited") : std::to_string(limit);
  };
  return fmt::format("{}, at most {}", word(files.soft), word(files.hard));
}

std::string PkeysText(const std::vector<std::uint16_t>& keys) {
  std::string text;
  for (const std::uint16_t key : keys) text += fmt::format("{}{:#06x}", text.empty() ? "" : " ", key);
  return text.empty() ? "none" : text;
}

std::string IbLinkText(const IbLink& link) {
  return fmt::format("{}X of {}X, {:g} Gb/s a lane of {:g}, MTU {} of {}", link.lanes, link.lanes_supported,
                     link.lane_mbps / 1000.0, link.lane_mbps_supported / 1000.0, link.mtu_bytes,
                     link.mtu_bytes_supported);
}

}  // namespace rdmaready
