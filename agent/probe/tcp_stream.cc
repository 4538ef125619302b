// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/tcp_stream.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTcpLook{50};  // at what may interrupt

// Until the socket is ready; kStalled after the deadline.
absl::Status Await(int fd, short events, const Patience& patience, const std::string& what) {
  while (true) {
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    const TimePoint now = patience.clock->Now();
    if (now >= patience.deadline) return MakeFailure(FailureKind::kStalled, what + ": no answer in time");
    const auto left = std::min(std::chrono::ceil<milliseconds>(patience.deadline - now), kTcpLook);
    pollfd waiting{.fd = fd, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return ErrnoFailure(FailureKind::kSetup, errno, what);
  }
}

bool IsHangUp(int error) { return error == ECONNRESET || error == EPIPE; }

FailureKind KindOfConnect(int error) {
  if (error == ECONNREFUSED || error == ECONNRESET) return FailureKind::kRejected;
  const bool ours = error == EACCES || error == EPERM || error == EMFILE || error == ENFILE || error == ENOBUFS;
  return ours ? FailureKind::kSetup : FailureKind::kUnreachable;
}

class TcpStream final : public ByteStream {
 public:
  TcpStream(UniqueFd fd, std::string place) : fd_(std::move(fd)), place_(std::move(place)) {}

  absl::Status Send(std::span<const std::byte> bytes, const Patience& patience) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EINTR) {
        RR_RETURN_IF_ERROR(Await(fd_.get(), POLLOUT, patience, "send to " + place_));
      } else {
        return Broken(errno, "send to " + place_);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Receive(std::span<std::byte> bytes, const Patience& patience) override {
    while (!bytes.empty()) {
      const ssize_t received = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
      if (received > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(received));
      } else if (received == 0) {
        return MakeFailure(FailureKind::kDisconnected, place_ + " closed the connection");
      } else if (errno == EAGAIN || errno == EINTR) {
        RR_RETURN_IF_ERROR(Await(fd_.get(), POLLIN, patience, "receive from " + place_));
      } else {
        return Broken(errno, "receive from " + place_);
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Broken(int error, const std::string& what) {
    return ErrnoFailure(IsHangUp(error) ? FailureKind::kDisconnected : FailureKind::kSetup, error, what);
  }

  const UniqueFd fd_;
  const std::string place_;  // "10.0.0.1 port 445"
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteStream>> ConnectTcp(const Endpoint& to, const Patience& patience) {
  std::string place = fmt::format("{} port {}", to.address, to.port);
  const std::string action = "connect to " + place;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (const int error = ::getaddrinfo(to.address.c_str(), std::to_string(to.port).c_str(), &hints, &raw);
      error != 0) {
    return MakeFailure(FailureKind::kSetup, action + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> address(raw, &::freeaddrinfo);
  UniqueFd fd(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return ErrnoFailure(FailureKind::kSetup, errno, action);
  if (::connect(fd.get(), address->ai_addr, address->ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return ErrnoFailure(KindOfConnect(errno), errno, action);
    if (const absl::Status ready = Await(fd.get(), POLLOUT, patience, action); !ready.ok()) {
      const bool silent = FailureOf(ready).kind == FailureKind::kStalled;
      return silent ? MakeFailure(FailureKind::kUnreachable, FailureOf(ready).detail) : ready;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return ErrnoFailure(KindOfConnect(error), error, action);
  }
  return std::make_unique<TcpStream>(std::move(fd), std::move(place));
}

}  // namespace rdmaready
