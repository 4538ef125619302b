// SPDX-License-Identifier: Apache-2.0
// ApplyFile: what may be changed on this host, in root's own words:
//
//   ports: ["ens1f*", "mlx5_0/1", host]      # patterns; host: what belongs to no port
//   settings: [pfc, ets, dcbx, app, trust]   # kinds (api/model/setting.h), or [all]
//   profiles:                                # by their content: rdmaready profile digest NAME|FILE
//     - {sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae, name: smb-direct-roce}
//   confirm_within: {least: 10, most: 600}   # seconds that a caller may ask for
//   one_way: false                           # also what nobody can take back from Linux
//   put_back: {most_per_hour: 4}             # what somebody else changes of confirmed settings
//   changes: {most_per_hour: 30}             # how many may be begun
//   peer: nas1.example.org                   # a transfer with it must prove each change, too
//   files: false                             # also files for the next boot (apply --persist)
//
// What is not said is not allowed. See api/proto/rdmaready/v1/apply_file.proto.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "agent/apply/permission.h"

namespace rdmaready::helper {

inline constexpr std::string_view kApplyFile = "/etc/rdmaready/apply.yaml";

// kInvalidArgument with the first fault: "apply.yaml:2: `settings`: `pfcc` is no setting (did you mean
// `pfc`?)".
absl::StatusOr<Permission> ParseApplyFile(std::string_view yaml, const std::string& file_name);

// Of a file that user `owner` alone can write and put there: errors are those of ReadGuardedInPlace and
// ParseApplyFile.
absl::StatusOr<Permission> LoadApplyFile(const std::string& path, ::uid_t owner);

}  // namespace rdmaready::helper
