// SPDX-License-Identifier: Apache-2.0
// The questions of hub/store/queries.h about what live tests showed, by its rules.
#pragma once

namespace rdmaready::hub::sql {

#define RR_BASELINE_COLUMNS                                                                                 \
  "host_id, port, case_name, role, peer, software, last_bytes_per_s, last_unix_ns, days, p10_bytes_per_s, " \
  "p50_bytes_per_s, latency_p99_ns, days_kept, first_unix_ns, changed_unix_ns, before_bytes_per_s, "        \
  "before_days"

// A report of a host that was revoked since may have waited.
inline constexpr char kPutPast[] =
    "INSERT INTO past (host_id, digest) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM revoked_host WHERE "
    "host_id = $1)";
inline constexpr char kAllPasts[] = "SELECT host_id, digest FROM past ORDER BY host_id";
inline constexpr char kDropPast[] = "DELETE FROM past WHERE host_id = $1";

inline constexpr char kPutBaseline[] =
    "INSERT INTO baseline (" RR_BASELINE_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
inline constexpr char kDropBaselines[] = "DELETE FROM baseline WHERE host_id = $1";
inline constexpr char kBaselinesOf[] =
    "SELECT " RR_BASELINE_COLUMNS " FROM baseline WHERE host_id = $1 ORDER BY port, case_name, role, peer";
inline constexpr char kAllBaselines[] =
    "SELECT " RR_BASELINE_COLUMNS " FROM baseline ORDER BY host_id, port, case_name, role, peer";

}  // namespace rdmaready::hub::sql
