// SPDX-License-Identifier: Apache-2.0
// LLDP neighbours: frames to what they announce. Decoding is pure and takes any bytes; nothing beyond a frame's
// end is read.
//
// Layouts: IEEE 802.1AB-2016 clause 8 (basic TLVs), IEEE 802.1Q-2018 annex D (802.1 TLVs, DCBX), IEEE
// 802.1AX (link aggregation), IEEE 802.3-2018 clause 79, and the DCBX capability exchange
// proposal 1.01 (the CEE dialect). lldpad and Wireshark read and write the same.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// One frame, Ethernet header first; its counts and times are left at zero. An error, "decode LLDP: ...", for
// what a receiver has to discard (802.1AB 9.2.7.7): no LLDP at all, or chassis, port or time to live missing,
// malformed or not in their order. All else that is wrong is an oddity of the neighbour.
absl::StatusOr<LldpNeighbour> DecodeLldpFrame(std::span<const std::byte> frame);

// The same of a data unit: what follows a frame's Ethernet header. The addresses stay empty.
absl::StatusOr<LldpNeighbour> DecodeLldpUnit(std::span<const std::byte> unit);

// What was heard on one netdev. An agent is told from another by its addresses, chassis, port and dialects; one
// that said goodbye (time to live 0) is no neighbour any more, but noted.
LldpHeard DecodeLldp(const LldpFrames& frames);

// What was heard, by the name of the netdev.
using LldpByNetdev = std::map<std::string, Fact<LldpHeard>>;

// Where frames of the ports' links can be heard: a port's netdev, or those under it when it stands on others.
// Not one without a link.
std::vector<std::string> LinksToListenOn(const Facts& facts);

// Listens on those, all at once; with none it returns at once.
LldpByNetdev ListenOnPorts(HostReader& host, const LldpWait& wait, const Facts& facts);

// Fills Netdev::lldp with it; the facts may be newer than those that were listened by.
void KeepLldp(const LldpByNetdev& heard, Facts& facts);

// Both: listens, and fills Netdev::lldp.
void ReadLldp(HostReader& host, const LldpWait& wait, Facts& facts);

// What Netdev::lldp is until then.
Missing LldpNotListenedFor();

}  // namespace rdmaready
