// SPDX-License-Identifier: Apache-2.0
// Authority: a certificate authority for those who have none, in a directory.
//
//   ca.pem          whom everybody is to trust: one root, or two while trust moves from one to the next
//   crl.pem         who was revoked, a list signed by each root
//   issuer          the serial number of the root that signs, and below it that of the one that did before; a
//                   directory without it was never finished
//   roots/S.pem .key   each root and its key, mode 0600
//   index.jsonl     what was issued and revoked (index.h)
//   lock            one process writes at a time
//
// What was handed out stands in the index before, so it can always be revoked. All keys are without passphrase:
// who can read the directory is the CA.
//
// Threads and processes: any number, each call takes the lock for itself.
#pragma once

#include <openssl/evp.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/pki/identity.h"
#include "api/pki/index.h"
#include "api/pki/sign.h"

namespace rdmaready::pki {

struct AuthorityOptions {
  std::function<std::int64_t()> now_unix_ns = [] { return UnixNs(RealClock()); };
  std::chrono::milliseconds lock_wait{10'000};
};

// A certificate that is wished for.
struct Order {
  Kind kind = Kind::kUnknown;
  std::string name{};              // an IsPlainName, or an address: stands as the subject, for people
  std::string host_id{};           // of a host; empty: a fresh one
  std::vector<std::string> dns{};  // names and addresses by which it is called
  std::vector<std::string> addresses{};
  int days = kDefaultDays;
  std::int64_t lifetime_s = 0;  // more than 0: instead of days
};

// kInvalidArgument: a name, an id, a number of days that no certificate has.
absl::Status CheckOrder(const Order& order);

struct Issued {
  IndexEntry entry{};
  std::string certificate_pem{};
};

struct Root {
  std::string serial{};
  std::string subject{};
  std::string fingerprint{};
  std::int64_t not_after_unix_ns = 0;
  bool issues = false;
};

class Authority {
 public:
  // Makes the directory (0700) where it is missing, and a root "NAME 4f1c09aa". kAlreadyExists: there is a CA,
  // which stays as it is. What a creation that broke off left there is made anew.
  static absl::Status Create(const std::string& directory, const std::string& name,
                             const AuthorityOptions& options = {});

  // kNotFound: there is none. Reads nothing else: each call below does, and tells of what is damaged.
  static absl::StatusOr<Authority> Open(const std::string& directory, const AuthorityOptions& options = {});

  const std::string& directory() const { return directory_; }

  // kInvalidArgument: an order that cannot be, or that would outlive the CA. `public_key` passes
  // CheckPublicKey, or is refused with its words.
  absl::StatusOr<Issued> Issue(const Order& order, ::EVP_PKEY& public_key) const;

  // The order by which a certificate for the same identity is issued again.
  static Order Again(const IndexEntry& entry, int days);

  // Oldest first.
  absl::StatusOr<std::vector<IndexEntry>> Entries() const;

  // All that `what` means: a serial number, or a host's id with all its certificates that still last. Those
  // that were revoked before are among them, and crl.pem is written anew in any case. kNotFound: nothing of
  // this CA.
  absl::StatusOr<std::vector<IndexEntry>> Revoke(const std::string& what) const;
  // One that this CA signed, in the index or not.
  absl::StatusOr<std::vector<IndexEntry>> Revoke(const ::X509& certificate) const;

  // Who applies a list warns when it is older than kRevocationListDays.
  absl::Status RenewRevocationList() const;

  // The root that issues first.
  absl::StatusOr<std::vector<Root>> Roots() const;
  // PEM of ca.pem.
  absl::StatusOr<std::string> Bundle() const;

  // Trust moves to a new root in three steps, so that nobody is cut off: a second root joins ca.pem
  // (BeginRotation, by default of the same name; kAlreadyExists when there are two); once all have that file,
  // it issues (SwitchRoot); once all have certificates of it, the first one goes (RetireRoot;
  // kFailedPrecondition while one that the first signed lasts, unless `anyway`).
  absl::Status BeginRotation(const std::string& name) const;
  absl::Status SwitchRoot() const;
  absl::Status RetireRoot(bool anyway) const;

 private:
  Authority(std::string directory, AuthorityOptions options)
      : directory_(std::move(directory)), options_(std::move(options)) {}

  absl::StatusOr<std::vector<IndexEntry>> RevokeAll(std::vector<IndexEntry> entries) const;
  absl::Status Settle() const;
  std::int64_t NowS() const { return options_.now_unix_ns() / 1'000'000'000; }

  std::string directory_;
  AuthorityOptions options_;
};

}  // namespace rdmaready::pki
