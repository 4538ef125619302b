// SPDX-License-Identifier: Apache-2.0
// Unix sockets of this host, and who is at their other end (SO_PEERCRED). Of an accepted connection that is who
// connected; of a connecting one, who listens there: systemd, or the helper.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "api/base/handle.h"
#include "collectors/real/wait.h"

namespace rdmaready::helper {

struct Peer {
  ::uid_t uid = 0;
  ::pid_t pid = 0;
};

absl::StatusOr<Peer> PeerOf(int socket);

// Non-blocking. kNotFound when there is no such socket, or nobody listens on it.
absl::StatusOr<UniqueFd> ConnectTo(const std::string& path, const TimedWait& wait);

// Non-blocking. Everybody may connect as far as the file's directory lets him: who is answered is decided by
// PeerOf. A socket of that path on which nobody listens is replaced; kAlreadyExists for anything else there.
absl::StatusOr<UniqueFd> ListenOn(const std::string& path);

}  // namespace rdmaready::helper
