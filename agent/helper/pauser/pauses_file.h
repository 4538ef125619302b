// SPDX-License-Identifier: Apache-2.0
// PausesFile: which interfaces may pause their link partner, in root's own words:
//
//   ports: ["ens1f*"]   # patterns of interfaces
//
// Every other interface may not. See api/proto/rdmaready/v1/pauses_file.proto.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::helper {

inline constexpr std::string_view kPausesFile = "/etc/rdmaready/pauses.yaml";

// The patterns. kInvalidArgument with the first fault: "pauses.yaml:1: unknown key `port` (did you mean
// `ports`?)".
absl::StatusOr<std::vector<std::string>> ParsePausesFile(std::string_view yaml, const std::string& file_name);

// The same from a file of user `owner` that nobody else may write. Errors are those of ReadGuardedFile and
// ParsePausesFile.
absl::StatusOr<std::vector<std::string>> LoadPausesFile(const std::string& path, ::uid_t owner);

}  // namespace rdmaready::helper
