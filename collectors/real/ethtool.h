// SPDX-License-Identifier: Apache-2.0
// One ethtool query by ioctl (SIOCETHTOOL of linux/sockios.h): what ethtool's netlink family does not carry,
// and what kernels older than it know.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

// The kernel's answer in a copy of `request`. kInvalidArgument for a command that could change the device, for
// a request that is too short for its command, and for an impossible name; else an ErrnoStatus.
absl::StatusOr<std::vector<std::byte>> AskEthtool(const std::string& netdev,
                                                  std::span<const std::byte> request);

}  // namespace rdmaready
