// SPDX-License-Identifier: Apache-2.0
// Rig: both ends of a test over a MemoryFabric, on two threads, with everything that a test may want to break.
#pragma once

#include <chrono>
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

// Ends by the cap; its limits are out of reach, however long a busy machine holds up a thread.
RunOptions QuickOptions(std::uint64_t messages = kMessages);

// The same with short limits: for a test that fails in any case, and waits for what never comes.
RunOptions ImpatientOptions();

// For what ends by the stall limit alone: the outcome of `run(limit)` with a short one, and with longer ones
// while the machine, and not the fault, was what stalled it: `met(outcome, limit)` is false.
template <typename Run, typename Met>
auto WithShortestStallLimit(const Run& run, const Met& met) {
  for (std::chrono::milliseconds limit(400);; limit *= 4) {
    auto outcome = run(limit);
    if (met(outcome, limit) || limit > std::chrono::seconds(5)) return outcome;
  }
}

// Whether it is a stall of `limit`, and told soon after that.
bool IsStallOf(const Failure& failure, std::chrono::milliseconds limit);

// What ends at once takes less, however busy the machine; what waits for a limit of QuickOptions takes more.
inline constexpr std::chrono::milliseconds kAtOnce(20'000);

std::chrono::milliseconds TimeOf(const std::function<void()>& run);

// For claims of a tenth of a second, which a busy machine breaks in some runs: how often `holds` in up to ten,
// ended when it is kOften.
inline constexpr int kOften = 3;
int TimesOfTen(const std::function<bool()>& holds);

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

// The next message, whatever it is; a default one when none comes soon.
PeerMessage Next(PeerChannel& peer);

TimePoint Soon();  // as late as no test that works ever gets, however busy the machine

}  // namespace rdmaready
