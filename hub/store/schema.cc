// SPDX-License-Identifier: Apache-2.0
#include "hub/store/schema.h"

#include <array>

namespace rdmaready::hub {
namespace {

// host: all that a status reads. facts: the latest, by which a host is judged again. vote: what it votes where
// hosts are compared, as it was judged last. past: by which digest the agent knows what is in baseline, the last
// test of each case beside the days before it. finding: what is not well, or was not until somebody acknowledges
// it; what is well has no row. transition: an outcome that became another. audit: what callers had a hub do.
// note: what a part of the hub keeps for itself: notices that are on their way, and what was told.
constexpr char kFirst[] = R"(
CREATE TABLE host (
  host_id TEXT PRIMARY KEY, name TEXT NOT NULL, group_name TEXT NOT NULL, rack TEXT NOT NULL,
  machine_id TEXT NOT NULL, boot_id TEXT NOT NULL, run_id TEXT NOT NULL, sequence INTEGER NOT NULL,
  digest TEXT NOT NULL, verdict INTEGER NOT NULL, since_unix_ns INTEGER NOT NULL, seen_unix_ns INTEGER NOT NULL,
  changed_unix_ns INTEGER NOT NULL, failed INTEGER NOT NULL, warned INTEGER NOT NULL, unknown INTEGER NOT NULL,
  passed INTEGER NOT NULL, waived INTEGER NOT NULL, first_check TEXT NOT NULL, first_observed TEXT NOT NULL,
  profiles TEXT NOT NULL, agent_version TEXT NOT NULL, kernel_release TEXT NOT NULL, clock_ahead_ns INTEGER NOT NULL,
  ports INTEGER NOT NULL, trouble TEXT NOT NULL, judged_by TEXT NOT NULL, last_number INTEGER NOT NULL,
  maintenance_until_unix_ns INTEGER NOT NULL DEFAULT 0, maintenance_reason TEXT NOT NULL DEFAULT '',
  unacknowledged INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE facts (
  host_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE vote (
  host_id TEXT PRIMARY KEY, judged_by TEXT NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE past (host_id TEXT PRIMARY KEY, digest TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE baseline (
  host_id TEXT NOT NULL, port TEXT NOT NULL, case_name TEXT NOT NULL, role TEXT NOT NULL, peer TEXT NOT NULL,
  software INTEGER NOT NULL, last_bytes_per_s INTEGER NOT NULL, last_unix_ns INTEGER NOT NULL, days INTEGER NOT NULL,
  p10_bytes_per_s INTEGER NOT NULL, p50_bytes_per_s INTEGER NOT NULL, latency_p99_ns INTEGER NOT NULL,
  days_kept INTEGER NOT NULL, first_unix_ns INTEGER NOT NULL, changed_unix_ns INTEGER NOT NULL,
  before_bytes_per_s INTEGER NOT NULL, before_days INTEGER NOT NULL,
  PRIMARY KEY (host_id, port, case_name, role, peer)) STRICT, WITHOUT ROWID;
CREATE TABLE finding (
  host_id TEXT NOT NULL, check_id TEXT NOT NULL, subject TEXT NOT NULL, profile TEXT NOT NULL,
  outcome INTEGER NOT NULL, blocking INTEGER NOT NULL, observed TEXT NOT NULL, expected TEXT NOT NULL,
  fix TEXT NOT NULL, switch_port TEXT NOT NULL, since_unix_ns INTEGER NOT NULL, over_unix_ns INTEGER NOT NULL,
  acknowledged_by TEXT NOT NULL, acknowledged_unix_ns INTEGER NOT NULL, acknowledged_why TEXT NOT NULL,
  window_unix_ns INTEGER NOT NULL, changes INTEGER NOT NULL, last_number INTEGER NOT NULL,
  PRIMARY KEY (host_id, check_id, subject, profile)) STRICT, WITHOUT ROWID;
CREATE TABLE transition (
  host_id TEXT NOT NULL, number INTEGER NOT NULL, unix_ns INTEGER NOT NULL, check_id TEXT NOT NULL,
  subject TEXT NOT NULL, profile TEXT NOT NULL, outcome_before INTEGER NOT NULL, outcome_after INTEGER NOT NULL,
  observed TEXT NOT NULL, times INTEGER NOT NULL, last_unix_ns INTEGER NOT NULL,
  PRIMARY KEY (host_id, number)) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
  hub TEXT NOT NULL, number INTEGER NOT NULL, unix_ns INTEGER NOT NULL, who TEXT NOT NULL, peer TEXT NOT NULL,
  verb TEXT NOT NULL, detail TEXT NOT NULL, outcome TEXT NOT NULL, previous TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (hub, number)) STRICT, WITHOUT ROWID;
CREATE TABLE note (
  kind TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID;
CREATE INDEX finding_over ON finding (over_unix_ns) WHERE over_unix_ns > 0;
CREATE INDEX transition_by_time ON transition (last_unix_ns DESC, host_id, number);
CREATE UNIQUE INDEX host_by_name ON host (name, host_id);
CREATE TABLE enrolment_token (
  digest TEXT PRIMARY KEY, name TEXT NOT NULL, note TEXT NOT NULL, made_by TEXT NOT NULL,
  made_unix_ns INTEGER NOT NULL, ends_unix_ns INTEGER NOT NULL, withdrawn_by TEXT NOT NULL DEFAULT '',
  withdrawn_unix_ns INTEGER NOT NULL DEFAULT 0, used_unix_ns INTEGER NOT NULL DEFAULT 0,
  key_digest TEXT NOT NULL DEFAULT '', host_id TEXT NOT NULL DEFAULT '', hostname TEXT NOT NULL DEFAULT '',
  machine_id TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE INDEX enrolment_token_by_time ON enrolment_token (made_unix_ns DESC, digest);
CREATE TABLE revoked_host (
  host_id TEXT PRIMARY KEY, unix_ns INTEGER NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

constexpr std::array<const char*, 1> kSteps{kFirst};
constexpr std::int32_t kApplicationId = 0x72646d68;  // "rdmh"

}  // namespace

Schema FleetSchema() {
  return {.name = "store of rdmaready-hub", .steps = kSteps, .application_id = kApplicationId};
}

}  // namespace rdmaready::hub
