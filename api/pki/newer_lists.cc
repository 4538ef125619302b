// SPDX-License-Identifier: Apache-2.0
#include "api/pki/newer_lists.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/pki/crypto.h"

namespace rdmaready::pki {
namespace {

using ListNumber = Handle<::ASN1_INTEGER, ::ASN1_INTEGER_free>;

std::vector<RevocationList> ListsOf(std::string_view pem) {
  const CleanErrors clean;
  std::vector<RevocationList> lists;
  const Bio bio = ReadingBio(pem);
  while (bio) {
    RevocationList list(::PEM_read_bio_X509_CRL(bio.get(), nullptr, NoPassphrase, nullptr));
    if (!list) break;
    lists.push_back(std::move(list));
  }
  return lists;
}

std::int64_t NumberOf(const ::X509_CRL& list) {
  const ListNumber number(
      static_cast<::ASN1_INTEGER*>(::X509_CRL_get_ext_d2i(&list, NID_crl_number, nullptr, nullptr)));
  std::int64_t value = 0;
  return number && ::ASN1_INTEGER_get_int64(&value, number.get()) == 1 ? value : 0;
}

bool OfSameIssuer(const ::X509_CRL& a, const ::X509_CRL& b) {
  return ::X509_NAME_cmp(::X509_CRL_get_issuer(&a), ::X509_CRL_get_issuer(&b)) == 0;
}

bool IssuedBy(const ::X509_CRL& list, const ::X509& root) {
  return ::X509_NAME_cmp(::X509_CRL_get_issuer(&list), ::X509_get_subject_name(&root)) == 0;
}

}  // namespace

std::int64_t HighestListNumber(std::string_view pem) {
  std::int64_t highest = 0;
  for (const RevocationList& list : ListsOf(pem)) highest = std::max(highest, NumberOf(*list));
  return highest;
}

absl::Status CheckNewerLists(std::string_view pem, std::string_view kept_pem, std::string_view roots_pem) {
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> roots, ParseCertificates(roots_pem));
  RR_ASSIGN_OR_RETURN(const RevocationLists parsed, RevocationLists::Parse(pem));
  std::vector<const ::X509*> issuers;
  for (const Certificate& root : roots) issuers.push_back(root.get());
  RR_RETURN_IF_ERROR(parsed.Judge(issuers, true));  // the signatures
  const std::vector<RevocationList> lists = ListsOf(pem);
  const std::vector<RevocationList> kept = ListsOf(kept_pem);
  for (const Certificate& root : roots) {
    const auto of_root = [&root](const RevocationList& list) { return IssuedBy(*list, *root); };
    if (std::ranges::count_if(lists, of_root) != 1)
      return absl::InvalidArgumentError("not one list of the CA " + SubjectText(*root));
  }
  if (lists.size() != roots.size())
    return absl::InvalidArgumentError("a list of a CA that is not trusted here");
  bool news = false;
  for (const RevocationList& list : lists) {
    const auto before =
        std::ranges::find_if(kept, [&list](const RevocationList& one) { return OfSameIssuer(*one, *list); });
    const std::int64_t least = before == kept.end() ? -1 : NumberOf(**before);
    if (NumberOf(*list) < least) return absl::InvalidArgumentError("a list that is older than the one here");
    news = news || NumberOf(*list) > least;
  }
  return news ? absl::OkStatus() : absl::AlreadyExistsError("the lists that are here already");
}

}  // namespace rdmaready::pki
