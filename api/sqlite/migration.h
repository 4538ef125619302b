// SPDX-License-Identifier: Apache-2.0
// Migration: how a file of an older version comes to look as today's, and which files are none of ours.
//
// The version is PRAGMA user_version. A step is never edited once it was released: what it made is out there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "api/sqlite/sqlite.h"

namespace rdmaready {

struct Schema {
  std::string_view name{};  // "store of rdmaready", for refusals
  // Step i is SQL that takes a file of version i to version i + 1; version 0 is an empty file.
  std::span<const char* const> steps{};
  // PRAGMA application_id, by which one program's files are told from another's. Set with the first step.
  std::int32_t application_id = 0;
};

// kFailedPrecondition when the file was written by a newer version, or by another program. Changes nothing.
absl::Status CheckVersion(const Database& database, const Schema& schema);

// kFailedPrecondition unless the file is of the newest version that we know: for those who may not write.
absl::Status CheckUpToDate(const Database& database, const Schema& schema);

// Brings the file to version steps.size(), each step in a transaction of its own: one that does not come to its
// end, whatever the reason, leaves the version before it as it was. Refuses what CheckVersion refuses.
absl::Status Migrate(Database& database, const Schema& schema);

}  // namespace rdmaready
