// SPDX-License-Identifier: Apache-2.0
#include "api/client/trusted_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "api/base/status.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {

absl::StatusOr<UniqueFd> ConnectTrusted(const std::string& path,
                                        std::chrono::steady_clock::time_point deadline) {
  RR_ASSIGN_OR_RETURN(UniqueFd fd, ConnectTcp("unix:" + path, deadline));
  ::ucred peer{};
  ::socklen_t size = sizeof(peer);
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return ErrnoStatus(errno, "who listens on " + path);
  if (peer.uid == 0 || peer.uid == ::geteuid()) return fd;
  return absl::InvalidArgumentError(fmt::format(
      "uid {} listens on {}: credentials go to root's agent or to one of your own", peer.uid, path));
}

}  // namespace rdmaready
