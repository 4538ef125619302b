// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/wire.h"

#include <limits>

#include "api/base/octets.h"

namespace rdmaready::smbdirect {
namespace {

bool Wraps(const BufferDescriptor& descriptor) {
  return descriptor.address > std::numeric_limits<std::uint64_t>::max() - descriptor.length_bytes;
}

}  // namespace

std::array<std::byte, kNegotiateRequestBytes> Encode(const NegotiateRequest& request) {
  std::array<std::byte, kNegotiateRequestBytes> bytes{};  // 4: reserved
  PutLittle(bytes, 0, request.min_version);
  PutLittle(bytes, 2, request.max_version);
  PutLittle(bytes, 6, request.credits_requested);
  PutLittle(bytes, 8, request.preferred_send_bytes);
  PutLittle(bytes, 12, request.max_receive_bytes);
  PutLittle(bytes, 16, request.max_fragmented_bytes);
  return bytes;
}

std::array<std::byte, kNegotiateResponseBytes> Encode(const NegotiateResponse& response) {
  std::array<std::byte, kNegotiateResponseBytes> bytes{};  // 6: reserved
  PutLittle(bytes, 0, response.min_version);
  PutLittle(bytes, 2, response.max_version);
  PutLittle(bytes, 4, response.negotiated_version);
  PutLittle(bytes, 8, response.credits_requested);
  PutLittle(bytes, 10, response.credits_granted);
  PutLittle(bytes, 12, response.status);
  PutLittle(bytes, 16, response.max_read_write_bytes);
  PutLittle(bytes, 20, response.preferred_send_bytes);
  PutLittle(bytes, 24, response.max_receive_bytes);
  PutLittle(bytes, 28, response.max_fragmented_bytes);
  return bytes;
}

std::array<std::byte, kDescriptorBytes> Encode(const BufferDescriptor& descriptor) {
  std::array<std::byte, kDescriptorBytes> bytes{};
  PutLittle(bytes, 0, descriptor.address);
  PutLittle(bytes, 8, descriptor.token);
  PutLittle(bytes, 12, descriptor.length_bytes);
  return bytes;
}

std::array<std::byte, kDataOffset> Encode(const DataHeader& header) {
  std::array<std::byte, kDataOffset> bytes{};  // 6: reserved, 20: padding
  PutLittle(bytes, 0, header.credits_requested);
  PutLittle(bytes, 2, header.credits_granted);
  PutLittle(bytes, 4, header.flags);
  PutLittle(bytes, 8, header.remaining_data_bytes);
  PutLittle(bytes, 12, header.data_offset);
  PutLittle(bytes, 16, header.data_bytes);
  return bytes;
}

std::optional<NegotiateRequest> DecodeNegotiateRequest(Bytes bytes) {
  if (bytes.size() < kNegotiateRequestBytes) return std::nullopt;
  return NegotiateRequest{.min_version = GetLittle<std::uint16_t>(bytes, 0),
                          .max_version = GetLittle<std::uint16_t>(bytes, 2),
                          .credits_requested = GetLittle<std::uint16_t>(bytes, 6),
                          .preferred_send_bytes = GetLittle<std::uint32_t>(bytes, 8),
                          .max_receive_bytes = GetLittle<std::uint32_t>(bytes, 12),
                          .max_fragmented_bytes = GetLittle<std::uint32_t>(bytes, 16)};
}

std::optional<NegotiateResponse> DecodeNegotiateResponse(Bytes bytes) {
  if (bytes.size() < kNegotiateResponseBytes) return std::nullopt;
  return NegotiateResponse{.min_version = GetLittle<std::uint16_t>(bytes, 0),
                           .max_version = GetLittle<std::uint16_t>(bytes, 2),
                           .negotiated_version = GetLittle<std::uint16_t>(bytes, 4),
                           .credits_requested = GetLittle<std::uint16_t>(bytes, 8),
                           .credits_granted = GetLittle<std::uint16_t>(bytes, 10),
                           .status = GetLittle<std::uint32_t>(bytes, 12),
                           .max_read_write_bytes = GetLittle<std::uint32_t>(bytes, 16),
                           .preferred_send_bytes = GetLittle<std::uint32_t>(bytes, 20),
                           .max_receive_bytes = GetLittle<std::uint32_t>(bytes, 24),
                           .max_fragmented_bytes = GetLittle<std::uint32_t>(bytes, 28)};
}

std::variant<DataMessage, EndReason> DecodeData(Bytes bytes) {
  if (bytes.size() < kDataHeaderBytes) return EndReason::kDataTooShort;
  const DataHeader header{.credits_requested = GetLittle<std::uint16_t>(bytes, 0),
                          .credits_granted = GetLittle<std::uint16_t>(bytes, 2),
                          .flags = GetLittle<std::uint16_t>(bytes, 4),
                          .remaining_data_bytes = GetLittle<std::uint32_t>(bytes, 8),
                          .data_offset = GetLittle<std::uint32_t>(bytes, 12),
                          .data_bytes = GetLittle<std::uint32_t>(bytes, 16)};
  if (header.credits_requested == 0) return EndReason::kDataNoCreditsRequested;
  if (header.data_offset % kDataAlignmentBytes != 0) return EndReason::kDataOffsetUnaligned;
  if (std::uint64_t{header.data_offset} + header.data_bytes > bytes.size())
    return EndReason::kDataBeyondMessage;
  if (header.data_bytes == 0) return DataMessage{.header = header};
  if (header.data_offset < kDataHeaderBytes) return EndReason::kDataOffsetInHeader;
  return DataMessage{.header = header, .payload = bytes.subspan(header.data_offset, header.data_bytes)};
}

std::optional<std::vector<BufferDescriptor>> DecodeDescriptors(Bytes bytes, std::size_t max_descriptors) {
  const std::size_t count = bytes.size() / kDescriptorBytes;
  if (bytes.size() % kDescriptorBytes != 0 || count == 0 || count > max_descriptors) return std::nullopt;
  std::vector<BufferDescriptor> descriptors;
  descriptors.reserve(count);
  for (std::size_t at = 0; at < bytes.size(); at += kDescriptorBytes) {
    descriptors.push_back({.address = GetLittle<std::uint64_t>(bytes, at),
                           .token = GetLittle<std::uint32_t>(bytes, at + 8),
                           .length_bytes = GetLittle<std::uint32_t>(bytes, at + 12)});
    if (Wraps(descriptors.back())) return std::nullopt;
  }
  return descriptors;
}

}  // namespace rdmaready::smbdirect
