// SPDX-License-Identifier: Apache-2.0
// PortLock: one live test per RDMA port at a time, across all agents of a host. The kernel releases it when the
// holder dies, however it dies.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

class PortLock {
 public:
  // Takes the port or says who holds it (kUnavailable). `holder` is one line for whoever comes second:
  // "root@storage1 (pid 123): loopback write-512k". Empty `directory` means the host's own lock directory.
  static absl::StatusOr<PortLock> Take(std::string_view port, std::string_view holder,
                                       std::string directory = {});

 private:
  explicit PortLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace rdmaready
