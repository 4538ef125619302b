// SPDX-License-Identifier: Apache-2.0
// Schema: what the tables look like, and how a file of an older version comes to look so.
//
// The version is PRAGMA user_version. A step is never edited once it was released: what it made is out there.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "agent/store/sqlite.h"

namespace rdmaready {

// Step i is SQL that takes a file of version i to version i + 1; version 0 is an empty file.
std::span<const char* const> SchemaSteps();

// kFailedPrecondition when the file was written by a newer version, or by another program. Changes nothing.
absl::Status CheckVersion(const Database& database);

// kFailedPrecondition unless the file is of the newest version that we know: for those who may not write.
absl::Status CheckUpToDate(const Database& database);

// Brings the file to version steps.size(), each step in a transaction of its own: one that does not come to its
// end, whatever the reason, leaves the version before it as it was. Refuses what CheckVersion refuses.
absl::Status Migrate(Database& database, std::span<const char* const> steps = SchemaSteps());

}  // namespace rdmaready
