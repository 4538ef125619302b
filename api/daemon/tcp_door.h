// SPDX-License-Identifier: Apache-2.0
// TcpDoor: listens, and hands each connection to a gRPC server. gRPC could do both, but one of its listeners is
// closed for ever by the first accept() that fails (1.51: src/core/lib/iomgr/tcp_server_posix.cc, on_read), as
// it does when no descriptor is left: whoever opened that many connections, and went, would leave a server
// behind that is well and hears nobody.
//
// The last descriptors of the process are no connection's: files, the store's too, are opened when it is full.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/handle.h"
#include "api/daemon/doorbell.h"
#include "api/daemon/turned_away.h"

namespace rdmaready {

inline constexpr std::string_view kConnectionsFullEvent = "connections-full";

// A socket that listens. "[::]" is all addresses, those of IPv4 too; "0.0.0.0" those of IPv4.
struct TcpListener {
  UniqueFd fd{};
  std::string address{};  // as the target, with the port that the kernel chose where that was 0
};

// `target`: "ipv4:127.0.0.1:0", "ipv6:[::1]:7471". `unacknowledged`: what the other end's kernel does not take
// within that ends a connection (TCP_USER_TIMEOUT); zero: as the kernel does it. kInvalidArgument; kUnavailable
// with the kernel's word, "Address already in use".
absl::StatusOr<TcpListener> ListenTcp(const std::string& target, std::chrono::milliseconds unacknowledged);

class TcpDoor {
 public:
  // `take` gets each connection on the door's thread. `clock` outlives the door.
  TcpDoor(std::vector<TcpListener> listeners, std::function<void(UniqueFd)> take, EventSink events,
          Clock& clock = RealClock());
  TcpDoor(const TcpDoor&) = delete;
  TcpDoor& operator=(const TcpDoor&) = delete;
  ~TcpDoor() { Close(); }

  // Nobody is let in any more, and nobody waits. From one thread at a time.
  void Close();

  // Whether its thread gets on. Any thread, until it is closed.
  bool Answers(std::chrono::milliseconds patience) { return bell_.IsHeard(patience); }

 private:
  void Listen(const std::stop_token& stop);
  // How long to let nobody in after it; zero: go on.
  std::chrono::milliseconds Accept(const TcpListener& listener);
  void TellFull(std::string why);

  std::vector<TcpListener> listeners_;  // changed without a thread only
  const std::function<void(UniqueFd)> take_;
  const EventSink events_;
  TurnedAway turned_away_;
  Doorbell bell_;
  std::jthread thread_;
};

}  // namespace rdmaready
