// SPDX-License-Identifier: Apache-2.0
// What agent and helpers say to each other over a stream socket of this host: frames, each a length in 4 octets
// (big endian) and one JSON object. A connection carries one question and its answer:
//
//   {"verb": "...", ...arguments}  ->  {"answer": {...}}  or  {"error": {"code": "...", "text": "..."}}
//
// A verb that takes its time may say before how far it is, some times: {"progress": "..."}.
//
// Nothing here trusts the other end: lengths, depth and numbers of elements are bounded before anything is
// kept. Sockets must be non-blocking; every wait ends by its TimedWait.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collectors/real/wait.h"
#include "collectors/recording/json.h"

namespace rdmaready::helper {

using Json = recording::Json;
using Arguments = recording::Reader;  // the members of a question, each asked for by name

// Of one frame, without its length. An answer may be the dump of a large rule set, in hexadecimal.
inline constexpr std::size_t kMostQuestionBytes = 64 * 1024;
inline constexpr std::size_t kMostAnswerBytes = std::size_t{16} * 1024 * 1024;

// kDeadlineExceeded or kCancelled when the wait is over, kUnavailable when the other end is gone.
absl::Status SendFrame(int socket, std::string_view body, const TimedWait& wait);

// The body. kUnavailable when the other end closed before a whole frame came, kInvalidArgument when it is
// longer than `most_bytes`.
absl::StatusOr<std::string> ReceiveFrame(int socket, std::size_t most_bytes, const TimedWait& wait);

// One line of JSON, whatever bytes its texts hold.
std::string Text(const Json& json);

// The body of an answer, and what such a body says: the members of "answer", or the error. Whatever the body
// is, it neither throws nor takes more than a few times its memory; what is no answer is kInternal.
std::string AnswerBody(const absl::StatusOr<Json>& answer);
absl::StatusOr<Json> ReadAnswerBody(std::string_view body);

// Of one question, and of one of them. Both ends of a helper have the same.
inline constexpr int kMostProgress = 64;
inline constexpr std::size_t kMostProgressBytes = 128;
struct ProgressLimits {
  int most = kMostProgress;
  std::size_t most_bytes = kMostProgressBytes;
};

// What is longer is cut.
std::string ProgressBody(std::string_view what, std::size_t most_bytes = kMostProgressBytes);
// Nothing for any other body.
std::optional<std::string> ReadProgressBody(std::string_view body, std::size_t most_bytes = kMostProgressBytes);

}  // namespace rdmaready::helper
