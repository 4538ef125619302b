// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/server_tls.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <functional>
#include <utility>
#include <vector>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/client/certificate.h"

namespace rdmaready {
namespace {

namespace tls = grpc::experimental;

constexpr unsigned kRereadSeconds = 5;

std::string Text(grpc::string_ref text) { return {text.data(), text.size()}; }

// gRPC's own verification ends a handshake without telling anybody, so OpenSSL's is called from here.
class CallerVerifier : public tls::ExternalCertificateVerifier {
 public:
  CallerVerifier(std::string ca_file, EventSink sink) : ca_file_(std::move(ca_file)), sink_(std::move(sink)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* answer) override {
    const std::string certificate = Text(request->peer_cert());
    const std::string why = WhyRefused(certificate, Text(request->peer_cert_full_chain()), ca_file_);
    if (why.empty()) {
      *answer = grpc::Status::OK;
    } else {
      *answer = {grpc::StatusCode::UNAUTHENTICATED, why};
      Tell(sink_, EventLevel::kWarning, kTlsRefused,
           {{"certificate", SubjectOf(certificate)}, {"reason", why}});
    }
    return true;  // decided here and now
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::string ca_file_;
  const EventSink sink_;
};

}  // namespace

std::string SubjectOf(const std::string& pem) {
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(pem);
  return parsed.ok() ? SubjectText(*parsed->front()) : "none";
}

std::string WhyRefused(const std::string& certificate_pem, const std::string& others_pem,
                       const std::string& ca_file) {
  if (certificate_pem.empty()) return "the caller showed no certificate";
  const absl::StatusOr<std::vector<Certificate>> own = ParseCertificates(certificate_pem);
  if (!own.ok()) return "the caller's certificate: " + Message(own.status());
  const absl::StatusOr<std::string> ca = ReadSmallFile(ca_file, kMaxPemBytes);
  if (!ca.ok()) return Message(ca.status());
  const absl::StatusOr<TrustStore> trusted = ParseTrustStore(*ca);
  if (!trusted.ok()) return "--tls-ca " + ca_file + ": " + Message(trusted.status());
  absl::StatusOr<std::vector<Certificate>> others = ParseCertificates(others_pem);
  std::vector<Certificate> intermediates;
  if (others.ok()) intermediates = *std::move(others);
  const std::string why = WhyUntrusted(*own->front(), intermediates, **trusted, CertificateUse::kClient);
  return why.empty() ? why : "the caller's certificate " + why;
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const TlsFiles& files,
                                                                               EventSink sink) {
  if (const absl::StatusOr<TlsMaterial> usable = LoadTls(files, TlsRole::kServer); !usable.ok()) {
    return usable.status();
  }
  auto provider = std::make_shared<tls::FileWatcherCertificateProvider>(files.key, files.certificate, files.ca,
                                                                        kRereadSeconds);
  tls::TlsServerCredentialsOptions options(provider);
  options.watch_root_certs();  // their names are told to callers
  options.watch_identity_key_cert_pairs();
  // "Don't verify" is OpenSSL's part inside gRPC; CallerVerifier does it, and no call begins before it has.
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(
      tls::ExternalCertificateVerifier::Create<CallerVerifier>(files.ca, std::move(sink)));
  return tls::TlsServerCredentials(options);
}

}  // namespace rdmaready
