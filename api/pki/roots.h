// SPDX-License-Identifier: Apache-2.0
// The roots of an authority's directory, as files. Whoever calls has the lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/certificate.h"
#include "api/pki/crypto.h"
#include "api/pki/index.h"

namespace rdmaready::pki {

inline constexpr int kCertificateMode = 0644;  // what everybody may read

struct RootFile {
  std::string serial{};
  std::string pem{};
  Certificate certificate{};
  bool former = false;  // it issued before the one that does now
};

std::string IndexPath(const std::string& directory);

std::string RootPath(const std::string& directory, const std::string& serial, const char* ending);

// The root that issues first. kNotFound: no authority; kDataLoss: one whose root is not there.
absl::StatusOr<std::vector<RootFile>> LoadRoots(const std::string& directory);

// The key of a root, which fits it.
absl::StatusOr<PrivateKey> LoadRootKey(const std::string& directory, const RootFile& root);

// Makes key and certificate; returns its serial. It issues nothing yet.
absl::StatusOr<std::string> AddRoot(const std::string& directory, const std::string& name,
                                    std::int64_t now_unix_s);

// What it was called when it was made, without the digits of its serial.
std::string NameOfRoot(const RootFile& root);

// From now on that one issues; `former`: instead of that one, which stays trusted; or empty.
absl::Status SetIssuer(const std::string& directory, const std::string& serial, const std::string& former);

// ca.pem and crl.pem, as roots and entries have it.
absl::Status WriteBundle(const std::string& directory, const std::vector<RootFile>& roots);
absl::Status WriteLists(const std::string& directory, const std::vector<RootFile>& roots,
                        const std::vector<IndexEntry>& entries, std::int64_t now_unix_s);

}  // namespace rdmaready::pki
