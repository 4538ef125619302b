// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/scsi_wire.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/probe/bytes.h"

namespace rdmaready::scsi {
namespace {

std::vector<std::byte> All(const CommandBlock& command) { return {command.begin(), command.end()}; }

TEST(ScsiWire, CommandsAreTheStandards) {
  EXPECT_EQ(All(TestUnitReady()), std::vector<std::byte>(16));
  EXPECT_EQ(All(Inquiry()), Hex("12 00 00 0024 00 00000000000000000000"));
  EXPECT_EQ(All(ReadCapacity()), Hex("25 000000000000000000 000000000000"));
  EXPECT_EQ(All(ReportLuns()), Hex("a0 0000000000 00000100 0000 00000000"));
  EXPECT_EQ(All(Read(0x01020304, 0x0506)), Hex("28 00 01020304 00 0506 00 000000000000"));
}

TEST(ScsiWire, InquiryIsRead) {
  std::vector<std::byte> bytes(kInquiryBytes);
  bytes[0] = std::byte{0x20};
  PutText(bytes, 8, 8, "LIO-ORG ");
  PutText(bytes, 16, 16, "RAMDISK-MCP     ");
  PutText(bytes, 32, 4, "4.0 ");
  EXPECT_EQ(DecodeInquiry(bytes),
            (Unit{.device_type = 0, .vendor = "LIO-ORG", .product = "RAMDISK-MCP", .revision = "4.0"}));
  EXPECT_FALSE(DecodeInquiry(Exact(bytes, 35).bytes()));
}

TEST(ScsiWire, CapacityCountsTheLastBlockToo) {
  EXPECT_EQ(DecodeCapacity(Hex("00007fff 00000200")), (Capacity{.blocks = 32'768, .block_bytes = 512}));
  EXPECT_EQ(DecodeCapacity(Hex("ffffffff 00001000"))->blocks, 1ull << 32);
  EXPECT_FALSE(DecodeCapacity(Exact(Hex("00007fff 000002")).bytes()));
}

TEST(ScsiWire, UnitsAreListedAsFarAsTheListWasReceived) {
  const auto list = Hex("00000010 00000000 0000000000000000 0001000000000000");
  EXPECT_EQ(DecodeLuns(list), (std::vector<std::uint64_t>{0, 0x0001000000000000}));
  EXPECT_EQ(DecodeLuns(Exact(list, 20).bytes()), (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(DecodeLuns(Exact(Hex("ffffffff 00000000")).bytes()), std::vector<std::uint64_t>{});
  EXPECT_FALSE(DecodeLuns(Exact(Hex("00000010 000000")).bytes()));
}

TEST(ScsiWire, SenseIsReadInBothFormats) {
  const auto fixed = Hex("70 00 06 00000000 0a 00000000 29 01 0000");
  EXPECT_EQ(DecodeSense(fixed), (Sense{.key = 6, .code = 0x29, .qualifier = 1}));
  EXPECT_TRUE(IsUnitAttention(*DecodeSense(fixed)));
  EXPECT_EQ(DecodeSense(Hex("72 02 3a 00")), (Sense{.key = 2, .code = 0x3a}));
  EXPECT_FALSE(DecodeSense(Exact(fixed, 13).bytes()));
  EXPECT_FALSE(DecodeSense(Exact(Hex("720200")).bytes()));
  EXPECT_FALSE(DecodeSense(Hex("00000000")));
  EXPECT_EQ(SenseText({.key = 2, .code = 0x3a, .qualifier = 0}), "Not Ready (02/3a/00)");
  EXPECT_EQ(StatusText(0x18), "Reservation Conflict");
  EXPECT_EQ(StatusText(0x77), "status 0x77");
}

}  // namespace
}  // namespace rdmaready::scsi
