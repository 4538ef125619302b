// SPDX-License-Identifier: Apache-2.0
#include "checks/device/link_modes.h"

#include <algorithm>
#include <array>

#include "api/base/number.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// enum ethtool_link_ext_state of linux/ethtool.h, in its order.
constexpr std::array<std::string_view, 11> kReasons{
    "autonegotiation finds no partner or no common mode",
    "link training fails",
    "the two ends do not agree on lanes, alignment or FEC",
    "the signal is bad",
    "no cable",
    "the cable is damaged or not supported",
    "the transceiver's EEPROM cannot be read",
    "calibration fails",
    "the transceiver needs more power than the port gives",
    "the transceiver is too hot",
    "the transceiver is not ready",
};
constexpr std::array<std::uint8_t, 6> kModuleFaults{4, 5, 6, 8, 9, 10};

// Over all lanes; 0 of a list without a speed.
std::uint32_t FastestOf(const std::vector<std::string>& names) {
  std::uint32_t fastest = 0;
  for (const std::string& name : names) {
    if (const std::optional<LinkMode> mode = ParseLinkMode(name)) fastest = std::max(fastest, mode->speed_mbps);
  }
  return fastest;
}

// The other end does not follow a speed that this one forces: the link would be lost.
Fix PeerFix(const std::string& name, std::uint32_t peer_mbps, std::uint32_t wanted_mbps) {
  return Fix()
      .Because(Cat("the far end offers ", SpeedText(peer_mbps), " at most, this port can do more"),
               Certainty::kCertain)
      .Do(Cat("set the switch port of {netdev} to ", SpeedText(wanted_mbps), ", with the FEC of that speed"),
          StepSite::kSwitch)
      .CheckBy(Cat("ethtool ", name));
}

}  // namespace

std::optional<LinkMode> ParseLinkMode(std::string_view name) {
  constexpr std::string_view kBase = "base";
  const std::size_t base = name.find(kBase);
  if (base == std::string_view::npos || base == 0) return std::nullopt;
  LinkMode mode;
  const auto speed_mbps = ParseNumber<std::uint32_t>(name.substr(0, base));
  if (!speed_mbps) return std::nullopt;
  mode.speed_mbps = *speed_mbps;
  std::string_view medium = name.substr(base + kBase.size());  // "CR4/Full", "SR/Full", "T/Full"
  const std::size_t digit = medium.find_first_of("0123456789/_");
  if (digit != std::string_view::npos) {
    medium.remove_prefix(digit);
    const auto lanes = TakeNumber<std::uint32_t>(medium);
    if (lanes && *lanes > 0) mode.lanes = *lanes;
  }
  return mode;
}

std::optional<LinkMode> FastestMode(const LinkModes& modes) {
  std::optional<LinkMode> fastest;
  for (const std::string& name : modes.supported) {
    const std::optional<LinkMode> mode = ParseLinkMode(name);
    const bool peer = modes.peer.empty() || std::ranges::find(modes.peer, name) != modes.peer.end();
    if (!mode || !peer) continue;
    const bool better = !fastest || mode->speed_mbps > fastest->speed_mbps ||
                        (mode->speed_mbps == fastest->speed_mbps && mode->lanes < fastest->lanes);
    if (better) fastest = mode;
  }
  return fastest;
}

bool Negotiates(NetdevRef netdev) {
  const FactRef<LinkModes> modes = LinkFact(netdev, &EthernetLink::modes);
  return modes && (modes->autoneg || std::ranges::find(modes->supported, "Autoneg") != modes->supported.end());
}

Fix FasterFix(NetdevRef netdev, std::uint32_t least_mbps) {
  const std::string name = NetdevWord(netdev);
  const FactRef<LinkModes> modes = LinkFact(netdev, &EthernetLink::modes);
  if (modes && !modes->peer.empty() && FastestOf(modes->peer) < least_mbps &&
      FastestOf(modes->supported) >= least_mbps)
    return PeerFix(name, FastestOf(modes->peer), least_mbps);
  if (modes && FastestOf(modes->supported) > 0 && FastestOf(modes->supported) < least_mbps) {
    return Fix(Cat("ethtool ", name))
        .Because(Cat("this port supports ", SpeedText(FastestOf(modes->supported)), " at most"),
                 Certainty::kCertain)
        .Do("use a faster NIC, or correct min_speed_mbps of {profile}");
  }
  const bool negotiates = Negotiates(netdev);
  const std::optional<LinkMode> fastest = modes ? FastestMode(*modes) : std::nullopt;
  Fix fix(negotiates ? Cat("ethtool -s ", name, " autoneg on")
                     : Cat("ethtool -s ", name, " speed ", fastest ? fastest->speed_mbps : least_mbps,
                           " duplex full autoneg off"));
  return std::move(fix)
      .Because("one end was set to a lower speed, or the cable carries no more", Certainty::kPossible)
      .Caution("the link goes down for a moment")
      .Do("set the same at the switch port of {netdev}", StepSite::kSwitch)
      .Do("if it stays lower: try another cable or transceiver of {netdev}", StepSite::kPort)
      .CheckBy(Cat("ethtool ", name));
}

std::string DownReasonText(const DownReason& reason) {
  if (reason.state < kReasons.size()) return std::string(kReasons[reason.state]);
  return Cat("reason ", reason.state, " of the driver");
}

bool IsModuleFault(const DownReason& reason) {
  return std::ranges::find(kModuleFaults, reason.state) != kModuleFaults.end();
}

}  // namespace rdmaready
