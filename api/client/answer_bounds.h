// SPDX-License-Identifier: Apache-2.0
// AnswerBounds: how much of one call's answer is taken. An agent may be anybody's: what it sends takes memory
// and time here, and a stream of it need not end.
//
// Counted are messages, octets, texts and the elements of lists: a few octets on the wire are a whole struct in
// memory.
#pragma once

#include <cstddef>

#include "absl/status/status.h"

namespace google::protobuf {
class Message;
}

namespace rdmaready {

struct AnswerLimits {
  std::size_t messages = 100'000;
  std::size_t octets = std::size_t{64} << 20;
  std::size_t elements = 250'000;                    // of lists, at any depth
  std::size_t text_octets = std::size_t{256} << 10;  // of one text
};

// Of one message, whatever the call: gRPC takes no larger one.
inline constexpr int kMaxAnswerMessageOctets = 32 << 20;

class AnswerBounds {
 public:
  explicit AnswerBounds(const AnswerLimits& limits = {}) : limits_(limits) {}

  // Counts one more message. kInternal, in words that read on from "the agent sends": "more than 100000
  // messages".
  absl::Status Take(const google::protobuf::Message& message);

 private:
  absl::Status TakeFields(const google::protobuf::Message& message);

  const AnswerLimits limits_;
  std::size_t messages_ = 0;
  std::size_t octets_ = 0;
  std::size_t elements_ = 0;
};

}  // namespace rdmaready
