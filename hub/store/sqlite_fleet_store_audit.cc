// SPDX-License-Identifier: Apache-2.0
// The audit in SQLite.
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/convert/fleet_audit.h"
#include "hub/store/queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {

absl::StatusOr<FleetAuditEntry> SqliteFleetStore::AppendAudit(FleetAuditEntry entry) {
  const absl::Status done = InTransaction([&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const last, writer_.Prepared(sql::kLastAudit));
    last->Bind(entry.hub);
    RR_ASSIGN_OR_RETURN(const bool there, last->Step());
    entry.number = there ? static_cast<std::uint64_t>(last->Int(0)) + 1 : 1;
    entry.previous = there ? last->Text(1) : std::string();
    last->Reset();
    RR_ASSIGN_OR_RETURN(entry.digest, AuditDigest(entry));
    RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutAudit));
    BindAudit(entry, *put);
    return put->Run();
  });
  RR_RETURN_IF_ERROR(done);
  return entry;
}

absl::Status SqliteFleetStore::Audit(const std::string& hub, std::uint64_t after_number,
                                     std::int64_t since_unix_ns, std::size_t most,
                                     const std::function<void(FleetAuditEntry&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kAudit));
    found->Bind(hub).Bind(static_cast<std::int64_t>(after_number)).Bind(since_unix_ns);
    found->Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) { each(ReadAudit(row)); });
  });
}

absl::Status SqliteFleetStore::PruneAudit(std::int64_t before_unix_ns, std::uint64_t most) {
  return InTransaction([&]() -> absl::Status {
    std::vector<std::pair<std::string, std::int64_t>> old;
    RR_ASSIGN_OR_RETURN(Statement* const find, writer_.Prepared(sql::kOldAudit));
    find->Bind(before_unix_ns).Bind(static_cast<std::int64_t>(most));
    RR_RETURN_IF_ERROR(
        EachRow(*find, [&](const Statement& row) { old.emplace_back(row.Text(0), row.Int(1)); }));
    for (const auto& [hub, number] : old) {
      RR_ASSIGN_OR_RETURN(Statement* const drop, writer_.Prepared(sql::kDropAudit));
      RR_RETURN_IF_ERROR(drop->Bind(hub).Bind(number).Run());
    }
    return absl::OkStatus();
  });
}

}  // namespace rdmaready::hub
