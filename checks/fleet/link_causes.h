// SPDX-License-Identifier: Apache-2.0
// Causes between two hosts that the addresses of the two tested ports show: VLAN, subnet, route.
#pragma once

#include <optional>
#include <string>

#include "checks/fleet/known_causes.h"

namespace rdmaready {

// "rxe0/1 -> rxe0/1".
std::string PairSubject(const CauseEnd& from, const CauseEnd& to);

// agree.vlan of the two tested addresses. Nothing where they are alike, a VLAN is not known, or the addresses
// have no subnet in common.
std::optional<Finding> VlanBetween(const CauseEnd& from, const CauseEnd& to, const Profile& profile);

// peer.path: neither address is in the subnet of the other, or only one is.
std::optional<Finding> SubnetBetween(const CauseEnd& from, const CauseEnd& to);

}  // namespace rdmaready
