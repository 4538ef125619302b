// SPDX-License-Identifier: Apache-2.0
// OldConnections: which connections are older than the last write of a change. One that was open all the while
// says nothing about whether the host can still be reached; who confirms proves that it can.
#pragma once

#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "agent/access/identity.h"
#include "api/base/clock.h"

namespace rdmaready {

// The TCP connections of this process, by their other ends: "10.0.0.7:40112", "[fd00::7]:40112".
std::set<std::string> TcpPeers();

// What gRPC calls a peer ("ipv4:10.0.0.7:40112", "ipv6:%5Bfd00::7%5D:40112") in those words; empty: none of
// TCP.
std::string TcpPeerOf(std::string_view grpc_peer);

// Threads: every method may be called from any thread.
class OldConnections {
 public:
  // `clock` is that of the local door.
  explicit OldConnections(Clock& clock) : clock_(clock) {}

  // What is connected now is old for that change.
  void Mark(const std::string& change_id);

  // By TCP: it stood when the change was marked. By a local socket: it was made before. In this process: it is
  // this process that made the change. Of a change that this process did not make: it began later, and so did
  // all of its connections.
  bool IsOld(const std::string& change_id, const access::Identity& caller, const std::string& grpc_peer) const;

 private:
  struct Marked {
    std::string change_id{};
    Clock::TimePoint when{};
    std::set<std::string> tcp{};
  };

  static constexpr std::size_t kMostMarked = 8;  // a host has one open change

  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<Marked> marked_{};
};

}  // namespace rdmaready
