// SPDX-License-Identifier: Apache-2.0
// PausesFile: which interfaces may pause their link partner, in root's own words:
//
//   ports: ["ens1f*"]    # patterns of interfaces
//   direct: ["ens1f0"]   # patterns of those whose cable ends at one other host
//
// Every other interface may not. One that is not `direct` may where LLDP hears a single station there. See
// api/proto/rdmaready/v1/pauses_file.proto.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::helper {

inline constexpr std::string_view kPausesFile = "/etc/rdmaready/pauses.yaml";

struct PauseRules {
  std::vector<std::string> ports{};
  std::vector<std::string> direct{};
};

// kInvalidArgument with the first fault: "pauses.yaml:1: unknown key `port` (did you mean
// `ports`?)".
absl::StatusOr<PauseRules> ParsePausesFile(std::string_view yaml, const std::string& file_name);

// The same from a file of user `owner` that nobody else may write. Errors are those of ReadGuardedFile and
// ParsePausesFile.
absl::StatusOr<PauseRules> LoadPausesFile(const std::string& path, ::uid_t owner);

}  // namespace rdmaready::helper
