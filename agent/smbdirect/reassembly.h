// SPDX-License-Identifier: Apache-2.0
// Reassembler: fragments to messages of the upper layer, [MS-SMBD] 3.1.5.8.
//
// One message at a time; messages without payload and without announced bytes may come between its fragments,
// and fragments without payload inside it. A message of one fragment is not copied. Memory: at most the
// maximum, taken when a message of several fragments begins and kept for the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "agent/smbdirect/reason.h"
#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

// A message of the upper layer. `bytes` lies in the fragment given last, or in the reassembler and is good
// until the next Add.
struct Reassembled {
  Bytes bytes{};
  std::optional<std::uint32_t> invalidated{};  // the token that came with one of the fragments
};

class Reassembler {
 public:
  explicit Reassembler(std::uint32_t max_bytes) : max_bytes_(max_bytes) {}

  // monostate: nothing is complete. EndReason: the peer contradicts itself or the agreement; do not go on.
  std::variant<std::monostate, Reassembled, EndReason> Add(const DataMessage& fragment,
                                                           std::optional<std::uint32_t> invalidated);

  bool in_message() const { return remaining_bytes_ > 0; }
  std::size_t memory_bytes() const { return message_.capacity(); }

 private:
  std::optional<EndReason> Judge(const DataHeader& header) const;

  const std::uint32_t max_bytes_;
  std::vector<std::byte> message_{};
  std::uint32_t remaining_bytes_ = 0;
  std::optional<std::uint32_t> invalidated_{};
};

}  // namespace rdmaready::smbdirect
