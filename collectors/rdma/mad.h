// SPDX-License-Identifier: Apache-2.0
// Management datagrams (MADs) of InfiniBand: the three questions that we put to a port's own agents, and their
// answers. Layouts as in the InfiniBand Architecture Specification 1, chapters 13 (header), 14 (subnet
// management) and 16 (performance). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/facts.h"

namespace rdmaready {

inline constexpr std::size_t kMadBytes = 256;

// What a MAD says of itself in its first 24 bytes.
struct MadHeader {
  std::uint8_t base_version = 0;
  std::uint8_t management_class = 0;
  std::uint8_t class_version = 0;
  std::uint8_t method = 0;
  std::uint16_t status = 0;  // without the direction bit of a directed route
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;

  bool operator==(const MadHeader&) const = default;
};

inline constexpr std::uint8_t kMadDirectedRoute = 0x81;  // class: subnet management, by a directed route
inline constexpr std::uint8_t kMadPerformance = 0x04;    // class: performance management
inline constexpr std::uint8_t kMadGet = 0x01;            // method

// SubnGet(PortInfo) by a directed route of no hops: the port asks itself, and needs no LID for it.
std::vector<std::byte> PortInfoRequest(std::uint8_t port);
// PerformanceGet(PortCounters), and of the same in 64 bits.
std::vector<std::byte> PortCountersRequest(std::uint8_t port);
std::vector<std::byte> PortCountersExtendedRequest(std::uint8_t port);

// Errors when the bytes are not one whole MAD.
absl::StatusOr<MadHeader> DecodeMadHeader(std::span<const std::byte> mad);

// OK for the questions that change nothing: whole, of version 1, the method Get, of one of our two classes.
absl::Status CheckMadQuestion(std::span<const std::byte> mad);

// Nothing but the agent's identification of the exchange, bytes 8 to 15: another one each time it is asked.
void ClearTransaction(std::span<std::byte> mad);

// kDataLoss when the bytes are no answer to that question; kUnimplemented when the agent answers that it does
// not know the question; another error when it answers another one.
absl::StatusOr<IbLink> DecodePortInfo(std::span<const std::byte> answer);

// Names as sysfs has them (drivers/infiniband/core/sysfs.c), in the order of the MAD. Data counts 4 bytes each.
absl::StatusOr<std::vector<Counter>> DecodePortCounters(std::span<const std::byte> answer);
absl::StatusOr<std::vector<Counter>> DecodePortCountersExtended(std::span<const std::byte> answer);

}  // namespace rdmaready
