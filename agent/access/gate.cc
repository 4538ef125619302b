// SPDX-License-Identifier: Apache-2.0
#include "agent/access/gate.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/access/role_map.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/certificate.h"

namespace rdmaready::access {
namespace {

constexpr std::size_t kMaxSaidBytes = 120;  // of what a caller says of himself

std::string FirstProperty(const grpc::AuthContext& context, const char* name) {
  const std::vector<grpc::string_ref> values = context.FindPropertyValues(name);
  return values.empty() ? std::string() : std::string(values.front().data(), values.front().size());
}

// "ipv4:10.0.0.7:40112" without the port, which every connection has another of.
std::string AddressOf(std::string_view peer) {
  const std::size_t colon = peer.find(':');
  if (colon != std::string_view::npos) peer.remove_prefix(colon + 1);
  return std::string(peer.substr(0, peer.rfind(':')));
}

Identity OfCertificate(const std::string& pem, const std::string& said_name, const std::string& peer,
                       RoleFile* roles) {
  Identity caller{.way = Way::kTls, .door = peer, .origin = peer, .mapped = roles != nullptr};
  const std::vector<SubjectName> names = SubjectNames(pem);
  const std::string common_name = SafeLine(said_name, kMaxSaidBytes);
  if (!common_name.empty()) caller.origin += " " + common_name;
  for (const SubjectName& name : names) caller.origin += " " + NameText(name);
  caller.who = names.empty() ? "CN=" + common_name : NameText(names.front());
  caller.roles = roles == nullptr ? RoleSet(Role::kObserve) : roles->RolesOf(names);
  return caller;
}

Identity OfPlainTcp(const std::string& peer, Role role) {
  return {.way = Way::kPlainTcp,
          .roles = RoleSet(role),
          .who = "address " + AddressOf(peer),
          .door = peer,
          .origin = peer};
}

// As gRPC tells it of its own callers.
std::string CommonNameOf(const std::string& pem) {
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(pem);
  if (!parsed.ok()) return {};
  char text[256] = {};
  const int length = ::X509_NAME_get_text_by_NID(::X509_get_subject_name(parsed->front().get()), NID_commonName,
                                                 text, sizeof(text));
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

Identity OfLocal(const LocalCaller& local) {
  return {.way = Way::kLocalSocket,
          .roles = RoleSet(local.role),
          .who = fmt::format("uid {}", local.uid),
          .door = local.path,
          .origin = fmt::format("uid {} pid {} {}", local.uid, local.pid, local.path),
          .connected = local.connected};
}

AuditRecord RecordOf(AuditRecord::Kind kind, const Identity& who, Ask ask, const Said& said) {
  return {.kind = kind,
          .who = &who,
          .ask = ask,
          .run_id = said.run_id,
          .caller = said.caller,
          .target = said.target};
}

}  // namespace

Pass::~Pass() {
  if (gate_ != nullptr) static_cast<void>(End(absl::CancelledError("broken off")));
}

absl::Status Pass::Begin(Said said) {
  said_ = std::move(said);
  const AskRow& row = RowOf(ask_);
  if (!row.audited || gate_->options_.audit == nullptr) return absl::OkStatus();
  const absl::Status written =
      gate_->options_.audit->Write(RecordOf(AuditRecord::Kind::kBegun, identity_, ask_, said_));
  // A test that is not written down harms nobody; what a proof or a change does must not stay unknown, but for
  // taking it back.
  const bool changes = row.role == Role::kProve || row.role == Role::kApply || row.role == Role::kStress;
  if (!written.ok() && changes && ask_ != Ask::kRollBack) {
    const std::string_view what = row.role == Role::kProve    ? "proof"
                                  : row.role == Role::kStress ? "stress test"
                                                              : "change";
    return absl::FailedPreconditionError(
        fmt::format("a {} is not made that cannot be written down: {}", what, Message(written)));
  }
  begun_ = true;
  return absl::OkStatus();
}

absl::Status Pass::MayTest() const {
  if (identity_.way == Way::kInProcess) return absl::OkStatus();
  const absl::Status may = gate_->book_.MayTest(identity_.who, gate_->options_.clock->Now());
  return may.ok() ? may : gate_->Refuse(identity_, ask_, said_, may, true);
}

void Pass::Tested(std::chrono::nanoseconds time, std::uint64_t bytes, bool failed) {
  ++spent_.tests;
  spent_.failed += failed ? 1 : 0;
  spent_.time += time;
  spent_.bytes += bytes;
  gate_->book_.Tested(identity_.who, time, bytes, gate_->options_.clock->Now());
}

absl::Status Pass::End(const absl::Status& status, std::string_view ok) {
  if (!std::exchange(begun_, false)) return status;
  AuditRecord record = RecordOf(AuditRecord::Kind::kEnded, identity_, ask_, said_);
  record.result = status.ok() ? std::string(ok) : Message(status);
  record.tests = spent_.tests;
  record.failed = spent_.failed;
  record.test_time = spent_.time;
  record.test_bytes = spent_.bytes;
  // A line that is lost is counted by the audit itself, and what was done is done.
  static_cast<void>(gate_->options_.audit->Write(record));
  return status;
}

Identity Gate::WhoCalls(const grpc::ServerContextBase& context) const {
  const std::string peer = context.peer();
  if (options_.own_process) {
    return {.way = Way::kInProcess,
            .roles = RoleSet(Role::kApply),
            .who = "this process",
            .door = peer,
            .origin = peer};
  }
  if (const LocalDoor* door = door_.load(); door != nullptr) {
    if (const std::optional<LocalCaller> local = door->Find(peer)) return OfLocal(*local);
  }
  const bool tcp = peer.starts_with("ipv4:") || peer.starts_with("ipv6:");
  if (!tcp) return {.door = peer, .origin = peer};
  const std::shared_ptr<const grpc::AuthContext> authenticated = context.auth_context();
  if (authenticated != nullptr &&
      FirstProperty(*authenticated, GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME) != "" &&
      !FirstProperty(*authenticated, GRPC_X509_PEM_CERT_PROPERTY_NAME).empty()) {
    return OfCertificate(FirstProperty(*authenticated, GRPC_X509_PEM_CERT_PROPERTY_NAME),
                         FirstProperty(*authenticated, GRPC_X509_CN_PROPERTY_NAME), peer, options_.roles.get());
  }
  return OfPlainTcp(peer, options_.plain_role);
}

Identity Gate::WhoCalls(const std::string& peer, const std::string& certificate_pem) const {
  if (certificate_pem.empty()) return OfPlainTcp(peer, options_.plain_role);
  return OfCertificate(certificate_pem, CommonNameOf(certificate_pem), peer, options_.roles.get());
}

absl::Status Gate::Refuse(const Identity& caller, Ask ask, const Said& said, const absl::Status& why,
                          bool quota) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(refusals_, [&](const RefusalCount& count) {
      return count.ask == ask && count.way == caller.way && count.quota == quota;
    });
    if (found != refusals_.end()) {
      ++found->times;
    } else {
      refusals_.push_back({ask, caller.way, quota, 1});
    }
  }
  Tell(options_.events, EventLevel::kWarning, kRefusedEvent,
       {{"origin", caller.origin}, {"rpc", std::string(RowOf(ask).rpc)}, {"reason", Message(why)}});
  if (options_.audit != nullptr) {
    AuditRecord record = RecordOf(AuditRecord::Kind::kRefused, caller, ask, said);
    record.result = Message(why);
    static_cast<void>(options_.audit->Write(record));
  }
  return why;
}

