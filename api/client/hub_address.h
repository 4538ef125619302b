// SPDX-License-Identifier: Apache-2.0
// Where a hub is: an address as any other, whose port is the hub's own unless it is said.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/client/address.h"

namespace rdmaready {

inline constexpr std::uint16_t kDefaultHubPort = 7473;

absl::StatusOr<HostAddress> ParseHubAddress(const std::string& text);

}  // namespace rdmaready
