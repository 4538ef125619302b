// SPDX-License-Identifier: Apache-2.0
// The step that the walks of NVMe, iSER and NFS share: to connect by RDMA, or to say why not.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "agent/probe/message_link.h"
#include "agent/probe/probe.h"

namespace rdmaready {

inline constexpr std::string_view kStepRdmaConnect = "rdma-connect";

// kUnreachable when the target is on iWARP and nobody is at that port's address by TCP; OK otherwise, a closed
// port included. The soft iWARP device waits in the kernel for TCP to give up, two minutes, whatever patience
// says: ask first.
absl::Status CheckIwarpAddress(const ProbeTarget& target, std::uint16_t port, const ProbeTools& tools,
                               const Patience& patience);

// Makes the step by `connect`, which connects `link` to the server. Tells the refusal ("rdma-refusal"), or the
// transport and how many RDMA reads the server may have under way here ("rdma-ird"), and what this end speaks
// ("local-iwarp"). When nothing answered by RDMA (on iWARP: before RDMA is tried) it asks by TCP whether
// anybody is there ("tcp-answers"): a host without RDMA is no silent one.
bool ConnectByRdma(const ProbeTarget& target, const ProbeTools& tools, const MessageLink& link,
                   const std::function<absl::Status(const Patience&)>& connect, Walk& walk);

}  // namespace rdmaready
