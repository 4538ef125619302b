// SPDX-License-Identifier: Apache-2.0
// The few SCSI commands that show what a logical unit is and read from it (SPC-4, SBC-3): all
// fields big-endian.
//
// Pure functions over values, callable from any thread. A decoder reads nothing outside the span it is given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/octets.h"

namespace rdmaready::scsi {

using CommandBlock = std::array<std::byte, 16>;

inline constexpr std::size_t kInquiryBytes = 36;
inline constexpr std::size_t kCapacityBytes = 8;
inline constexpr std::size_t kReportLunsBytes = 256;  // asked for: the first 31 units

inline constexpr std::uint8_t kGood = 0x00;
inline constexpr std::uint8_t kCheckCondition = 0x02;

CommandBlock TestUnitReady();
CommandBlock ReportLuns();
CommandBlock Inquiry();
CommandBlock ReadCapacity();
CommandBlock Read(std::uint32_t first_block, std::uint16_t blocks);

struct Unit {
  std::uint8_t device_type = 0x1f;  // 0: a disk
  std::string vendor{};
  std::string product{};
  std::string revision{};
  bool operator==(const Unit&) const = default;
};
std::optional<Unit> DecodeInquiry(Octets bytes);

struct Capacity {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;
  bool operator==(const Capacity&) const = default;
};
// More than 2^32 - 1 blocks are told as 2^32.
std::optional<Capacity> DecodeCapacity(Octets bytes);

// As they are put into commands. nullopt when the list is cut within its head.
std::optional<std::vector<std::uint64_t>> DecodeLuns(Octets bytes);

struct Sense {
  std::uint8_t key = 0;
  std::uint8_t code = 0;  // ASC
  std::uint8_t qualifier = 0;
  bool operator==(const Sense&) const = default;
};
std::optional<Sense> DecodeSense(Octets bytes);
inline bool IsUnitAttention(const Sense& sense) { return sense.key == 0x6; }

// "Not Ready (02/3a/00)"
std::string SenseText(const Sense& sense);
std::string StatusText(std::uint8_t status);  // "Check Condition", "status 0x50"

}  // namespace rdmaready::scsi
