// SPDX-License-Identifier: Apache-2.0
// PortLock: one live test per RDMA port at a time, across all agents of a host, of every user. The kernel
// releases it when the holder dies, however it dies. There is no way to a test without it: whatever is wrong
// with its file is an error.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// The first of the directories that every user of the host may write to and none may delete another's files in
// (root's, mode 1777), so that all agents agree on it. kFailedPrecondition when there is none.
absl::StatusOr<std::string> SharedLockDirectory(std::span<const std::string> candidates);

class PortLock {
 public:
  // Takes the port or says who holds it (kUnavailable). kPermissionDenied and others name the file that is in
  // the way. `holder` is one line for the second caller: "root@storage1 (pid 123): loopback write-512k".
  // Empty `directory`: /run/lock, or /tmp where that is not everybody's.
  static absl::StatusOr<PortLock> Take(std::string_view port, std::string_view holder,
                                       std::string directory = {});

 private:
  explicit PortLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace rdmaready
