// SPDX-License-Identifier: Apache-2.0
// MadeCertificates: certificates of hosts that are made up, by a CA in a directory. They are not in its index,
// so nobody can revoke them: for a CA that was made for a simulation.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/client/tls.h"
#include "api/pki/crypto.h"
#include "api/pki/roots.h"

namespace rdmaready::sim {

class MadeCertificates {
 public:
  // Errors of the CA's files.
  static absl::StatusOr<MadeCertificates> Open(const std::string& authority);

  // For a day, with a key of its own.
  absl::StatusOr<TlsMaterial> For(const std::string& host_id, const std::string& name) const;

 private:
  MadeCertificates(pki::RootFile root, pki::PrivateKey key) : root_(std::move(root)), key_(std::move(key)) {}

  pki::RootFile root_;
  pki::PrivateKey key_;
};

}  // namespace rdmaready::sim
