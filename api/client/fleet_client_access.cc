// SPDX-License-Identifier: Apache-2.0
// FleetClient's half for rdmaready.v1.Access.
#include <grpcpp/grpcpp.h>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/fleet_wire.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kTokensOnPage = 1'000;

}  // namespace

template <class Method, class Request, class Response>
absl::Status FleetClient::CallAccess(Method method, const Request& request, Response& response) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(call_timeout_));
  return Explain(((*wire_->access).*method)(&context, request, &response));
}

absl::StatusOr<v1::MakeTokensResponse> FleetClient::MakeTokens(const v1::MakeTokensRequest& wanted) {
  v1::MakeTokensResponse response;
  RR_RETURN_IF_ERROR(CallAccess(&v1::Access::Stub::MakeTokens, wanted, response));
  return response;
}

absl::StatusOr<std::vector<v1::TokenRow>> FleetClient::Tokens() {
  v1::ListTokensRequest request;
  request.set_page_size(kTokensOnPage);
  std::vector<v1::TokenRow> tokens;
  do {
    v1::ListTokensResponse response;
    RR_RETURN_IF_ERROR(CallAccess(&v1::Access::Stub::ListTokens, request, response));
    tokens.insert(tokens.end(), response.tokens().begin(), response.tokens().end());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return tokens;
}

absl::StatusOr<std::uint64_t> FleetClient::WithdrawTokens(const std::vector<std::string>& ids) {
  v1::WithdrawTokensRequest request;
  request.mutable_ids()->Assign(ids.begin(), ids.end());
  v1::WithdrawTokensResponse response;
  RR_RETURN_IF_ERROR(CallAccess(&v1::Access::Stub::WithdrawTokens, request, response));
  return response.withdrawn();
}

absl::StatusOr<v1::RevokeHostResponse> FleetClient::RevokeHost(const std::string& host,
                                                               const std::string& why) {
  v1::RevokeHostRequest request;
  request.set_host(host);
  request.set_why(why);
  v1::RevokeHostResponse response;
  RR_RETURN_IF_ERROR(CallAccess(&v1::Access::Stub::RevokeHost, request, response));
  return response;
}

}  // namespace rdmaready
