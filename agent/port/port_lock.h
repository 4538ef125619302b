// SPDX-License-Identifier: Apache-2.0
// PortLock: one live test per RDMA port at a time, across all agents of a host, of every user. The kernel
// releases it when the holder dies, however it dies. There is no way to a test without it: whatever is wrong
// with its file is an error.
//
// There is one place of the locks, and everybody goes by the same rule where it is. Where the service is
// installed it is a directory of root's that its group alone may write to: no other user can hold a lock there,
// or open one (to open it for reading is enough to hold it), and so none can keep root or the service from a
// port. Such a user gets no port by himself either; he asks the service. Elsewhere it is a directory that
// everybody shares.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// The first of the directories that every user of the host may write to and none may delete another's files in
// (root's, mode 1777), so that all agents agree on it. kFailedPrecondition when there is none.
absl::StatusOr<std::string> SharedLockDirectory(std::span<const std::string> candidates);

// Made by the package: root's, of the service's group, mode 3770.
inline constexpr char kServiceLocks[] = "/run/rdmaready/locks";

struct LockPlace {
  std::string directory{};
  ::mode_t file_mode = 0666;  // of every lock in it: who may hold it, and may see who does
};

// `service` where there is such a file, else the first of `shared` (SharedLockDirectory). kPermissionDenied
// when this user may not write to `service`, kFailedPrecondition when others may, or it is not root's: in
// neither case is another place as good.
absl::StatusOr<LockPlace> PlaceOfLocks(const std::string& service, std::span<const std::string> shared);

struct LockedPort {
  std::string name{};      // "rxe0/1", for messages
  std::string identity{};  // LockNameOf (port_choice.h): the lock is of that
};

// "rdmaready-0000:3b:00.0+b8599f0300000001+1.lock": another file for each other identity, whatever characters
// it has.
std::string LockFileOf(std::string_view identity);

class PortLock {
 public:
  // Takes the port or says who holds it (kUnavailable). kPermissionDenied and others name the file that is in
  // the way. `holder` is one line for the second caller: "root@storage1 (pid 123): loopback write-512k".
  // Empty `directory`: kServiceLocks, else /run/lock, or /tmp where that is not everybody's.
  static absl::StatusOr<PortLock> Take(const LockedPort& port, std::string_view holder,
                                       const std::string& directory = {});
  static absl::StatusOr<PortLock> TakeIn(const LockPlace& place, const LockedPort& port,
                                         std::string_view holder);

 private:
  explicit PortLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace rdmaready
