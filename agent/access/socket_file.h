// SPDX-License-Identifier: Apache-2.0
// Sockets' files: who may open one may ask. Made without a moment in which others could, and without a umask,
// which is the whole process's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/access/local_door.h"
#include "agent/access/role.h"

namespace rdmaready::access {

// A socket for each, the one that may most last.
inline constexpr std::array kDoorRoles{Role::kObserve, Role::kTest, Role::kProve, Role::kApply};

// Listens at `path`; a socket on which nobody listens any more is replaced. Only this user may connect, and the
// members of `group` where there is such a group. kAlreadyExists: a live process listens there. Else errors of
// the system, with the path.
absl::StatusOr<DoorSocket> MakeSocket(const std::string& path, Role role, const std::string& group = {});

// Makes a directory for sockets (mode 0755) where it is absent. kFailedPrecondition: another user owns it or
// may write it.
absl::Status MakeSocketDirectory(const std::string& directory);

// The socket of each role in such a directory: observe.sock, test.sock, prove.sock, apply.sock, the first two
// with the groups rdmaready-observe and rdmaready-test.
absl::StatusOr<std::vector<DoorSocket>> MakeRoleSockets(const std::string& directory);

// The file that MakeSocket made, unless another took its place.
void RemoveSocketFile(const DoorSocket& socket);

// Where this process's agent listens when systemd does not: a socket of the environment's (RDMAREADY_SOCKET),
// or a directory.
struct SocketPlace {
  std::string path{};       // one socket, of role apply; or empty
  std::string directory{};  // the sockets of the roles
};
// Nothing: this user has no place of his own.
std::optional<SocketPlace> OwnSocketPlace();

// RDMAREADY_SOCKET for a caller who wants no agent of this host to be asked.
inline constexpr std::string_view kNoSocket = "none";

// Where a caller of this host looks, in this order: each of them lets in who may use it. Empty: nowhere
// (kNoSocket).
std::vector<std::string> SocketsToTry();

}  // namespace rdmaready::access
