// SPDX-License-Identifier: Apache-2.0
// Messages made by hand, for peers that do what a Connection never would, and readers for what it sends.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/smbdirect/wire.h"
#include "tests/unit/agent/smbdirect/driver.h"

namespace rdmaready::smbdirect {

inline constexpr TimePoint kStart{std::chrono::hours{1}};

template <std::size_t N>
WireMessage Raw(const std::array<std::byte, N>& bytes, std::size_t size = N) {
  WireMessage message{.bytes = {bytes.begin(), bytes.end()}};
  message.bytes.resize(size);
  return message;
}

// The request of the public test suite's basic case.
inline NegotiateRequest GoodRequest() {
  return {.credits_requested = 10,
          .preferred_send_bytes = 1024,
          .max_receive_bytes = 1024,
          .max_fragmented_bytes = 131'072};
}

inline NegotiateResponse GoodResponse() {
  return {.negotiated_version = kVersion1,
          .credits_requested = 10,
          .credits_granted = 10,
          .max_read_write_bytes = 1'048'576,
          .preferred_send_bytes = 1024,
          .max_receive_bytes = 1024,
          .max_fragmented_bytes = 131'072};
}

inline std::vector<std::byte> Fill(std::size_t size, std::uint8_t from = 0) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((from + i * 7 + i / 256) & 0xff);
  return bytes;
}

inline std::vector<std::byte> Octets(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A data transfer message with `payload` at the usual place; its header can be changed before it is encoded.
struct HandMade {
  DataHeader header{.credits_requested = 10, .credits_granted = 1};
  std::vector<std::byte> payload{};

  static HandMade Of(std::vector<std::byte> payload, std::uint32_t remaining = 0) {
    HandMade made;
    made.header.remaining_data_bytes = remaining;
    if (!payload.empty()) made.header.data_offset = kDataOffset;
    made.header.data_bytes = static_cast<std::uint32_t>(payload.size());
    made.payload = std::move(payload);
    return made;
  }
  WireMessage Message() const {
    const auto head = Encode(header);
    WireMessage message = Raw(head, payload.empty() ? kDataHeaderBytes : head.size());
    message.bytes.insert(message.bytes.end(), payload.begin(), payload.end());
    return message;
  }
};

inline DataMessage Decoded(const WireMessage& message) {
  const std::variant<DataMessage, EndReason> decoded = DecodeData(message.bytes);
  if (const EndReason* fault = std::get_if<EndReason>(&decoded)) {
    ADD_FAILURE() << "the connection sent a bad message: " << Text(*fault);
    return {};
  }
  return std::get<DataMessage>(decoded);
}

inline WireMessage Take(Driver& driver) {
  if (driver.wire.empty()) {
    ADD_FAILURE() << "nothing was sent";
    return {};
  }
  WireMessage message = std::move(driver.wire.front());
  driver.wire.pop_front();
  driver.CompleteSends(1);
  return message;
}

// A responder that has agreed with GoodRequest, or a given one; its response is taken from the wire.
inline NegotiateResponse Agree(Driver& responder, const NegotiateRequest& request = GoodRequest()) {
  responder.Connect(kStart);
  EXPECT_TRUE(responder.Arrive(Raw(Encode(request)), kStart));
  return DecodeNegotiateResponse(Take(responder).bytes).value_or(NegotiateResponse{});
}

// An initiator that has agreed with GoodResponse, or a given one; its request and its first grant are taken.
inline void AgreeTo(Driver& initiator, const NegotiateResponse& response = GoodResponse()) {
  initiator.Connect(kStart);
  Take(initiator);
  EXPECT_TRUE(initiator.Arrive(Raw(Encode(response)), kStart));
  Take(initiator);
}

// Both negotiated with each other, and silent.
inline void Join(Driver& initiator, Driver& responder) {
  responder.Connect(kStart);
  initiator.Connect(kStart);
  ASSERT_TRUE(Settle(initiator, responder, kStart));
  ASSERT_TRUE(initiator.connection().established());
  ASSERT_TRUE(responder.connection().established());
}

}  // namespace rdmaready::smbdirect
