// SPDX-License-Identifier: Apache-2.0
// Rows: the columns of hub/store/queries.h as values, and the other way.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "api/sqlite/sqlite.h"
#include "hub/store/finding_changes.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// Of a host that is committed again: sql::kHostMark.
struct HostBefore {
  ReportMark mark{};
  std::uint64_t last_number = 0;
  Readiness verdict = Readiness::kUndetermined;
  std::int64_t since_unix_ns = 0;
  std::string digest{};
  std::int64_t changed_unix_ns = 0;
  std::string trouble{};
};
HostBefore ReadHostBefore(const Statement& row);

inline constexpr int kHostColumns = 30;
inline constexpr int kFindingColumns = 18;
inline constexpr int kChangeColumns = 11;
KnownHost ReadHost(const Statement& row);           // RR_HOST_COLUMNS
KeptFinding ReadKeptFinding(const Statement& row);  // RR_FINDING_COLUMNS
FleetAuditEntry ReadAudit(const Statement& row);    // RR_AUDIT_COLUMNS
FleetChange ReadChange(const Statement& row);       // RR_CHANGE_COLUMNS

// sql::kPutHost; `host` is that of `judged` with what the store found of it.
void BindHost(const JudgedHost& judged, const FleetHost& host, std::uint64_t last_number, Statement& to);
void BindFinding(const std::string& host_id, const KeptFinding& row, Statement& to);
void BindAudit(const FleetAuditEntry& entry, Statement& to);
void BindChange(const std::string& host_id, const FleetChange& change, Statement& to);

// After the delta: how many findings nobody acknowledged.
std::uint32_t CountUnacknowledged(std::span<const KeptFinding> kept, const FindingChanges& delta);

// Runs to the end; `each` sees every row.
absl::Status EachRow(Statement& statement, const std::function<void(const Statement&)>& each);

// By the last statement.
std::uint64_t RowsChanged(const Database& database);

}  // namespace rdmaready::hub
