// SPDX-License-Identifier: Apache-2.0
#include "api/pki/request.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "api/base/status.h"
#include "api/pki/key.h"

namespace rdmaready::pki {
namespace {

using Request = Handle<::X509_REQ, ::X509_REQ_free>;

}  // namespace

absl::StatusOr<std::string> MakeRequest(::EVP_PKEY& key, const std::string& common_name) {
  const CleanErrors clean;
  const Request request(::X509_REQ_new());
  const Bio bio = WritingBio();
  const bool made =
      request && bio && ::X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) == 1 &&
      ::X509_NAME_add_entry_by_NID(::X509_REQ_get_subject_name(request.get()), NID_commonName, MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(common_name.data()),
                                   static_cast<int>(common_name.size()), -1, 0) == 1 &&
      ::X509_REQ_set_pubkey(request.get(), &key) == 1 &&
      ::X509_REQ_sign(request.get(), &key, SigningDigest(key)) > 0 &&
      ::PEM_write_bio_X509_REQ(bio.get(), request.get()) == 1;
  if (!made) return CryptoFailure("make a certificate request");
  return WrittenTo(*bio);
}

absl::StatusOr<PublicKey> KeyOfRequest(std::string_view pem) {
  const CleanErrors clean;
  if (pem.size() > kMaxRequestBytes)
    return absl::InvalidArgumentError("larger than any certificate request of use");
  const Bio bio = ReadingBio(pem);
  if (!bio) return absl::ResourceExhaustedError("no memory for a certificate request");
  const Request request(::PEM_read_bio_X509_REQ(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!request) return absl::InvalidArgumentError("no PEM certificate request");
  PublicKey key(::X509_REQ_get_pubkey(request.get()));
  if (!key) return absl::InvalidArgumentError("a certificate request without a key that can be used");
  // Before the signature: what it costs to verify one is bounded by the key.
  if (const absl::Status taken = CheckPublicKey(*key); !taken.ok())
    return absl::InvalidArgumentError("the certificate request has " + Message(taken));
  if (::X509_REQ_verify(request.get(), key.get()) != 1)
    return absl::InvalidArgumentError("the certificate request is not signed with its own key");
  return key;
}

}  // namespace rdmaready::pki
