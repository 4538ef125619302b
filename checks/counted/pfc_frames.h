// SPDX-License-Identifier: Apache-2.0
// PFC frames that a port counted while it was watched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "checks/check.h"

namespace rdmaready {

using ByPriority = std::array<std::uint64_t, kPriorities>;

struct PauseWays {
  bool received = false;
  bool sent = false;
};

// Of each priority, these ways together; nullopt when neither the NIC's statistics nor dcbnl tell.
std::optional<ByPriority> PfcFrames(const EthernetView& view, PauseWays ways);

// The profile wants no frame of the priority lost.
bool IsLossless(const Profile& profile, std::uint8_t priority);

}  // namespace rdmaready
