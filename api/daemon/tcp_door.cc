// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/tcp_door.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "api/base/status.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {
namespace {

constexpr auto kRest = std::chrono::milliseconds(100);  // after what trying again at once does not mend
constexpr ::rlim_t kMostReserved = 64;

// Descriptors from this number on are not for connections: the kernel gives the lowest that is free.
int FirstReserved() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const ::rlim_t most = std::min(limit.rlim_cur, ::rlim_t{1} << 30);
  return static_cast<int>(most - std::min(kMostReserved, most / 8));
}

bool Set(const UniqueFd& fd, int level, int option, int value) {
  return ::setsockopt(fd.get(), level, option, &value, sizeof(value)) == 0;
}

absl::StatusOr<std::uint16_t> PortOf(const UniqueFd& fd) {
  ::sockaddr_storage own{};
  ::socklen_t size = sizeof(own);
  if (::getsockname(fd.get(), reinterpret_cast<::sockaddr*>(&own), &size) != 0)
    return ErrnoStatus(errno, "getsockname");
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const ::sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const ::sockaddr_in&>(own).sin_port);
}

// "Address already in use (ss -ltnp 'sport = :7471' shows by which process)".
std::string WhyNotListening(int error, std::string_view target) {
  const std::string why = std::strerror(error);
  if (error != EADDRINUSE) return why;
  return fmt::format("{} (ss -ltnp 'sport = {}' shows by which process)", why,
                     target.substr(target.rfind(':')));
}

}  // namespace

absl::StatusOr<TcpListener> ListenTcp(const std::string& target, std::chrono::milliseconds unacknowledged) {
  RR_ASSIGN_OR_RETURN(const SocketAddress address, ParseIpTarget(target));
  const auto* name = reinterpret_cast<const ::sockaddr*>(&address.storage);
  TcpListener listener{.fd =
                           UniqueFd(::socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
  // What is accepted has these of the socket, too. TCP_NODELAY: a small answer does not wait for the next one.
  const bool listens =
      listener.fd && Set(listener.fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
      Set(listener.fd, IPPROTO_TCP, TCP_NODELAY, 1) &&
      Set(listener.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(unacknowledged.count())) &&
      (name->sa_family != AF_INET6 || Set(listener.fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
      ::bind(listener.fd.get(), name, address.size) == 0 && ::listen(listener.fd.get(), SOMAXCONN) == 0;
  if (!listens) return absl::UnavailableError(WhyNotListening(errno, target));
  RR_ASSIGN_OR_RETURN(const std::uint16_t port, PortOf(listener.fd));
  listener.address = fmt::format("{}:{}", target.substr(0, target.rfind(':')), port);
  return listener;
}

TcpDoor::TcpDoor(std::vector<TcpListener> listeners, std::function<void(UniqueFd)> take, EventSink events,
                 Clock& clock)
    : listeners_(std::move(listeners)),
      take_(std::move(take)),
      events_(std::move(events)),
      turned_away_(clock),
      bell_(clock),
      thread_([this](const std::stop_token& stop) { Listen(stop); }) {}

void TcpDoor::Close() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  bell_.Ring();
  thread_.join();
  listeners_.clear();
}

void TcpDoor::Listen(const std::stop_token& stop) {
  std::vector<::pollfd> waited{{.fd = bell_.fd(), .events = POLLIN, .revents = 0}};
  for (const TcpListener& listener : listeners_)
    waited.push_back({.fd = listener.fd.get(), .events = POLLIN, .revents = 0});
  while (!stop.stop_requested()) {
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;  // a signal, or no memory for a moment
    if (waited[0].revents != 0) bell_.Heard();
    std::chrono::milliseconds rest{0};
    for (std::size_t i = 0; i < listeners_.size() && !stop.stop_requested(); ++i) {
      if (waited[i + 1].revents != 0) rest = std::max(rest, Accept(listeners_[i]));
    }
    if (rest.count() > 0) ::poll(waited.data(), 1, static_cast<int>(rest.count()));
  }
}

std::chrono::milliseconds TcpDoor::Accept(const TcpListener& listener) {
  UniqueFd accepted(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (accepted && accepted.get() < FirstReserved()) {
    take_(std::move(accepted));
    return {};
  }
  if (accepted) {
    TellFull("all descriptors for connections are in use");
    return {};  // closed: the next one in the queue may be somebody else's, and is told as soon
  }
  const int error = errno;
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS) {
    TellFull(std::strerror(error));
    return kRest;
  }
  return {};  // that connection is gone, or there was none
}

void TcpDoor::TellFull(std::string why) {
  const std::optional<std::uint64_t> count = turned_away_.One();
  if (!count) return;
  Tell(events_, EventLevel::kWarning, kConnectionsFullEvent,
       {{"turned_away", fmt::format("{}", *count)}, {"why", std::move(why)}});
}

}  // namespace rdmaready
