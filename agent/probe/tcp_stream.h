// SPDX-License-Identifier: Apache-2.0
// The TcpConnector that goes through the host's TCP. Nothing in it blocks beyond its patience.
#pragma once

#include "agent/probe/byte_stream.h"

namespace rdmaready {

// `to.address` is numeric.
absl::StatusOr<std::unique_ptr<ByteStream>> ConnectTcp(const Endpoint& to, const Patience& patience);

}  // namespace rdmaready
