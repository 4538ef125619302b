// SPDX-License-Identifier: Apache-2.0
// In which order mlx5 takes a map and sizes of receive buffers that both change.
#pragma once

#include <optional>

#include "api/model/netdev.h"
#include "api/model/setting.h"

namespace rdmaready {

enum class BufferOrder { kSizesFirst, kMapFirst };

// One write of both is refused if it makes a buffer lossless that was too small until then
// (mlx5e_port_manual_buffer_config checks the new map with the old sizes). Two writes are taken in the order
// that is returned; nothing: in neither. With one of the two unchanged any order will do.
std::optional<BufferOrder> BufferOrderOf(const Netdev& netdev, const BufferSetting& now,
                                         const BufferSetting& to);

}  // namespace rdmaready