std::string Gate::WhyRefused(const grpc::ServerContextBase& context) const {
  if (!options_.why_refused) return {};
  const std::shared_ptr<const grpc::AuthContext> authenticated = context.auth_context();
  if (authenticated == nullptr) return {};
  const std::string pem = FirstProperty(*authenticated, GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (pem.empty()) return {};  // by a local socket, or in this process
  return options_.why_refused(pem, FirstProperty(*authenticated, GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME));
}

std::function<bool()> Gate::StillServed(const grpc::ServerContextBase& context) const {
  if (!options_.why_refused) return {};
  return [this, &context] { return WhyRefused(context).empty(); };
}

absl::StatusOr<Pass> Gate::Admit(const grpc::ServerContextBase& context, Ask ask) {
  if (const std::string why = WhyRefused(context); !why.empty()) return absl::UnauthenticatedError(why);
  return Admit(WhoCalls(context), ask);
}

absl::StatusOr<Pass> Gate::Admit(Identity caller, Ask ask) {
  const AskRow& row = RowOf(ask);
  if (row.role != Role::kNone && !caller.roles.Has(row.role))
    return Refuse(caller, ask, {}, Refusal(caller, row), false);
  QuotaBook::Place place;
  if (caller.way != Way::kInProcess) {
    absl::StatusOr<QuotaBook::Place> entered = book_.Enter(caller.who, options_.clock->Now());
    if (!entered.ok()) return Refuse(caller, ask, {}, entered.status(), true);
    place = *std::move(entered);
  }
  {
    const std::lock_guard lock(mutex_);
    ++admitted_[static_cast<std::size_t>(ask) - 1];
  }
  return Pass(this, std::move(caller), ask, std::move(place));
}

std::array<std::int64_t, kAskRows.size()> Gate::Admitted() const {
  const std::lock_guard lock(mutex_);
  return admitted_;
}

std::vector<RefusalCount> Gate::Refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

}  // namespace rdmaready::access
