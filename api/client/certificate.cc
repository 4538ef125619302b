// SPDX-License-Identifier: Apache-2.0
#include "api/client/certificate.h"

#include <arpa/inet.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/revocation.h"

namespace rdmaready {
namespace {

using Bio = Handle<::BIO, ::BIO_free>;
using StoreContext = Handle<::X509_STORE_CTX, ::X509_STORE_CTX_free>;

constexpr std::size_t kMaxCommonNameBytes = 120;
constexpr std::size_t kMaxCertificates = 512;

void FreeStack(STACK_OF(X509) * stack) { ::sk_X509_free(stack); }  // the certificates are not its own
void FreeNames(GENERAL_NAMES* names) { ::GENERAL_NAMES_free(names); }

std::string NameText(const ::X509_NAME* name) {
  const Bio bio(::BIO_new(::BIO_s_mem()));
  if (!bio || name == nullptr || ::X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253) < 0) return "?";
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? SafeLine({text, static_cast<std::size_t>(size)}, kMaxCommonNameBytes) : "no name";
}

std::string Ip(const ::ASN1_OCTET_STRING& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int size = ::ASN1_STRING_length(&bytes);
  if (size != 4 && size != 16) return "?";
  ::inet_ntop(size == 4 ? AF_INET : AF_INET6, ::ASN1_STRING_get0_data(&bytes), text.data(), text.size());
  return text.data();
}

const char* PurposeName(CertificateUse use) {
  switch (use) {
    case CertificateUse::kServer:
      return "ssl_server";
    case CertificateUse::kClient:
      return "ssl_client";
    case CertificateUse::kAny:
      break;
  }
  return "default";
}

std::vector<const ::X509*> VerifiedChain(::X509_STORE_CTX& context) {
  std::vector<const ::X509*> chain;
  const STACK_OF(X509)* verified = ::X509_STORE_CTX_get0_chain(&context);
  for (int i = 0; verified != nullptr && i < sk_X509_num(verified); ++i)
    chain.push_back(sk_X509_value(verified, i));
  return chain;
}

}  // namespace

absl::StatusOr<std::vector<Certificate>> ParseCertificates(std::string_view pem) {
  const Bio bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return absl::ResourceExhaustedError("no memory for certificates");
  std::vector<Certificate> found;
  ::ERR_clear_error();
  while (Certificate certificate{::PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    found.push_back(std::move(certificate));
    if (found.size() > kMaxCertificates) return absl::InvalidArgumentError("too many certificates");
  }
  const unsigned long last = ::ERR_peek_last_error();
  ::ERR_clear_error();
  const bool at_end = ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  if (!at_end) return absl::InvalidArgumentError("a damaged certificate");
  if (found.empty()) return absl::InvalidArgumentError("no PEM certificate");
  return found;
}

absl::StatusOr<TrustStore> ParseTrustStore(std::string_view pem) {
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> roots, ParseCertificates(pem));
  TrustStore store(::X509_STORE_new());
  if (!store) return absl::ResourceExhaustedError("no memory for certificates");
  for (const Certificate& root : roots) ::X509_STORE_add_cert(store.get(), root.get());
  return store;
}

std::string SubjectText(const ::X509& certificate) { return NameText(::X509_get_subject_name(&certificate)); }

std::string IssuerText(const ::X509& certificate) { return NameText(::X509_get_issuer_name(&certificate)); }

std::string DateText(const ::ASN1_TIME& time) {
  std::tm date{};
  if (::ASN1_TIME_to_tm(&time, &date) != 1) return "an unreadable date";
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", date);
}

std::string TroubleText(int error, const ::X509* certificate) {
  if (certificate == nullptr) return ::X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "expired on " + DateText(*::X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "is not valid before " + DateText(*::X509_get0_notBefore(certificate));
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "is not signed by a CA that is trusted here (issuer " + IssuerText(*certificate) + ")";
    case X509_V_ERR_INVALID_PURPOSE:
      return "is not meant for this use (extended key usage)";
    default:
      return std::string("is not accepted: ") + ::X509_verify_cert_error_string(error);
  }
}

std::string WhyUntrusted(::X509& certificate, const std::vector<Certificate>& others, ::X509_STORE& trusted,
                         CertificateUse use, const RevocationLists* lists) {
  const Handle<STACK_OF(X509), FreeStack> untrusted(sk_X509_new_null());
  const StoreContext context(::X509_STORE_CTX_new());
  if (!untrusted || !context) return "cannot be verified: no memory";
  for (const Certificate& other : others) {
    if (sk_X509_push(untrusted.get(), other.get()) == 0) return "cannot be verified: no memory";
  }
  // Fails closed: anything but a 1 from the verification is a reason.
  if (::X509_STORE_CTX_init(context.get(), &trusted, &certificate, untrusted.get()) != 1 ||
      ::X509_STORE_CTX_set_default(context.get(), PurposeName(use)) != 1) {
    return "cannot be verified";
  }
  // What TLS itself asks of keys and signatures at Debian's security level.
  constexpr int kAuthenticationLevel = 2;
  ::X509_VERIFY_PARAM_set_auth_level(::X509_STORE_CTX_get0_param(context.get()), kAuthenticationLevel);
  if (use == CertificateUse::kAny) ::X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_NO_CHECK_TIME);
  if (::X509_verify_cert(context.get()) == 1)
    return lists == nullptr ? std::string() : lists->WhyRevoked(VerifiedChain(*context));
  const ::X509* met = ::X509_STORE_CTX_get_current_cert(context.get());
  return TroubleText(::X509_STORE_CTX_get_error(context.get()), met == nullptr ? &certificate : met);
}

bool CarriesName(const ::X509& certificate, const std::string& name) {
  auto* const mine = const_cast<::X509*>(&certificate);  // OpenSSL 3.0 does not say const, and does not write
  if (::X509_check_ip_asc(mine, name.c_str(), 0) == 1) return true;
  return ::X509_check_host(mine, name.data(), name.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
}

std::string NamesText(const ::X509& certificate) {
  const Handle<GENERAL_NAMES, FreeNames> names(
      static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string text;
  const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      add({reinterpret_cast<const char*>(::ASN1_STRING_get0_data(name->d.dNSName)),
           static_cast<std::size_t>(::ASN1_STRING_length(name->d.dNSName))});
    } else if (name->type == GEN_IPADD) {
      add(Ip(*name->d.iPAddress));
    }
  }
  return text.empty() ? "no name" : SafeLine(text, kMaxCommonNameBytes);
}

}  // namespace rdmaready
