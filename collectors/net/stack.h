// SPDX-License-Identifier: Apache-2.0
// Stacks of network interfaces: which Ethernet ports lie under one, and what stands on them. Pure.
//
// Both survive tables that make no sense: cycles, and interfaces that are named but not there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/net/addresses.h"
#include "collectors/net/links.h"

namespace rdmaready {

// The Ethernet ports that carry the frames of the interface, by ifindex, in ascending order; none when it is
// itself the port. Ends of veth pairs, taps and dummies that a bridge also has are not among them: they lead to
// no wire of this host. Missing when a part of the stack is in another network namespace or went away, and when
// there is no port below at all.
Fact<std::vector<std::uint32_t>> LowersOf(const LinkTable& links, std::uint32_t ifindex);

// What stands on any of `bases`, directly or not, without the bases: the nearer first, then by ifindex. `over`
// names only what leads to the bases.
Fact<std::vector<UpperNetdev>> UppersOf(const LinkTable& links, std::span<const std::uint32_t> bases,
                                        const Fact<AddressTable>& addresses);

// "active-backup", as `ip` and /sys/class/net/*/bonding/mode write it; Missing for another number.
Fact<std::string> BondModeOf(std::uint8_t mode);

}  // namespace rdmaready
