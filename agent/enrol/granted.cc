// SPDX-License-Identifier: Apache-2.0
#include "agent/enrol/granted.h"

#include <openssl/x509.h>

#include <vector>

#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/pki/identity.h"
#include "api/pki/key.h"
#include "api/pki/newer_lists.h"

namespace rdmaready::enrol {
namespace {

absl::Status Useless(const std::string& why) {
  return absl::InvalidArgumentError("what the hub answered: " + why);
}

}  // namespace

absl::StatusOr<Generation> JudgeGranted(const v1::HostCertificate& answer, const ::EVP_PKEY& key,
                                        const std::string& host_id) {
  const pki::CleanErrors clean;
  const absl::StatusOr<std::vector<Certificate>> chain = ParseCertificates(answer.certificate_pem());
  if (!chain.ok()) return Useless(Message(chain.status()));
  ::X509& own = *chain->front();
  const ::EVP_PKEY* const certified = ::X509_get0_pubkey(&own);
  if (certified == nullptr || !pki::SameKey(*certified, key)) return Useless("a certificate of another key");
  const std::optional<std::string> id = pki::HostIdOf(own);
  if (!id || *id != answer.host_id() || (!host_id.empty() && *id != host_id))
    return Useless("a certificate of another host");
  const absl::StatusOr<TrustStore> roots = ParseTrustStore(answer.roots_pem());
  if (!roots.ok()) return Useless("its roots: " + Message(roots.status()));
  if (const absl::Status lists = pki::CheckNewerLists(answer.revocations_pem(), "", answer.roots_pem());
      !lists.ok())
    return Useless("its revocation lists: " + Message(lists));
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(answer.revocations_pem());
  if (!lists.ok()) return Useless(Message(lists.status()));
  if (const std::string why = WhyUntrusted(own, *chain, **roots, CertificateUse::kClient, &*lists);
      !why.empty())
    return Useless("a certificate that " + why);
  Generation generation{
      .certificate = answer.certificate_pem(), .roots = answer.roots_pem(), .lists = answer.revocations_pem()};
  RR_ASSIGN_OR_RETURN(generation.key, pki::KeyPem(key));
  return generation;
}

}  // namespace rdmaready::enrol
