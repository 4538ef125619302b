// SPDX-License-Identifier: Apache-2.0
// rdmaready.v1.Enrolment in its two halves: EnrolDoor for who has no certificate yet, on a listener of its own,
// and RenewalService for the hosts of the fleet, on the hub's. What a half does not have is UNIMPLEMENTED
// there.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/event.h"
#include "api/daemon/listening.h"
#include "hub/enrol/admission.h"
#include "rdmaready/v1/enrolment.grpc.pb.h"

namespace rdmaready::hub {

class EnrolDoor final : public v1::Enrolment::Service {
 public:
  explicit EnrolDoor(Admission& admission) : admission_(admission) {}

  grpc::Status Enrol(grpc::ServerContext* context, const v1::EnrolRequest* request,
                     v1::HostCertificate* response) override;

 private:
  Admission& admission_;
};

class RenewalService final : public v1::Enrolment::Service {
 public:
  // `host_of`: the id of the host that calls; kUnauthenticated, kPermissionDenied.
  using HostOf = std::function<absl::StatusOr<std::string>(const grpc::ServerContextBase&)>;
  RenewalService(Admission& admission, HostOf host_of) : admission_(admission), host_of_(std::move(host_of)) {}

  grpc::Status Renew(grpc::ServerContext* context, const v1::RenewRequest* request,
                     v1::HostCertificate* response) override;
  grpc::Status Prove(grpc::ServerContext* context, const v1::ProveRequest* request,
                     v1::ProveResponse* response) override;

 private:
  Admission& admission_;
  const HostOf host_of_;
};

// A server that serves `door` and nothing else, to callers that show no certificate: by TLS, with the key of
// the hub and the chain of `admission`. Errors of StartListening and of the files.
absl::StatusOr<ListeningServer> OpenEnrolDoor(const std::string& listen, const std::string& key_file,
                                              const Admission& admission, EnrolDoor& door, EventSink events);

}  // namespace rdmaready::hub
