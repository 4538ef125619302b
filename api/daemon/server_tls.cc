// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/server_tls.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <functional>
#include <utility>

namespace rdmaready {
namespace {

namespace tls = grpc::experimental;

constexpr unsigned kRereadSeconds = 5;

std::string Text(grpc::string_ref text) { return {text.data(), text.size()}; }

// gRPC's own verification ends a handshake without telling anybody, so OpenSSL's is called from here.
class CallerVerifier : public tls::ExternalCertificateVerifier {
 public:
  CallerVerifier(std::shared_ptr<CallerJudge> judge, std::function<void()> over)
      : judge_(std::move(judge)), over_(std::move(over)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* answer) override {
    const std::string why =
        judge_->WhyRefused(Text(request->peer_cert()), Text(request->peer_cert_full_chain()));
    *answer = why.empty() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, why);
    over_();
    return true;  // decided here and now
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::shared_ptr<CallerJudge> judge_;
  const std::function<void()> over_;
};

}  // namespace

std::shared_ptr<CallerJudge> MakeCallerJudge(const TlsFiles& files, const EventSink& sink) {
  return std::make_shared<CallerJudge>(
      files,
      [sink](const std::string& subject, const std::string& why) {
        Tell(sink, EventLevel::kWarning, kTlsRefused, {{"certificate", subject}, {"reason", why}});
      },
      [sink](const std::string& why) {
        Tell(sink, EventLevel::kWarning, kTlsListStale, {{"reason", why + "; it goes on being applied"}});
      });
}

absl::StatusOr<CredentialsOfPlace> MakeServerCredentials(const TlsFiles& files,
                                                         std::shared_ptr<CallerJudge> judge) {
  if (const absl::StatusOr<TlsMaterial> usable = LoadTls(files, TlsRole::kServer); !usable.ok()) {
    return usable.status();
  }
  auto provider = std::make_shared<tls::FileWatcherCertificateProvider>(files.key, files.certificate, files.ca,
                                                                        kRereadSeconds);
  return [provider, judge](std::function<void()> over) {
    tls::TlsServerCredentialsOptions options(provider);
    options.watch_root_certs();  // their names are told to callers
    options.watch_identity_key_cert_pairs();
    // "Don't verify" is OpenSSL's part inside gRPC; CallerVerifier does it, and no call begins before it has.
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
    options.set_certificate_verifier(
        tls::ExternalCertificateVerifier::Create<CallerVerifier>(judge, std::move(over)));
    return tls::TlsServerCredentials(options);
  };
}

std::shared_ptr<grpc::ServerCredentials> OpenServerCredentials(const std::string& key_file,
                                                               const std::string& chain_file) {
  tls::TlsServerCredentialsOptions options(
      std::make_shared<tls::FileWatcherCertificateProvider>(key_file, chain_file, kRereadSeconds));
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  return tls::TlsServerCredentials(options);
}

}  // namespace rdmaready
