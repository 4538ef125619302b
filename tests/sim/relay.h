// SPDX-License-Identifier: Apache-2.0
// Relay: a network between agents and their hub that can be cut. Each agent calls a port of its own, a line,
// and what either end of its connections says passes on, or is held. Nothing is lost in the middle of a
// connection: what was held, closings included, passes when the line is whole again, unless an end found the
// connection dead meanwhile. It carries bytes, and so TLS.
//
// A connection of which both ends are gone is closed, whatever is held.
//
// While a line to the hub is held, no new connection reaches the hub; one that the agent gave up never does.
//
// Threads: one of its own serves all lines; any thread may call. What Hold says is so when it returns.
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready::sim {

class Relay {
 public:
  struct Held {
    bool to_hub = false;
    bool to_agent = false;
  };

  // The lines listen at the hub's own address, so that its certificate has their name, too: the hub is of this
  // machine. It need not be there yet. kInvalidArgument (the address, or a socket file), kUnavailable.
  static absl::StatusOr<std::unique_ptr<Relay>> Start(const std::string& hub, std::size_t lines);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::size_t lines() const { return lines_.size(); }
  // Where an agent on this line finds the hub.
  const std::string& address(std::size_t line) const { return lines_[line].address; }
  void Hold(std::size_t line, Held held);

 private:
  // One direction of a connection.
  struct Way {
    std::string rest{};  // was read, and not taken yet by the other end
    bool over = false;   // nothing more comes, and the other end was told so
  };
  struct Connection {
    UniqueFd agent{};
    UniqueFd hub{};  // none: it waits until the line is whole
    Way to_hub{};
    Way to_agent{};
  };
  struct Line {
    UniqueFd listener{};
    std::string address{};
    Held held{};
    std::uint32_t last = 0;  // number of a connection
    std::map<std::uint32_t, Connection> connections{};
  };

  Relay(const ::addrinfo& hub, std::size_t lines);
  absl::Status Listen(std::size_t line, const std::string& host);
  void Serve(const std::stop_token& stop);

  // With the mutex held.
  bool Watch(int socket, std::size_t line, std::uint32_t connection, std::uint32_t events) const;
  void Accept(std::size_t line);
  void Tend(std::size_t line, std::uint32_t number, std::uint32_t events);
  bool Connect(std::size_t line, std::uint32_t number, Connection& connection) const;
  static void Pass(int from, int to, Way& way);

  ::sockaddr_storage hub_{};
  ::socklen_t hub_size_ = 0;
  UniqueFd epoll_;
  UniqueFd stopped_;  // an eventfd
  std::mutex mutex_;  // guards the lines but for their addresses
  std::vector<Line> lines_;
  std::jthread thread_{};
};

}  // namespace rdmaready::sim
