// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/peer.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

constexpr int kBacklog = 64;
constexpr ::mode_t kAnybodyConnects = 0666;
constexpr auto kRetry = std::chrono::milliseconds(10);

absl::StatusOr<::sockaddr_un> AddressOf(const std::string& path) {
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError("a socket's path has 1 to " +
                                      std::to_string(sizeof(address.sun_path) - 1) + " octets: " + path);
  }
  std::ranges::copy(path, address.sun_path);
  return address;
}

absl::StatusOr<UniqueFd> NewSocket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return ErrnoStatus(errno, "make a socket");
  return fd;
}

int Connect(int fd, const ::sockaddr_un& address) {
  const int result = ::connect(fd, reinterpret_cast<const ::sockaddr*>(&address), sizeof(address));
  return result == 0 ? 0 : errno;
}

}  // namespace

absl::StatusOr<Peer> PeerOf(int socket) {
  ::ucred credentials{};
  ::socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return ErrnoStatus(errno, "ask who is at the other end");
  }
  return Peer{.uid = credentials.uid, .pid = credentials.pid};
}

absl::StatusOr<UniqueFd> ConnectTo(const std::string& path, const TimedWait& wait) {
  RR_ASSIGN_OR_RETURN(const ::sockaddr_un address, AddressOf(path));
  RR_ASSIGN_OR_RETURN(UniqueFd fd, NewSocket());
  while (true) {
    const int error = Connect(fd.get(), address);
    if (error == 0) return fd;
    if (error == ECONNREFUSED) return absl::NotFoundError("connect to " + path + ": nobody listens there");
    // EAGAIN: the queue of who listens is full. No poll tells when it has room.
    if (error != EAGAIN && error != EINTR) return ErrnoStatus(error, "connect to " + path);
    ::pollfd wake{wait.wake_fd(), POLLIN, 0};
    if (wait.left_ms() == 0) return absl::DeadlineExceededError("connect to " + path + ": its queue is full");
    static_cast<void>(::poll(&wake, 1, static_cast<int>(kRetry.count())));
  }
}

absl::StatusOr<UniqueFd> ListenOn(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const ::sockaddr_un address, AddressOf(path));
  struct ::stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) return absl::AlreadyExistsError(path + " is there, and no socket");
    RR_ASSIGN_OR_RETURN(const UniqueFd probe, NewSocket());
    if (Connect(probe.get(), address) != ECONNREFUSED) {
      return absl::AlreadyExistsError("somebody listens on " + path);
    }
    if (::unlink(path.c_str()) != 0) return ErrnoStatus(errno, "remove " + path);
  }
  RR_ASSIGN_OR_RETURN(UniqueFd fd, NewSocket());
  if (::bind(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoStatus(errno, "listen on " + path);
  }
  if (::chmod(path.c_str(), kAnybodyConnects) != 0) return ErrnoStatus(errno, "chmod " + path);
  if (::listen(fd.get(), kBacklog) != 0) return ErrnoStatus(errno, "listen on " + path);
  return fd;
}

}  // namespace rdmaready::helper
