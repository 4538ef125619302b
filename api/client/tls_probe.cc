// SPDX-License-Identifier: Apache-2.0
#include "api/client/tls_probe.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <array>
#include <utility>
#include <vector>

#include "api/base/handle.h"
#include "api/base/text.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {
namespace {

using std::chrono::steady_clock;

using SslContext = Handle<::SSL_CTX, ::SSL_CTX_free>;
using Ssl = Handle<::SSL, ::SSL_free>;
using Bio = Handle<::BIO, ::BIO_free>;
using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;

constexpr std::array<unsigned char, 3> kHttp2{2, 'h', '2'};  // a gRPC server wants to be asked for it

// gRPC may use OpenSSL on this thread next, and would take what we leave behind for its own.
struct CleanErrorQueue {
  ~CleanErrorQueue() { ::ERR_clear_error(); }
};

// What a handshake brought to light about either side.
struct Seen {
  std::string server_trouble{};  // why its certificate is not trusted
  bool server_speaks_tls = false;
  bool asked_us = false;     // for a certificate
  bool knows_our_ca = true;  // false only when it named the CAs it trusts and ours is not among them
  const ::X509* ours = nullptr;
};

Seen& SeenBy(const ::SSL* ssl) { return *static_cast<Seen*>(SSL_get_app_data(ssl)); }

int OnServerCertificate(int ok, ::X509_STORE_CTX* context) {
  if (ok == 1) return 1;
  const auto* ssl =
      static_cast<const ::SSL*>(::X509_STORE_CTX_get_ex_data(context, ::SSL_get_ex_data_X509_STORE_CTX_idx()));
  const int error = ::X509_STORE_CTX_get_error(context);
  const ::X509* met = ::X509_STORE_CTX_get_current_cert(context);
  // A chain that ends in an untrusted certificate is the agent's fault wherever it ends; a date is that of one
  // certificate.
  const bool date = error == X509_V_ERR_CERT_HAS_EXPIRED || error == X509_V_ERR_CERT_NOT_YET_VALID;
  const bool of_ca = date && ::X509_STORE_CTX_get_error_depth(context) > 0;
  SeenBy(ssl).server_trouble =
      (of_ca ? "the CA of the agent's certificate " : "the agent's certificate ") + TroubleText(error, met);
  return 0;
}

// Called when the server asks for our certificate.
int OnAsked(::SSL* ssl, void*) {
  Seen& seen = SeenBy(ssl);
  seen.asked_us = true;
  const STACK_OF(X509_NAME)* trusted = ::SSL_get0_peer_CA_list(ssl);
  if (seen.ours == nullptr || trusted == nullptr || sk_X509_NAME_num(trusted) == 0) return 1;
  seen.knows_our_ca = false;
  for (int i = 0; i < sk_X509_NAME_num(trusted); ++i) {
    if (::X509_NAME_cmp(sk_X509_NAME_value(trusted, i), ::X509_get_issuer_name(seen.ours)) == 0) {
      seen.knows_our_ca = true;
    }
  }
  return 1;
}

// Ours, in front of its intermediates, which decide whose CA signed us as far as the server can see.
bool ShowOwn(::SSL_CTX& context, const TlsMaterial& own, const std::vector<Certificate>& chain) {
  if (chain.empty()) return true;
  const Bio bio(::BIO_new_mem_buf(own.key.data(), static_cast<int>(own.key.size())));
  const Key key(::PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (::SSL_CTX_use_certificate(&context, chain.front().get()) != 1 ||
      ::SSL_CTX_use_PrivateKey(&context, key.get()) != 1) {
    return false;
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(&context, chain[i].get()) != 1) return false;
  }
  return true;
}

enum class Step { kDone, kClosed, kTimeout };

// Repeats an OpenSSL call until it has an answer. kClosed: the error queue may say why.
template <class Call>
Step Drive(::SSL& ssl, int fd, steady_clock::time_point deadline, const Call& call) {
  while (true) {
    ::ERR_clear_error();
    const int result = call();
    if (result > 0) return Step::kDone;
    const int error = ::SSL_get_error(&ssl, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return Step::kClosed;
    if (!WaitFor(fd, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) return Step::kTimeout;
  }
}

// The alert that the other side sent, 0 for none: OpenSSL files alert N under reason 1000 + N.
int Alert(unsigned long error) {
  const int reason = ERR_GET_REASON(error);
  return reason > SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256 ? reason - SSL_AD_REASON_OFFSET
                                                                              : 0;
}

std::string Refused(const Seen& seen, int alert) {
  if (seen.ours == nullptr) {
    return seen.asked_us ? "the agent asked for a certificate and --tls-cert was not given"
                         : "the agent closed the connection after the TLS handshake";
  }
  const std::string refused = "the agent refused our certificate " + SubjectText(*seen.ours);
  if (alert == SSL_AD_CERTIFICATE_EXPIRED) return refused + " (expired, by its clock)";
  if (alert == SSL_AD_UNKNOWN_CA || !seen.knows_our_ca) {
    return refused + " (it does not trust the CA " + IssuerText(*seen.ours) + ")";
  }
  return refused + " (the agent's log says why)";
}

std::string HandshakeTrouble(const Seen& seen) {
  if (!seen.server_trouble.empty()) return seen.server_trouble;
  const unsigned long error = ::ERR_peek_error();
  const int alert = Alert(error);
  if (seen.asked_us) return Refused(seen, alert);
  if (error == 0 || ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return "the agent closed the connection in the TLS handshake";
  }
  if (!seen.server_speaks_tls && alert == 0) return "what answers there does not speak TLS";
  const char* reason = ::ERR_reason_error_string(error);
  return "TLS handshake with the agent: " + SafeLine(reason == nullptr ? "failed" : reason, 120);
}

void OnMessage(int written, int, int type, const void*, std::size_t, ::SSL*, void* seen) {
  // A handshake message of the server could be decoded: not so with whatever else answers.
  if (written == 0 && type == SSL3_RT_HANDSHAKE) static_cast<Seen*>(seen)->server_speaks_tls = true;
}

// Empty: it is not, or no list was named.
std::string ServerRevoked(const ::SSL& ssl, const TlsMaterial& own) {
  if (own.crl.empty()) return {};
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(own.crl);
  std::vector<const ::X509*> chain;
  const STACK_OF(X509)* verified = ::SSL_get0_verified_chain(&ssl);
  for (int i = 0; verified != nullptr && i < sk_X509_num(verified); ++i)
    chain.push_back(sk_X509_value(verified, i));
  if (!lists.ok() || chain.empty()) return {};
  const std::string why = lists->WhyRevoked(chain);
  return why.empty() ? why : "the agent's certificate " + why;
}

}  // namespace

std::string WhyTlsFails(const std::string& target, const std::string& name, const TlsMaterial& own,
                        steady_clock::time_point deadline) {
  const CleanErrorQueue clean;
  Seen seen;
  const absl::StatusOr<TrustStore> trusted = ParseTrustStore(own.ca);
  std::vector<Certificate> chain;
  if (!own.certificate.empty()) {
    absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(own.certificate);
    if (parsed.ok()) chain = *std::move(parsed);
    if (!chain.empty()) seen.ours = chain.front().get();
  }
  const SslContext context(::SSL_CTX_new(::TLS_client_method()));
  if (!context || !trusted.ok() || !ShowOwn(*context, own, chain)) return {};
  ::SSL_CTX_set1_cert_store(context.get(), trusted->get());
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, OnServerCertificate);
  ::SSL_CTX_set_cert_cb(context.get(), OnAsked, nullptr);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_alpn_protos(context.get(), kHttp2.data(), kHttp2.size());
  const Ssl ssl(::SSL_new(context.get()));
  const absl::StatusOr<UniqueFd> fd = ConnectTcp(target, deadline);
  if (!ssl || !fd.ok()) return {};
  SSL_set_app_data(ssl.get(), &seen);
  ::SSL_set_msg_callback(ssl.get(), OnMessage);
  SSL_set_msg_callback_arg(ssl.get(), &seen);
  ::SSL_set_fd(ssl.get(), fd->get());

  switch (Drive(*ssl, fd->get(), deadline, [&] { return ::SSL_connect(ssl.get()); })) {
    case Step::kTimeout:
      return "no answer in the TLS handshake";
    case Step::kClosed:
      return HandshakeTrouble(seen);
    case Step::kDone:
      break;
  }
  const Certificate server(::SSL_get1_peer_certificate(ssl.get()));
  if (server && !CarriesName(*server, name)) {
    return "the agent's certificate is for " + NamesText(*server) + ", not for " + name +
           " (--tls-name says whom to expect)";
  }
  if (std::string why = ServerRevoked(*ssl, own); !why.empty()) return why;
  // With TLS 1.3 our side is done before the server has looked at our certificate. A server that accepts it
  // speaks first.
  char byte = 0;
  const Step first = Drive(*ssl, fd->get(), deadline, [&] { return ::SSL_read(ssl.get(), &byte, 1); });
  return first == Step::kClosed ? Refused(seen, Alert(::ERR_peek_error())) : std::string();
}

bool SpeaksTls(const std::string& target, steady_clock::time_point deadline) {
  const CleanErrorQueue clean;
  Seen seen;
  const SslContext context(::SSL_CTX_new(::TLS_client_method()));
  const Ssl ssl(context ? ::SSL_new(context.get()) : nullptr);
  const absl::StatusOr<UniqueFd> fd = ConnectTcp(target, deadline);
  if (!ssl || !fd.ok()) return false;
  SSL_set_app_data(ssl.get(), &seen);
  ::SSL_set_msg_callback(ssl.get(), OnMessage);
  SSL_set_msg_callback_arg(ssl.get(), &seen);
  ::SSL_set_alpn_protos(ssl.get(), kHttp2.data(), kHttp2.size());
  ::SSL_set_fd(ssl.get(), fd->get());
  static_cast<void>(Drive(*ssl, fd->get(), deadline, [&] { return ::SSL_connect(ssl.get()); }));
  return seen.server_speaks_tls;
}

}  // namespace rdmaready
