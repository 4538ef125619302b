// SPDX-License-Identifier: Apache-2.0
#include "agent/store/schema.h"

#include <array>

namespace rdmaready {
namespace {

// What a person may want to ask in SQL stands in columns; `body` is the whole record as its wire message.
constexpr char kFirst[] = R"(
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, started_unix_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, level INTEGER NOT NULL,
  profile_name TEXT NOT NULL, profile_digest TEXT NOT NULL, verdict INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX runs_by_time ON runs (started_unix_ns);
CREATE TABLE findings (
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, position INTEGER NOT NULL, id TEXT NOT NULL,
  subject TEXT NOT NULL, outcome INTEGER NOT NULL, observed TEXT NOT NULL,
  PRIMARY KEY (run_id, position)) STRICT, WITHOUT ROWID;
CREATE TABLE transfers (
  number INTEGER PRIMARY KEY, run_id TEXT NOT NULL, started_unix_ns INTEGER NOT NULL, port TEXT NOT NULL,
  role TEXT NOT NULL, peer TEXT NOT NULL, case_name TEXT NOT NULL, failure INTEGER NOT NULL,
  throughput_bytes_per_s INTEGER NOT NULL, latency_p50_ns INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX transfers_by_time ON transfers (started_unix_ns);
)";

// SQLite checks its pages' structure, not what stands in them: `checksum` is over the row (store_file.cc), NULL
// for rows of version 1. `events` is what happened to the store itself.
constexpr char kSecond[] = R"(
ALTER TABLE runs ADD COLUMN checksum INTEGER;
ALTER TABLE transfers ADD COLUMN checksum INTEGER;
CREATE TABLE events (number INTEGER PRIMARY KEY, unix_ns INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
)";

// How `body` is to be read: NULL: as earlier_body.h says, else as it is; below 2 it says nothing of profiles.
// The numbers in `level` and `failure` stay those of the first version, 0 for host and for no failure, whatever
// the wire's are.
constexpr char kThird[] = R"(
ALTER TABLE runs ADD COLUMN form INTEGER;
ALTER TABLE transfers ADD COLUMN form INTEGER;
)";

// A run may be by several profiles.
constexpr char kFourth[] = R"(
CREATE TABLE run_profiles (
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,
  digest TEXT NOT NULL, PRIMARY KEY (run_id, position)) STRICT, WITHOUT ROWID;
INSERT INTO run_profiles SELECT run_id, 0, profile_name, profile_digest FROM runs;
ALTER TABLE runs DROP COLUMN profile_name;
ALTER TABLE runs DROP COLUMN profile_digest;
)";

// `as_in`: the run whose body and findings are this one's too; its own body is empty then. `body_only`: 1 when
// the run itself is forgotten, and its row stands for those that refer to it. `samples`: what the percentiles
// of a day are made from, until the next day begins.
constexpr char kFifth[] = R"(
ALTER TABLE runs ADD COLUMN kind TEXT;
ALTER TABLE runs ADD COLUMN digest TEXT;
ALTER TABLE runs ADD COLUMN as_in TEXT;
ALTER TABLE runs ADD COLUMN body_only INTEGER;
CREATE INDEX runs_by_kind ON runs (kind) WHERE kind IS NOT NULL;
CREATE INDEX runs_by_body ON runs (as_in) WHERE as_in IS NOT NULL;
CREATE INDEX runs_body_only ON runs (started_unix_ns) WHERE body_only IS NOT NULL;
CREATE TABLE baselines (
  port TEXT NOT NULL, case_name TEXT NOT NULL, role TEXT NOT NULL, peer TEXT NOT NULL, day INTEGER NOT NULL,
  tests INTEGER NOT NULL, p10_bytes_per_s INTEGER NOT NULL, p50_bytes_per_s INTEGER NOT NULL,
  p90_bytes_per_s INTEGER NOT NULL, worst_bytes_per_s INTEGER NOT NULL, latency_p99_ns INTEGER NOT NULL,
  last_bytes_per_s INTEGER NOT NULL, last_unix_ns INTEGER NOT NULL, samples BLOB,
  PRIMARY KEY (port, case_name, role, peer, day)) STRICT, WITHOUT ROWID;
CREATE INDEX baselines_by_day ON baselines (day);
)";

constexpr std::array<const char*, 5> kSteps{kFirst, kSecond, kThird, kFourth, kFifth};

}  // namespace

Schema StoreSchema() { return {.name = "store of rdmaready", .steps = kSteps}; }

}  // namespace rdmaready
