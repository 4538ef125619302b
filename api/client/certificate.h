// SPDX-License-Identifier: Apache-2.0
// Certificates: what is wrong with one, in words. Reads PEM text, knows no files and no network.
//
// Text taken from a certificate was written by an outsider: it leaves here as printable ASCII of bounded
// length.
#pragma once

#include <openssl/x509.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

using Certificate = Handle<::X509, ::X509_free>;
using TrustStore = Handle<::X509_STORE, ::X509_STORE_free>;

enum class CertificateUse { kServer, kClient, kAny };

class RevocationLists;  // api/client/revocation.h

// All certificates of a PEM text, in its order. kInvalidArgument when there is none or one is damaged.
absl::StatusOr<std::vector<Certificate>> ParseCertificates(std::string_view pem);

// Trusts the certificates of the text and what they signed. Errors as above.
absl::StatusOr<TrustStore> ParseTrustStore(std::string_view pem);

// "CN=storage1,O=Example".
std::string SubjectText(const ::X509& certificate);
std::string IssuerText(const ::X509& certificate);

// "2026-11-20 19:17 UTC".
std::string DateText(const ::ASN1_TIME& time);

// What an X509_V_ERR_* says of the certificate it met: "expired on 2026-11-20 19:17 UTC", "is not signed by a
// CA that is trusted here (issuer CN=x)". Reads on from "the certificate CN=a ...".
std::string TroubleText(int error, const ::X509* certificate);

// Empty: it is signed by the store, by way of `others` (intermediates; may be empty), valid now, meant for
// `use`, and not revoked by `lists` (null: nobody is). kAny: its dates do not count either.
std::string WhyUntrusted(::X509& certificate, const std::vector<Certificate>& others, ::X509_STORE& trusted,
                         CertificateUse use, const RevocationLists* lists = nullptr);

// Whether a subject alternative name is `name`: an address, or a DNS name (wildcards as TLS has them).
bool CarriesName(const ::X509& certificate, const std::string& name);

// Its DNS names and addresses: "storage1, 10.0.0.1"; "no name" for none.
std::string NamesText(const ::X509& certificate);

}  // namespace rdmaready
