// SPDX-License-Identifier: Apache-2.0
// Which MTU the interface of an RDMA port must have.
#pragma once

#include <cstdint>
#include <string>

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

// The interface MTU that serves both what the profile asks of the interface and of RoCE.
std::uint32_t InterfaceMtuFor(const Profile& profile);

// The bridge that the port's netdev is a member of; null for none.
const UpperNetdev* BridgeOver(const Port& port);

// A RoCE MTU needs that much more of the interface: headers, and some room.
inline constexpr std::uint32_t kRoceHeaderRoomBytes = 104;

}  // namespace rdmaready
