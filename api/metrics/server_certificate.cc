// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/server_certificate.h"

#include <gnutls/x509.h>

#include <memory>
#include <span>
#include <utility>

#include "api/base/status.h"

namespace rdmaready::metrics {
namespace {

constexpr unsigned kMostCertificates = 8;  // of one chain

// GnuTLS does not write to it.
::gnutls_datum_t Datum(const std::string& text) {
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())), static_cast<unsigned>(text.size())};
}

}  // namespace

absl::Status ServerCertificate::Read() {
  absl::StatusOr<TlsMaterial> material = LoadTls(files_, TlsRole::kServer);
  if (!material.ok()) return material.status();
  material_ = *std::move(material);
  return absl::OkStatus();
}

int ServerCertificate::Give(::gnutls_pcert_st** certificates, unsigned int* count, ::gnutls_privkey_t* key,
                            unsigned int* flags) const {
  auto* list = static_cast<::gnutls_pcert_st*>(::gnutls_calloc(kMostCertificates, sizeof(::gnutls_pcert_st)));
  if (list == nullptr) return GNUTLS_E_MEMORY_ERROR;
  unsigned int read = kMostCertificates;
  const ::gnutls_datum_t chain = Datum(material_.certificate);
  int error = ::gnutls_pcert_list_import_x509_raw(list, &read, &chain, GNUTLS_X509_FMT_PEM, 0);
  if (error < 0) {
    ::gnutls_free(list);
    return error;
  }
  const auto free_list = [&] {
    for (::gnutls_pcert_st& one : std::span(list, read)) ::gnutls_pcert_deinit(&one);
    ::gnutls_free(list);
  };
  ::gnutls_privkey_t own = nullptr;
  if (error = ::gnutls_privkey_init(&own); error < 0) {
    free_list();
    return error;
  }
  const ::gnutls_datum_t secret = Datum(material_.key);
  if (error = ::gnutls_privkey_import_x509_raw(own, &secret, GNUTLS_X509_FMT_PEM, nullptr, 0); error < 0) {
    ::gnutls_privkey_deinit(own);
    free_list();
    return error;
  }
  *certificates = list;
  *count = read;
  *key = own;
  *flags |= GNUTLS_CERT_RETR_DEINIT_ALL;
  return 0;
}

std::vector<std::string> ShownBy(::gnutls_session_t session) {
  unsigned int count = 0;
  const ::gnutls_datum_t* shown = ::gnutls_certificate_get_peers(session, &count);
  std::vector<std::string> pems;
  if (shown == nullptr) return pems;
  for (const ::gnutls_datum_t& der : std::span(shown, count < kMostCertificates ? count : kMostCertificates)) {
    ::gnutls_datum_t pem{};
    if (::gnutls_pem_base64_encode2("CERTIFICATE", &der, &pem) < 0) break;
    pems.emplace_back(reinterpret_cast<const char*>(pem.data), pem.size);
    ::gnutls_free(pem.data);
  }
  return pems;
}

}  // namespace rdmaready::metrics
