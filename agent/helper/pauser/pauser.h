// SPDX-License-Identifier: Apache-2.0
// Pauser: what the agent asks for when it has a port pause one priority of its link partner.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::helper {

struct PauseOrder {
  std::string netdev{};
  std::uint32_t priority = 0;         // 0 to 7
  std::chrono::milliseconds burst{};  // 10 to 100 ms
  std::uint32_t bursts = 0;           // together at most a second
  std::chrono::milliseconds gap{};    // between two of them: from a burst's time to a second
  bool station_heard = false;         // by LLDP, at the other end of the cable, and nobody else
  std::string requester{};            // for the audit; at most 256 printable characters without quotes
};

// One burst as it was sent.
struct SentBurst {
  std::uint32_t frames = 0;
  std::chrono::microseconds paused{};  // how long they ask for, overlaps counted once
  bool ended = false;                  // by the frame of zero quanta

  bool operator==(const SentBurst&) const = default;
};

struct PausesSent {
  std::string driver{};  // of the interface, as ethtool names it; empty: not known
  std::vector<SentBurst> bursts{};
  std::string failure{};  // why not all were sent; empty: they were

  bool operator==(const PausesSent&) const = default;
};

class Pauser {
 public:
  virtual ~Pauser() = default;

  // Whether somebody may send pauses: without asking. kPermissionDenied, and how root lets them be sent.
  virtual absl::Status IsThere() const = 0;

  // Blocks until all are sent, or `stop`; any thread. Errors, when nothing was sent: kPermissionDenied: nobody
  // may, or root's file does not name the interface; kFailedPrecondition: it cannot send pauses, with the
  // reason; kResourceExhausted: its hour is used up, with the time when it is not; kUnavailable: busy, or it
  // was paused so recently that its partner has to be let go on first, with the time when it is free.
  virtual absl::StatusOr<PausesSent> Pause(const PauseOrder& order, const std::stop_token& stop) = 0;
};

}  // namespace rdmaready::helper
