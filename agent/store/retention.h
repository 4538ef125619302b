// SPDX-License-Identifier: Apache-2.0
// Retention: how much is remembered. The oldest goes first, both runs and transfers; the newest run stays,
// whatever the limits say. The body of a run that went stays as long as a run that stays refers to it. What live
// tests showed by the day is kept for a year: see baseline_rows.h.
#pragma once

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "api/sqlite/sqlite.h"

namespace rdmaready {

struct StoreLimits {
  std::uint64_t max_bytes = 256ull << 20;  // of the database file; its log adds 4 MiB at most
  std::chrono::seconds max_age{0};         // 0: as long as there is room
};

// A step towards the limits, to be taken after each write: deletes a bounded number of rows and gives back a
// bounded number of pages, however far off the limits are, so that no write pays for all that came before it.
// What was written stays written when this fails.
absl::Status Prune(Database& database, const StoreLimits& limits, std::int64_t now_unix_ns);

}  // namespace rdmaready
