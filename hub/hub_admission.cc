// SPDX-License-Identifier: Apache-2.0
// The part of Hub that is about who joins the fleet and who leaves it.
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "api/base/status.h"
#include "hub/enrol/access_service.h"
#include "hub/enrol/enrolment_service.h"
#include "hub/hub.h"

namespace rdmaready::hub {

absl::Status Hub::OpenAdmission() {
  if (options_.authority.empty()) {
    if (!options_.enrol_listen.empty())
      return absl::InvalidArgumentError(
          "--enrol-listen: hosts are given certificates by --authority, which is missing");
    return absl::OkStatus();
  }
  TlsFiles& tls = options_.tls;
  const std::string list = options_.authority + "/crl.pem";
  if (tls.certificate.empty() || tls.key.empty())
    return absl::InvalidArgumentError("--authority: without --tls-cert and --tls-key nobody knows this hub");
  if (!tls.crl.empty() && tls.crl != list)
    return absl::InvalidArgumentError("--tls-crl: with --authority the list is " + list);
  tls.crl = list;
  if (tls.ca.empty()) tls.ca = options_.authority + "/ca.pem";
  RR_ASSIGN_OR_RETURN(admission_, Admission::Open({.authority = options_.authority,
                                                   .lifetime = options_.certificate_lifetime,
                                                   .clock = options_.clock,
                                                   .events = options_.events,
                                                   .trail = trail_.get()},
                                                  tls, *options_.tokens));
  return absl::OkStatus();
}

// Before the other server: what is left out here is a switch of the process.
absl::Status Hub::ListenForNewHosts() {
  if (options_.enrol_listen.empty()) return absl::OkStatus();
  enrol_door_ = std::make_unique<EnrolDoor>(*admission_);
  RR_ASSIGN_OR_RETURN(enrolling_, OpenEnrolDoor(options_.enrol_listen, options_.tls.key, *admission_,
                                                *enrol_door_, options_.events));
  return absl::OkStatus();
}

void Hub::RegisterAccess(grpc::ServerBuilder& builder) {
  AccessOptions access;
  access.operator_of = [this](const grpc::ServerContextBase& context) -> absl::StatusOr<std::string> {
    RR_ASSIGN_OR_RETURN(FleetCaller caller, gate_->Admit(context, FleetAsk::kAdmit));
    // A host that is to come is of no group yet.
    RR_RETURN_IF_ERROR(CheckAllGroups(caller, "to admit hosts takes"));
    return std::move(caller.who);
  };
  access.trail = trail_.get();
  access.clock = options_.clock;
  access.revoked = [this](const std::string& host_id, const std::string& text) { Revoked(host_id, text); };
  access_ = std::make_unique<AccessService>(std::move(access), admission_.get(), *options_.store);
  builder.RegisterService(access_.get());
  if (admission_ == nullptr) return;
  renewal_ = std::make_unique<RenewalService>(
      *admission_, [this](const grpc::ServerContextBase& context) { return gate_->HostThatCalls(context); });
  builder.RegisterService(renewal_.get());
}

// The list is on the disk: who is named there goes, and who stays hears of it.
void Hub::Revoked(const std::string& host_id, const std::string& text) {
  book_.End(host_id, absl::PermissionDeniedError(text));
  lists_->Tell();
  NoteOf(std::span(&host_id, 1), text);
  book_.ForgetPast(host_id);  // as in the store
}

void Hub::LookAfterAdmission() {
  if (admission_ != nullptr && admission_->LookAfter()) lists_->Tell();
}

}  // namespace rdmaready::hub
