// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore: parts of many rows.
#include <utility>

#include "api/base/status.h"
#include "hub/store/page_queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {

absl::Status SqliteFleetStore::NewestChanges(const std::string& host_id, std::int64_t since_unix_ns,
                                             const ChangePlace& after, std::size_t most,
                                             const std::function<void(FleetChange&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found,
                        connection.Prepared(host_id.empty() ? sql::kNewestChanges : sql::kNewestChangesOf));
    found->Bind(since_unix_ns).Bind(after.last_unix_ns).Bind(after.host_id);
    found->Bind(static_cast<std::int64_t>(after.number));
    if (!host_id.empty()) found->Bind(host_id);
    found->Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) { each(ReadChange(row)); });
  });
}

absl::Status SqliteFleetStore::ChangesByName(std::int64_t since_unix_ns, const HostChangePlace& after,
                                             std::size_t most, const std::function<void(FleetChange&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kChangesByName));
    found->Bind(after.host).Bind(after.host_id).Bind(static_cast<std::int64_t>(after.number));
    found->Bind(since_unix_ns).Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) {
      FleetChange change = ReadChange(row);
      change.host = row.Text(kChangeColumns);
      each(std::move(change));
    });
  });
}

absl::Status SqliteFleetStore::FindingsByName(const FindingPlace& after, std::size_t most,
                                              const std::function<void(FleetFinding&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kFindingsByName));
    found->Bind(after.host).Bind(after.host_id).Bind(after.check).Bind(after.subject).Bind(after.profile);
    found->Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) {
      FleetFinding finding = ReadKeptFinding(row).finding;
      finding.host = row.Text(kFindingColumns);
      each(std::move(finding));
    });
  });
}

}  // namespace rdmaready::hub
