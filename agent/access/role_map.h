// SPDX-License-Identifier: Apache-2.0
// RoleMap: which certificates have which role, by a file of the host's administrator:
//
//   observe: ["URI:spiffe://example.org/monitoring/*"]
//   test:    ["DNS:admin[1-4].example.org"]
//   prove:   ["URI:spiffe://example.org/storage-team/*"]
//   apply:   ["DNS:deploy.example.org"]
//   agent:   ["DNS:*.storage.example.org"]
//
// Patterns are those of api/client/subject_pattern.h. A certificate with several names has the roles of all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/access/role.h"
#include "api/client/subject_names.h"
#include "api/client/subject_pattern.h"

namespace rdmaready::access {

inline constexpr std::size_t kMaxPatterns = 256;  // of a map

class RoleMap {
 public:
  struct Row {
    Role role = Role::kNone;
    SubjectPattern who{};
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
