// SPDX-License-Identifier: Apache-2.0
// OneWayRelay: between an agent and its hub, on loopback. It passes on what either says, or holds one direction
// back: as with a network that lets one direction through, nothing is lost in the middle of a connection, and
// what was held comes when it passes again, closings included.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace rdmaready::hub {

class OneWayRelay {
 public:
  explicit OneWayRelay(std::uint16_t hub_port) : hub_port_(hub_port), listener_(Socket()) {
    ::sockaddr_in address = Loopback(0);
    ::socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<::sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 64), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<::sockaddr*>(&address), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(::ntohs(address.sin_port));
    thread_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
  }
  ~OneWayRelay() {
    thread_ = {};
    ways_.clear();
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
  }
  OneWayRelay(const OneWayRelay&) = delete;
  OneWayRelay& operator=(const OneWayRelay&) = delete;

  const std::string& address() const { return address_; }
  void HoldToHub(bool hold) { hold_to_hub_ = hold; }
  void HoldToAgent(bool hold) { hold_to_agent_ = hold; }

 private:
  static constexpr int kLookMs = 10;

  static int Socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  static ::sockaddr_in Loopback(std::uint16_t port) {
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    address.sin_port = ::htons(port);
    return address;
  }
  static bool Readable(int socket) {
    ::pollfd look{.fd = socket, .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, kLookMs) == 1;
  }

  void Accept(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!Readable(listener_)) continue;
      const int agent = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int hub = Socket();
      sockets_.insert(sockets_.end(), {agent, hub});
      ::sockaddr_in address = Loopback(hub_port_);
      if (::connect(hub, reinterpret_cast<::sockaddr*>(&address), sizeof address) != 0) continue;
      ways_.emplace_back([=, this](const std::stop_token& over) { Pass(agent, hub, hold_to_hub_, over); });
      ways_.emplace_back([=, this](const std::stop_token& over) { Pass(hub, agent, hold_to_agent_, over); });
    }
  }

  static void Pass(int from, int to, const std::atomic<bool>& hold, const std::stop_token& over) {
    std::array<char, 65536> bytes{};
    while (!over.stop_requested()) {
      if (hold) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
        continue;
      }
      if (!Readable(from) || hold) continue;
      const ::ssize_t count = ::read(from, bytes.data(), bytes.size());
      if (count <= 0 || ::send(to, bytes.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) != count) {
        ::shutdown(to, SHUT_WR);
        return;
      }
    }
  }

  const std::uint16_t hub_port_;
  const int listener_;
  std::string address_{};
  std::atomic<bool> hold_to_hub_ = false;
  std::atomic<bool> hold_to_agent_ = false;
  std::list<int> sockets_{};
  std::list<std::jthread> ways_{};
  std::jthread thread_{};
};

}  // namespace rdmaready::hub
