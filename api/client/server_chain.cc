// SPDX-License-Identifier: Apache-2.0
#include "api/client/server_chain.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <array>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {
namespace {

using ChainContext = Handle<::SSL_CTX, ::SSL_CTX_free>;
using ChainSsl = Handle<::SSL, ::SSL_free>;

constexpr std::array<unsigned char, 3> kGrpcProtocol{2, 'h', '2'};

absl::Status Shake(::SSL& ssl, int fd, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    ::ERR_clear_error();
    const int result = ::SSL_connect(&ssl);
    if (result > 0) return absl::OkStatus();
    const int error = ::SSL_get_error(&ssl, result);
    ::ERR_clear_error();
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
      return absl::UnavailableError("what answers there does not speak TLS");
    if (!WaitFor(fd, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline))
      return absl::DeadlineExceededError("no answer in the TLS handshake");
  }
}

}  // namespace

absl::StatusOr<std::vector<Certificate>> UnverifiedChainOf(const std::string& target,
                                                           std::chrono::steady_clock::time_point deadline) {
  const ChainContext context(::SSL_CTX_new(::TLS_client_method()));
  if (!context) return absl::ResourceExhaustedError("no memory for TLS");
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_alpn_protos(context.get(), kGrpcProtocol.data(), kGrpcProtocol.size());
  const ChainSsl ssl(::SSL_new(context.get()));
  if (!ssl) return absl::ResourceExhaustedError("no memory for TLS");
  RR_ASSIGN_OR_RETURN(const UniqueFd fd, ConnectTcp(target, deadline));
  ::SSL_set_fd(ssl.get(), fd.get());
  RR_RETURN_IF_ERROR(Shake(*ssl, fd.get(), deadline));
  std::vector<Certificate> chain;
  const STACK_OF(X509)* shown = ::SSL_get_peer_cert_chain(ssl.get());
  for (int i = 0; shown != nullptr && i < sk_X509_num(shown); ++i) {
    ::X509* const one = sk_X509_value(shown, i);
    if (::X509_up_ref(one) == 1) chain.emplace_back(one);
  }
  if (chain.empty()) return absl::UnavailableError("what answers there shows no certificate");
  return chain;
}

}  // namespace rdmaready
