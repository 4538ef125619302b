// SPDX-License-Identifier: Apache-2.0
#include "hub/enrol/enrolment_service.h"

#include <grpcpp/resource_quota.h>

#include <utility>

#include "api/base/status.h"
#include "api/daemon/server_tls.h"

namespace rdmaready::hub {
namespace {

constexpr int kMostEnrolBytes = 64 * 1024;  // a request for a certificate takes half of one KiB
constexpr std::size_t kMostEnrolMemory = 64 * 1024 * 1024;
constexpr int kMostEnrolThreads = 8;
constexpr int kEnrolHandshakeMs = 20'000;
constexpr int kIdleMs = 20'000;
constexpr int kOldestMs = 30'000;
constexpr int kGraceMs = 10'000;

grpc::Status EnrolStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

grpc::Status Answer(absl::StatusOr<HostCredentials> made, v1::HostCertificate& response) {
  if (!made.ok()) return EnrolStatus(made.status());
  response.set_host_id(std::move(made->host_id));
  response.set_certificate_pem(std::move(made->certificate_pem));
  response.set_roots_pem(std::move(made->roots_pem));
  response.set_revocations_pem(std::move(made->lists_pem));
  response.set_not_after_unix_ns(made->not_after_unix_ns);
  return grpc::Status::OK;
}

// "ipv4:10.0.0.7:41234": the next try comes from another port.
std::string AddressOf(const std::string& peer) {
  const std::size_t colon = peer.rfind(':');
  return colon == std::string::npos ? peer : peer.substr(0, colon);
}

}  // namespace

grpc::Status EnrolDoor::Enrol(grpc::ServerContext* context, const v1::EnrolRequest* request,
                              v1::HostCertificate* response) {
  return Answer(admission_.Enrol({.secret = request->secret(),
                                  .request_pem = request->request_pem(),
                                  .hostname = request->hostname(),
                                  .machine_id = request->machine_id()},
                                 AddressOf(context->peer())),
                *response);
}

grpc::Status RenewalService::Renew(grpc::ServerContext* context, const v1::RenewRequest* request,
                                   v1::HostCertificate* response) {
  const absl::StatusOr<std::string> host = host_of_(*context);
  if (!host.ok()) return EnrolStatus(host.status());
  return Answer(admission_.Renew(*host, request->request_pem()), *response);
}

grpc::Status RenewalService::Prove(grpc::ServerContext* context, const v1::ProveRequest*,
                                   v1::ProveResponse* response) {
  const absl::StatusOr<std::string> host = host_of_(*context);
  if (!host.ok()) return EnrolStatus(host.status());
  response->set_host_id(*host);
  return grpc::Status::OK;
}

absl::StatusOr<ListeningServer> OpenEnrolDoor(const std::string& listen, const std::string& key_file,
                                              const Admission& admission, EnrolDoor& door, EventSink events) {
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("rdmaready-enrol");
  quota.SetMaxThreads(kMostEnrolThreads).Resize(kMostEnrolMemory);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(kMostEnrolBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kEnrolHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMs);
  // A connection with a stream that says nothing is not idle: nobody needs this one for long.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, kOldestMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, kGraceMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
  SetReflection(builder, false);
  builder.RegisterService(&door);
  grpc::EnableDefaultHealthCheckService(false);  // of the next server of this process, and this is it
  return StartListening(builder, {.listen = {listen},
                                  .credentials = OpenServerCredentials(key_file, admission.chain_file()),
                                  .plain_anywhere = true,
                                  .events = std::move(events)});
}

}  // namespace rdmaready::hub
