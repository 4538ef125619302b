// SPDX-License-Identifier: Apache-2.0
#include "api/client/tcp_probe.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::steady_clock;

absl::StatusOr<SocketAddress> ParseUnix(const std::string& path) {
  SocketAddress address;
  auto* un = reinterpret_cast<::sockaddr_un*>(&address.storage);
  if (path.size() >= sizeof(un->sun_path))
    return absl::InvalidArgumentError("socket path " + path + " is too long");
  un->sun_family = AF_UNIX;
  std::memcpy(un->sun_path, path.c_str(), path.size() + 1);
  address.size = sizeof(*un);
  return address;
}

absl::Status Unreachable(int error_number, const std::string& what) {
  return absl::UnavailableError(Message(ErrnoStatus(error_number, what)));
}

}  // namespace

absl::StatusOr<SocketAddress> ParseIpTarget(const std::string& target) {
  const std::string rest = target.substr(std::min<std::size_t>(target.size(), 5));
  const std::size_t colon = rest.rfind(':');
  std::string host = rest.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  ::addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  ::addrinfo* raw = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), rest.substr(colon + 1).c_str(), &hints, &raw); error != 0) {
    return absl::InvalidArgumentError(target + ": " + ::gai_strerror(error));
  }
  const Handle<::addrinfo, ::freeaddrinfo> info(raw);
  SocketAddress address;
  std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
  address.size = info->ai_addrlen;
  return address;
}

bool WaitFor(int fd, short events, steady_clock::time_point deadline) {
  ::pollfd wait{.fd = fd, .events = events, .revents = 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - RealClock().Now());
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    return ready != 0;
  }
}

absl::StatusOr<UniqueFd> ConnectTcp(const std::string& target, steady_clock::time_point deadline) {
  const bool is_unix = target.starts_with("unix:");
  const std::string what = "connect to " + target.substr(5);
  RR_ASSIGN_OR_RETURN(const SocketAddress address,
                      is_unix ? ParseUnix(target.substr(5)) : ParseIpTarget(target));
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return Unreachable(errno, what);
  if (::connect(fd.get(), reinterpret_cast<const ::sockaddr*>(&address.storage), address.size) == 0) return fd;
  if (errno != EINPROGRESS) return Unreachable(errno, what);
  if (!WaitFor(fd.get(), POLLOUT, deadline)) return absl::DeadlineExceededError(what + ": no answer");
  int error = 0;
  ::socklen_t size = sizeof(error);
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return Unreachable(error, what);
  return fd;
}

absl::Status ProbeTcp(const std::string& target, steady_clock::time_point deadline) {
  return ConnectTcp(target, deadline).status();
}

}  // namespace rdmaready
