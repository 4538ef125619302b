// SPDX-License-Identifier: Apache-2.0
// FleetGate: who calls this hub, and whether he may: by what a call shows of its caller, the lists of the
// revoked, and the file of roles.
//
// Threads: any. Calls block on the files of the CA and of its lists.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/caller_judge.h"
#include "hub/access/fleet_roles.h"

namespace grpc {
class ServerContextBase;
}

namespace rdmaready::hub {

struct FleetCaller {
  std::string who{};                  // for acknowledgements and the log
  std::vector<std::string> groups{};  // patterns: other hosts are not there for him; empty: all are
};

// kPermissionDenied where he has no role of all groups: "the audit takes a role of all groups, ...".
absl::Status CheckAllGroups(const FleetCaller& caller, std::string_view what_takes);

class FleetGate {
 public:
  // `judge` null: no TLS, and callers are known by their addresses alone; each may do what `plain_may` says, of
  // all hosts. `roles` null: operators operate, other certificates look.
  FleetGate(std::shared_ptr<CallerJudge> judge, FleetAsk plain_may, std::shared_ptr<const FleetRoles> roles);

  void SetRoles(std::shared_ptr<const FleetRoles> roles);

  // Errors: kUnauthenticated without a certificate, or with one that is refused now; kPermissionDenied.
  absl::StatusOr<FleetCaller> Admit(const grpc::ServerContextBase& context, FleetAsk ask) const;

  // The id of the host that calls. kUnauthenticated without a certificate; kPermissionDenied where it is
  // refused, or is no host's.
  absl::StatusOr<std::string> HostThatCalls(const grpc::ServerContextBase& context) const;

  // Of a caller whom no handshake judged: whether he may see sums of all hosts. kUnauthenticated,
  // kPermissionDenied.
  absl::Status AdmitToSums(const std::string& certificate_pem, const std::string& others_pem) const;

 private:
  absl::StatusOr<FleetCaller> CallerOf(const std::string& certificate_pem, FleetAsk ask) const;
  std::shared_ptr<const FleetRoles> Roles() const;

  const std::shared_ptr<CallerJudge> judge_;
  const FleetAsk plain_may_;
  mutable std::mutex mutex_;
  std::shared_ptr<const FleetRoles> roles_;
};

}  // namespace rdmaready::hub
