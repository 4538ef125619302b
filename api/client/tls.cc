// SPDX-License-Identifier: Apache-2.0
#include "api/client/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <utility>
#include <vector>

#include "api/base/handle.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"

namespace rdmaready {
namespace {

using Bio = Handle<::BIO, ::BIO_free>;
using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;

absl::Status Unusable(const std::string& option, const std::string& path, const std::string& why) {
  return absl::InvalidArgumentError(option + " " + path + ": " + why);
}

// Nobody is there to type a passphrase; OpenSSL's own way is to ask on the terminal.
int NoPassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

absl::StatusOr<Key> ParseKey(const std::string& pem, const std::string& path) {
  const Bio bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bool asked = false;
  Key key(::PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, &asked));
  ::ERR_clear_error();
  if (key) return key;
  return Unusable("--tls-key", path,
                  asked ? "is encrypted: only a key without a passphrase is of use" : "no PEM private key");
}

absl::Status MissingFile(const TlsFiles& files, TlsRole role) {
  if (files.ca.empty()) return absl::InvalidArgumentError("TLS needs --tls-ca as well");
  if (role == TlsRole::kCaller && files.certificate.empty() && files.key.empty()) return absl::OkStatus();
  if (files.certificate.empty()) return absl::InvalidArgumentError("TLS needs --tls-cert as well");
  if (files.key.empty()) return absl::InvalidArgumentError("TLS needs --tls-key as well");
  return absl::OkStatus();
}

absl::Status JudgeOwn(const TlsFiles& files, TlsMaterial& material) {
  const absl::StatusOr<std::vector<Certificate>> chain = ParseCertificates(material.certificate);
  if (!chain.ok()) return Unusable("--tls-cert", files.certificate, Message(chain.status()));
  RR_ASSIGN_OR_RETURN(const Key key, ParseKey(material.key, files.key));
  ::X509& own = *chain->front();
  if (::X509_check_private_key(&own, key.get()) != 1) {
    ::ERR_clear_error();
    return Unusable("--tls-key", files.key, "is not the key of --tls-cert " + files.certificate);
  }
  if (::X509_cmp_current_time(::X509_get0_notAfter(&own)) < 0) {
    return Unusable("--tls-cert", files.certificate, TroubleText(X509_V_ERR_CERT_HAS_EXPIRED, &own));
  }
  if (::X509_cmp_current_time(::X509_get0_notBefore(&own)) > 0) {
    return Unusable("--tls-cert", files.certificate, TroubleText(X509_V_ERR_CERT_NOT_YET_VALID, &own));
  }
  material.certificate_expires = DateText(*::X509_get0_notAfter(&own));
  return absl::OkStatus();
}

absl::Status JudgeLists(const TlsFiles& files, const TlsMaterial& material) {
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(material.crl);
  if (!lists.ok()) return Unusable("--tls-crl", files.crl, Message(lists.status()));
  // Who signs certificates of callers may be one between them and the root: then it is in our own chain, too.
  const bool shown = !material.certificate.empty();
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> known,
                      ParseCertificates(material.ca + "\n" + material.certificate));
  std::vector<const ::X509*> issuers;
  for (const Certificate& one : known) issuers.push_back(one.get());
  if (const absl::Status right = lists->Judge(issuers, shown); !right.ok())
    return Unusable("--tls-crl", files.crl, Message(right));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsMaterial> LoadTls(const TlsFiles& files, TlsRole role) {
  RR_RETURN_IF_ERROR(MissingFile(files, role));
  TlsMaterial material;
  for (const auto& [path, text] :
       {std::pair{&files.certificate, &material.certificate}, std::pair{&files.key, &material.key},
        std::pair{&files.ca, &material.ca}, std::pair{&files.crl, &material.crl}}) {
    if (path->empty()) continue;
    RR_ASSIGN_OR_RETURN(*text, ReadSmallFile(*path, kMaxPemBytes));
  }
  if (!material.certificate.empty() || !files.certificate.empty())
    RR_RETURN_IF_ERROR(JudgeOwn(files, material));
  if (const absl::StatusOr<TrustStore> store = ParseTrustStore(material.ca); !store.ok()) {
    return Unusable("--tls-ca", files.ca, Message(store.status()));
  }
  if (!files.crl.empty()) RR_RETURN_IF_ERROR(JudgeLists(files, material));
  return material;
}

}  // namespace rdmaready
