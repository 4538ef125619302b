// SPDX-License-Identifier: Apache-2.0
// RoleMap: which certificates have which role, by a file of the host's administrator:
//
//   observe: ["URI:spiffe://example.org/monitoring/*"]
//   test:    ["DNS:admin[1-4].example.org"]
//   prove:   ["URI:spiffe://example.org/storage-team/*"]
//   apply:   ["DNS:deploy.example.org"]
//   agent:   ["DNS:*.storage.example.org"]
//
// A pattern (api/base/name_pattern.h) stands for the whole of a subject alternative name; `*` passes over dots
// and slashes. DNS names have no case, URIs have. A certificate with several names has the roles of all.
#pragma once

#include <openssl/x509.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/access/role.h"

namespace rdmaready::access {

inline constexpr std::size_t kMaxPatterns = 256;      // of a map
inline constexpr std::size_t kMaxPatternBytes = 256;  // of one
inline constexpr std::size_t kMaxNames = 32;          // of a certificate; what follows has no role
inline constexpr std::size_t kMaxNameBytes = 512;     // a longer name has no role

struct SubjectName {
  enum class Kind { kDns, kUri };
  Kind kind = Kind::kDns;
  std::string text{};  // printable ASCII; a DNS name in small letters

  bool operator==(const SubjectName&) const = default;
};

// "DNS:storage1.example.org".
std::string NameText(const SubjectName& name);

// The DNS and URI subject alternative names, in the certificate's order, at most kMaxNames. One that is longer
// than kMaxNameBytes, or is not printable ASCII, is left out: nobody could have meant it by a pattern.
std::vector<SubjectName> SubjectNames(const ::X509& certificate);
// Of the first certificate of a PEM text; none where there is none.
std::vector<SubjectName> SubjectNames(std::string_view pem);

class RoleMap {
 public:
  struct Row {
    Role role = Role::kNone;
    SubjectName::Kind kind = SubjectName::Kind::kDns;
    std::string pattern{};
  };

  RoleMap() = default;  // nobody has a role

  // Empty: none of the names is in the map.
  RoleSet RolesOf(std::span<const SubjectName> names) const;

  const std::vector<Row>& rows() const { return rows_; }

 private:
  friend absl::StatusOr<RoleMap> ParseRoleMap(std::string_view yaml, const std::string& file_name);
  std::vector<Row> rows_{};
};

// kInvalidArgument with the first fault: "roles.yaml:3: unknown role `tset` (did you mean `test`?)".
absl::StatusOr<RoleMap> ParseRoleMap(std::string_view yaml, const std::string& file_name);

// The file belongs to root or to this process's user, and nobody else may write it; else kFailedPrecondition,
// which names owner and mode. Errors of ReadSmallFile and ParseRoleMap. Blocks on file access.
absl::StatusOr<RoleMap> LoadRoleMap(const std::string& path);

}  // namespace rdmaready::access
