// SPDX-License-Identifier: Apache-2.0
// Votes of a host as octets, which its store keeps beside its verdict: after a start nobody judges a fleet
// again only to know them. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hub/judge/fleet_agreement.h"

namespace rdmaready::hub {

std::string WriteVotes(std::span<const ProfileVotes> votes);

// Nothing: they are none, or of a check that is not known here.
std::optional<std::vector<ProfileVotes>> ReadVotes(std::string_view octets);

}  // namespace rdmaready::hub
