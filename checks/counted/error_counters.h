// SPDX-License-Identifier: Apache-2.0
// Error counters: which of a port's counters say that a live test was not as clean as its bytes, and how their
// growth is told. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/counter_change.h"
#include "checks/counted/counters.h"

namespace rdmaready {

// What a counter's growth means, whatever the driver calls it.
enum class ErrorTopic {
  kRetransmission,    // sent again after a timeout, or seen twice
  kSequence,          // a packet was missing where it was awaited
  kReceiverNotReady,  // no buffer was posted for what came
  kReceiverNeverReady,
  kRetriesUsedUp,  // the queue pair is broken
  kRemoteAccess,   // a key or a right was wrong
  kDropped,
  kDamaged,
  kEcnMarked,   // packets that arrived with a congestion mark
  kCnpSent,     // congestion notifications sent for it
  kCnpHandled,  // received, and slowed down for
  kCnpIgnored,
  kTcpRetransmission,  // of iWARP
  kLink,
};

struct ErrorCounter {
  std::string_view name;  // as the driver calls it
  ErrorTopic topic;
  CounterFamily family;
  // Growth during a test of hardware is a warning. Else it is shown only: congestion control at its work, and
  // TCP, which makes good what a network that may lose frames loses.
  bool warns;
  std::string_view source;  // in the Linux source tree: who counts it
};

// A name may stand in both families, and several drivers may use it.
std::span<const ErrorCounter> AllErrorCounters();

// Which of the topic a port's list may have.
bool IsAbout(std::string_view name, CounterFamily family, ErrorTopic topic);

// What became of those that either reading has.
std::vector<CounterChange> ErrorChanges(const std::vector<Counter>& before, const std::vector<Counter>& after,
                                        CounterFamily family);

// "out_of_sequence +12, packet_seq_err +3 on node1 mlx5_0/1; rx_prio3_pause +4 on node1 eth0; counter
// rnr_nak_retry_err on node2 mlx5_0/1 was reset during the test: its growth is not known, and the result leaves
// it out". Empty when nothing grew or was reset. Safe to print.
std::string GrowthText(std::span<const EndCounters> ends);

// How many more it counted, as far as that is known.
std::uint64_t GrowthOf(const CounterChange& change);

// Whether any grew that warns.
bool GrewWorryingly(std::span<const EndCounters> ends);

// Whether any grew that tells of a packet sent again, missed, or not received in time: also where it is a
// software device's.
bool ShowRetries(std::span<const EndCounters> ends);

// Whether any grew that proves a loss: a packet was missing or dropped, or the retries were used up. A packet
// that was sent again after a timeout need not have been lost.
bool ShowMissing(std::span<const EndCounters> ends);

// Whether any grew that a path without loss leaves alone: something was missing, sent again, or given up.
bool ShowLoss(std::span<const EndCounters> ends);

}  // namespace rdmaready
