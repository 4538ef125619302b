// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pci_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/unit/collectors/nic/pci_wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TEST(PciConfig, HasTheSizesOfPayloadsAndReadRequests) {
  const PciSettings settings = DecodePciConfig(wire::PciConfig(0x5810, 0x0000));
  EXPECT_EQ(*settings.max_payload_bytes, 128U);
  EXPECT_EQ(*settings.max_read_request_bytes, 4096U);
  EXPECT_EQ(*DecodePciConfig(wire::PciConfig(0x2830, {})).max_payload_bytes, 256U);
  EXPECT_EQ(*DecodePciConfig(wire::PciConfig(0x2830, {})).max_read_request_bytes, 512U);
}

TEST(PciConfig, ACodeThatMeansNothingIsAFailureOfItsOwn) {
  const PciSettings settings = DecodePciConfig(wire::PciConfig(0x50c0, {}));
  EXPECT_EQ(settings.max_payload_bytes.missing(),
            (Missing{Missing::Kind::kFailed, "the largest payload has the reserved code 6"}));
  EXPECT_EQ(*settings.max_read_request_bytes, 4096U);
}

TEST(PciConfig, OnlyTheBitOfRequestsRedirects) {
  EXPECT_TRUE(*DecodePciConfig(wire::PciConfig(0, 0x0004)).acs_redirect);
  EXPECT_TRUE(*DecodePciConfig(wire::PciConfig(0, 0x001d)).acs_redirect);
  EXPECT_FALSE(*DecodePciConfig(wire::PciConfig(0, 0x0011)).acs_redirect);
}

TEST(PciConfig, WithoutAccessControlServicesThatIsTheOnlyGap) {
  const PciSettings settings = DecodePciConfig(wire::PciConfig(0x5810, {}));
  EXPECT_EQ(settings.acs_redirect.missing(),
            (Missing{Missing::Kind::kUnsupported, "no access control services (ACS)"}));
  EXPECT_TRUE(settings.max_payload_bytes);
  EXPECT_EQ(DecodePciConfig(wire::PciConfig(0x5810, 4).substr(0, 256)).acs_redirect.missing().detail,
            "no extended configuration space");
}

TEST(PciConfig, BeyondSixtyFourBytesIsOnlyForRoot) {
  EXPECT_EQ(DecodePciConfig(wire::PciConfig(0x5810, 4).substr(0, 64)).max_payload_bytes.missing().kind,
            Missing::Kind::kDenied);
}

TEST(PciConfig, AFunctionThatIsGoneOrNotExpressSaysSo) {
  EXPECT_THAT(DecodePciConfig(std::string(4096, '\xff')).max_payload_bytes.missing().detail,
              HasSubstr("does not answer"));
  std::string conventional = wire::PciConfig(0x5810, {});
  wire::Put(conventional, 6, std::uint16_t{0});
  EXPECT_EQ(DecodePciConfig(conventional).max_payload_bytes.missing(),
            (Missing{Missing::Kind::kUnsupported, "no PCI Express capability"}));
  EXPECT_EQ(DecodePciConfig("").max_payload_bytes.missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(DecodePciConfig(std::string(63, '\0')).max_payload_bytes.missing().kind, Missing::Kind::kFailed);
}

TEST(PciConfig, ListsThatRunInCirclesOrOutOfItEnd) {
  std::string circle = wire::PciConfig(0x5810, 4);
  wire::Put(circle, 0x60, std::uint16_t{0x4011});  // no PCI Express: 0x40 follows, and 0x60 again
  wire::Put(circle, 0x140, std::uint32_t{0x10010002});
  EXPECT_EQ(DecodePciConfig(circle).max_payload_bytes.missing().detail, "no PCI Express capability");
  circle = wire::PciConfig(0x5810, 4);
  wire::Put(circle, 0x140, std::uint32_t{0x10010002});
  EXPECT_EQ(DecodePciConfig(circle).acs_redirect.missing().detail, "no access control services (ACS)");
  std::string outside = wire::PciConfig(0x5810, 4).substr(0, 256);
  wire::Put(outside, 0x34, std::uint8_t{0xfc});
  wire::Put(outside, 0xfc, std::uint16_t{0x0010});
  EXPECT_EQ(DecodePciConfig(outside).max_payload_bytes.missing().kind, Missing::Kind::kFailed);
}

TEST(PciConfig, NoiseOfAnyLengthDoesNotCrash) {
  std::mt19937 random(7);
  const std::string good = wire::PciConfig(0x5810, 4);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t size = random() % (good.size() + 1);
    const auto bytes = std::make_unique<char[]>(size);  // ends where its memory ends
    std::copy_n(good.begin(), size, bytes.get());
    for (int change = 0; change < 8 && size > 0; ++change)
      bytes[random() % std::min<std::size_t>(size, 0x180)] = static_cast<char>(random());
    const PciSettings settings = DecodePciConfig({bytes.get(), size});
    if (settings.max_payload_bytes) {
      EXPECT_LE(*settings.max_payload_bytes, 4096U);
    }
  }
}

}  // namespace
}  // namespace rdmaready
