// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/relay.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "api/base/status.h"
#include "api/client/hub_address.h"

namespace rdmaready::sim {
namespace {

constexpr int kBacklog = 16;
constexpr std::uint32_t kListener = 0;  // in the place of a connection's number
constexpr std::uint64_t kStopped = ~std::uint64_t{0};
// Told once when it becomes so: an end that is gone while its line is held would be told of again and again.
constexpr std::uint32_t kEdges = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr std::uint32_t kGone = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

using AddressList = Handle<::addrinfo, ::freeaddrinfo>;

absl::Status Trouble(const std::string& what) {
  return absl::UnavailableError(fmt::format("{}: {}", what, std::strerror(errno)));
}

::sockaddr* Generic(::sockaddr_storage& address) { return reinterpret_cast<::sockaddr*>(&address); }

// Of either family: the port stands at the same place in both.
in_port_t& PortIn(::sockaddr_storage& address) {
  static_assert(offsetof(::sockaddr_in, sin_port) == offsetof(::sockaddr_in6, sin6_port));
  return reinterpret_cast<::sockaddr_in&>(address).sin_port;
}

UniqueFd StreamSocket(int family) {
  return UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void SendAtOnce(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Whether the other end closed it: then nobody reads what would be sent, since neither end half-closes.
bool IsGone(int socket) {
  ::pollfd look{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&look, 1, 0) == 1;
}

// IPv4 first: "localhost" is both, and a hub listens there on that.
const ::addrinfo& Preferred(const ::addrinfo& first) {
  for (const ::addrinfo* one = &first; one != nullptr; one = one->ai_next) {
    if (one->ai_family == AF_INET) return *one;
  }
  return first;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Relay>> Relay::Start(const std::string& hub, std::size_t lines) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHubAddress(hub));
  if (!address.unix_path.empty())
    return absl::InvalidArgumentError(hub + ": a relay stands before a hub that is called by TCP");
  ::addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  ::addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return absl::UnavailableError(fmt::format("{}: {}", hub, ::gai_strerror(error)));
  const AddressList list(found);
  std::unique_ptr<Relay> relay(new Relay(Preferred(*list), lines));
  if (!relay->epoll_ || !relay->stopped_) return Trouble("relay");
  ::epoll_event event{.events = EPOLLIN, .data = {.u64 = kStopped}};
  ::epoll_ctl(relay->epoll_.get(), EPOLL_CTL_ADD, relay->stopped_.get(), &event);
  for (std::size_t line = 0; line < lines; ++line) {
    if (const absl::Status listens = relay->Listen(line, address.host); !listens.ok()) return listens;
  }
  relay->thread_ = std::jthread([&self = *relay](const std::stop_token& stop) { self.Serve(stop); });
  return relay;
}

Relay::Relay(const ::addrinfo& hub, std::size_t lines)
    : hub_size_(hub.ai_addrlen),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stopped_(::eventfd(0, EFD_CLOEXEC)),
      lines_(lines) {
  std::memcpy(&hub_, hub.ai_addr, hub.ai_addrlen);
}

Relay::~Relay() {
  thread_.request_stop();
  ::eventfd_write(stopped_.get(), 1);
}

absl::Status Relay::Listen(std::size_t number, const std::string& host) {
  Line& line = lines_[number];
  ::sockaddr_storage own = hub_;
  ::socklen_t size = sizeof own;
  PortIn(own) = 0;
  line.listener = StreamSocket(own.ss_family);
  if (!line.listener || ::bind(line.listener.get(), Generic(own), hub_size_) != 0 ||
      ::listen(line.listener.get(), kBacklog) != 0 ||
      ::getsockname(line.listener.get(), Generic(own), &size) != 0 ||
      !Watch(line.listener.get(), number, kListener, EPOLLIN | EPOLLET))
    return Trouble("a relay at the hub's own address, " + host);
  const bool v6 = host.find(':') != std::string::npos;
  line.address = fmt::format("{}:{}", v6 ? "[" + host + "]" : host, ntohs(PortIn(own)));
  return absl::OkStatus();
}

bool Relay::Watch(int socket, std::size_t line, std::uint32_t connection, std::uint32_t events) const {
  ::epoll_event event{.events = events, .data = {.u64 = std::uint64_t{line} << 32 | connection}};
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) == 0;
}

void Relay::Hold(std::size_t number, Held held) {
  const std::lock_guard lock(mutex_);
  Line& line = lines_[number];
  line.held = held;
  for (auto next = line.connections.begin(); next != line.connections.end();) Tend(number, (next++)->first, 0);
}

void Relay::Serve(const std::stop_token& stop) {
  std::array<::epoll_event, 256> events{};
  while (!stop.stop_requested()) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      const ::epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kStopped) return;
      const auto line = static_cast<std::size_t>(event.data.u64 >> 32);
      const auto connection = static_cast<std::uint32_t>(event.data.u64);
      if (connection == kListener)
        Accept(line);
      else
        Tend(line, connection, event.events);
    }
  }
}

