// SPDX-License-Identifier: Apache-2.0
// A self-signed certificate, made in memory, with the subject alternative names that a test asks for.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <string>

#include "api/base/handle.h"

namespace rdmaready {

// `names` as OpenSSL writes them: "DNS:a.example,URI:spiffe://example/x"; empty: none. Empty text: OpenSSL did
// not take them.
inline std::string MadeCertificate(const std::string& common_name, const std::string& names) {
  using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;
  using Made = Handle<::X509, ::X509_free>;
  using Extension = Handle<::X509_EXTENSION, ::X509_EXTENSION_free>;
  const Key key(EVP_EC_gen("P-256"));
  const Made made(::X509_new());
  ::X509_set_version(made.get(), 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(made.get()), 1);
  ::X509_gmtime_adj(::X509_getm_notBefore(made.get()), 0);
  ::X509_gmtime_adj(::X509_getm_notAfter(made.get()), 3600);
  ::X509_set_pubkey(made.get(), key.get());
  ::X509_NAME* subject = ::X509_get_subject_name(made.get());
  ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  ::X509_set_issuer_name(made.get(), subject);
  if (!names.empty()) {
    const Extension extension(::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()));
    if (!extension) return {};
    ::X509_add_ext(made.get(), extension.get(), -1);
  }
  ::X509_sign(made.get(), key.get(), ::EVP_sha256());
  const Handle<::BIO, ::BIO_free> bio(::BIO_new(::BIO_s_mem()));
  ::PEM_write_bio_X509(bio.get(), made.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace rdmaready
