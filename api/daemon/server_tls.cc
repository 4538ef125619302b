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
  explicit CallerVerifier(std::shared_ptr<CallerJudge> judge) : judge_(std::move(judge)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* answer) override {
    const std::string why =
        judge_->WhyRefused(Text(request->peer_cert()), Text(request->peer_cert_full_chain()));
    *answer = why.empty() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, why);
    return true;  // decided here and now
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::shared_ptr<CallerJudge> judge_;
};

}  // namespace

std::string SubjectOf(const std::string& pem) {
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(pem);
  return parsed.ok() ? SubjectText(*parsed->front()) : "none";
}

CallerJudge::CallerJudge(const TlsFiles& files, EventSink sink) : ca_file_(files.ca), sink_(std::move(sink)) {
  if (files.crl.empty()) return;
  lists_ = std::make_unique<RevocationFile>(files.crl, [this](const std::string& why) {
    Tell(sink_, EventLevel::kWarning, kTlsListStale, {{"reason", why + "; it goes on being applied"}});
  });
}

std::string CallerJudge::WhyRefused(const std::string& certificate_pem, const std::string& others_pem) {
  const std::string why = Why(certificate_pem, others_pem);
  if (!why.empty()) {
    Tell(sink_, EventLevel::kWarning, kTlsRefused,
         {{"certificate", certificate_pem.empty() ? "none" : SubjectOf(certificate_pem)}, {"reason", why}});
  }
  return why;
}

std::string CallerJudge::Why(const std::string& certificate_pem, const std::string& others_pem) {
  if (certificate_pem.empty()) return "the caller showed no certificate";
  const absl::StatusOr<std::vector<Certificate>> own = ParseCertificates(certificate_pem);
  if (!own.ok()) return "the caller's certificate: " + Message(own.status());
  const absl::StatusOr<std::string> ca = ReadSmallFile(ca_file_, kMaxPemBytes);
  if (!ca.ok()) return Message(ca.status());
  const absl::StatusOr<TrustStore> trusted = ParseTrustStore(*ca);
  if (!trusted.ok()) return "--tls-ca " + ca_file_ + ": " + Message(trusted.status());
  std::shared_ptr<const RevocationLists> lists;
  if (lists_ != nullptr) {
    absl::StatusOr<std::shared_ptr<const RevocationLists>> read = lists_->Now();
    if (!read.ok()) return "--tls-crl: " + Message(read.status());
    lists = *std::move(read);
  }
  absl::StatusOr<std::vector<Certificate>> others = ParseCertificates(others_pem);
  std::vector<Certificate> intermediates;
  if (others.ok()) intermediates = *std::move(others);
  const std::string why =
      WhyUntrusted(*own->front(), intermediates, **trusted, CertificateUse::kClient, lists.get());
  return why.empty() ? why : "the caller's certificate " + why;
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files, std::shared_ptr<CallerJudge> judge) {
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
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<CallerVerifier>(std::move(judge)));
  return tls::TlsServerCredentials(options);
}

}  // namespace rdmaready
