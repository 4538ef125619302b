// SPDX-License-Identifier: Apache-2.0
// ByteStream: the seam towards a TCP connection of a probe. Every failure is one of MakeFailure: kUnreachable
// when nobody answers, kRejected when the port is closed, kDisconnected when the server hung up, kStalled when
// it kept silent until the deadline.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"

namespace rdmaready {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual absl::Status Send(std::span<const std::byte> bytes, const Patience& patience) = 0;
  // Fills all of `bytes`.
  virtual absl::Status Receive(std::span<std::byte> bytes, const Patience& patience) = 0;
};

using TcpConnector =
    std::function<absl::StatusOr<std::unique_ptr<ByteStream>>(const Endpoint& to, const Patience& patience)>;

}  // namespace rdmaready
