// SPDX-License-Identifier: Apache-2.0
// LocalChannel: a PeerChannel between two threads of one process.
#pragma once

#include <memory>
#include <utility>

#include "agent/transfer/peer_channel.h"

namespace rdmaready {

// Two ends; each may live on its own thread. Destroying one closes the channel for the other.
std::pair<std::unique_ptr<PeerChannel>, std::unique_ptr<PeerChannel>> MakeLocalChannel();

}  // namespace rdmaready
