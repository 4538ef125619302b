// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/inherited_sockets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "agent/access/role.h"
#include "agent/access/socket_file.h"
#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready::access {
namespace {

absl::StatusOr<std::string> PathOf(int fd) {
  ::sockaddr_un address{};
  ::socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<::sockaddr*>(&address), &size) != 0)
    return ErrnoStatus(errno, "name of a socket");
  return std::string(address.sun_path);
}

void FreeList(char** names) {
  for (char** name = names; *name != nullptr; ++name) std::free(*name);
  std::free(static_cast<void*>(names));
}

}  // namespace

absl::StatusOr<std::vector<DoorSocket>> InheritedSockets() {
  char** list = nullptr;
  const int count = ::sd_listen_fds_with_names(1, &list);
  const Handle<char*, FreeList> names(list);
  if (count < 0) return ErrnoStatus(-count, "sockets that systemd passed");
  std::vector<DoorSocket> sockets;
  for (int i = 0; i < count; ++i) {
    const int fd = SD_LISTEN_FDS_START + i;
    const std::string name = list[i];
    const Role role = RoleOfName(name);
    if (std::ranges::find(kDoorRoles, role) == kDoorRoles.end()) {
      return absl::InvalidArgumentError(
          "systemd passed a socket of the name '" + name +
          "': FileDescriptorName= is observe, test, prove or apply (TCP is the agent's own: "
          "--listen)");
    }
    if (::sd_is_socket_unix(fd, SOCK_STREAM, 1, nullptr, 0) <= 0) {
      return absl::InvalidArgumentError("systemd passed no listening unix socket as '" + name + "'");
    }
    RR_ASSIGN_OR_RETURN(std::string path, PathOf(fd));
    const int flags = ::fcntl(fd, F_GETFL);
    static_cast<void>(::fcntl(fd, F_SETFL, flags | O_NONBLOCK));
    // Never listen(2) again: callers would see this process, and not systemd, at the other end.
    sockets.push_back({UniqueFd(fd), role, std::move(path), 0});
  }
  return sockets;
}

}  // namespace rdmaready::access
