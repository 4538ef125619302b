// SPDX-License-Identifier: Apache-2.0
// CifsMount: a share mounted by the kernel's own client, for ourselves alone.
//
// The mount is attached nowhere: no directory, no mount namespace, no line in /proc/mounts of anybody. It lives
// as long as its descriptor, so it ends with the process whatever happens to that. The kernel loads its client
// (module cifs) when it was not there, and that stays.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/base/handle.h"
#include "api/model/probe.h"

namespace rdmaready {

struct CifsMountRequest {
  std::string server_address{};  // numeric
  std::string share{};           // its name, without the server
  bool rdma = true;              // the kernel never falls back to TCP then; false: TCP, for asking the server
  Credentials credentials{};     // to the kernel through the mount's descriptor, never on a command line
};

class CifsMount {
 public:
  // Blocks until the server answered, or the kernel gave up: some seconds over TCP, at most about two minutes
  // where a server accepts RDMA connections and says nothing. Errors are the kernel's words with
  // what it wrote of the reason: FailedPrecondition for what this host lacks (the privilege, the client), else
  // what the errno says: PermissionDenied for wrong credentials, NotFound for the share.
  static absl::StatusOr<CifsMount> Make(const CifsMountRequest& request);

  int directory() const { return directory_.get(); }

 private:
  explicit CifsMount(UniqueFd directory) : directory_(std::move(directory)) {}

  UniqueFd directory_;
};

}  // namespace rdmaready