void Relay::Accept(std::size_t number) {
  Line& line = lines_[number];
  while (UniqueFd agent{::accept4(line.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)}) {
    SendAtOnce(agent.get());
    const std::uint32_t connection = ++line.last;
    if (!Watch(agent.get(), number, connection, kEdges)) continue;
    line.connections[connection].agent = std::move(agent);
    Tend(number, connection, 0);
  }
}

// Whatever can pass of a connection passes; one of which both ends are over is closed.
void Relay::Tend(std::size_t number, std::uint32_t connection, std::uint32_t events) {
  Line& line = lines_[number];
  const auto found = line.connections.find(connection);
  if (found == line.connections.end()) return;
  Connection& one = found->second;
  if (!one.hub && line.held.to_hub) {
    if ((events & kGone) != 0) line.connections.erase(found);  // given up
    return;
  }
  // It may have been given up while the line was held, without an event of it yet.
  if (!one.hub && (IsGone(one.agent.get()) || !Connect(number, connection, one))) {
    line.connections.erase(found);
    return;
  }
  const bool held = line.held.to_hub || line.held.to_agent;
  if (held && (events & kGone) != 0 && IsGone(one.agent.get()) && IsGone(one.hub.get())) {
    line.connections.erase(found);  // nobody is left whom what is held could reach
    return;
  }
  if (!line.held.to_hub) Pass(one.agent.get(), one.hub.get(), one.to_hub);
  if (!line.held.to_agent) Pass(one.hub.get(), one.agent.get(), one.to_agent);
  if (one.to_hub.over && one.to_agent.over) line.connections.erase(found);
}

bool Relay::Connect(std::size_t line, std::uint32_t number, Connection& connection) const {
  ::sockaddr_storage hub = hub_;
  UniqueFd socket = StreamSocket(hub.ss_family);
  if (!socket) return false;
  SendAtOnce(socket.get());
  if (::connect(socket.get(), Generic(hub), hub_size_) != 0 && errno != EINPROGRESS) return false;
  if (!Watch(socket.get(), line, number, kEdges)) return false;
  connection.hub = std::move(socket);
  return true;
}

// Until nothing more is there, or the other end takes no more: either becoming otherwise is an event.
void Relay::Pass(int from, int to, Way& way) {
  std::array<char, 65536> bytes;
  while (!way.over) {
    ::ssize_t count = 0;
    if (way.rest.empty()) {
      count = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (count > 0) way.rest.assign(bytes.data(), static_cast<std::size_t>(count));
    }
    if (!way.rest.empty()) {
      count = ::send(to, way.rest.data(), way.rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count > 0) way.rest.erase(0, static_cast<std::size_t>(count));
    }
    if (count > 0) continue;
    if (count < 0 && errno == EAGAIN) return;
    way.over = true;
    way.rest.clear();
    ::shutdown(to, SHUT_WR);
  }
}

}  // namespace rdmaready::sim
