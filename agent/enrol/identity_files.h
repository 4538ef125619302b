// SPDX-License-Identifier: Apache-2.0
// IdentityFiles: what makes this host one of a fleet, below the agent's state directory.
//
//   identity/current      a link to the generation that counts; without it the host is not enrolled
//   identity/g-XXXX/      a generation: host.pem (certificate and key), ca.pem, crl.pem
//   identity/pending.key  the key of an enrolment that has no answer yet; it is asked for again with the same
//   one identity/lock         one process writes at a time
//
// A generation is written whole, and then the link is put in place in one step: a crash leaves the old one or
// the new one. All of it is its owner's alone.
//
// Threads: any; writers take the lock.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/tls.h"
#include "api/pki/crypto.h"
#include "api/pki/file.h"

namespace rdmaready::enrol {

struct Identity {
  std::string host_id{};
  std::int64_t not_before_unix_s = 0;
  std::int64_t not_after_unix_s = 0;
};

// PEM texts.
struct Generation {
  std::string certificate{};
  std::string key{};
  std::string roots{};
  std::string lists{};
};

class IdentityFiles {
 public:
  explicit IdentityFiles(const std::string& state_directory) : directory_(state_directory + "/identity") {}

  bool Enrolled() const;
  // Of the generation that counts. Its certificate and its key are one file, so that nobody reads one of each.
  TlsFiles Files() const { return FilesBelow(directory_ + "/current"); }
  // kNotFound: not enrolled. kDataLoss: what is there is no certificate of a host.
  absl::StatusOr<Identity> Read() const;
  // As it is; empty where there is none.
  std::string Lists() const;
  std::string Roots() const;

  // Makes the directory where it is absent. kUnavailable: another process is at it.
  absl::StatusOr<pki::DirectoryLock> Lock() const;

  // With the lock.
  absl::StatusOr<pki::PrivateKey> PendingKey() const;
  // A generation that does not count yet: its name. What others left unfinished is removed.
  absl::StatusOr<std::string> Stage(const Generation& generation) const;
  TlsFiles FilesOf(const std::string& staged) const { return FilesBelow(directory_ + "/" + staged); }
  // From now on that one counts.
  absl::Status Switch(const std::string& staged) const;
  void Drop(const std::string& staged) const;
  void ForgetPendingKey() const;
  // In the generation that counts. Anything that is no newer, or not signed by its roots: errors of
  // pki::CheckNewerLists.
  absl::Status PutLists(const std::string& pem) const;

 private:
  static TlsFiles FilesBelow(const std::string& directory);
  std::string Current() const;

  std::string directory_;
};

}  // namespace rdmaready::enrol
