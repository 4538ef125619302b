// SPDX-License-Identifier: Apache-2.0
// The messages of MS-SMBD, byte for byte: all fields little-endian. Section numbers are those of [MS-SMBD].
//
// Pure functions over values: they allocate nothing, keep nothing, and may be called from any thread. A decoder
// reads nothing outside the span it is given, whatever the bytes say, and judges only what the bytes alone can
// tell; what depends on the connection is judged in negotiate.h and reassembly.h. Bytes behind what a message
// needs are tolerated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "agent/smbdirect/reason.h"

namespace rdmaready::smbdirect {

using Bytes = std::span<const std::byte>;

inline constexpr std::uint16_t kVersion1 = 0x0100;               // 2.2.1
inline constexpr std::size_t kNegotiateRequestBytes = 20;        // 2.2.1
inline constexpr std::size_t kNegotiateResponseBytes = 32;       // 2.2.2
inline constexpr std::size_t kDataHeaderBytes = 20;              // 2.2.3, a message without payload
inline constexpr std::uint32_t kDataOffset = 24;                 // 2.2.3, the header padded to 8 bytes
inline constexpr std::uint32_t kDataAlignmentBytes = 8;          // 2.2.3
inline constexpr std::size_t kDescriptorBytes = 16;              // 2.2.3.1
inline constexpr std::uint16_t kFlagResponseRequested = 0x0001;  // 2.2.3
inline constexpr std::uint32_t kMinReceiveBytes = 128;           // 3.1.5.6, 3.1.5.7
inline constexpr std::uint32_t kMinFragmentedBytes = 131'072;    // 3.1.5.6, 3.1.5.7
inline constexpr std::size_t kNegotiateReceiveBytes = 512;  // 3.1.4.1, the receive posted before connecting

// NTSTATUS, [MS-ERREF] 2.3.1.
inline constexpr std::uint32_t kStatusSuccess = 0;
inline constexpr std::uint32_t kStatusInsufficientResources = 0xC000009A;
inline constexpr std::uint32_t kStatusNotSupported = 0xC00000BB;

struct NegotiateRequest {  // 2.2.1
  std::uint16_t min_version = kVersion1;
  std::uint16_t max_version = kVersion1;
  std::uint16_t credits_requested = 0;
  std::uint32_t preferred_send_bytes = 0;
  std::uint32_t max_receive_bytes = 0;
  std::uint32_t max_fragmented_bytes = 0;
  bool operator==(const NegotiateRequest&) const = default;
};

struct NegotiateResponse {  // 2.2.2
  std::uint16_t min_version = kVersion1;
  std::uint16_t max_version = kVersion1;
  std::uint16_t negotiated_version = 0;
  std::uint16_t credits_requested = 0;
  std::uint16_t credits_granted = 0;
  std::uint32_t status = kStatusSuccess;
  std::uint32_t max_read_write_bytes = 0;
  std::uint32_t preferred_send_bytes = 0;
  std::uint32_t max_receive_bytes = 0;
  std::uint32_t max_fragmented_bytes = 0;
  bool operator==(const NegotiateResponse&) const = default;
};

struct DataHeader {  // 2.2.3
  std::uint16_t credits_requested = 0;
  std::uint16_t credits_granted = 0;
  std::uint16_t flags = 0;
  std::uint32_t remaining_data_bytes = 0;  // of the upper layer's message, behind this fragment
  std::uint32_t data_offset = 0;           // from the start of the message; 0 without payload
  std::uint32_t data_bytes = 0;
  bool operator==(const DataHeader&) const = default;
};

struct DataMessage {
  DataHeader header{};
  Bytes payload{};  // inside the bytes that were decoded
};

// A piece of the peer's memory. An array of them stands for their concatenation.
struct BufferDescriptor {  // 2.2.3.1
  std::uint64_t address = 0;
  std::uint32_t token = 0;
  std::uint32_t length_bytes = 0;
  bool operator==(const BufferDescriptor&) const = default;
};

std::array<std::byte, kNegotiateRequestBytes> Encode(const NegotiateRequest& request);
std::array<std::byte, kNegotiateResponseBytes> Encode(const NegotiateResponse& response);
std::array<std::byte, kDescriptorBytes> Encode(const BufferDescriptor& descriptor);

// With the padding, kDataOffset bytes; a message without payload is the first kDataHeaderBytes of them.
std::array<std::byte, kDataOffset> Encode(const DataHeader& header);

// nullopt when there are too few bytes.
std::optional<NegotiateRequest> DecodeNegotiateRequest(Bytes bytes);
std::optional<NegotiateResponse> DecodeNegotiateResponse(Bytes bytes);

// The message, or what is wrong with it (3.1.5.8; and a payload that would lie inside the header).
std::variant<DataMessage, EndReason> DecodeData(Bytes bytes);

// An upper layer's list of descriptors. nullopt when the bytes are no whole number of them, none, more than
// `max_descriptors`, or one of them wraps around the end of the address space.
std::optional<std::vector<BufferDescriptor>> DecodeDescriptors(Bytes bytes, std::size_t max_descriptors);

}  // namespace rdmaready::smbdirect
