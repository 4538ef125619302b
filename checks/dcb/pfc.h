// SPDX-License-Identifier: Apache-2.0
// What PFC and its buffers should be.
#pragma once

#include <cstdint>
#include <optional>

#include "api/model/setting.h"
#include "checks/check.h"

namespace rdmaready {

// The lossless priorities of the profile, as a bitmap; 0 where it asks for none.
std::uint8_t WantedPfc(const Profile& profile);

// What would mend pfc.headroom; neither where that passes, does not apply, or nobody can tell.
struct RoomWish {
  std::optional<BufferSetting> buffer{};
  std::optional<std::uint16_t> delay{};  // of PFC: metres of cable, on mlx5
};
RoomWish RoomWishOf(const EthernetView& view);

}  // namespace rdmaready
