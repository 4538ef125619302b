// SPDX-License-Identifier: Apache-2.0
// A switch with a clock that a test moves, and frames for it. Ports count from 1, as on the control socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/fabric/hub/switch.h"

namespace fabric {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kIpAt = 14;     // without a tag
constexpr int kDscpsOfAPriority = 8;  // where a port trusts DSCP and nothing is set

// The address of the guest at a port.
Bytes AddressOf(int port);
Bytes Broadcast();

// A frame from one guest to another, `bytes` long with its header. The payload is zeros.
Bytes EthernetFrame(int to, int from, std::uint16_t type, std::size_t bytes);
// The same with an IP header whose lengths, and checksum, are right. `ecn` 0: not ECT.
Bytes Ipv4Frame(int to, int from, int dscp, int ecn, std::size_t bytes);
Bytes Ipv6Frame(int to, int from, int dscp, int ecn, std::size_t bytes);
// With one more VLAN tag in front of the type.
Bytes Tagged(Bytes frame, int pcp, std::uint16_t type = 0x8100);
// A pause of a guest that wants `priorities` (bits) to stop for so many quanta; 0: to go on.
Bytes PauseFrame(int from, std::uint8_t priorities, std::uint16_t quanta);

bool IsPause(const Bytes& frame);
// For a frame that PauseFrame or the switch made.
std::uint8_t PausedPriorities(const Bytes& frame);
std::uint16_t QuantaOf(const Bytes& frame, int priority);
int DscpOf(const Bytes& ipv4_frame);
// The DSCP says it.
int PriorityOf(const Bytes& ipv4_frame);
// The one's complement sum over an IPv4 header with its checksum: 0xffff where that is right.
std::uint32_t HeaderSum(const Bytes& ipv4_frame);

class Rig {
 public:
  // All ports have a link.
  explicit Rig(int ports, std::uint32_t mbps = 0);

  Switch* operator->() { return switch_.get(); }
  Switch* get() { return switch_.get(); }
  Port& At(int port) { return switch_->ports[port - 1]; }
  const PriorityCounters& Of(int port, int priority) { return At(port).counters.of[priority]; }

  // Frames that waited are thrown away: each guest has sent one, so that the switch knows where it is.
  void Introduce();
  // One line of the control socket; the answer.
  std::string Ask(std::string line);
  // Expects that it is done.
  void Set(const std::string& words);
  void Receive(int port, const Bytes& frame);
  // The next frame of a port; empty: none now.
  Bytes Transmit(int port);
  // All that a port sends now.
  std::vector<Bytes> Drain(int port);
  // All that it sends until then, by moving the clock from one frame to the next.
  std::vector<Bytes> DrainUntil(int port, std::uint64_t end_ns);
  std::uint64_t Drops(int port, int priority);

  std::uint64_t now_ns = 0;

 private:
  struct Free {
    void operator()(Switch* of) const { SwitchFree(of); }
  };
  std::unique_ptr<Switch, Free> switch_;
  std::string answer_;
};

}  // namespace fabric
