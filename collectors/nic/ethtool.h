// SPDX-License-Identifier: Apache-2.0
// What only ethtool's ioctl tells of a netdev: driver and firmware, link-level pause, the PFC storm timeout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The structs as the kernel left them: exactly 196 bytes, 16 bytes, and 16 bytes with two of value behind them.
// Text need not end in NUL, it ends with its field.
absl::StatusOr<DriverInfo> DecodeDriverInfo(std::span<const std::byte> answer);
absl::StatusOr<Pause> DecodePause(std::span<const std::byte> answer);
absl::StatusOr<std::uint16_t> DecodePfcStormTimeout(std::span<const std::byte> answer);

Fact<DriverInfo> ReadDriverInfo(HostReader& host, const std::string& name);
Fact<Pause> ReadPause(HostReader& host, const std::string& name);
Fact<std::uint16_t> ReadPfcStormTimeout(HostReader& host, const std::string& name);

}  // namespace rdmaready
