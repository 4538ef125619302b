// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/made_certificates.h"

#include <utility>
#include <vector>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/pki/key.h"
#include "api/pki/sign.h"

namespace rdmaready::sim {

absl::StatusOr<MadeCertificates> MadeCertificates::Open(const std::string& authority) {
  RR_ASSIGN_OR_RETURN(std::vector<pki::RootFile> roots, pki::LoadRoots(authority));
  RR_ASSIGN_OR_RETURN(pki::PrivateKey key, pki::LoadRootKey(authority, roots.front()));
  return MadeCertificates(std::move(roots.front()), std::move(key));
}

absl::StatusOr<TlsMaterial> MadeCertificates::For(const std::string& host_id, const std::string& name) const {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  constexpr std::int64_t kDayS = 86'400;
  const std::int64_t now_s = UnixNs(RealClock()) / kNsPerS;
  RR_ASSIGN_OR_RETURN(const pki::PrivateKey key, pki::MakeKey());
  pki::Contents contents{.kind = pki::Kind::kHost,
                         .common_name = name,
                         .identity = host_id,
                         .dns = {name},
                         .not_before_unix_s = now_s - pki::kBackdatedS,
                         .not_after_unix_s = now_s + kDayS};
  RR_ASSIGN_OR_RETURN(contents.serial, pki::NewSerial());
  TlsMaterial material{.ca = root_.pem};
  RR_ASSIGN_OR_RETURN(material.certificate, pki::SignCertificate(contents, *key, *root_.certificate, *key_));
  RR_ASSIGN_OR_RETURN(material.key, pki::KeyPem(*key));
  return material;
}

}  // namespace rdmaready::sim
