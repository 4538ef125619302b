// SPDX-License-Identifier: Apache-2.0
// The codec, byte for byte, against the examples and layouts of [MS-SMBD] 2.2 and 4.1.
#include "agent/smbdirect/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <memory>
#include <string>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

using testing::ElementsAreArray;

std::vector<std::byte> Octets(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// On the heap and no byte longer, so that a sanitizer sees a read behind the end.
class Exact {
 public:
  Exact(const std::vector<std::byte>& bytes, std::size_t size)
      : size_(size), bytes_(std::make_unique<std::byte[]>(size)) {
    std::copy_n(bytes.begin(), size, bytes_.get());
  }
  Bytes bytes() const { return {bytes_.get(), size_}; }

 private:
  const std::size_t size_;
  const std::unique_ptr<std::byte[]> bytes_;
};

// 4.1: 10 credits, 1 KiB both ways, 128 KiB fragmented.
TEST(WireNegotiate, RequestIsTheSpecificationsExample) {
  const NegotiateRequest request = GoodRequest();
  const std::vector<std::byte> expected = Octets({0x00, 0x01, 0x00, 0x01, 0, 0, 0x0a, 0x00, 0x00, 0x04,
                                                  0x00, 0x00, 0x00, 0x04, 0, 0, 0x00, 0x00, 0x02, 0x00});
  EXPECT_THAT(Encode(request), ElementsAreArray(expected));
  EXPECT_EQ(DecodeNegotiateRequest(expected), request);
}

TEST(WireNegotiate, ResponseIsTheSpecificationsExample) {
  const NegotiateResponse response = GoodResponse();
  const std::vector<std::byte> expected =
      Octets({0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0,    0,    0x0a, 0x00, 0x0a, 0x00, 0,    0,    0,    0,
              0x00, 0x00, 0x10, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00});
  EXPECT_THAT(Encode(response), ElementsAreArray(expected));
  EXPECT_EQ(DecodeNegotiateResponse(expected), response);
}

TEST(WireNegotiate, EveryShorterMessageIsRefusedAndALongerOneIsNot) {
  const auto request = Raw(Encode(GoodRequest()), 512).bytes;
  for (std::size_t size = 0; size < 20; ++size) {
    EXPECT_FALSE(DecodeNegotiateRequest(Exact(request, size).bytes())) << size;
  }
  EXPECT_EQ(DecodeNegotiateRequest(Exact(request, 512).bytes()), GoodRequest());
  const auto response = Raw(Encode(GoodResponse()), 512).bytes;
  for (std::size_t size = 0; size < 32; ++size) {
    EXPECT_FALSE(DecodeNegotiateResponse(Exact(response, size).bytes())) << size;
  }
  EXPECT_EQ(DecodeNegotiateResponse(Exact(response, 512).bytes()), GoodResponse());
}

TEST(WireData, HeaderHasEachFieldAtItsPlace) {
  const DataHeader header{.credits_requested = 0x0201,
                          .credits_granted = 0x0403,
                          .flags = 0x0001,
                          .remaining_data_bytes = 0x0d0c0b0a,
                          .data_offset = 24,
                          .data_bytes = 1};
  const std::vector<std::byte> expected =
      Octets({1, 2, 3, 4, 1, 0, 0, 0, 0x0a, 0x0b, 0x0c, 0x0d, 0x18, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(Encode(header), ElementsAreArray(expected));
  std::vector<std::byte> whole = expected;
  whole.push_back(std::byte{0x55});
  const auto decoded = DecodeData(whole);
  ASSERT_TRUE(std::holds_alternative<DataMessage>(decoded));
  EXPECT_EQ(std::get<DataMessage>(decoded).header, header);
  EXPECT_THAT(std::get<DataMessage>(decoded).payload, testing::ElementsAre(std::byte{0x55}));
}

struct DataCase {
  const char* name;
  DataHeader header;
  std::size_t size;                               // of the message
  std::variant<std::size_t, EndReason> expected;  // bytes of payload
};

constexpr std::uint32_t kMostInNumbers = std::numeric_limits<std::uint32_t>::max();

const DataCase kDataCases[] = {
    {"nothing", {.credits_requested = 1}, 0, EndReason::kDataTooShort},
    {"19 bytes", {.credits_requested = 1}, 19, EndReason::kDataTooShort},
    {"20 bytes, empty", {.credits_requested = 1}, 20, std::size_t{0}},
    {"empty with bytes behind it", {.credits_requested = 1}, 100, std::size_t{0}},
    {"no credits requested", {.credits_requested = 0}, 20, EndReason::kDataNoCreditsRequested},
    {"one byte", {.credits_requested = 1, .data_offset = 24, .data_bytes = 1}, 25, std::size_t{1}},
    {"bytes behind the payload",
     {.credits_requested = 1, .data_offset = 24, .data_bytes = 1},
     99,
     std::size_t{1}},
    {"payload behind a gap", {.credits_requested = 1, .data_offset = 32, .data_bytes = 8}, 40, std::size_t{8}},
    {"offset 23",
     {.credits_requested = 1, .data_offset = 23, .data_bytes = 8},
     99,
     EndReason::kDataOffsetUnaligned},
    {"offset 25",
     {.credits_requested = 1, .data_offset = 25, .data_bytes = 8},
     99,
     EndReason::kDataOffsetUnaligned},
    {"offset 4", {.credits_requested = 1, .data_offset = 4}, 99, EndReason::kDataOffsetUnaligned},
    {"largest offset",
     {.credits_requested = 1, .data_offset = kMostInNumbers, .data_bytes = 1},
     99,
     EndReason::kDataOffsetUnaligned},
    {"largest aligned offset",
     {.credits_requested = 1, .data_offset = kMostInNumbers - 7, .data_bytes = 8},
     99,
     EndReason::kDataBeyondMessage},
    {"offset behind the end",
     {.credits_requested = 1, .data_offset = 32, .data_bytes = 8},
     39,
     EndReason::kDataBeyondMessage},
    {"empty, offset behind the end",
     {.credits_requested = 1, .data_offset = 24},
     20,
     EndReason::kDataBeyondMessage},
    {"one byte too many",
     {.credits_requested = 1, .data_offset = 24, .data_bytes = 9},
     32,
     EndReason::kDataBeyondMessage},
    {"largest length",
     {.credits_requested = 1, .data_offset = 24, .data_bytes = kMostInNumbers},
     32,
     EndReason::kDataBeyondMessage},
    {"sum wraps in 32 bits",
     {.credits_requested = 1, .data_offset = 24, .data_bytes = kMostInNumbers - 23},
     32,
     EndReason::kDataBeyondMessage},
    {"payload in the header",
     {.credits_requested = 1, .data_offset = 16, .data_bytes = 8},
     24,
     EndReason::kDataOffsetInHeader},
    {"payload at the start",
     {.credits_requested = 1, .data_offset = 0, .data_bytes = 8},
     24,
     EndReason::kDataOffsetInHeader},
};

TEST(WireData, EachCaseHasItsVerdict) {
  for (const DataCase& test : kDataCases) {
    std::vector<std::byte> bytes(256);
    std::ranges::copy(Encode(test.header), bytes.begin());
    const Exact message(bytes, test.size);
    const auto decoded = DecodeData(message.bytes());
    if (const EndReason* expected = std::get_if<EndReason>(&test.expected)) {
      ASSERT_TRUE(std::holds_alternative<EndReason>(decoded)) << test.name;
      EXPECT_EQ(std::get<EndReason>(decoded), *expected) << test.name;
    } else {
      ASSERT_TRUE(std::holds_alternative<DataMessage>(decoded)) << test.name;
      EXPECT_EQ(std::get<DataMessage>(decoded).payload.size(), std::get<std::size_t>(test.expected))
          << test.name;
    }
  }
}

TEST(WireDescriptors, SeveralInOneRequest) {
  // As a Windows client sends for an unaligned buffer of 1 MiB.
  const BufferDescriptor first{.address = 0x1122334455667788, .token = 0xa1b2c3d4, .length_bytes = 0xfffc0};
  const BufferDescriptor second{.address = 0x40, .token = 2, .length_bytes = 0x40};
  std::vector<std::byte> bytes;
  for (const BufferDescriptor& one : {first, second}) {
    const auto encoded = Encode(one);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  EXPECT_THAT(std::vector(bytes.begin(), bytes.begin() + 16),
              ElementsAreArray(Octets({0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1,
                                       0xc0, 0xff, 0x0f, 0x00})));
  const auto decoded = DecodeDescriptors(Exact(bytes, 32).bytes(), 2);
  ASSERT_TRUE(decoded);
  EXPECT_THAT(*decoded, testing::ElementsAre(first, second));
  EXPECT_FALSE(DecodeDescriptors(Exact(bytes, 32).bytes(), 1)) << "more than allowed";
  for (const std::size_t size : {0u, 1u, 15u, 17u, 31u}) {
    EXPECT_FALSE(DecodeDescriptors(Exact(bytes, size).bytes(), 2)) << size;
  }
}

TEST(WireDescriptors, NoneMayWrapAroundTheAddressSpace) {
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const auto fits = Encode(BufferDescriptor{.address = top - 8, .token = 1, .length_bytes = 8});
  const auto wraps = Encode(BufferDescriptor{.address = top - 8, .token = 1, .length_bytes = 9});
  EXPECT_TRUE(DecodeDescriptors(fits, 1));
  EXPECT_FALSE(DecodeDescriptors(wraps, 1));
}

TEST(Reasons, EachHasItsOwnWords) {
  std::vector<std::string> seen;
  for (int i = static_cast<int>(kFirstReason); i <= static_cast<int>(kLastReason); ++i) {
    const std::string text(Text(static_cast<EndReason>(i)));
    EXPECT_NE(text, "unknown") << i;
    EXPECT_EQ(std::ranges::count(seen, text), 0) << text;
    seen.push_back(text);
  }
}

}  // namespace
}  // namespace rdmaready::smbdirect
