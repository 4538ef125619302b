// SPDX-License-Identifier: Apache-2.0
#include "api/client/tls_channel.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"

namespace rdmaready {
namespace {

namespace tls = grpc::experimental;

std::string TextOf(grpc::string_ref text) { return {text.data(), text.size()}; }

// gRPC has verified the chain before it asks. What is left: whose certificate it is, and the lists, which gRPC
// would read from a directory of its own.
class AgentVerifier : public tls::ExternalCertificateVerifier {
 public:
  AgentVerifier(std::string ca, std::string crl) : ca_(std::move(ca)), crl_(std::move(crl)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* answer) override {
    const std::string why = Why(TextOf(request->target_name()), TextOf(request->peer_cert()),
                                TextOf(request->peer_cert_full_chain()));
    *answer = why.empty() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, why);
    return true;
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  std::string Why(const std::string& name, const std::string& certificate, const std::string& others) const {
    const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(certificate);
    if (!parsed.ok()) return Message(parsed.status());
    if (!CarriesName(*parsed->front(), name)) return "it is not for " + name;
    return WhyRevokedNow(certificate, others, ca_, crl_);
  }

  const std::string ca_;
  const std::string crl_;
};

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> CallerCredentials(const TlsMaterial& own) {
  if (own.crl.empty()) {
    return grpc::SslCredentials(
        {.pem_root_certs = own.ca, .pem_private_key = own.key, .pem_cert_chain = own.certificate});
  }
  std::vector<tls::IdentityKeyCertPair> pairs;
  if (!own.certificate.empty()) pairs.push_back({.private_key = own.key, .certificate_chain = own.certificate});
  const bool shown = !pairs.empty();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(
      std::make_shared<tls::StaticDataCertificateProvider>(own.ca, std::move(pairs)));
  options.watch_root_certs();
  if (shown) options.watch_identity_key_cert_pairs();
  options.set_check_call_host(false);  // AgentVerifier does, by the name that the channel was given
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<AgentVerifier>(own.ca, own.crl));
  return tls::TlsCredentials(options);
}

}  // namespace rdmaready
