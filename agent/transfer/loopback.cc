// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "agent/transfer/local_channel.h"
#include "agent/transfer/run.h"

namespace rdmaready {

TransferResult RunLoopback(const TransferCase& test, Link& responder, Link& initiator,
                           const RunOptions& options) {
  auto [responder_end, initiator_end] = MakeLocalChannel();
  TransferResult result;
  {
    const std::jthread other([&] { RunResponder(test, responder, *responder_end, options); });
    result = RunInitiator(test, initiator, *initiator_end, options);
  }
  return result;
}

}  // namespace rdmaready
