// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/scsi_wire.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"

namespace rdmaready::scsi {
namespace {

CommandBlock Command(std::uint8_t opcode) { return {static_cast<std::byte>(opcode)}; }

std::string_view SenseName(std::uint8_t key) {
  constexpr std::array<std::string_view, 16> kNames = {
      "No Sense",       "Recovered Error", "Not Ready",      "Medium Error",
      "Hardware Error", "Illegal Request", "Unit Attention", "Data Protect",
      "Blank Check",    "Vendor Specific", "Copy Aborted",   "Aborted Command",
      "Reserved",       "Volume Overflow", "Miscompare",     "Completed"};
  return kNames[key & 0xf];
}

}  // namespace

CommandBlock TestUnitReady() { return Command(0x00); }

CommandBlock ReportLuns() {
  CommandBlock command = Command(0xa0);
  PutBig(command, 6, static_cast<std::uint32_t>(kReportLunsBytes));
  return command;
}

CommandBlock Inquiry() {
  CommandBlock command = Command(0x12);
  PutBig(command, 3, static_cast<std::uint16_t>(kInquiryBytes));
  return command;
}

CommandBlock ReadCapacity() { return Command(0x25); }

CommandBlock Read(std::uint32_t first_block, std::uint16_t blocks) {
  CommandBlock command = Command(0x28);
  PutBig(command, 2, first_block);
  PutBig(command, 7, blocks);
  return command;
}

std::optional<Unit> DecodeInquiry(Octets bytes) {
  if (bytes.size() < kInquiryBytes) return std::nullopt;
  return Unit{.device_type = static_cast<std::uint8_t>(GetBig<std::uint8_t>(bytes, 0) & 0x1f),
              .vendor = GetText(bytes, 8, 8),
              .product = GetText(bytes, 16, 16),
              .revision = GetText(bytes, 32, 4)};
}

std::optional<Capacity> DecodeCapacity(Octets bytes) {
  if (bytes.size() < kCapacityBytes) return std::nullopt;
  return Capacity{.blocks = std::uint64_t{GetBig<std::uint32_t>(bytes, 0)} + 1,
                  .block_bytes = GetBig<std::uint32_t>(bytes, 4)};
}

std::optional<std::vector<std::uint64_t>> DecodeLuns(Octets bytes) {
  constexpr std::size_t kHeadBytes = 8;
  constexpr std::size_t kLunBytes = 8;
  if (bytes.size() < kHeadBytes) return std::nullopt;
  const std::size_t told = GetBig<std::uint32_t>(bytes, 0);
  const std::size_t size = std::min(told, bytes.size() - kHeadBytes);
  std::vector<std::uint64_t> luns;
  for (std::size_t at = 0; at + kLunBytes <= size; at += kLunBytes)
    luns.push_back(GetBig<std::uint64_t>(bytes, kHeadBytes + at));
  return luns;
}

std::optional<Sense> DecodeSense(Octets bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const auto at = [&](std::size_t place) { return GetBig<std::uint8_t>(bytes, place); };
  const std::uint8_t format = at(0) & 0x7f;
  if (format == 0x72 || format == 0x73)
    return Sense{.key = static_cast<std::uint8_t>(at(1) & 0xf), .code = at(2), .qualifier = at(3)};
  if ((format != 0x70 && format != 0x71) || bytes.size() < 14) return std::nullopt;
  return Sense{.key = static_cast<std::uint8_t>(at(2) & 0xf), .code = at(12), .qualifier = at(13)};
}

std::string SenseText(const Sense& sense) {
  return absl::StrFormat("%s (%02x/%02x/%02x)", std::string(SenseName(sense.key)), sense.key, sense.code,
                         sense.qualifier);
}

std::string StatusText(std::uint8_t status) {
  switch (status) {
    case kGood:
      return "Good";
    case kCheckCondition:
      return "Check Condition";
    case 0x08:
      return "Busy";
    case 0x18:
      return "Reservation Conflict";
    case 0x28:
      return "Task Set Full";
    case 0x40:
      return "Task Aborted";
    default:
      return absl::StrFormat("status 0x%02x", status);
  }
}

}  // namespace rdmaready::scsi
