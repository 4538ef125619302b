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
inline constexpr std::size_t kMostPlainBytes = 4 * 1024 * 1024;

struct UnpackLimits {
  std::string_view what{};  // for errors
  std::size_t packed = 0;
  std::size_t plain = 0;
};
inline constexpr UnpackLimits kFactsLimits{"facts", kMostPackedBytes, kMostPlainBytes};
inline constexpr UnpackLimits kPastLimits{"past tests", kMostPackedPastBytes, kMostPastBytes};

// kInvalidArgument: not zlib, more or less than `plain_bytes`, more than the limits, no facts, or of too many
// ports. Never holds more memory than `plain_bytes` says, which is bounded, too.
absl::StatusOr<std::string> Unpack(std::string_view packed, std::uint64_t plain_bytes,
                                   const UnpackLimits& limits = kFactsLimits);
absl::StatusOr<Facts> ReadFacts(std::string_view packed, std::uint64_t plain_bytes);

}  // namespace rdmaready::hub
