// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/reassembly.h"

#include <utility>

namespace rdmaready::smbdirect {

std::optional<EndReason> Reassembler::Judge(const DataHeader& header) const {
  if (std::uint64_t{header.data_bytes} + header.remaining_data_bytes > max_bytes_) {
    return EndReason::kFragmentedTooLong;
  }
  if (!in_message()) return std::nullopt;
  if (header.data_bytes > remaining_bytes_) return EndReason::kFragmentOverrun;
  const std::uint32_t remaining = remaining_bytes_ - header.data_bytes;
  if (header.remaining_data_bytes == remaining) return std::nullopt;
  return header.remaining_data_bytes == 0 ? EndReason::kFragmentCutShort : EndReason::kFragmentMiscounted;
}

std::variant<std::monostate, Reassembled, EndReason> Reassembler::Add(
    const DataMessage& fragment, std::optional<std::uint32_t> invalidated) {
  const DataHeader& header = fragment.header;
  if (invalidated && invalidated_) return EndReason::kInvalidatedTwice;
  if (invalidated) invalidated_ = invalidated;
  if (header.data_bytes == 0 && header.remaining_data_bytes == 0) return std::monostate{};  // credits only
  if (const std::optional<EndReason> fault = Judge(header)) return *fault;
  const bool first = !in_message();
  remaining_bytes_ = header.remaining_data_bytes;
  if (first && !in_message()) return Reassembled{fragment.payload, std::exchange(invalidated_, std::nullopt)};
  if (first) {
    message_.clear();
    message_.reserve(std::size_t{header.data_bytes} + header.remaining_data_bytes);
  }
  message_.insert(message_.end(), fragment.payload.begin(), fragment.payload.end());
  if (in_message()) return std::monostate{};
  return Reassembled{message_, std::exchange(invalidated_, std::nullopt)};
}

}  // namespace rdmaready::smbdirect
