// SPDX-License-Identifier: Apache-2.0
// The step that the walks of NVMe, iSER and NFS share: to connect by RDMA, or to say why not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "agent/probe/message_link.h"
#include "agent/probe/probe.h"
#include "api/base/clock.h"

namespace rdmaready {

// Asks by TCP whether anybody is at a port, and says nothing there. It is not let go at once: the listener of
// the soft iWARP device takes the end of a connection that it has not accepted yet for its own and listens no
// more (siw_cm_llp_state_change, Linux 6.12: such a socket still has the listener's endpoint). Not to
// be copied.
class Knock {
 public:
  Knock() = default;
  Knock(const Knock&) = delete;
  Knock& operator=(const Knock&) = delete;
  ~Knock();  // waits a second for the server to accept it, unless it is known to have

  // OK is an answer, that of a closed port too. Failures are those of a TcpConnector.
  absl::Status At(const Endpoint& to, const ProbeTools& tools, const Patience& patience);

  // The server accepted a connection that was made after this one.
  void Accepted() { stream_.reset(); }

 private:
  std::unique_ptr<ByteStream> stream_{};  // none where the port is closed
  Clock* clock_ = nullptr;                // of who knocked
};

// Knocks when the target is on iWARP: the soft iWARP device waits in the kernel for TCP to give up, two
// minutes, whatever patience says. kUnreachable when nobody answers, or kCancelled.
absl::Status KnockOnIwarp(const ProbeTarget& target, std::uint16_t port, const ProbeTools& tools,
                          const Patience& patience, Knock& knock);

// Makes the step by `connect`, which connects `link` to the server, and fills in RdmaAnswers and the transport.
// When nothing answers by RDMA (on iWARP: before RDMA is tried) it asks by TCP whether anybody is there
// (RdmaAnswers::tcp_answers): a host without RDMA is not a silent one.
bool ConnectByRdma(const ProbeTarget& target, const ProbeTools& tools, const MessageLink& link,
                   const std::function<absl::Status(const Patience&)>& connect, Walk& walk);

}  // namespace rdmaready
