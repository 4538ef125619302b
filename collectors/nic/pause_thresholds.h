// SPDX-License-Identifier: Apache-2.0
// From which filling on a receive buffer asks for a pause: dcbnl has no word for it, MLNX_OFED's mlx5 has
// a file.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// qos/buffer_size of MLNX_OFED's mlx5_core (core/en_sysfs.c, mlx5e_show_buffer_size): a head, then a line for
// each of eight buffers with its number, size, xoff and xon, in bytes.
absl::StatusOr<PauseThresholds> DecodePauseThresholds(std::string_view text);

// `sysfs` is the netdev's directory. Other drivers have other files of that name, and are not asked; the rest
// of the tree `qos` (prio2buffer, maxrate) is read from the same registers as what dcbnl tells.
Fact<PauseThresholds> ReadPauseThresholds(HostReader& host, const std::string& sysfs,
                                          const std::string& driver);

}  // namespace rdmaready
