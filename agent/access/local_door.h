// SPDX-License-Identifier: Apache-2.0
// LocalDoor: listens on local sockets, a role each, and knows of every connection who made it: the kernel says
// so (SO_PEERCRED).
//
// gRPC of this version takes accepted connections, but not listening sockets, and tells of a call's connection
// only "fd:77". A number is therefore given again only to the same user by the same socket, or when its last
// connection has been gone for a minute: a call never counts as another user's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/access/role.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/handle.h"

namespace rdmaready::access {

// A listening socket.
struct DoorSocket {
  UniqueFd fd{};
  Role role = Role::kNone;
  std::string path{};
  ::ino_t own_file = 0;  // the inode of the file that we made for it; 0: systemd made it, and keeps it
};

struct LocalCaller {
  Role role = Role::kNone;
  ::uid_t uid = 0;
  ::pid_t pid = 0;  // of the last connection that had the number: for logs only
  std::string path{};
  std::chrono::steady_clock::time_point connected{};  // of that connection
};

class LocalDoor {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `take` gets each connection, on the door's thread, and owns its descriptor. It lives until the destructor
  // has returned.
  LocalDoor(std::vector<DoorSocket> sockets, std::function<void(int fd)> take, EventSink events,
            Clock& clock = RealClock());
  LocalDoor(const LocalDoor&) = delete;
  LocalDoor& operator=(const LocalDoor&) = delete;
  ~LocalDoor() { Close(); }

  // Accepts no more, and removes the files that were made for the sockets. Who called is known until the end.
  // From one thread at a time.
  void Close();

  // By what gRPC calls the peer: "fd:77". Nothing for what is no number of ours.
  std::optional<LocalCaller> Find(std::string_view peer) const;

  // Gives an accepted connection its number. kResourceExhausted: this user has too many, or all are in use.
  // Public for its test.
  absl::StatusOr<int> Number(UniqueFd accepted, const LocalCaller& caller, TimePoint now);

 private:
  struct Seat {
    LocalCaller caller{};
    ::ino_t inode = 0;  // of the connection
    bool gone = false;  // was found closed
    TimePoint gone_since{};
  };

  void Listen(const std::stop_token& stop);
  void Accept(const DoorSocket& socket, const std::stop_token& stop);
  void LookForGone(TimePoint now);
  // The lowest free number from `from` on that is `caller`'s to have.
  absl::StatusOr<int> Place(const UniqueFd& accepted, int from, const LocalCaller& caller, TimePoint now);

  std::vector<DoorSocket> sockets_;  // changed without a thread only
  const std::function<void(int fd)> take_;
  const EventSink events_;
  Clock& clock_;
  int lowest_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::map<int, Seat> seats_{};
  UniqueFd wake_{};
  std::jthread thread_;
};

}  // namespace rdmaready::access
