// SPDX-License-Identifier: Apache-2.0
// The caller's side of local sockets: whether an agent of this host lets this user in, and if not, why.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::access {

// The result of an attempt to connect.
enum class SocketState {
  kAbsent = 0,  // there is no such socket
  kListening,   // somebody listens, perhaps too busy to accept at once
  kRefused,     // its permissions, or those of its directory, keep this user out
  kAbandoned,   // the file is there, and no process listens any more
};

struct TriedSocket {
  std::string path{};
  SocketState state = SocketState::kAbsent;
  std::string group{};  // whose members may connect; empty: no group may, or that is not known
  std::string owner{};  // the user who may; empty: not known
};

// The user named in a refusal.
struct AskingUser {
  unsigned uid = 0;
  std::string name{};  // empty: the user database has none
};
AskingUser ThisUser();

// Connects to it and hangs up.
TriedSocket TrySocket(const std::string& path);

// The socket to ask, of those that were tried in this order: the first on which somebody listens. Empty: none
// of them is there, so this host has no agent for its users. kPermissionDenied: an agent's sockets are there
// and none lets `user` in; the text names socket and group. kUnavailable: a socket was left behind by an agent
// that ended. The first directory with any socket decides between these two. Pure.
absl::StatusOr<std::string> SocketToAsk(const std::vector<TriedSocket>& tried, const AskingUser& user);

}  // namespace rdmaready::access
