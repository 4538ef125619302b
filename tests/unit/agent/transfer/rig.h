// SPDX-License-Identifier: Apache-2.0
// Rig: both ends of a test over a MemoryFabric, on two threads, with everything that a test may want to break.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "agent/transfer/local_channel.h"
#include "agent/transfer/run.h"
#include "tests/unit/agent/link/memory_link.h"

namespace rdmaready {

inline constexpr std::uint32_t kMessageBytes = 4096;
inline constexpr std::uint64_t kMessages = 40;

// A case that ends after kMessages (by the cap on bytes), long before its time.
TransferCase SmallCase(Operation operation);

// Short limits, and the cap.
RunOptions QuickOptions(std::uint64_t messages = kMessages);

struct BothEnds {
  TransferResult initiator{};
  TransferResult responder{};
};

using ChannelPair = std::pair<std::unique_ptr<PeerChannel>, std::unique_ptr<PeerChannel>>;

// Runs both ends to the end. The channel's first end is the responder's.
BothEnds RunBoth(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                 ChannelPair channel = MakeLocalChannel());

// Runs one end while `other` plays the other end by hand with its own link and channel. When `other` returns,
// its channel closes; its link stays.
using HandPlayed = std::function<void(MemoryLink& link, PeerChannel& peer)>;
TransferResult RunInitiatorAgainst(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                                   const HandPlayed& responder);
TransferResult RunResponderAgainst(MemoryFabric& fabric, const TransferCase& test, const RunOptions& options,
                                   const HandPlayed& initiator);

// The next message, whatever it is; a default one when none comes within two seconds.
PeerMessage Next(PeerChannel& peer);

TimePoint Soon();  // two seconds from now

}  // namespace rdmaready
