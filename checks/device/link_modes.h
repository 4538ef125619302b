// SPDX-License-Identifier: Apache-2.0
// Link modes by the kernel's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/model/ethernet_link.h"
#include "api/model/facts.h"
#include "checks/fact_ref.h"
#include "checks/words/fix.h"

namespace rdmaready {

// "100000baseCR4/Full" is 100000 Mb/s on 4 lanes. Nothing for "Autoneg", "FIBRE" and others that are no speed.
struct LinkMode {
  std::uint32_t speed_mbps = 0;
  std::uint32_t lanes = 1;

  bool operator==(const LinkMode&) const = default;
};
std::optional<LinkMode> ParseLinkMode(std::string_view name);

// The fastest mode that this end supports, and the peer offers where it tells; of equally fast ones that with
// the fewest lanes.
std::optional<LinkMode> FastestMode(const LinkModes& modes);

// A link of several lanes, or of copper from 25 Gb/s up, works only when both ends negotiate it.
bool Negotiates(NetdevRef netdev);

// For a link that is slower than `least_mbps`: at the end that offers less, where that is known. Else
// autonegotiation, where the link has it, or its fastest mode by name; `least_mbps` of a link that names none.
Fix FasterFix(NetdevRef netdev, std::uint32_t least_mbps);

// "no cable": what ETHTOOL_LINK_EXT_STATE_* means.
std::string DownReasonText(const DownReason& reason);

// The reason is the transceiver or its cable.
bool IsModuleFault(const DownReason& reason);

}  // namespace rdmaready
