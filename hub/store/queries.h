// SPDX-License-Identifier: Apache-2.0
// The hub's questions to its store, in SQL that SQLite and PostgreSQL read alike: parameters are $1, $2, ... in
// the order in which they first stand, upserts are ON CONFLICT, and nothing names a row by anything but its
// key.
#pragma once

namespace rdmaready::hub::sql {

inline constexpr char kHostMark[] =
    "SELECT run_id, sequence, last_number, verdict, since_unix_ns, digest, changed_unix_ns, trouble FROM host "
    "WHERE "
    "host_id = $1";

inline constexpr char kPutHost[] =
    "INSERT INTO host (host_id, name, group_name, rack, machine_id, boot_id, run_id, sequence, digest, "
    "verdict, "
    "since_unix_ns, seen_unix_ns, changed_unix_ns, failed, warned, unknown, passed, waived, first_check, "
    "first_observed, profiles, agent_version, kernel_release, clock_ahead_ns, ports, trouble, judged_by, "
    "last_number, "
    "unacknowledged) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, "
    "$20, $21, $22, $23, $24, $25, $26, $27, $28, $29) ON CONFLICT (host_id) DO UPDATE SET name = "
    "excluded.name, "
    "group_name = excluded.group_name, rack = excluded.rack, machine_id = excluded.machine_id, boot_id = "
    "excluded.boot_id, run_id = excluded.run_id, sequence = excluded.sequence, digest = excluded.digest, "
    "verdict = "
    "excluded.verdict, since_unix_ns = excluded.since_unix_ns, seen_unix_ns = CASE WHEN excluded.seen_unix_ns "
    "> host.seen_unix_ns THEN excluded.seen_unix_ns ELSE host.seen_unix_ns END, "
    "changed_unix_ns = "
    "excluded.changed_unix_ns, failed = excluded.failed, warned = excluded.warned, unknown = excluded.unknown, "
    "passed "
    "= excluded.passed, waived = excluded.waived, first_check = excluded.first_check, first_observed = "
    "excluded.first_observed, profiles = excluded.profiles, agent_version = excluded.agent_version, "
    "kernel_release = "
    "excluded.kernel_release, clock_ahead_ns = excluded.clock_ahead_ns, ports = excluded.ports, trouble = "
    "excluded.trouble, judged_by = excluded.judged_by, last_number = excluded.last_number, unacknowledged = "
    "excluded.unacknowledged";

inline constexpr char kPutFacts[] =
    "INSERT INTO facts (host_id, bytes, body, checksum) VALUES ($1, $2, $3, $4) ON CONFLICT (host_id) DO "
    "UPDATE SET "
    "bytes = excluded.bytes, body = excluded.body, checksum = excluded.checksum";

// What is the same stays as it is: most hosts vote as they did before.
inline constexpr char kPutVotes[] =
    "INSERT INTO vote (host_id, judged_by, body, checksum) VALUES ($1, $2, $3, $4) ON CONFLICT (host_id) DO "
    "UPDATE SET "
    "judged_by = excluded.judged_by, body = excluded.body, checksum = excluded.checksum WHERE vote.judged_by "
    "<> "
    "excluded.judged_by OR vote.body <> excluded.body OR vote.checksum <> excluded.checksum";
inline constexpr char kAllVotes[] = "SELECT host_id, judged_by, body, checksum FROM vote ORDER BY host_id";

#define RR_FINDING_COLUMNS                                                                           \
  "host_id, check_id, subject, profile, outcome, blocking, observed, expected, fix, switch_port, "   \
  "since_unix_ns, "                                                                                  \
  "over_unix_ns, acknowledged_by, acknowledged_unix_ns, acknowledged_why, window_unix_ns, changes, " \
  "last_number"

inline constexpr char kFindingsOf[] = "SELECT " RR_FINDING_COLUMNS
                                      " FROM finding WHERE host_id = $1 "
                                      "ORDER BY check_id, subject, profile";
inline constexpr char kAllFindings[] =
    "SELECT " RR_FINDING_COLUMNS " FROM finding ORDER BY host_id, check_id, subject, profile";

inline constexpr char kPutFinding[] =
    "INSERT INTO finding (" RR_FINDING_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, "
    "$15, $16, $17, $18) ON CONFLICT (host_id, check_id, subject, profile) DO UPDATE SET outcome = "
    "excluded.outcome, "
    "blocking = excluded.blocking, observed = excluded.observed, expected = excluded.expected, fix = "
    "excluded.fix, "
    "switch_port = excluded.switch_port, since_unix_ns = excluded.since_unix_ns, over_unix_ns = "
    "excluded.over_unix_ns, "
    "acknowledged_by = excluded.acknowledged_by, acknowledged_unix_ns = excluded.acknowledged_unix_ns, "
    "acknowledged_why = excluded.acknowledged_why, window_unix_ns = excluded.window_unix_ns, changes = "
    "excluded.changes, last_number = excluded.last_number";

inline constexpr char kDropFinding[] =
    "DELETE FROM finding WHERE host_id = $1 AND check_id = $2 AND subject = $3 AND profile = $4";

#define RR_CHANGE_COLUMNS                                                                                  \
  "host_id, number, unix_ns, check_id, subject, profile, outcome_before, outcome_after, observed, times, " \
  "last_unix_ns"

inline constexpr char kPutChange[] =
    "INSERT INTO transition (" RR_CHANGE_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
// The row takes the new number, so that who has seen it sees it again.
inline constexpr char kMergeChange[] =
    "UPDATE transition SET number = $1, outcome_after = $2, observed = $3, times = times + 1, last_unix_ns = "
    "$4 WHERE "
    "host_id = $5 AND number = $6";

inline constexpr char kChangesOf[] =
    "SELECT " RR_CHANGE_COLUMNS
    " FROM transition WHERE host_id = $1 AND last_unix_ns >= $2 AND last_unix_ns < $3 "
    "ORDER BY number";
inline constexpr char kChangesAfter[] =
    "SELECT " RR_CHANGE_COLUMNS " FROM transition WHERE host_id = $1 AND number > $2 ORDER BY number";
inline constexpr char kAllChanges[] =
    "SELECT " RR_CHANGE_COLUMNS
    " FROM transition WHERE last_unix_ns >= $1 AND last_unix_ns < $2 ORDER BY "
    "host_id, number";

#define RR_HOST_COLUMNS                                                                                   \
  "host.host_id, name, group_name, rack, machine_id, boot_id, run_id, sequence, digest, verdict, "        \
  "since_unix_ns, "                                                                                       \
  "seen_unix_ns, changed_unix_ns, failed, warned, unknown, passed, waived, first_check, first_observed, " \
  "profiles, agent_version, kernel_release, clock_ahead_ns, ports, trouble, judged_by, "                  \
  "maintenance_until_unix_ns, maintenance_reason, unacknowledged"

inline constexpr char kAllHosts[] = "SELECT " RR_HOST_COLUMNS " FROM host ORDER BY host_id";

inline constexpr char kFactsOf[] =
    "SELECT " RR_HOST_COLUMNS
    ", bytes, body, checksum FROM facts JOIN host ON host.host_id = facts.host_id WHERE "
    "facts.host_id = $1";

// Nobody was heard in the future ($10 is now): a date that was ahead was put right since.
inline constexpr char kSeen[] =
    "UPDATE host SET seen_unix_ns = $1, clock_ahead_ns = $2, agent_version = $3, machine_id = $4, "
    "boot_id = $5, run_id = $6, sequence = $7 WHERE host_id = $8 AND (seen_unix_ns < $9 OR seen_unix_ns > "
    "$10)";

inline constexpr char kCountUp[] = "UPDATE host SET last_number = last_number + 1 WHERE host_id = $1";
inline constexpr char kNameAndNumber[] = "SELECT name, last_number FROM host WHERE host_id = $1";

inline constexpr char kMaintenance[] =
    "UPDATE host SET maintenance_until_unix_ns = $1, maintenance_reason = $2 WHERE host_id = $3";

inline constexpr char kAcknowledgeHolding[] =
    "UPDATE finding SET acknowledged_by = $1, acknowledged_unix_ns = $2, acknowledged_why = $3 WHERE host_id = "
    "$4 AND "
    "check_id = $5 AND subject = $6 AND profile = $7 AND over_unix_ns = 0";
inline constexpr char kForgetOver[] =
    "DELETE FROM finding WHERE host_id = $1 AND check_id = $2 AND subject = $3 AND profile = $4 AND "
    "over_unix_ns <> 0";
inline constexpr char kRecount[] =
    "UPDATE host SET unacknowledged = (SELECT count(*) FROM finding WHERE finding.host_id = host.host_id AND "
    "acknowledged_unix_ns = 0) WHERE host_id = $1";

inline constexpr char kOldChanges[] =
    "SELECT host_id, number FROM transition WHERE last_unix_ns < $1 ORDER BY last_unix_ns LIMIT $2";
inline constexpr char kDropChange[] = "DELETE FROM transition WHERE host_id = $1 AND number = $2";
inline constexpr char kOldOver[] =
    "SELECT host_id, check_id, subject, profile FROM finding WHERE over_unix_ns > 0 AND over_unix_ns < $1 "
    "LIMIT $2";

#define RR_AUDIT_COLUMNS "hub, number, unix_ns, who, peer, verb, detail, outcome, previous, digest"

inline constexpr char kLastAudit[] =
    "SELECT number, digest FROM audit WHERE hub = $1 ORDER BY number DESC LIMIT 1";
inline constexpr char kPutAudit[] =
    "INSERT INTO audit (" RR_AUDIT_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
inline constexpr char kAudit[] =
    "SELECT " RR_AUDIT_COLUMNS
    " FROM audit WHERE hub = $1 AND number > $2 AND unix_ns >= $3 ORDER BY number LIMIT $4";
// The chain is cut at its beginning only, whatever clock wrote what stands behind that.
inline constexpr char kOldAudit[] =
    "SELECT audit.hub, audit.number FROM audit JOIN (SELECT hub, min(number) AS first FROM (SELECT hub, number "
    "FROM audit WHERE unix_ns >= $1 UNION ALL SELECT hub, max(number) AS number FROM audit GROUP BY hub) AS "
    "kept "
    "GROUP BY hub) AS chain ON chain.hub = audit.hub WHERE audit.number < chain.first ORDER BY audit.number "
    "LIMIT $2";
inline constexpr char kDropAudit[] = "DELETE FROM audit WHERE hub = $1 AND number = $2";
inline constexpr char kPutNote[] =
    "INSERT INTO note (kind, key, body) VALUES ($1, $2, $3) ON CONFLICT (kind, key) DO UPDATE SET body = "
    "excluded.body";
inline constexpr char kDropNote[] = "DELETE FROM note WHERE kind = $1 AND key = $2";
inline constexpr char kNotesOf[] = "SELECT key, body FROM note WHERE kind = $1 ORDER BY key";

}  // namespace rdmaready::hub::sql
