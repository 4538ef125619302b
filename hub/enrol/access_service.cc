// SPDX-License-Identifier: Apache-2.0
#include "hub/enrol/access_service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/pki/identity.h"
#include "checks/words/words.h"
#include "hub/fleet/paging.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostRevokeWords = 1024;  // bytes of a reason
constexpr int kMostWithdrawn = 1'000;
constexpr std::uint32_t kMostTokensOnPage = 1'000;  // of up to 1.5 KB each
constexpr char kTokensQuestion[] = "tokens";

grpc::Status AccessStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

void WriteRow(const StoredToken& token, v1::TokenRow& row) {
  row.set_id(TokenId(token.digest));
  row.set_name(token.name);
  row.set_note(token.note);
  row.set_made_by(token.made_by);
  row.set_made_unix_ns(token.made_unix_ns);
  row.set_ends_unix_ns(token.ends_unix_ns);
  row.set_withdrawn_by(token.withdrawn_by);
  row.set_withdrawn_unix_ns(token.withdrawn_unix_ns);
  row.set_used_unix_ns(token.used_unix_ns);
  row.set_host_id(token.host_id);
  row.set_hostname(token.hostname);
}

}  // namespace

absl::StatusOr<std::string> AccessService::Operator(const char* verb,
                                                    const grpc::ServerContext& context) const {
  // No certificate would help.
  if (admission_ == nullptr) {
    return absl::FailedPreconditionError(
        "this hub has no authority (--authority): hosts get their certificates elsewhere, and are revoked "
        "there");
  }
  absl::StatusOr<std::string> who = options_.operator_of(context);
  if (!who.ok())
    options_.trail->Refused({.peer = context.peer(), .verb = verb}, who.status(), UnixNs(*options_.clock));
  return who;
}

grpc::Status AccessService::MakeTokens(grpc::ServerContext* context, const v1::MakeTokensRequest* request,
                                       v1::MakeTokensResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const std::string who, Operator("token", *context));
    const std::uint32_t count = std::max(request->count(), static_cast<std::uint32_t>(request->names_size()));
    const AuditedAsk ask{who, context->peer(), "token", WithReason(CountText(count, "token"), request->note())};
    const auto make = [&] {
      return admission_->MakeTokens({.lasts_s = request->lasts_s(),
                                     .count = request->count(),
                                     .names = {request->names().begin(), request->names().end()},
                                     .note = request->note()},
                                    who);
    };
    RR_ASSIGN_OR_RETURN(const MadeTokens made, options_.trail->Audited(ask, make));
    for (const MadeTokens::One& one : made.tokens) {
      v1::MadeToken& token = *response->add_tokens();
      token.set_token(one.text);
      token.set_id(one.id);
      token.set_name(one.name);
    }
    response->set_ends_unix_ns(made.ends_unix_ns);
    return absl::OkStatus();
  };
  return AccessStatus(work());
}

grpc::Status AccessService::ListTokens(grpc::ServerContext* context, const v1::ListTokensRequest* request,
                                       v1::ListTokensResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_RETURN_IF_ERROR(Operator("tokens", *context).status());
    if (request->page_size() > kMostTokensOnPage)
      return absl::InvalidArgumentError(
          fmt::format("page_size {}: at most {}", request->page_size(), kMostTokensOnPage));
    RR_ASSIGN_OR_RETURN(const TokenPage page,
                        ReadTokenPage(request->page_size(), request->page_token(), kTokensQuestion));
    // One more says whether there are more.
    RR_ASSIGN_OR_RETURN(std::vector<StoredToken> tokens, admission_->Tokens(page.after, page.count + 1));
    const bool more = tokens.size() > page.count;
    if (more) tokens.pop_back();
    for (const StoredToken& token : tokens) WriteRow(token, *response->add_tokens());
    if (more) {
      const TokenPlace last{tokens.back().made_unix_ns, tokens.back().digest};
      RR_ASSIGN_OR_RETURN(*response->mutable_next_page_token(), TokenAfter(last, kTokensQuestion));
    }
    return absl::OkStatus();
  };
  return AccessStatus(work());
}

grpc::Status AccessService::WithdrawTokens(grpc::ServerContext* context,
                                           const v1::WithdrawTokensRequest* request,
                                           v1::WithdrawTokensResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const std::string who, Operator("withdraw", *context));
    if (request->ids_size() == 0 || request->ids_size() > kMostWithdrawn)
      return absl::InvalidArgumentError(fmt::format("which tokens: from 1 to {}", kMostWithdrawn));
    const std::vector<std::string> ids(request->ids().begin(), request->ids().end());
    const AuditedAsk ask{who, context->peer(), "withdraw", fmt::format("tokens {}", fmt::join(ids, ", "))};
    RR_ASSIGN_OR_RETURN(const std::uint64_t withdrawn,
                        options_.trail->Audited(ask, [&] { return admission_->Withdraw(ids, who); }));
    response->set_withdrawn(withdrawn);
    return absl::OkStatus();
  };
  return AccessStatus(work());
}

// By its id also one that never reported.
absl::StatusOr<AccessService::Named> AccessService::HostNamed(const std::string& text) const {
  Named named;
  std::optional<Named> named_by_id;
  int found = 0;
  RR_RETURN_IF_ERROR(store_.Hosts([&](KnownHost&& known) {
    if (known.host.host_id == text) named_by_id = Named{known.host.host_id, known.host.name};
    if (known.host.name != text) return;
    named = {known.host.host_id, known.host.name};
    ++found;
  }));
  if (named_by_id) return *named_by_id;  // a host may call itself as it likes
  if (found > 1)
    return absl::InvalidArgumentError(
        fmt::format("{} hosts are called {}: say the id of one", found, SafeLine(text, 80)));
  if (found == 1) return named;
  if (!pki::IsHostId(text)) return absl::NotFoundError("no host is called " + SafeLine(text, 80));
  return Named{.id = text};
}

grpc::Status AccessService::RevokeHost(grpc::ServerContext* context, const v1::RevokeHostRequest* request,
                                       v1::RevokeHostResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const std::string who, Operator("revoke", *context));
    if (request->why().empty() || request->why().size() > kMostRevokeWords)
      return absl::InvalidArgumentError("why: a reason is wanted, of at most 1 KiB");
    RR_ASSIGN_OR_RETURN(const Named host, HostNamed(request->host()));
    const AuditedAsk ask{
        who, context->peer(), "revoke",
        WithReason(host.name.empty() ? "host " + host.id : fmt::format("host {} {}", host.id, host.name),
                   request->why())};
    const auto revoke = [&] { return admission_->Revoke(host.id, who, request->why()); };
    RR_ASSIGN_OR_RETURN(const std::size_t certificates, options_.trail->Audited(ask, revoke));
    options_.revoked(host.id, fmt::format("revoked by {}: {}", who, request->why()));
    response->set_host_id(host.id);
    response->set_name(host.name);
    response->set_certificates(static_cast<std::uint32_t>(certificates));
    return absl::OkStatus();
  };
  return AccessStatus(work());
}

}  // namespace rdmaready::hub
