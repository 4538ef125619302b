// SPDX-License-Identifier: Apache-2.0
// What hosts say, as it travels: protobuf in zlib. Bounded before anything is unpacked, and while it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/baseline.h"
#include "api/model/facts.h"

namespace rdmaready::hub {

// The facts of the largest recorded host (16 ports) take 90 KiB, and 20 KiB packed.
inline constexpr std::size_t kMostPackedBytes = 512 * 1024;
inline constexpr std::size_t kMostPorts = 256;
// Of a device. The kernel gives 63 bytes to one of RDMA, and 15 to an interface. What findings are known by is
// made of a few of them, and never so long that it is cut where it is kept (kMostTextBytes).
inline constexpr std::size_t kMostDeviceNameBytes = 255;
inline constexpr std::size_t kMostPlainBytes = 4 * 1024 * 1024;

struct UnpackLimits {
  std::string_view what{};  // for errors
  std::size_t packed = 0;
  std::size_t plain = 0;
};
inline constexpr UnpackLimits kFactsLimits{"facts", kMostPackedBytes, kMostPlainBytes};
inline constexpr UnpackLimits kPastLimits{"past tests", kMostPackedPastBytes, kMostPastBytes};

// kInvalidArgument: not zlib, more or less than `plain_bytes`, more than the limits, no facts, of too many
// ports, or of a port with a name that is too long. Never holds more memory than `plain_bytes` says, which is
// bounded, too.
absl::StatusOr<std::string> Unpack(std::string_view packed, std::uint64_t plain_bytes,
                                   const UnpackLimits& limits = kFactsLimits);
absl::StatusOr<Facts> ReadFacts(std::string_view packed, std::uint64_t plain_bytes);

}  // namespace rdmaready::hub
