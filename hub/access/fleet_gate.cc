// SPDX-License-Identifier: Apache-2.0
#include "hub/access/fleet_gate.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>

#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/client/subject_names.h"
#include "api/pki/identity.h"

namespace rdmaready::hub {
namespace {

// What a call shows of who makes it.
struct ShownCertificate {
  std::string pem{};         // empty: none
  std::string others_pem{};  // what came with it
};

ShownCertificate ShownIn(const grpc::ServerContextBase& context) {
  const auto property = [&context](const char* name) {
    const std::vector<grpc::string_ref> values = context.auth_context()->FindPropertyValues(name);
    return values.empty() ? std::string() : std::string(values.front().data(), values.front().size());
  };
  return {.pem = property(GRPC_X509_PEM_CERT_PROPERTY_NAME),
          .others_pem = property(GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME)};
}

struct NamedCaller {
  std::vector<SubjectName> names{};
  std::string who{};
  pki::CertificateIdentity identity{};
};

NamedCaller NamedBy(const std::string& certificate_pem) {
  NamedCaller named{.names = SubjectNames(certificate_pem), .who = "a certificate without names"};
  std::vector<std::string> uris;
  for (const SubjectName& name : named.names) {
    if (uris.empty()) named.who = NameText(name);
    if (name.kind == SubjectName::Kind::kUri) uris.push_back(name.text);
  }
  named.identity = pki::IdentityOf(uris).value_or(pki::CertificateIdentity{});
  if (named.identity.kind == pki::Kind::kOperator) named.who = named.identity.name;
  return named;
}

}  // namespace

absl::Status CheckAllGroups(const FleetCaller& caller, std::string_view what_takes) {
  if (AreAllGroups(caller.groups)) return absl::OkStatus();
  return absl::PermissionDeniedError(fmt::format("{} a role of all groups, by the file of roles", what_takes));
}

FleetGate::FleetGate(std::shared_ptr<CallerJudge> judge, FleetAsk plain_may,
                     std::shared_ptr<const FleetRoles> roles)
    : judge_(std::move(judge)), plain_may_(plain_may), roles_(std::move(roles)) {}

void FleetGate::SetRoles(std::shared_ptr<const FleetRoles> roles) {
  const std::lock_guard lock(mutex_);
  roles_ = std::move(roles);
}

std::shared_ptr<const FleetRoles> FleetGate::Roles() const {
  const std::lock_guard lock(mutex_);
  return roles_;
}

absl::StatusOr<FleetCaller> FleetGate::Admit(const grpc::ServerContextBase& context, FleetAsk ask) const {
  if (judge_ == nullptr) {
    // An ask has in it what stands before it.
    if (ask <= plain_may_) return FleetCaller{.who = context.peer()};
    const std::string_view how = ask == FleetAsk::kOperate
                                     ? ", or start the hub on loopback with --plain-role operate (`plain_role: "
                                       "operate` in its hub.yaml)"
                                     : "";
    return absl::PermissionDeniedError(fmt::format("callers without TLS may {}: to {} takes a certificate{}",
                                                   AskWord(plain_may_), AskWord(ask), how));
  }
  const ShownCertificate shown = ShownIn(context);
  if (shown.pem.empty()) return absl::UnauthenticatedError("no certificate");
  // Who was let in may have been revoked since.
  if (judge_->HasLists()) {
    if (const std::string why = judge_->WhyRefused(shown.pem, shown.others_pem); !why.empty())
      return absl::UnauthenticatedError(why);
  }
  return CallerOf(shown.pem, ask);
}

absl::StatusOr<std::string> FleetGate::HostThatCalls(const grpc::ServerContextBase& context) const {
  const ShownCertificate shown = ShownIn(context);
  if (shown.pem.empty()) return absl::UnauthenticatedError("no certificate");
  if (const std::string why = judge_->WhyRefused(shown.pem, shown.others_pem); !why.empty())
    return absl::PermissionDeniedError(why);
  const NamedCaller named = NamedBy(shown.pem);
  if (named.identity.kind == pki::Kind::kHost) return named.identity.name;
  return absl::PermissionDeniedError("the certificate names no host of a fleet");
}

absl::Status FleetGate::AdmitToSums(const std::string& certificate_pem, const std::string& others_pem) const {
  if (judge_ == nullptr) return absl::OkStatus();
  if (const std::string why = judge_->WhyRefused(certificate_pem, others_pem); !why.empty())
    return absl::UnauthenticatedError(why);
  RR_ASSIGN_OR_RETURN(const FleetCaller caller, CallerOf(certificate_pem, FleetAsk::kObserve));
  return CheckAllGroups(caller, "sums of the fleet take");
}

absl::StatusOr<FleetCaller> FleetGate::CallerOf(const std::string& certificate_pem, FleetAsk ask) const {
  NamedCaller named = NamedBy(certificate_pem);
  if (named.identity.kind == pki::Kind::kHost)
    return absl::PermissionDeniedError("a host of the fleet reports, and does not look at others");
  if (const std::shared_ptr<const FleetRoles> roles = Roles()) {
    std::optional<std::vector<std::string>> groups = roles->GroupsOf(named.names, ask);
    if (groups) return FleetCaller{.who = std::move(named.who), .groups = *std::move(groups)};
    return absl::PermissionDeniedError(
        fmt::format("{} may not {}, by the file of roles of this hub", named.who, AskWord(ask)));
  }
  if (ask != FleetAsk::kObserve && named.identity.kind != pki::Kind::kOperator) {
    return absl::PermissionDeniedError(fmt::format(
        "{} may observe: to operate takes a certificate with the URI {} (rdmaready pki issue operator NAME)",
        named.who, pki::IdentityUri(pki::Kind::kOperator, "NAME")));
  }
  return FleetCaller{.who = std::move(named.who)};
}

}  // namespace rdmaready::hub
