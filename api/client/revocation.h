// SPDX-License-Identifier: Apache-2.0
// Revocation: who is not to be believed any more, by lists (CRLs) that the CA signed. Reads PEM text, knows no
// files and no network.
//
// A list that cannot be read or is not the CA's own refuses everybody, because whoever can damage the file
// could let the revoked in again. One that was due to be renewed goes on being applied, and that is told
// instead: those whom it names stay out, and a CA that is late for a day must not cut off every host at once.
#pragma once

#include <openssl/x509.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// Of a file of lists: some 60,000 certificates. It travels in one message of gRPC.
inline constexpr std::size_t kMaxListsBytes = 3UL * 1024 * 1024;

using RevocationList = Handle<::X509_CRL, ::X509_CRL_free>;

class RevocationLists {
 public:
  // All lists of a PEM text. kInvalidArgument: there is none, one is damaged, or one that does not tell of all
  // (a delta, or another critical extension).
  static absl::StatusOr<RevocationLists> Parse(std::string_view pem);

  // A list that names one of `issuers` and was not signed by it: kInvalidArgument. So is, when there has to be
  // one (`needed`), a text without a list of any of them.
  absl::Status Judge(const std::vector<const ::X509*>& issuers, bool needed) const;

  // Of a chain that was verified, our own certificate first, its root last. Empty: none of it is revoked. Reads
  // on from "the certificate ...": "was revoked on 2026-11-20 19:17 UTC", or why that cannot be said: no list
  // of its issuer, or one that the issuer did not sign. Of CAs between the certificate and its root those are
  // asked that have a list.
  std::string WhyRevoked(const std::vector<const ::X509*>& chain) const;

  // Of the first list that is due: "the revocation list of CN=x was to be renewed by 2026-11-20 19:17 UTC".
  // Empty: all are as they should be.
  std::string WhyStale() const;

 private:
  std::string WhyRevokedBy(const ::X509& certificate, const ::X509& issuer, bool needed) const;

  std::vector<RevocationList> lists_;
};

// Why a certificate (PEM, ours first, its intermediates after it or in `others_pem`) is not to be believed now,
// by the texts of a CA and its lists: revoked, not signed by the CA, or a text of no use. Empty: it is not
// revoked. Its dates and its use are not looked at. For a server that ends a connection that is older than the
// list.
std::string WhyRevokedNow(const std::string& certificate_pem, const std::string& others_pem,
                          const std::string& ca_pem, const std::string& crl_pem);

// A file of lists, read with every question and parsed when it differs from before.
//
// Threads: any.
class RevocationFile {
 public:
  // Hears of a list that is due, once for each text of the file.
  using OnStale = std::function<void(const std::string& why)>;

  explicit RevocationFile(std::string path, OnStale on_stale = {})
      : path_(std::move(path)), on_stale_(std::move(on_stale)) {}

  // kInvalidArgument, with the path: unreadable, or as Parse.
  absl::StatusOr<std::shared_ptr<const RevocationLists>> Now();

 private:
  const std::string path_;
  const OnStale on_stale_;
  std::mutex mutex_;  // guards what follows
  std::string text_{};
  std::shared_ptr<const RevocationLists> lists_{};
  bool told_stale_ = false;
};

}  // namespace rdmaready
