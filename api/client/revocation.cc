// SPDX-License-Identifier: Apache-2.0
#include "api/client/revocation.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/certificate.h"
#include "api/client/tls.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostLists = 64;
constexpr std::size_t kMaxIssuerBytes = 120;

using ListBio = Handle<::BIO, ::BIO_free>;

std::string ListIssuerText(const ::X509_CRL& list) {
  const ListBio bio(::BIO_new(::BIO_s_mem()));
  if (!bio || ::X509_NAME_print_ex(bio.get(), ::X509_CRL_get_issuer(&list), 0, XN_FLAG_RFC2253) < 0) return "?";
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? SafeLine({text, static_cast<std::size_t>(size)}, kMaxIssuerBytes) : "no name";
}

bool IsListOf(const ::X509_CRL& list, const ::X509& issuer) {
  return ::X509_NAME_cmp(::X509_CRL_get_issuer(&list), ::X509_get_subject_name(&issuer)) == 0;
}

bool SignedBy(::X509_CRL& list, const ::X509& issuer) {
  auto* const mine = const_cast<::X509*>(&issuer);  // OpenSSL 3.0 does not say const, and does not write
  const bool may_sign = (::X509_get_key_usage(mine) & KU_CRL_SIGN) != 0;
  const bool right = may_sign && ::X509_CRL_verify(&list, ::X509_get0_pubkey(mine)) == 1;
  ::ERR_clear_error();
  return right;
}

// A password callback: nobody is there.
int NoListPassphrase(char*, int, int, void*) { return -1; }

}  // namespace

absl::StatusOr<RevocationLists> RevocationLists::Parse(std::string_view pem) {
  if (pem.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return absl::InvalidArgumentError("too large");
  const ListBio bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return absl::ResourceExhaustedError("no memory for revocation lists");
  RevocationLists all;
  ::ERR_clear_error();
  while (RevocationList list{::PEM_read_bio_X509_CRL(bio.get(), nullptr, NoListPassphrase, nullptr)}) {
    if (::X509_CRL_get_ext_by_critical(list.get(), 1, -1) >= 0) {
      return absl::InvalidArgumentError("the revocation list of " + ListIssuerText(*list) +
                                        " does not tell of all certificates (a critical extension)");
    }
    all.lists_.push_back(std::move(list));
    if (all.lists_.size() > kMostLists) return absl::InvalidArgumentError("too many revocation lists");
  }
  const unsigned long last = ::ERR_peek_last_error();
  ::ERR_clear_error();
  const bool at_end = ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  if (!at_end) return absl::InvalidArgumentError("a damaged revocation list");
  if (all.lists_.empty()) return absl::InvalidArgumentError("no PEM revocation list");
  return all;
}

absl::Status RevocationLists::Judge(const std::vector<const ::X509*>& issuers, bool needed) const {
  bool known = false;
  for (const RevocationList& list : lists_) {
    const auto named = [&list](const ::X509* issuer) { return IsListOf(*list, *issuer); };
    if (std::ranges::none_of(issuers, named)) continue;  // of another CA, which is asked with its certificates
    const auto by = [&](const ::X509* issuer) { return named(issuer) && SignedBy(*list, *issuer); };
    if (std::ranges::none_of(issuers, by)) {
      return absl::InvalidArgumentError("the revocation list of " + ListIssuerText(*list) +
                                        " is not signed by that CA");
    }
    known = true;
  }
  if (known || !needed) return absl::OkStatus();
  return absl::InvalidArgumentError("no revocation list of a CA that is trusted here (one is of " +
                                    ListIssuerText(*lists_.front()) + ")");
}

std::string RevocationLists::WhyRevokedBy(const ::X509& certificate, const ::X509& issuer, bool needed) const {
  bool listed = false;
  auto* const mine = const_cast<::X509*>(&certificate);  // as above
  for (const RevocationList& list : lists_) {
    if (!IsListOf(*list, issuer)) continue;
    if (!SignedBy(*list, issuer)) {
      return "may be revoked: the revocation list of " + ListIssuerText(*list) + " is not signed by that CA";
    }
    listed = true;
    ::X509_REVOKED* entry = nullptr;
    if (::X509_CRL_get0_by_cert(list.get(), &entry, mine) == 1)  // 2: taken off the list
      return "was revoked on " + DateText(*::X509_REVOKED_get0_revocationDate(entry));
  }
  if (listed || !needed) return {};
  return "may be revoked: there is no revocation list of its CA " + SubjectText(issuer);
}

std::string RevocationLists::WhyRevoked(const std::vector<const ::X509*>& chain) const {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool last = i + 1 == chain.size();
    if (last && i > 0) break;  // a root is trusted because it is named, not because it signed itself
    const ::X509& issuer = *chain[last ? i : i + 1];
    if (std::string why = WhyRevokedBy(*chain[i], issuer, i == 0); !why.empty())
      return i == 0 ? why : "is of a CA, " + SubjectText(*chain[i]) + ", that " + why;
  }
  return {};
}

std::string RevocationLists::WhyStale() const {
  for (const RevocationList& list : lists_) {
    const ::ASN1_TIME* next = ::X509_CRL_get0_nextUpdate(list.get());
    if (next != nullptr && ::X509_cmp_current_time(next) < 0)
      return "the revocation list of " + ListIssuerText(*list) + " was to be renewed by " + DateText(*next);
  }
  return {};
}

std::string WhyRevokedNow(const std::string& certificate_pem, const std::string& others_pem,
                          const std::string& ca_pem, const std::string& crl_pem) {
  absl::StatusOr<std::vector<Certificate>> own = ParseCertificates(certificate_pem);
  if (!own.ok()) return "is not readable: " + Message(own.status());
  const absl::StatusOr<TrustStore> trusted = ParseTrustStore(ca_pem);
  if (!trusted.ok()) return "cannot be judged: the CA: " + Message(trusted.status());
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(crl_pem);
  if (!lists.ok()) return "may be revoked: " + Message(lists.status());
  std::vector<Certificate> others;
  if (absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(others_pem); parsed.ok())
    others = *std::move(parsed);
  const Certificate certificate = std::move(own->front());
  own->erase(own->begin());
  for (Certificate& other : *own) others.push_back(std::move(other));
  return WhyUntrusted(*certificate, others, **trusted, CertificateUse::kAny, &*lists);
}

absl::StatusOr<std::shared_ptr<const RevocationLists>> RevocationFile::Now() {
  absl::StatusOr<std::string> text = ReadSmallFile(path_, kMaxListsBytes);
  if (!text.ok()) return text.status();
  std::string stale;
  std::shared_ptr<const RevocationLists> lists;
  {
    const std::lock_guard lock(mutex_);
    if (lists_ == nullptr || *text != text_) {
      absl::StatusOr<RevocationLists> parsed = RevocationLists::Parse(*text);
      if (!parsed.ok()) return absl::InvalidArgumentError(path_ + ": " + Message(parsed.status()));
      lists_ = std::make_shared<const RevocationLists>(*std::move(parsed));
      text_ = *std::move(text);
      told_stale_ = false;
    }
    lists = lists_;
    if (!told_stale_) {
      stale = lists_->WhyStale();
      told_stale_ = !stale.empty();
    }
  }
  if (!stale.empty() && on_stale_) on_stale_(stale);
  return lists;
}

}  // namespace rdmaready
