// SPDX-License-Identifier: Apache-2.0
// AccessService: rdmaready.v1.Access: what operators do about tokens and about hosts that are to go.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "hub/access/audit_trail.h"
#include "hub/enrol/admission.h"
#include "hub/store/fleet_store.h"
#include "rdmaready/v1/enrolment.grpc.pb.h"

namespace rdmaready::hub {

struct AccessOptions {
  // Who calls, where he may operate; kPermissionDenied, kUnauthenticated. Any thread.
  std::function<absl::StatusOr<std::string>(const grpc::ServerContextBase&)> operator_of{};
  AuditTrail* trail = nullptr;  // not null; outlives the service
  Clock* clock = &RealClock();
  // Hosts were revoked: their streams end, and others hear of it. `who` and `why` as they were said.
  std::function<void(const std::string& host_id, const std::string& text)> revoked{};
};

class AccessService final : public v1::Access::Service {
 public:
  // `admission` may be null: a hub without an authority, which says so.
  AccessService(AccessOptions options, Admission* admission, FleetStore& store)
      : options_(std::move(options)), admission_(admission), store_(store) {}

  grpc::Status MakeTokens(grpc::ServerContext* context, const v1::MakeTokensRequest* request,
                          v1::MakeTokensResponse* response) override;
  grpc::Status ListTokens(grpc::ServerContext* context, const v1::ListTokensRequest* request,
                          v1::ListTokensResponse* response) override;
  grpc::Status WithdrawTokens(grpc::ServerContext* context, const v1::WithdrawTokensRequest* request,
                              v1::WithdrawTokensResponse* response) override;
  grpc::Status RevokeHost(grpc::ServerContext* context, const v1::RevokeHostRequest* request,
                          v1::RevokeHostResponse* response) override;

 private:
  // Who calls; what he is refused stands in the audit.
  absl::StatusOr<std::string> Operator(const char* verb, const grpc::ServerContext& context) const;
  struct Named {
    std::string id{};
    std::string name{};
  };
  absl::StatusOr<Named> HostNamed(const std::string& text) const;

  const AccessOptions options_;
  Admission* const admission_;
  FleetStore& store_;
};

}  // namespace rdmaready::hub
