// SPDX-License-Identifier: Apache-2.0
// The files that `rdmaready pki` hands out: NAME.pem, NAME.key and ca.pem, in a directory of the caller's
// choice.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/pki/authority.h"

namespace rdmaready {

struct HandedOut {
  pki::IndexEntry entry{};
  std::vector<std::string> files{};  // that were written
};

// Where a host made its key itself: the request that it sent; empty: a key is made here, and written.
struct KeyChoice {
  std::string request_file{};
  bool keep = false;  // rotate: of the certificate that is there
};

// The directory where a CA is kept unless another is named: /etc/rdmaready/pki of root, else
// $XDG_CONFIG_HOME/rdmaready/pki (by default ~/.config/rdmaready/pki). kFailedPrecondition: no home.
absl::StatusOr<std::string> DefaultPkiDirectory();

// kAlreadyExists before anything was issued, when one of the two files is there, or a ca.pem of somebody else.
// What cannot be written is found out before, too, as far as it can be.
absl::StatusOr<HandedOut> IssueInto(const pki::Authority& ca, const pki::Order& order, const KeyChoice& key,
                                    const std::string& out);

// The same, under a name of the caller's choice: `path` ends in .pem, the key's in .key, and the directory is
// there.
absl::StatusOr<HandedOut> IssueAs(const pki::Authority& ca, const pki::Order& order, const KeyChoice& key,
                                  const std::string& path);

// A host's or hub's name is also a DNS name or an address of it: callers connect to it.
void AddOwnName(pki::Order& order);

// A symbolic link counts, also one without a target.
bool FileIsThere(const std::string& path);

// A certificate for the same identity in the place of the one that `what` means: a file, or the NAME of one in
// `out`. The old one stays valid until it expires. Both files are on the disk before the first is replaced; who
// reads between the two renames finds a pair that does not fit, and has to read again (agents do, gRPC does).
absl::StatusOr<HandedOut> RotateInto(const pki::Authority& ca, const std::string& what, const KeyChoice& key,
                                     int days, const std::string& out);

// Of a certificate in a file. Errors name the file.
absl::StatusOr<std::string> ReadCertificateFile(const std::string& path);

// Whether a word of the command line is a path.
bool IsCertificatePath(const std::string& word);

}  // namespace rdmaready
