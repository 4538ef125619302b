// SPDX-License-Identifier: Apache-2.0
#include "agent/trust/offer_signer.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <optional>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/client/revocation.h"

namespace rdmaready {
namespace {

using Digest = Handle<::EVP_MD_CTX, ::EVP_MD_CTX_free>;

const unsigned char* Bytes(std::string_view octets) {
  return reinterpret_cast<const unsigned char*>(octets.data());
}

int NoPassphraseHere(char*, int, int, void*) { return -1; }

// Edwards curves have a digest of their own.
const ::EVP_MD* DigestFor(const ::EVP_PKEY& key) {
  const bool own = ::EVP_PKEY_is_a(&key, "ED25519") == 1 || ::EVP_PKEY_is_a(&key, "ED448") == 1;
  return own ? nullptr : ::EVP_sha256();
}

bool UsePss(::EVP_PKEY_CTX* context, const ::EVP_PKEY& key) {
  if (::EVP_PKEY_is_a(&key, "RSA") != 1) return true;
  return ::EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         ::EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

// The line that gives an agent its role. Certificates of `pki issue host` and of a hub have a URI for each
// host.
std::string AgentLine(const std::vector<SubjectName>& names) {
  constexpr std::string_view kOfHosts = "URI:rdmaready:host/";
  if (names.empty()) return {};
  std::string name = NameText(names.front());
  for (const SubjectName& one : names) {
    if (NameText(one).starts_with(kOfHosts)) name = fmt::format("{}*", kOfHosts);
  }
  return fmt::format("; where it is an agent, the line agent: [\"{}\"] is missing there", name);
}

// Without a role map nothing says which certificate is an agent's: callers have certificates of the same CA,
// too.
std::string WhyNoAgent(const ::X509& certificate, const access::RoleMap& roles) {
  const std::vector<SubjectName> names = SubjectNames(certificate);
  if (roles.RolesOf(names).Has(access::Role::kAgent)) return {};
  if (roles.rows().empty()) return "is unknown to this agent: it has no role map (--roles)" + AgentLine(names);
  std::string text;
  for (const SubjectName& name : names) text += (text.empty() ? "" : ", ") + NameText(name);
  constexpr std::size_t kMostText = 200;
  if (text.size() > kMostText) text.resize(kMostText);
  return fmt::format("({}) has not the role agent in this agent's role map (--roles){}",
                     text.empty() ? "without DNS name or URI" : text, AgentLine(names));
}

// Takes the port off "storage1:7471", "10.0.0.7", "[fd00::7]:7471" and "fd00::7".
std::string HostWithoutPort(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, std::min(host.find(']'), host.size()) - 1);
  const std::size_t colon = host.find(':');
  return colon == host.rfind(':') ? host.substr(0, colon) : host;
}

}  // namespace

absl::StatusOr<OfferSigner> OfferSigner::Load(const TlsFiles& files) {
  RR_ASSIGN_OR_RETURN(TlsMaterial material, LoadTls(files, TlsRole::kServer));
  if (material.certificate.size() > kMaxCertificatesBytes) {
    return absl::InvalidArgumentError("--tls-cert " + files.certificate + ": too long to be shown to a peer");
  }
  const Handle<::BIO, ::BIO_free> bio(
      ::BIO_new_mem_buf(material.key.data(), static_cast<int>(material.key.size())));
  SigningKey key(::PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphraseHere, nullptr));
  ::ERR_clear_error();
  if (!key) return absl::InvalidArgumentError("--tls-key " + files.key + ": no PEM private key");
  return OfferSigner(std::move(material.certificate), std::move(material.ca), std::move(material.crl),
                     std::move(key));
}

absl::StatusOr<std::string> OfferSigner::Sign(std::string_view octets) const {
  const Digest digest(::EVP_MD_CTX_new());
  ::EVP_PKEY_CTX* context = nullptr;  // the digest's
  std::string signature(kMaxSignatureBytes, '\0');
  std::size_t size = signature.size();
  const bool done = digest &&
                    ::EVP_DigestSignInit(digest.get(), &context, DigestFor(*key_), nullptr, key_.get()) == 1 &&
                    UsePss(context, *key_) &&
                    ::EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                     Bytes(octets), octets.size()) == 1;
  ::ERR_clear_error();
  if (!done) return absl::InternalError("OpenSSL cannot sign with the key of --tls-key");
  signature.resize(size);
  return signature;
}

absl::StatusOr<OfferVerifier> OfferVerifier::Admit(std::string_view certificates, const std::string& ca,
                                                   const std::string& crl, const access::RoleMap& roles) {
  if (certificates.empty() || certificates.size() > kMaxCertificatesBytes) {
    return absl::PermissionDeniedError("is not shown, or longer than any");
  }
  absl::StatusOr<std::vector<Certificate>> shown = ParseCertificates(certificates);
  if (!shown.ok()) return absl::PermissionDeniedError("is not readable: " + Message(shown.status()));
  RR_ASSIGN_OR_RETURN(const TrustStore trusted, ParseTrustStore(ca));
  std::optional<RevocationLists> lists;
  if (!crl.empty()) {
    RR_ASSIGN_OR_RETURN(lists, RevocationLists::Parse(crl));
  }
  Certificate own = std::move(shown->front());
  shown->erase(shown->begin());
  std::string subject = SubjectText(*own);
  std::string why = WhyUntrusted(*own, *shown, *trusted, CertificateUse::kServer, lists ? &*lists : nullptr);
  if (why.empty()) why = WhyNoAgent(*own, roles);
  if (!why.empty()) return absl::PermissionDeniedError(subject + " " + why);
  SigningKey key(::X509_get_pubkey(own.get()));
  if (!key) return absl::PermissionDeniedError(subject + " has no key that can be used");
  return OfferVerifier(std::move(subject), std::move(own), std::move(key));
}

bool OfferVerifier::IsNamed(const std::string& host) const {
  return CarriesName(*certificate_, HostWithoutPort(host));
}

bool OfferVerifier::Signed(std::string_view octets, std::string_view signature) const {
  if (signature.empty() || signature.size() > kMaxSignatureBytes) return false;
  const Digest digest(::EVP_MD_CTX_new());
  ::EVP_PKEY_CTX* context = nullptr;  // the digest's
  const bool right =
      digest && ::EVP_DigestVerifyInit(digest.get(), &context, DigestFor(*key_), nullptr, key_.get()) == 1 &&
      UsePss(context, *key_) &&
      ::EVP_DigestVerify(digest.get(), Bytes(signature), signature.size(), Bytes(octets), octets.size()) == 1;
  ::ERR_clear_error();
  return right;
}

}  // namespace rdmaready
